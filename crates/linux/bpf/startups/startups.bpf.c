/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Startups that run in the kernel without an agent: each is a congestion control that grows the window
 * by its rule until its end, and is the kernel's CUBIC from then on. `choose` gives it to a share of
 * the connections that the host accepts.
 */
#include "kernel.h"
#include <bpf/bpf_endian.h>
#include "choice.h"
#include "hystart_plus_plus.h"
#include "jump_start.h"
#include "search.h"

char _license[] SEC("license") = "GPL";

#define SOL_TCP 6
#define TCP_CONGESTION 13
#define AF_INET 2

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct settings);
} settings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct counts);
} counts SEC(".maps");

struct network {
	u32 bits;
	u32 address[4];
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct network);
	__type(value, u32);
} networks SEC(".maps");

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

SEC("struct_ops")
void BPF_PROG(hystart_pp_begin, struct sock *sk)
{
	struct startup *s = begin(sk);

	if (s)
		hystart_pp_init(&s->hystart_pp);
}

SEC("struct_ops")
void BPF_PROG(hystart_pp_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct startup *s = in_charge(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = tp->snd_cwnd;
	struct ack a;

	if (!s) {
		cubictcp_cong_avoid(sk, ack, acked);
		return;
	}
	read_ack(s, tp, acked, &a);
	if (hystart_pp_on_ack(&s->hystart_pp, &a, &cwnd)) {
		s->is_over = 1;
		tp->snd_ssthresh = cwnd;
	}
	set_cwnd(tp, cwnd);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops___startup hystart_pp = {
	.init = (void *)hystart_pp_begin,
	.cong_avoid = (void *)hystart_pp_cong_avoid,
	.pkts_acked = (void *)startup_pkts_acked,
	.set_state = (void *)startup_set_state,
	.ssthresh = (void *)startup_ssthresh,
	.cwnd_event = (void *)startup_cwnd_event,
	.undo_cwnd = (void *)startup_undo_cwnd,
	.name = "fs_hystartpp",
};

/* tcp_tso_segs() takes the kernel's default otherwise. */
#define MIN_TSO_SEGS 2

SEC("struct_ops")
void BPF_PROG(search_begin, struct sock *sk)
{
	struct startup *s = begin(sk);

	if (s)
		search_init(&s->search, tcp_sk(sk)->snd_nxt, tcp_sk(sk)->snd_cwnd);
}

SEC("struct_ops")
u32 BPF_PROG(search_min_tso_segs, struct sock *sk)
{
	struct startup *s = startup_of(sk, 0);

	if (s && !s->is_over)
		note_sent(s, tcp_sk(sk));
	return MIN_TSO_SEGS;
}

SEC("struct_ops")
void BPF_PROG(search_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct startup *s = in_charge(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = tp->snd_cwnd;
	int next = SEARCH_GROWS;
	struct ack a;

	if (s) {
		read_ack(s, tp, acked, &a);
		next = search_on_ack(&s->search, &a, &cwnd);
	}
	if (next == SEARCH_GROWS) {
		cubictcp_cong_avoid(sk, ack, acked);
		return;
	}
	if (next == SEARCH_ENDS) {
		s->is_over = 1;
		tp->snd_ssthresh = cwnd;
	}
	set_cwnd(tp, cwnd);
}

/* A timeout or an idle time begins it anew, another congestion signal ends it. */
SEC("struct_ops")
void BPF_PROG(search_set_state, struct sock *sk, u8 new_state)
{
	struct startup *s = startup_of(sk, 0);

	if (s && new_state == TCP_CA_Loss) {
		s->is_over = 0;
		search_init(&s->search, tcp_sk(sk)->snd_nxt, s->search.iw);
	} else if (s && new_state >= TCP_CA_CWR) {
		s->is_over = 1;
	}
	cubictcp_state(sk, new_state);
	without_hystart(sk);
}

SEC("struct_ops")
void BPF_PROG(search_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct startup *s = startup_of(sk, 0);

	if (s && (u32)event == CA_EVENT_CWND_RESTART)
		search_init(&s->search, tcp_sk(sk)->snd_nxt, s->search.iw);
	cubictcp_cwnd_event(sk, event);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops___startup search = {
	.init = (void *)search_begin,
	.cong_avoid = (void *)search_cong_avoid,
	.pkts_acked = (void *)startup_pkts_acked,
	.set_state = (void *)search_set_state,
	.ssthresh = (void *)startup_ssthresh,
	.cwnd_event = (void *)search_cwnd_event,
	.min_tso_segs = (void *)search_min_tso_segs,
	.undo_cwnd = (void *)startup_undo_cwnd,
	.name = "fs_search",
};

SEC("struct_ops")
void BPF_PROG(jump_start_begin, struct sock *sk)
{
	struct startup *s = begin(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 mss = greater(tp->mss_cache, 1);

	if (!s)
		return;
	/* Without a sample of the handshake there is no round trip to pace over. */
	s->jump_start.js = tp->srtt_us ? JS_ARMED : JS_OFF;
	s->jump_start.iw = tp->snd_cwnd;
	s->jump_start.was_paced = sk->sk_pacing_status;
	/* The kernel sizes the send buffer by this window, then the first look for something to send
	 * sets it.
	 */
	if (s->jump_start.js == JS_ARMED)
		set_cwnd(tp, jump_start_flight(tp->snd_wnd, tp->snd_wnd, mss));
}

static __always_inline void jump_start_jump(struct sock *sk, struct jump_start *j)
{
	struct tcp_sock *tp = tcp_sk(sk);

	j->js = JS_PACING;
	j->start = tp->snd_nxt;
	j->before = in_flight(tp);
	j->sent_before = tp->data_segs_out;
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

/* Before every look for something to send: D may have grown. */
SEC("struct_ops")
u32 BPF_PROG(jump_start_min_tso_segs, struct sock *sk)
{
	struct startup *s = startup_of(sk, 0);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 mss = greater(tp->mss_cache, 1);
	struct jump_start *j;
	u32 flight;

	if (!s)
		return MIN_TSO_SEGS;
	j = &s->jump_start;
	if (j->js == JS_ARMED) {
		flight = jump_start_flight(tp->write_seq - tp->snd_nxt, tp->snd_wnd, mss);
		if (flight > j->iw)
			jump_start_jump(sk, j);
		else if (!tp->data_segs_out)
			set_cwnd(tp, j->iw);
	}
	if (j->js != JS_PACING)
		return MIN_TSO_SEGS;
	flight = jump_start_flight(tp->write_seq - j->start, tp->snd_wnd, mss);
	set_cwnd(tp, j->before + flight);
	sk->sk_pacing_rate = jump_start_rate(j, flight, mss, tp->srtt_us >> 3);
	return 1;
}

/* The flight has left as far as it goes: the window becomes what the network was given. */
static __always_inline void jump_start_hand_over(struct sock *sk, struct jump_start *j)
{
	struct tcp_sock *tp = tcp_sk(sk);

	j->js = JS_WATCH;
	j->end = tp->snd_nxt;
	j->d_sent = tp->data_segs_out - j->sent_before;
	if (sk->sk_pacing_status == SK_PACING_NEEDED)
		sk->sk_pacing_status = j->was_paced;
	set_cwnd(tp, greater(lesser(tp->snd_cwnd, j->before + j->d_sent), 1));
}

SEC("struct_ops")
void BPF_PROG(jump_start_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct startup *s = startup_of(sk, 0);

	if (s && s->jump_start.js == JS_PACING && reaches(tcp_sk(sk)->snd_una, s->jump_start.start + 1))
		jump_start_hand_over(sk, &s->jump_start);
	if (s && s->jump_start.js == JS_WATCH && reaches(tcp_sk(sk)->snd_una, s->jump_start.end))
		s->jump_start.js = JS_OFF;
	if (!s || s->jump_start.js != JS_PACING)
		cubictcp_cong_avoid(sk, ack, acked);
}

/* A loss or a mark in the flight: the window after the recovery is another. A timeout is as ever. */
static __always_inline void jump_start_reduce(struct sock *sk, struct jump_start *j, u8 new_state)
{
	if (j->js == JS_PACING)
		jump_start_hand_over(sk, j);
	if (new_state == TCP_CA_Loss || j->js == JS_ARMED) {
		j->js = JS_OFF;
	} else if (j->js == JS_WATCH) {
		j->js = JS_RECOVERY;
		j->total_retrans = tcp_sk(sk)->total_retrans;
	}
}

SEC("struct_ops")
void BPF_PROG(jump_start_set_state, struct sock *sk, u8 new_state)
{
	struct startup *s = startup_of(sk, 0);

	if (s && new_state >= TCP_CA_CWR)
		jump_start_reduce(sk, &s->jump_start, new_state);
	cubictcp_state(sk, new_state);
	without_hystart(sk);
}

SEC("struct_ops")
void BPF_PROG(jump_start_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct startup *s = startup_of(sk, 0);
	struct tcp_sock *tp = tcp_sk(sk);

	if (s && (u32)event == CA_EVENT_COMPLETE_CWR && s->jump_start.js == JS_RECOVERY) {
		u32 cwnd = jump_start_after_recovery(&s->jump_start, tp->total_retrans);

		s->jump_start.js = JS_OFF;
		tp->snd_ssthresh = greater(cwnd, 2);
		set_cwnd(tp, cwnd);
	}
	cubictcp_cwnd_event(sk, event);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops___startup jump_start = {
	.init = (void *)jump_start_begin,
	.cong_avoid = (void *)jump_start_cong_avoid,
	.pkts_acked = (void *)startup_pkts_acked,
	.set_state = (void *)jump_start_set_state,
	.ssthresh = (void *)startup_ssthresh,
	.cwnd_event = (void *)jump_start_cwnd_event,
	.min_tso_segs = (void *)jump_start_min_tso_segs,
	.undo_cwnd = (void *)startup_undo_cwnd,
	.name = "fs_jump_start",
};

static __always_inline int is_port(const struct settings *s, u32 port)
{
	for (u32 i = 0; i < PORTS; i++)
		if (i < s->port_count && s->ports[i] == port)
			return 1;
	return !s->port_count;
}

static __always_inline int is_network(const struct settings *s, const struct ends *e)
{
	struct network key = {.bits = 128};

	if (!s->by_network)
		return 1;
	__builtin_memcpy(key.address, e->peer, sizeof(key.address));
	return bpf_map_lookup_elem(&networks, &key) != 0;
}

static __always_inline void read_ends(struct bpf_sock_ops *ctx, struct ends *e)
{
	u32 v4 = ctx->remote_ip4, last = ctx->remote_ip6[3];

	e->port = ctx->local_port;
	e->peer_port = bpf_ntohl(ctx->remote_port);
	e->peer[0] = ctx->remote_ip6[0];
	e->peer[1] = ctx->remote_ip6[1];
	e->peer[2] = ctx->remote_ip6[2];
	/* Both are read: the compiler would read one at a computed offset, which the verifier refuses. */
	asm volatile("" : "+r"(v4), "+r"(last));
	e->peer[3] = last;
	if (ctx->family == AF_INET) {
		e->peer[0] = e->peer[1] = 0;
		e->peer[2] = bpf_htonl(0xffff);
		e->peer[3] = v4;
	}
}

/* Whether the application has chosen a congestion control, which it keeps. */
static __always_inline int has_chosen(struct bpf_sock_ops *ctx)
{
	struct bpf_sock *sk = ctx->sk;
	struct inet_connection_sock___startup *icsk = sk ? (void *)bpf_skc_to_tcp_sock(sk) : 0;

	return icsk && BPF_CORE_READ_BITFIELD(icsk, icsk_ca_setsockopt);
}

static __always_inline int is_over(const struct settings *s)
{
	return s->deadline_ns && bpf_ktime_get_ns() >= s->deadline_ns;
}

SEC("sockops")
int choose(struct bpf_sock_ops *ctx)
{
	u32 only = 0;
	struct settings *s = bpf_map_lookup_elem(&settings, &only);
	struct counts *n = bpf_map_lookup_elem(&counts, &only);
	struct ends e;

	if (ctx->op != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB || !s || !n || is_over(s))
		return 1;
	read_ends(ctx, &e);
	if (!is_port(s, e.port) || !is_network(s, &e))
		return 1;
	if (has_chosen(ctx))
		__sync_fetch_and_add(&n->kept, 1);
	else if (hash_of(s->seed, &e) >= s->share)
		__sync_fetch_and_add(&n->control, 1);
	else if (bpf_setsockopt(ctx, SOL_TCP, TCP_CONGESTION, s->name, sizeof(s->name)))
		__sync_fetch_and_add(&n->failed, 1);
	else
		__sync_fetch_and_add(&n->treatment, 1);
	return 1;
}
