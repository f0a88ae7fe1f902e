/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* HyStart++ (RFC 9406 §4.2), as `crates/control/src/startup/hystart_plus_plus.rs` has it for stacks
 * that do not pace: the order of its steps, and the names. Times are microseconds.
 */
#ifndef FLOWSTART_STARTUPS_HYSTART_PLUS_PLUS_H
#define FLOWSTART_STARTUPS_HYSTART_PLUS_PLUS_H

#include "rule.h"

/* RFC 9406 §4.3. */
#define MIN_RTT_THRESH 4000
#define MAX_RTT_THRESH 16000
#define MIN_RTT_DIVISOR 8
#define N_RTT_SAMPLE 8
#define CSS_GROWTH_DIVISOR 4
#define CSS_ROUNDS 5
#define L 8

struct hystart_pp {
	u32 has_window_end;
	u32 window_end;
	u32 last_round_min_rtt; /* NO_RTT: infinite, as the others */
	u32 current_round_min_rtt;
	u32 rtt_sample_count;
	u32 css_baseline_min_rtt;
	u32 in_css;
	u32 css_rounds;
	u32 remainder; /* of the growth in CSS, in segments / CSS_GROWTH_DIVISOR */
};

RULE void hystart_pp_init(struct hystart_pp *s)
{
	*s = (struct hystart_pp){
		.last_round_min_rtt = NO_RTT,
		.current_round_min_rtt = NO_RTT,
		.css_baseline_min_rtt = NO_RTT,
	};
}

RULE u32 hystart_pp_grow(struct hystart_pp *s, const struct ack *a, u32 cwnd)
{
	u32 increase = lesser(a->acked, L);

	if (!a->cwnd_limited)
		return cwnd;
	if (!s->in_css)
		return cwnd + increase;
	s->remainder += increase;
	cwnd += s->remainder / CSS_GROWTH_DIVISOR;
	s->remainder %= CSS_GROWTH_DIVISOR;
	return cwnd;
}

/* Whether the round's minimum exceeds that of the last by the threshold, in eighths of a microsecond. */
RULE int hystart_pp_risen(const struct hystart_pp *s)
{
	u64 last = s->last_round_min_rtt, current = s->current_round_min_rtt, threshold = last;

	if (last == NO_RTT || current == NO_RTT)
		return 0;
	if (threshold > MAX_RTT_THRESH * MIN_RTT_DIVISOR)
		threshold = MAX_RTT_THRESH * MIN_RTT_DIVISOR;
	if (threshold < MIN_RTT_THRESH * MIN_RTT_DIVISOR)
		threshold = MIN_RTT_THRESH * MIN_RTT_DIVISOR;
	return current * MIN_RTT_DIVISOR >= last * MIN_RTT_DIVISOR + threshold;
}

RULE void hystart_pp_check_delay(struct hystart_pp *s)
{
	if (s->rtt_sample_count < N_RTT_SAMPLE)
		return;
	if (!s->in_css && hystart_pp_risen(s)) {
		s->css_baseline_min_rtt = s->current_round_min_rtt;
		s->css_rounds = 0;
		s->in_css = 1;
	} else if (s->in_css && s->current_round_min_rtt < s->css_baseline_min_rtt) {
		s->css_baseline_min_rtt = NO_RTT;
		s->in_css = 0;
	}
}

/* Whether it ends slow start. */
RULE int hystart_pp_end_round(struct hystart_pp *s, u32 nxt)
{
	if (s->in_css && ++s->css_rounds >= CSS_ROUNDS)
		return 1;
	s->last_round_min_rtt = s->current_round_min_rtt;
	s->current_round_min_rtt = NO_RTT;
	s->rtt_sample_count = 0;
	s->window_end = nxt;
	return 0;
}

/* An acknowledgement in slow start: grows the window, and returns whether slow start ends. */
RULE int hystart_pp_on_ack(struct hystart_pp *s, const struct ack *a, u32 *cwnd)
{
	*cwnd = hystart_pp_grow(s, a, *cwnd);
	if (a->rtt_us != NO_RTT) {
		s->current_round_min_rtt = lesser(s->current_round_min_rtt, a->rtt_us);
		s->rtt_sample_count++;
		hystart_pp_check_delay(s);
	}
	if (!s->has_window_end) {
		s->has_window_end = 1;
		s->window_end = a->nxt;
	}
	return reaches(a->una, s->window_end) && hystart_pp_end_round(s, a->nxt);
}

#endif
