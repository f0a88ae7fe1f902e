/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the program in the kernel and the agent say to each other; `src/agent/records.rs` has the same,
 * and a test compares the fields. Counts are of segments unless they are named bytes.
 */
#ifndef FLOWSTART_SHARED_H
#define FLOWSTART_SHARED_H

enum {
	FS_ESTABLISHED,
	FS_SENT,      /* more has left since the last event */
	FS_ACK,       /* tcp_ack() is done but for what it lets leave */
	FS_LOSS,      /* Recovery begins; flag: a reduction was under way */
	FS_MARKED,    /* CWR begins */
	FS_RECOVERED, /* either is over */
	FS_TIMEOUT,   /* Loss begins */
	FS_REPAIRED,  /* and is over */
	FS_UNDONE,    /* a reduction was for nothing */
	FS_RELEASED,
};

struct fs_event {
	u64 now_ns;
	u64 acked_bytes;
	u16 port; /* the socket's own, and its peer's */
	u16 peer_port;
	u32 kind;
	u32 state;
	u32 epoch;
	u32 flag;
	u32 outstanding_bytes;
	u32 snd_wnd;
	u32 cwnd;
	u32 ssthresh;
	u32 mss;
	u32 packets_out;
	u32 in_flight;
	u32 max_packets_out;
	u32 data_segs_out;
	u32 total_retrans;
	u32 delivered;
	u32 lost;
	u32 reordering;
	u32 srtt_us;
	u32 is_cwnd_limited;
	s32 rtt_us; /* -1: none */
	u32 acked_sacked;
	u32 losses;
	u32 prior_in_flight;
	u32 rate_prior_delivered;
	s32 rate_delivered;
	s32 rate_interval_us; /* -1: no sample */
	u32 rate_snd_interval_us;
	u32 rate_rcv_interval_us;
	u32 rate_is_app_limited;
};

struct fs_command {
	u64 pacing_rate; /* payload bytes a second */
	u32 epoch;
	u32 cwnd;
	u32 ssthresh;
	u32 owns_cwnd;  /* the window holds in a recovery too */
	u32 loss_share; /* of 1024, what a loss leaves of the window */
	u32 min_tso;
	u32 paced;
	u32 reserved;
};

#endif
