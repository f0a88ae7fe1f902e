/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* SEARCH, as its authors' module 4.0 for Linux has it: `variant=linux40` of
 * `crates/control/src/startup/search.rs`, with its names. Times are nanoseconds, volumes bytes.
 */
#ifndef FLOWSTART_STARTUPS_SEARCH_H
#define FLOWSTART_STARTUPS_SEARCH_H

#include "rule.h"

#define W 10
#define EXTRA_BINS 39
#define BINS 64 /* W + 1 + EXTRA_BINS at least, and a power of two: a mask bounds what is read */
#define WIDTH_PERCENT 35
#define THRESH 3500 /* of 10,000 */
#define BINS_OF_A_RTT 3
#define DRAIN_ACKEDSEG_THRESH 3

enum { SEARCH_WAITING, SEARCH_WATCHING, SEARCH_DRAINING };

struct totals {
	u64 acked;
	u64 sent;
};

struct search {
	u32 phase;
	u32 una; /* at the last acknowledgement, as `nxt` */
	u32 nxt;
	u32 iw;
	u64 duration; /* of a bin */
	u64 end;      /* of the bin under way */
	u64 target;   /* of a drain */
	u32 drained;
	u32 idx; /* bin that ended last */
	struct totals totals;
	struct totals ring[BINS];
};

RULE void search_init(struct search *s, u32 nxt, u32 iw)
{
	s->phase = SEARCH_WAITING;
	s->una = s->nxt = nxt;
	s->iw = iw;
	s->drained = 0;
	s->totals = (struct totals){0};
}

RULE struct totals search_at(const struct search *s, u32 bin)
{
	return s->ring[bin % BINS];
}

RULE void search_restart(struct search *s, u64 now)
{
	s->end = now + s->duration;
	s->idx = 0;
	s->ring[0] = s->totals;
}

/* Ends so many bins; in those before the last nothing happened. */
RULE void search_close(struct search *s, u64 passed)
{
	struct totals last = search_at(s, s->idx);

	for (u32 i = 1; i < BINS; i++)
		if (i < passed)
			s->ring[(s->idx + (u32)passed - i) % BINS] = last;
	s->idx += passed;
	s->end += s->duration * passed;
	s->ring[s->idx % BINS] = s->totals;
}

/* Before the first bin is nothing. */
RULE u64 search_sent(const struct search *s, u32 bin, u32 back)
{
	return bin < back ? 0 : search_at(s, bin - back).sent;
}

RULE u64 search_delivered(const struct search *s, u32 bins)
{
	return search_at(s, s->idx).acked - search_at(s, s->idx < bins ? 0 : s->idx - bins).acked;
}

/* What was sent in W bins up to a round trip ago, between the ends of two bins weighed. */
RULE u64 search_expected(const struct search *s, u32 p, u64 f)
{
	u64 whole = search_sent(s, p, 1) - search_sent(s, p, W);
	u64 oldest = search_sent(s, p, W) - search_sent(s, p, W + 1);
	u64 newest = search_sent(s, p, 0) - search_sent(s, p, 1);

	return whole + oldest * f / 100 + newest * (100 - f) / 100;
}

/* Whether THRESH of what should have been delivered is missing. */
RULE int search_too_little(const struct search *s, u64 rtt)
{
	u64 back = rtt / s->duration, f = rtt % s->duration * 100 / s->duration;
	u64 expected, delivered, missing;

	if (back >= EXTRA_BINS || s->idx < back || s->idx - back < W)
		return 0;
	expected = search_expected(s, s->idx - (u32)back, f);
	delivered = search_delivered(s, W);
	missing = expected > delivered ? expected - delivered : 0;
	return expected && missing * 10000 >= expected * THRESH;
}

/* SEARCH_UPDATE: whether it is time to leave. */
RULE int search_update(struct search *s, const struct ack *a)
{
	u64 rtt = (u64)a->rtt_us * 1000;
	u64 passed;

	s->totals.acked += a->una - s->una;
	s->totals.sent += a->nxt - s->nxt;
	s->una = a->una;
	s->nxt = a->nxt;
	if (a->rtt_us == NO_RTT)
		return 0;
	if (s->phase == SEARCH_WAITING) {
		u64 width = (u64)a->rtt_us * WIDTH_PERCENT / 100;

		s->phase = SEARCH_WATCHING;
		s->duration = (width ? width : 1) * 1000;
		search_restart(s, a->now);
		return 0;
	}
	if (a->now < s->end || !s->duration)
		return 0;
	if (a->app_limited) {
		search_restart(s, a->now);
		return 0;
	}
	passed = (a->now - s->end) / s->duration + 1;
	search_close(s, passed);
	return search_too_little(s, rtt);
}

enum { SEARCH_GROWS, SEARCH_HOLDS, SEARCH_ENDS };

/* One segment leaves for three delivered, until the window is the target. */
RULE int search_drain(struct search *s, const struct ack *a, u32 *cwnd)
{
	u32 room;

	if (a->rtt_us == NO_RTT)
		return SEARCH_HOLDS;
	s->drained += a->acked;
	room = a->in_flight + s->drained / DRAIN_ACKEDSEG_THRESH;
	s->drained %= DRAIN_ACKEDSEG_THRESH;
	if ((u64)room * a->mss > s->target) {
		*cwnd = lesser(*cwnd, room);
		return SEARCH_HOLDS;
	}
	*cwnd = lesser(*cwnd, s->target / a->mss);
	return SEARCH_ENDS;
}

/* An acknowledgement in slow start: whether the window grows with it, is held, or slow start ends with
 * this window.
 */
RULE int search_on_ack(struct search *s, const struct ack *a, u32 *cwnd)
{
	if (s->phase == SEARCH_DRAINING)
		return search_drain(s, a, cwnd);
	if (!search_update(s, a))
		return SEARCH_GROWS;
	s->target = search_delivered(s, BINS_OF_A_RTT);
	if (s->target < (u64)s->iw * a->mss)
		s->target = (u64)s->iw * a->mss;
	if (s->target >= (u64)*cwnd * a->mss)
		return SEARCH_ENDS;
	s->phase = SEARCH_DRAINING;
	return SEARCH_HOLDS;
}

#endif
