/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Gives the startup to connections that this host accepts. */
#include <bpf/bpf_endian.h>
#include "choice.h"

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
