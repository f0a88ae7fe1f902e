/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What an acknowledgement reports to a startup's rule. Rules are plain C without the kernel: the BPF
 * programs and the test that compares them with `crates/control` (`tests/rules.rs`) compile the same.
 */
#ifndef FLOWSTART_STARTUPS_RULE_H
#define FLOWSTART_STARTUPS_RULE_H

#define RULE static inline __attribute__((always_inline))
#define NO_RTT 0xffffffffu

struct ack {
	u64 now; /* nanoseconds */
	u32 una; /* sequence numbers */
	u32 nxt;
	u32 mss;
	u32 in_flight; /* segments */
	u32 acked;     /* segments newly acknowledged, SACKed ones included */
	u32 rtt_us;    /* or NO_RTT */
	u32 cwnd_limited;
	u32 app_limited; /* what it acknowledges left while the application had no more */
};

/* Sequence numbers wrap. */
RULE int reaches(u32 una, u32 end)
{
	return (s32)(una - end) >= 0;
}

RULE u32 lesser(u32 a, u32 b)
{
	return a < b ? a : b;
}

RULE u32 greater(u32 a, u32 b)
{
	return a > b ? a : b;
}

#endif
