/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Jump Start (Liu, Allman, Jin, Wang, PFLDnet 2007), as `crates/control/src/startup/jump_start.rs` has
 * it. Three things differ. The kernel learns what is queued when the application writes it, so D grows
 * until the first acknowledgement. It paces nothing before the tenth segment, so these leave at once and
 * the others take the round trip. The jump waits for a flight that the initial window does not hold: a
 * server's first flight may be a TLS handshake's.
 */
#ifndef FLOWSTART_STARTUPS_JUMP_START_H
#define FLOWSTART_STARTUPS_JUMP_START_H

#include "rule.h"

#define MAX_D 10000
/* tcp_update_skb_after_send() */
#define UNPACED 10

enum { JS_OFF, JS_ARMED, JS_PACING, JS_WATCH, JS_RECOVERY };

struct jump_start {
	u32 js;
	u32 iw;
	u32 start;	   /* sequence number of the first byte of the flight */
	u32 end;	   /* `js_end_seq`: the flight ends before this byte */
	u32 before;	   /* segments in flight and segments sent, when it began */
	u32 sent_before;
	u32 d_sent;	   /* segments of the flight that have left */
	u32 total_retrans; /* when the recovery began */
	u32 was_paced;	   /* `sk_pacing_status` before */
};

/* D: queued data that the peer's window takes; the last segment may be short. */
RULE u32 jump_start_flight(u32 queued, u32 snd_wnd, u32 mss)
{
	u32 segments = (queued + mss - 1) / mss;

	return greater(lesser(lesser(segments, snd_wnd / mss), MAX_D), 1);
}

/* Bytes a second: what the kernel paces of D in a round trip. */
RULE u64 jump_start_rate(const struct jump_start *s, u32 flight, u32 mss, u32 rtt_us)
{
	u32 unpaced = s->sent_before < UNPACED ? UNPACED - s->sent_before : 0;
	u32 paced = flight > unpaced ? flight - unpaced : 1;

	return (u64)paced * mss * 1000000 / greater(rtt_us, 1);
}

/* §II: half of what the network delivered. */
RULE u32 jump_start_after_recovery(const struct jump_start *s, u32 total_retrans)
{
	u32 again = total_retrans - s->total_retrans;

	return greater(again < s->d_sent ? (s->d_sent - again) / 2 : 0, 1);
}

#endif
