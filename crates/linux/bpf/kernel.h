/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the program reads of the kernel's structures, by name: where each field lies is looked up
 * when the program is loaded (CO-RE). Field names are the kernel's.
 */
#ifndef FLOWSTART_KERNEL_H
#define FLOWSTART_KERNEL_H

#include <linux/bpf.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock_common {
	__be16 skc_dport;
	u16 skc_num;
};

struct sock {
	struct sock_common __sk_common;
	u32 sk_pacing_status;
	unsigned long sk_pacing_rate;
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	u64 icsk_ca_priv[13];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 snd_una;
	u32 snd_nxt;
	u32 write_seq;
	u32 snd_wnd;
	u32 snd_cwnd;
	u32 snd_ssthresh;
	u32 prior_cwnd;
	u32 prr_out;
	u32 mss_cache;
	u32 packets_out;
	u32 sacked_out;
	u32 lost_out;
	u32 retrans_out;
	u32 max_packets_out;
	u32 data_segs_out;
	u32 total_retrans;
	u32 delivered;
	u32 lost;
	u32 reordering;
	u32 srtt_us;
	u64 bytes_acked;
	u8 is_cwnd_limited : 1;
};

struct rate_sample {
	u32 prior_delivered;
	s32 delivered;
	long interval_us;
	u32 snd_interval_us;
	u32 rcv_interval_us;
	long rtt_us;
	int losses;
	u32 acked_sacked;
	u32 prior_in_flight;
	_Bool is_app_limited;
};

enum tcp_ca_event {
	CA_EVENT_TX_START,
};

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*set_state)(struct sock *sk, u8 new_state);
	u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs);
	u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};

#pragma clang attribute pop

/* include/net/tcp.h, net/ipv4/tcp_input.c */
enum {
	TCP_CA_Open,
	TCP_CA_Disorder,
	TCP_CA_CWR,
	TCP_CA_Recovery,
	TCP_CA_Loss,
};
#define FLAG_DATA_ACKED 0x04
#define FLAG_DATA_SACKED 0x20
#define FLAG_SND_UNA_ADVANCED 0x400
#define SK_PACING_NONE 0
#define SK_PACING_NEEDED 1

#endif
