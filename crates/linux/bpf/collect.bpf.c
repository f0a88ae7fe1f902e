/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reports each response of connections that clients open: a `sock_ops` program of a cgroup, which the
 * kernel calls for an RTT sample of each round trip, for retransmissions and changes of state, and where it
 * sends, before each packet. It changes nothing.
 */
#include <linux/bpf.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include "collect.h"

char _license[] SEC("license") = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	union {
		u8 u6_addr8[16];
		__be32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	__be32 skc_daddr;
	u16 skc_num;
	u16 skc_family;
	volatile u8 skc_state;
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
};

struct tcp_congestion_ops {
	char name[16];
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	u32 icsk_rto;
	u32 icsk_delack_max;
	const struct tcp_congestion_ops *icsk_ca_ops;
	u8 icsk_ca_state : 5;
};

struct minmax_sample {
	u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 snd_una;
	u32 snd_nxt;
	u32 write_seq;
	u32 snd_cwnd;
	u32 snd_ssthresh;
	u32 prior_cwnd;
	u32 mss_cache;
	u32 max_window;
	u32 srtt_us;
	u32 mdev_us;
	u32 data_segs_out;
	u32 total_retrans;
	u32 rate_delivered;
	u32 rate_interval_us;
	u64 bytes_acked;
	u64 bytes_received;
	u64 tcp_mstamp;
	u64 first_tx_mstamp;
	u64 delivered_mstamp;
	struct minmax rtt_min;
	u8 ecn_flags;
	u32 chrono_start;
	u32 chrono_stat[3];
	u8 chrono_type : 2;
};

#pragma clang attribute pop

/* include/linux/tcp.h, include/net/tcp.h, include/net/tcp_states.h */
#define TCP_INFINITE_SSTHRESH 0x7fffffff
enum { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };
enum { TCP_FIN_WAIT1 = 4, TCP_FIN_WAIT2, TCP_CLOSE = 7, TCP_LAST_ACK = 9, TCP_CLOSING = 11 };
#define AFTER_FIN (1 << TCP_FIN_WAIT1 | 1 << TCP_FIN_WAIT2 | 1 << TCP_LAST_ACK | 1 << TCP_CLOSING)
enum { BUSY, RWND_LIMITED, SNDBUF_LIMITED };
#define TCP_ECN_OK 1
#define AF_INET6 10
#define CALLBACKS                                                   \
	(BPF_SOCK_OPS_RTT_CB_FLAG | BPF_SOCK_OPS_RETRANS_CB_FLAG |  \
	 BPF_SOCK_OPS_STATE_CB_FLAG | BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG)

const volatile struct fs_settings settings;
struct fs_counts counts;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} fs_rows SEC(".maps");

/* Counters of a connection at a time when nothing was outstanding. */
struct totals {
	u64 bytes;
	u32 packets;
	u32 retransmissions;
	u32 limited[3]; /* jiffies, by `enum tcp_chrono` */
	u32 cwnd;
};

struct connection {
	u32 initial_window;
	u32 handshake_rtt_us;
	u32 handshake_window;
	/* Of the response that is under way; no start: none is. */
	u64 start_us;
	u64 received;
	u64 exit_us;
	u32 exit;
	u32 exit_cwnd;
	u32 exit_ssthresh;
	u32 first_ssthresh;
	u32 in_slow_start;
	u32 is_spared; /* by losses */
	struct totals before;
	struct totals after;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct connection);
} fs_connections SEC(".maps");

static __always_inline u32 state_of(struct tcp_sock *tp)
{
	return tp->inet_conn.icsk_inet.sk.__sk_common.skc_state;
}

/* The FIN has a sequence number, too. */
static __always_inline int is_after_fin(struct tcp_sock *tp)
{
	return 1 << state_of(tp) & AFTER_FIN;
}

static __always_inline int all_acked(struct tcp_sock *tp)
{
	u32 left = tp->write_seq - tp->snd_una;

	return !left || (left == 1 && is_after_fin(tp));
}

/* HZ is 5 of the longest delays of an ACK: TCP_DELACK_MAX. */
static __always_inline u64 microseconds(struct tcp_sock *tp, u32 jiffies)
{
	u32 fifth = tp->inet_conn.icsk_delack_max;

	return fifth ? jiffies * 200000ull / fifth : 0;
}

static __always_inline void count(struct tcp_sock *tp, struct totals *t)
{
	u32 type = BPF_CORE_READ_BITFIELD(tp, chrono_type);
	u32 running = (u32)bpf_jiffies64() - tp->chrono_start;

	t->bytes = tp->bytes_acked - (is_after_fin(tp) && tp->snd_una == tp->write_seq);
	t->packets = tp->data_segs_out;
	t->retransmissions = tp->total_retrans;
	t->limited[BUSY] = tp->chrono_stat[BUSY] + (type == BUSY + 1 ? running : 0);
	t->limited[RWND_LIMITED] = tp->chrono_stat[RWND_LIMITED] + (type == RWND_LIMITED + 1 ? running : 0);
	t->limited[SNDBUF_LIMITED] =
		tp->chrono_stat[SNDBUF_LIMITED] + (type == SNDBUF_LIMITED + 1 ? running : 0);
	t->cwnd = tp->snd_cwnd;
}

static __always_inline void locate(struct tcp_sock *tp, struct fs_row *r)
{
	struct sock_common *sk = &tp->inet_conn.icsk_inet.sk.__sk_common;
	u64 high = sk->skc_v6_daddr.in6_u.u6_addr32[0];
	u64 low = sk->skc_v6_daddr.in6_u.u6_addr32[1];
	u64 prefix = low << 32 | high;

	r->port = sk->skc_num;
	/* IPv4 of a socket for both is ::ffff:0:0/96. */
	if (sk->skc_family != AF_INET6 ||
	    (!prefix && sk->skc_v6_daddr.in6_u.u6_addr32[2] == bpf_htonl(0xffff))) {
		r->family = 4;
		r->network = (u64)(bpf_ntohl(sk->skc_daddr) >> 8) << 40;
	} else {
		r->family = 6;
		r->network = bpf_be64_to_cpu(prefix) >> 16 << 16;
	}
}

static __always_inline void report(struct tcp_sock *tp, struct connection *c, u64 end_us, u64 cookie)
{
	struct fs_row *r;

	if (c->after.bytes <= c->before.bytes)
		return;
	r = bpf_ringbuf_reserve(&fs_rows, sizeof(*r), 0);
	if (!r) {
		__sync_fetch_and_add(&counts.lost, 1);
		return;
	}
	r->start_us = c->start_us;
	r->end_us = end_us;
	r->exit_us = c->exit ? c->exit_us : 0;
	r->bytes = c->after.bytes - c->before.bytes;
	r->connection = cookie;
	locate(tp, r);
	r->delivery_rate = 0;
	if (tp->rate_interval_us)
		r->delivery_rate =
			(u64)tp->rate_delivered * tp->mss_cache * 1000000 / tp->rate_interval_us;
	/* tcp_get_info_chrono_stats(): the limited times are busy, too. */
	r->rwnd_limited_us =
		microseconds(tp, c->after.limited[RWND_LIMITED] - c->before.limited[RWND_LIMITED]);
	r->sndbuf_limited_us =
		microseconds(tp, c->after.limited[SNDBUF_LIMITED] - c->before.limited[SNDBUF_LIMITED]);
	r->busy_us = microseconds(tp, c->after.limited[BUSY] - c->before.limited[BUSY]) +
		     r->rwnd_limited_us + r->sndbuf_limited_us;
	r->mss = tp->mss_cache;
	r->handshake_rtt_us = c->handshake_rtt_us;
	r->min_rtt_us = tp->rtt_min.s[0].v;
	r->srtt_us = tp->srtt_us >> 3;
	r->rttvar_us = tp->mdev_us >> 2;
	r->packets = c->after.packets - c->before.packets;
	r->retransmissions = c->after.retransmissions - c->before.retransmissions;
	r->initial_window = c->initial_window;
	r->cwnd = c->after.cwnd;
	r->handshake_window = c->handshake_window;
	r->widest_window = tp->max_window;
	r->exit = c->exit;
	r->exit_cwnd = c->exit ? c->exit_cwnd : 0;
	r->exit_ssthresh = c->exit ? c->exit_ssthresh : 0;
	__builtin_memset(r->cc, 0, sizeof(r->cc));
	bpf_probe_read_kernel_str(r->cc, sizeof(r->cc), tp->inet_conn.icsk_ca_ops->name);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

static __always_inline void leave(struct connection *c, u32 cause, u32 cwnd, u32 ssthresh, u64 now)
{
	c->exit = cause;
	c->exit_cwnd = cwnd;
	c->exit_ssthresh = ssthresh;
	c->exit_us = now;
}

/* Whether slow start has ended, and why. */
static __always_inline void look(struct tcp_sock *tp, struct connection *c)
{
	u32 state = BPF_CORE_READ_BITFIELD(tp, inet_conn.icsk_ca_state);
	u32 ssthresh = tp->snd_ssthresh, cwnd = tp->snd_cwnd, cause = FS_NONE;

	if (!c->start_us || !c->in_slow_start)
		return;
	if (ssthresh == TCP_INFINITE_SSTHRESH) {
		/* A reduction was undone (tcp_undo_cwnd_reduction()), or none was made: BBR. */
		c->is_spared = state >= TCP_CA_CWR;
		if (c->exit != FS_IDLE)
			c->exit = FS_NONE;
		return;
	}
	if (c->is_spared)
		state = TCP_CA_Open;
	if ((c->exit && c->exit != FS_IDLE) || (state < TCP_CA_CWR && cwnd < ssthresh))
		return;
	if (state == TCP_CA_Loss)
		cause = FS_TIMEOUT;
	else if (state == TCP_CA_Recovery)
		cause = FS_LOSS;
	else if (state == TCP_CA_CWR) /* without ECN this machine's own queue was full */
		cause = tp->ecn_flags & TCP_ECN_OK ? FS_ECN : FS_LOSS;
	else
		cause = ssthresh == c->first_ssthresh ? FS_SSTHRESH : FS_NO_LOSS;
	leave(c, cause, state < TCP_CA_CWR ? cwnd : tp->prior_cwnd, ssthresh, tp->tcp_mstamp);
}

/* Data are outstanding that were sent at `sent_us`; where nothing was before, a response begins. */
static __always_inline void begin(struct tcp_sock *tp, struct connection *c, u64 sent_us)
{
	if (c->start_us || tp->data_segs_out == c->after.packets)
		return;
	c->start_us = sent_us;
	c->before = c->after;
	c->received = tp->bytes_received;
	c->first_ssthresh = tp->snd_ssthresh;
	c->in_slow_start = tp->snd_cwnd < tp->snd_ssthresh;
	c->is_spared = 0;
	c->exit = FS_NONE;
	if (tp->snd_cwnd < c->before.cwnd)
		leave(c, FS_IDLE, c->before.cwnd, tp->snd_ssthresh, sent_us);
}

/* The response is over, and all of it acknowledged unless `end_us` is 0. */
static __always_inline void finish(struct tcp_sock *tp, struct connection *c, u64 end_us, u64 cookie)
{
	if (!c->start_us)
		return;
	count(tp, &c->after);
	report(tp, c, end_us, cookie);
	c->start_us = 0;
}

/* Whether what is sent next is another response: the client has sent a request, or the pause is that after
 * which a window restarts (RFC 2861).
 */
static __always_inline int is_over(struct tcp_sock *tp, struct connection *c)
{
	u64 pause_us = bpf_ktime_get_ns() / 1000 - tp->delivered_mstamp;

	return tp->bytes_received != c->received ||
	       pause_us >= microseconds(tp, tp->inet_conn.icsk_rto);
}

/* Whether packets that leave are of interest: ACKs that end slow start have some sent, and a response that
 * is over is seen when the next one begins.
 */
static __always_inline void watch(struct bpf_sock_ops *ops, int on)
{
	u32 flags = ops->bpf_sock_ops_cb_flags;
	u32 wanted = on ? flags | BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG :
			  flags & ~BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG;

	if (wanted != flags)
		bpf_sock_ops_cb_flags_set(ops, wanted);
}

static __always_inline int is_wanted(u16 port)
{
	u32 n = settings.ports;

	for (u32 i = 0; i < 16 && i < n; i++)
		if (settings.port[i] == port)
			return 1;
	return !n;
}

static __always_inline void open(struct bpf_sock_ops *ops, struct bpf_sock *sk)
{
	struct connection *c;
	struct tcp_sock *tp;

	if (!is_wanted(ops->local_port) ||
	    (settings.sample > 1 && bpf_get_prandom_u32() % settings.sample))
		return;
	if (counts.open >= settings.most_open) {
		__sync_fetch_and_add(&counts.skipped, 1);
		return;
	}
	c = bpf_sk_storage_get(&fs_connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	tp = bpf_skc_to_tcp_sock(sk);
	if (!c || !tp)
		return;
	__sync_fetch_and_add(&counts.open, 1);
	__sync_fetch_and_add(&counts.opened, 1);
	count(tp, &c->after);
	c->initial_window = tp->snd_cwnd;
	c->handshake_rtt_us = tp->srtt_us >> 3;
	c->handshake_window = tp->max_window;
	bpf_sock_ops_cb_flags_set(ops, ops->bpf_sock_ops_cb_flags | CALLBACKS);
}

SEC("sockops")
int fs_collect(struct bpf_sock_ops *ops)
{
	u32 op = ops->op, sample_us = ops->args[0], to = ops->args[1];
	struct bpf_sock *sk = ops->sk;
	struct connection *c;
	struct tcp_sock *tp;
	u64 cookie;

	if (!sk)
		return 1;
	if (op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB) {
		open(ops, sk);
		return 1;
	}
	if (op != BPF_SOCK_OPS_RTT_CB && op != BPF_SOCK_OPS_RETRANS_CB &&
	    op != BPF_SOCK_OPS_HDR_OPT_LEN_CB && !(op == BPF_SOCK_OPS_STATE_CB && to == TCP_CLOSE))
		return 1;
	c = bpf_sk_storage_get(&fs_connections, sk, 0, 0);
	if (!c)
		return 1;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 1;
	cookie = bpf_get_socket_cookie(ops);
	if (op == BPF_SOCK_OPS_RTT_CB) {
		/* The sample is of the oldest data that this ACK is the first to acknowledge. */
		begin(tp, c, tp->tcp_mstamp - sample_us);
		look(tp, c);
		watch(ops, (c->in_slow_start && !c->exit) || tp->snd_nxt == tp->write_seq);
	} else if (op == BPF_SOCK_OPS_RETRANS_CB) {
		begin(tp, c, tp->first_tx_mstamp);
		look(tp, c);
		/* The ACK of repeated data may be without a sample (Karn). */
		watch(ops, 1);
	} else if (op == BPF_SOCK_OPS_HDR_OPT_LEN_CB) {
		look(tp, c);
		if (all_acked(tp) && is_over(tp, c))
			finish(tp, c, tp->delivered_mstamp, cookie);
	} else if (op == BPF_SOCK_OPS_STATE_CB) {
		look(tp, c);
		finish(tp, c, all_acked(tp) ? tp->delivered_mstamp : 0, cookie);
		__sync_fetch_and_add(&counts.open, -1);
	}
	return 1;
}
