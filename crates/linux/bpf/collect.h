/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What `collect.bpf.c` reports, and what it is set to; `src/collect.rs` has the same, and a test compares
 * the fields. Times are of the monotonic clock, windows and counts are of segments.
 */
#ifndef FLOWSTART_COLLECT_H
#define FLOWSTART_COLLECT_H

/* Causes of the end of slow start. */
enum {
	FS_NONE,
	FS_NO_LOSS, /* the congestion control lowered ssthresh: HyStart, or BBR's full pipe */
	FS_SSTHRESH, /* the threshold at which the response began */
	FS_LOSS,
	FS_TIMEOUT,
	FS_ECN,
	FS_IDLE,
};

/* A response: data between requests or pauses of a retransmission timeout, until all are acknowledged. */
struct fs_row {
	u64 start_us;
	u64 end_us; /* 0: not all was acknowledged */
	u64 exit_us;
	u64 bytes;
	u64 connection; /* the socket's cookie */
	u64 network; /* the first 24 bits of IPv4, the first 48 of IPv6, in the high bits */
	u64 delivery_rate; /* bytes a second */
	u64 busy_us;
	u64 rwnd_limited_us;
	u64 sndbuf_limited_us;
	u32 family;
	u32 port;
	u32 mss;
	u32 handshake_rtt_us;
	u32 min_rtt_us;
	u32 srtt_us;
	u32 rttvar_us;
	u32 packets;
	u32 retransmissions;
	u32 initial_window;
	u32 cwnd;
	u32 handshake_window; /* bytes that the client had offered when the connection opened */
	u32 widest_window; /* and the most that it has */
	u32 exit;
	u32 exit_cwnd;
	u32 exit_ssthresh;
	char cc[16];
};

struct fs_settings {
	u32 sample; /* one connection of so many */
	u32 most_open; /* connections at a time */
	u32 ports; /* 0: all */
	u16 port[16];
};

struct fs_counts {
	u64 open;
	u64 opened; /* collected, since the start */
	u64 skipped; /* above `most_open` */
	u64 lost; /* rows that found no room */
};

#endif
