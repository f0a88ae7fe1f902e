/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Startups that run in the kernel without an agent: each is a congestion control that grows the window
 * by its rule until its end, and is the kernel's CUBIC from then on. `choose` gives it to a share of
 * the connections that the host accepts.
 */
#include "shared.bpf.h"
#include "hystart_plus_plus.bpf.h"
#include "search.bpf.h"
#include "jump_start.bpf.h"
#include "choice.bpf.h"

char _license[] SEC("license") = "GPL";
