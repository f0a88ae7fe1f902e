/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A congestion control that asks: it tells a program of the user's what acknowledgements, losses and
 * timeouts say, and obeys the window, threshold and pacing rate that come back. Loss detection,
 * retransmission and timers stay the kernel's; what the kernel leaves to a `cong_control`, Proportional
 * Rate Reduction, is here.
 *
 * An answer comes some 50 us after the event. It is obeyed at the next acknowledgement, or where the
 * program makes the kernel look for something to send (`min_tso_segs` is asked before every look).
 * `epoch` counts what sets the window at once (a loss, its end, a timeout): an answer to something
 * before it comes too late and is left alone.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_tracing.h>
#include "shared.h"

char _license[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 21);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct fs_command);
} commands SEC(".maps");

/* Events that found no room. */
u64 missed;

/* In icsk_ca_priv. */
struct priv {
	u64 base_acked; /* bytes_acked when the connection opened */
	u32 state;
	u32 epoch;
	u32 prr_delivered;
	u32 prior_cwnd; /* before the reduction under way */
	u32 told_nxt;   /* snd_nxt in the last event */
	u32 min_tso;
	u32 undone; /* the reduction under way was for nothing */
};

static __always_inline struct tcp_sock *tcp_sk(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static __always_inline struct priv *priv_of(struct sock *sk)
{
	return (struct priv *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

static __always_inline int in_reduction(const struct priv *p)
{
	return p->state == TCP_CA_CWR || p->state == TCP_CA_Recovery;
}

/* tcp_packets_in_flight() */
static __always_inline u32 in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

static __always_inline void tell(struct sock *sk, u32 kind, int flag, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct priv *p = priv_of(sk);
	struct fs_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		__sync_fetch_and_add(&missed, 1);
		return;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->peer_port = bpf_ntohs(sk->__sk_common.skc_dport);
	e->port = sk->__sk_common.skc_num;
	e->now_ns = bpf_ktime_get_ns();
	e->acked_bytes = tp->bytes_acked - p->base_acked;
	e->kind = kind;
	e->state = p->state;
	e->epoch = p->epoch;
	e->flag = flag;
	e->outstanding_bytes = tp->snd_nxt - tp->snd_una;
	e->snd_wnd = tp->snd_wnd;
	e->cwnd = tp->snd_cwnd;
	e->ssthresh = tp->snd_ssthresh;
	e->mss = tp->mss_cache;
	e->packets_out = tp->packets_out;
	e->in_flight = in_flight(tp);
	e->max_packets_out = tp->max_packets_out;
	e->data_segs_out = tp->data_segs_out;
	e->total_retrans = tp->total_retrans;
	e->delivered = tp->delivered;
	e->lost = tp->lost;
	e->reordering = tp->reordering;
	e->srtt_us = tp->srtt_us >> 3;
	e->is_cwnd_limited = BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited);
	p->told_nxt = tp->snd_nxt;
	if (rs) {
		e->rtt_us = rs->rtt_us;
		e->acked_sacked = rs->acked_sacked;
		e->losses = rs->losses;
		e->prior_in_flight = rs->prior_in_flight;
		e->rate_prior_delivered = rs->prior_delivered;
		e->rate_delivered = rs->delivered;
		e->rate_interval_us = rs->interval_us;
		e->rate_snd_interval_us = rs->snd_interval_us;
		e->rate_rcv_interval_us = rs->rcv_interval_us;
		e->rate_is_app_limited = rs->is_app_limited;
	} else {
		e->rtt_us = -1;
	}
	bpf_ringbuf_submit(e, 0);
}

/* Does what was answered last. */
static __always_inline void obey(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct priv *p = priv_of(sk);
	struct fs_command *c = bpf_sk_storage_get(&commands, sk, 0, 0);

	if (!c)
		return;
	p->min_tso = c->min_tso;
	/* tcp_tso_autosize() goes by the rate also where nothing is paced. */
	sk->sk_pacing_rate = c->pacing_rate;
	sk->sk_pacing_status = c->paced ? SK_PACING_NEEDED : SK_PACING_NONE;
	if (c->epoch != p->epoch)
		return;
	tp->snd_ssthresh = c->ssthresh;
	if (c->owns_cwnd || !in_reduction(p))
		tp->snd_cwnd = c->cwnd;
}

/* Proportional Rate Reduction (RFC 6937 and 9937, in segments, against the window before). */
static __always_inline void reduce(struct sock *sk, int flag, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct priv *p = priv_of(sk);
	u32 delivered = rs->acked_sacked, pipe = in_flight(tp), target = tp->snd_ssthresh;
	u32 count;

	if (!delivered || !p->prior_cwnd)
		return;
	p->prr_delivered += delivered;
	if (pipe > target) {
		u64 share = (u64)target * p->prr_delivered + p->prior_cwnd - 1;
		u32 due = share / p->prior_cwnd;

		count = due > tp->prr_out ? due - tp->prr_out : 0;
	} else {
		u32 owed = p->prr_delivered > tp->prr_out ? p->prr_delivered - tp->prr_out : 0;

		count = owed > delivered ? owed : delivered;
		if ((flag & FLAG_SND_UNA_ADVANCED) && !rs->losses)
			count++;
		if (count > target - pipe)
			count = target - pipe;
	}
	/* The fast retransmit leaves whatever the count says. */
	if (!count && !tp->prr_out)
		count = 1;
	tp->snd_cwnd = pipe + count;
}

SEC("struct_ops")
void BPF_PROG(fs_init, struct sock *sk)
{
	struct priv *p = priv_of(sk);

	__builtin_memset(p, 0, sizeof(*p));
	p->base_acked = tcp_sk(sk)->bytes_acked;
	p->min_tso = 2;
	tell(sk, FS_ESTABLISHED, 0, 0);
}

SEC("struct_ops")
void BPF_PROG(fs_release, struct sock *sk)
{
	tell(sk, FS_RELEASED, 0, 0);
}

SEC("struct_ops")
void BPF_PROG(fs_cong_control, struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)
{
	struct fs_command *c = bpf_sk_storage_get(&commands, sk, 0, 0);

	if (in_reduction(priv_of(sk)) && !(c && c->owns_cwnd))
		reduce(sk, flag, rs);
	obey(sk);
	tell(sk, FS_ACK, flag, rs);
}

/* How little may leave together, which is asked before every look for something to send. */
SEC("struct_ops")
u32 BPF_PROG(fs_min_tso_segs, struct sock *sk)
{
	struct priv *p = priv_of(sk);

	obey(sk);
	if (p->told_nxt != tcp_sk(sk)->snd_nxt)
		tell(sk, FS_SENT, 0, 0);
	return p->min_tso;
}

/* What the threshold is to be, where it has to be known at once: the program's answer of what a loss
 * would bring, given before. */
SEC("struct_ops")
u32 BPF_PROG(fs_ssthresh, struct sock *sk)
{
	struct fs_command *c = bpf_sk_storage_get(&commands, sk, 0, 0);
	u32 cwnd = tcp_sk(sk)->snd_cwnd;
	u32 share = c ? c->loss_share : 512;
	u64 target = (u64)cwnd * share / 1024;

	return target > 2 ? target : 2;
}

SEC("struct_ops")
void BPF_PROG(fs_set_state, struct sock *sk, u8 new_state)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct priv *p = priv_of(sk);
	struct fs_command *c = bpf_sk_storage_get(&commands, sk, 0, 0);
	int was_reducing = in_reduction(p);
	u32 before = p->state;

	p->state = new_state;
	if (new_state == before)
		return;
	if (new_state == TCP_CA_CWR || new_state == TCP_CA_Recovery) {
		/* Recovery goes on with a reduction that a mark began. */
		if (!was_reducing) {
			p->epoch++;
			p->prr_delivered = 0;
			p->prior_cwnd = tp->snd_cwnd;
		}
		tell(sk, new_state == TCP_CA_CWR ? FS_MARKED : FS_LOSS, was_reducing, 0);
	} else if (new_state == TCP_CA_Loss) {
		p->epoch++;
		tell(sk, FS_TIMEOUT, 0, 0);
	} else if (p->undone) {
		/* The window has come back, and the agent knows. */
		p->undone = 0;
	} else if (was_reducing) {
		/* tcp_end_cwnd_reduction() leaves this to a `cong_control`. */
		if (!(c && c->owns_cwnd) && tp->snd_ssthresh < 0x7fffffff)
			tp->snd_cwnd = tp->snd_ssthresh;
		p->epoch++;
		tell(sk, FS_RECOVERED, 0, 0);
	} else if (before == TCP_CA_Loss) {
		tell(sk, FS_REPAIRED, 0, 0);
	}
}

SEC("struct_ops")
u32 BPF_PROG(fs_undo_cwnd, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct priv *p = priv_of(sk);

	p->epoch++;
	p->undone = in_reduction(p);
	tell(sk, FS_UNDONE, 0, 0);
	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops flowstart = {
	.init = (void *)fs_init,
	.release = (void *)fs_release,
	.cong_control = (void *)fs_cong_control,
	.min_tso_segs = (void *)fs_min_tso_segs,
	.ssthresh = (void *)fs_ssthresh,
	.set_state = (void *)fs_set_state,
	.undo_cwnd = (void *)fs_undo_cwnd,
	.name = "flowstart",
};
