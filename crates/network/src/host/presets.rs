//! Hosts that have a name.

use super::params::{HostParams, over};
use super::properties::{Host, LateLaw};
use flowstart_control::Duration;
use flowstart_control::entry::{Certainty, Entry};

/// Unread datagrams of up to 1472 bytes that a stock Linux socket holds (`rmem_default`, 212 992
/// bytes, 2304 bytes each; counted on Linux 6.18).
const STOCK_BUFFER: u32 = 92;

/// Timers of a Linux process: 50 us of slack (`timer_slack_ns`) and the wake-up itself.
const LINUX: Host = Host {
    send_batch: 44,
    late: Duration::from_micros(100),
    // net/core/gro.c: a merged packet has at most 65 536 bytes.
    receive_batch: 44,
    coalesce: Duration::from_micros(50),
    receive_buffer: STOCK_BUFFER,
    credit: 10,
    ..Host::IDEAL
};

/// quinn and noq over tokio, whose timer wheel has steps of a millisecond: GSO of ten datagrams, at
/// most twenty in a turn, and 32 in a read (quinn-udp).
const TOKIO: Host = Host {
    send_batch: 10,
    per_wake: 20,
    credit: 10,
    timer: Duration::from_millis(1),
    late: Duration::from_micros(1130),
    late_law: LateLaw::Exponential,
    receive_batch: 32,
    receive_buffer: STOCK_BUFFER,
    ..Host::IDEAL
};

const WINDOWS: Host = Host {
    timer: Duration::from_micros(15_600),
    credit: 10,
    ..Host::IDEAL
};

const FAST_NIC: Host = Host {
    coalesce: Duration::from_micros(16),
    frames: 32,
    ..Host::IDEAL
};

macro_rules! host {
    ($name:literal, $title:literal, $source:literal, $summary:literal, $host:expr) => {
        Entry {
            name: $name,
            title: $title,
            source: $source,
            year: 2026,
            opened: $source,
            compared: "values of the preset",
            summary: $summary,
            params: HostParams::PARAMS,
            needs: &[],
            certainty: Certainty::Code,
            build: |params, _| over(&$host, params),
        }
    };
}

/// All of them.
pub(super) static HOSTS: &[Entry<Host>] = &[
    host!(
        "ideal",
        "Ideal host",
        "none: a model without host",
        "Takes no time and loses nothing.",
        Host::IDEAL
    ),
    host!(
        "linux-server",
        "Linux server",
        "timer slack (kernel/time/hrtimer.c), coalescing (i40e), GRO (net/core/gro.c); lateness \
         measured on Linux 6.18",
        "Wakes 100 us late; gathers frames for 50 us and reads up to 44 of them together.",
        LINUX
    ),
    host!(
        "tokio",
        "Event loop of tokio",
        "tokio time wheel and issue 5021; quinn-udp and quinn-proto 0.11",
        "Timers of 1 ms which are late by 1.13 ms in the mean; batches of 10, 20 a turn.",
        TOKIO
    ),
    host!(
        "windows",
        "Windows with its stock timer",
        "system clock of 64 ticks a second; quinn issue 1409",
        "Timers expire at multiples of 15.6 ms.",
        WINDOWS
    ),
    host!(
        "fast-nic",
        "Interface of a fast network",
        "mlx5 (en/params.c): 16 us or 32 frames",
        "Gathers frames for 16 us, at most 32.",
        FAST_NIC
    ),
];
