/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A rule of the BPF programs on this host, for `tests/rules.rs`: reads an acknowledgement a line (una,
 * nxt, in_flight, acked, rtt_us, cwnd_limited, now), and prints the window after it and whether the
 * startup is over. Of Jump Start a line has bytes queued, the peer's window, segments sent and
 * retransmitted; it prints the flight and the window after the recovery. Of the choice a line has a seed and the
 * peer's port; it prints the hash of that connection.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;

#include "choice.h"
#include "hystart_plus_plus.h"
#include "jump_start.h"
#include "search.h"

#define MSS 1448

static union {
	struct hystart_pp hystart_pp;
	struct search search;
} state;

static int hystart_pp(const struct ack *a, u32 *cwnd)
{
	return hystart_pp_on_ack(&state.hystart_pp, a, cwnd);
}

static int search(const struct ack *a, u32 *cwnd)
{
	int next = search_on_ack(&state.search, a, cwnd);

	if (next == SEARCH_GROWS && a->cwnd_limited)
		*cwnd += a->acked;
	return next == SEARCH_ENDS || state.search.phase == SEARCH_DRAINING;
}

static void jump_start(void)
{
	u32 queued, snd_wnd, sent, again;

	while (scanf("%" SCNu32 "%" SCNu32 "%" SCNu32 "%" SCNu32, &queued, &snd_wnd, &sent, &again) == 4) {
		struct jump_start s = {.d_sent = sent};

		printf("%" PRIu32 " %" PRIu32 "\n", jump_start_flight(queued, snd_wnd, MSS),
		       jump_start_after_recovery(&s, again));
	}
}

static void choice(void)
{
	struct ends ends = {.peer = {0, 0, 0xffff0000, 0x0200000a}, .port = 443};
	u32 seed;

	while (scanf("%" SCNu32 "%" SCNu32, &seed, &ends.peer_port) == 2)
		printf("%" PRIu32 "\n", hash_of(seed, &ends));
}

int main(int argc, char **argv)
{
	int (*on_ack)(const struct ack *a, u32 *cwnd) = 0;
	u32 cwnd = 10;
	struct ack a = {.mss = MSS};
	int over = 0;

	if (argc == 2 && !strcmp(argv[1], "hystart-plus-plus")) {
		hystart_pp_init(&state.hystart_pp);
		on_ack = hystart_pp;
	} else if (argc == 2 && !strcmp(argv[1], "search")) {
		search_init(&state.search, 0, cwnd);
		on_ack = search;
	}
	if (argc == 2 && !strcmp(argv[1], "jump-start")) {
		jump_start();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "choice")) {
		choice();
		return 0;
	}
	while (on_ack && !over &&
	       scanf("%" SCNu32 "%" SCNu32 "%" SCNu32 "%" SCNu32 "%" SCNu32 "%" SCNu32 "%" SCNu64, &a.una,
		     &a.nxt, &a.in_flight, &a.acked, &a.rtt_us, &a.cwnd_limited, &a.now) == 7) {
		over = on_ack(&a, &cwnd);
		printf("%" PRIu32 " %d\n", cwnd, over);
	}
	return !on_ack;
}
