/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What startups in the kernel read beyond `../kernel.h`: flavours of the kernel's structures (CO-RE
 * ignores what follows the three underscores), and CUBIC's functions that it exports to BPF
 * (`net/ipv4/tcp_cubic.c`, since Linux 5.13).
 */
#ifndef FLOWSTART_STARTUPS_KERNEL_H
#define FLOWSTART_STARTUPS_KERNEL_H

#include "../kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct inet_connection_sock___startup {
	u8 icsk_ca_setsockopt : 1;
};

struct tcp_sock___startup {
	u32 snd_cwnd_clamp;
	u32 app_limited;
};

/* The kernel's numbers; `../kernel.h` has the first. */
enum tcp_ca_event___startup {
	CA_EVENT_CWND_RESTART = 1,
	CA_EVENT_COMPLETE_CWR = 2,
};

struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
};

/* CUBIC's state in icsk_ca_priv. */
struct bictcp {
	u8 found;
};

struct tcp_congestion_ops___startup {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*min_tso_segs)(struct sock *sk);
	u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	void (*init)(struct sock *sk);
};

#pragma clang attribute pop

extern void cubictcp_init(struct sock *sk) __ksym;
extern u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym;
extern void cubictcp_cong_avoid(struct sock *sk, u32 ack, u32 acked) __ksym;
extern void cubictcp_state(struct sock *sk, u8 new_state) __ksym;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym;
extern u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

#endif
