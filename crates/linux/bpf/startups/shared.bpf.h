/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the programs of all startups share: the state of a connection, and CUBIC around the startup. */
#include "kernel.h"
#include "hystart_plus_plus.h"
#include "jump_start.h"
#include "search.h"

/* tcp_tso_segs() takes the kernel's default otherwise. */
#define MIN_TSO_SEGS 2

struct startup {
	u32 is_over;
	u32 rtt_us; /* of the acknowledgement under way */
	u32 is_app_limited; /* what leaves now */
	u32 app_limited_until; /* what left before this sequence number did so while it was */
	union {
		struct hystart_pp hystart_pp;
		struct jump_start jump_start;
		struct search search;
	};
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct startup);
} startups SEC(".maps");

static __always_inline struct tcp_sock *tcp_sk(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static __always_inline struct startup *startup_of(struct sock *sk, u64 flags)
{
	return bpf_sk_storage_get(&startups, sk, 0, flags);
}

/* CUBIC's own HyStart stays out: it looks only until it has found an end. */
static __always_inline void without_hystart(struct sock *sk)
{
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;

	((struct bictcp *)icsk->icsk_ca_priv)->found = 1;
}

/* tcp_is_cwnd_limited() in slow start */
static __always_inline u32 is_cwnd_limited(struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited) || tp->snd_cwnd < 2 * tp->max_packets_out;
}

static __always_inline struct startup *begin(struct sock *sk)
{
	struct startup *s = startup_of(sk, BPF_SK_STORAGE_GET_F_CREATE);

	cubictcp_init(sk);
	without_hystart(sk);
	if (s) {
		s->is_over = 0;
		s->rtt_us = NO_RTT;
		s->is_app_limited = 0;
		s->app_limited_until = tcp_sk(sk)->snd_una;
	}
	return s;
}

/* The startup where its rule applies: before its end, below the threshold. */
static __always_inline struct startup *in_charge(struct sock *sk)
{
	struct startup *s = startup_of(sk, 0);

	return s && !s->is_over && tcp_sk(sk)->snd_cwnd < tcp_sk(sk)->snd_ssthresh ? s : 0;
}

/* A look for something to send: `app_limited` is set by writes and cleared by acknowledgements, so it
 * stays as it is from one look to the next.
 */
static __always_inline void note_sent(struct startup *s, struct tcp_sock *tp)
{
	struct tcp_sock___startup *more = (void *)tp;

	if (s->is_app_limited)
		s->app_limited_until = tp->snd_nxt;
	s->is_app_limited = more->app_limited != 0;
}

/* tcp_packets_in_flight() */
static __always_inline u32 in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

static __always_inline void read_ack(struct startup *s, struct tcp_sock *tp, u32 acked, struct ack *a)
{
	note_sent(s, tp);
	a->now = bpf_ktime_get_ns();
	a->una = tp->snd_una;
	a->nxt = tp->snd_nxt;
	a->mss = greater(tp->mss_cache, 1);
	a->in_flight = in_flight(tp);
	a->acked = acked;
	a->rtt_us = s->rtt_us;
	a->cwnd_limited = is_cwnd_limited(tp);
	a->app_limited = reaches(s->app_limited_until, tp->snd_una);
	s->rtt_us = NO_RTT;
}

static __always_inline void set_cwnd(struct tcp_sock *tp, u32 cwnd)
{
	struct tcp_sock___startup *more = (void *)tp;

	tp->snd_cwnd = lesser(cwnd, more->snd_cwnd_clamp);
}

SEC("struct_ops")
u32 BPF_PROG(startup_ssthresh, struct sock *sk)
{
	return cubictcp_recalc_ssthresh(sk);
}

SEC("struct_ops")
u32 BPF_PROG(startup_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC("struct_ops")
void BPF_PROG(startup_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	cubictcp_cwnd_event(sk, event);
}

SEC("struct_ops")
void BPF_PROG(startup_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct startup *s = startup_of(sk, 0);

	if (s)
		s->rtt_us = sample->rtt_us < 0 ? NO_RTT : sample->rtt_us;
	cubictcp_acked(sk, sample);
}

/* A loss, a mark or a timeout ends a startup for good. */
SEC("struct_ops")
void BPF_PROG(startup_set_state, struct sock *sk, u8 new_state)
{
	struct startup *s = startup_of(sk, 0);

	if (s && new_state >= TCP_CA_CWR)
		s->is_over = 1;
	cubictcp_state(sk, new_state);
	without_hystart(sk);
}
