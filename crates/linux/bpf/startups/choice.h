/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Which accepted connections get the startup: by port, peer network and a hash of the connection.
 * `src/startups/records.rs` has the same records.
 */
#ifndef FLOWSTART_STARTUPS_CHOICE_H
#define FLOWSTART_STARTUPS_CHOICE_H

#include "rule.h"

#define PORTS 16

struct settings {
	u64 deadline_ns; /* of the monotonic clock; no connection gets the startup from then on; 0: none */
	u64 share;	 /* of 2^32 */
	u32 seed;
	u32 by_network; /* only peers in `networks` */
	u32 port_count; /* 0: all */
	u16 ports[PORTS];
	char name[16];
};

struct counts {
	u64 treatment;
	u64 control;
	u64 kept;   /* the application has chosen a congestion control */
	u64 failed; /* the kernel refused */
};

/* The ends of a connection, IPv4 as mapped addresses. */
struct ends {
	u32 peer[4]; /* network byte order */
	u32 peer_port;
	u32 port;
};

/* A step of MurmurHash3 (A. Appleby, public domain). */
RULE u32 hash_step(u32 hash, u32 word)
{
	word *= 0xcc9e2d51;
	word = word << 15 | word >> 17;
	hash ^= word * 0x1b873593;
	return (hash << 13 | hash >> 19) * 5 + 0xe6546b64;
}

RULE u32 hash_of(u32 seed, const struct ends *e)
{
	u32 hash = hash_step(seed, e->peer[0]);

	hash = hash_step(hash, e->peer[1]);
	hash = hash_step(hash, e->peer[2]);
	hash = hash_step(hash, e->peer[3]);
	hash = hash_step(hash, e->peer_port);
	hash = hash_step(hash, e->port) ^ 24;
	hash = (hash ^ hash >> 16) * 0x85ebca6b;
	hash = (hash ^ hash >> 13) * 0xc2b2ae35;
	return hash ^ hash >> 16;
}

#endif
