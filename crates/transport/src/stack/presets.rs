//! The presets by name.

mod linux;
mod ns2;
mod quic;
mod quinn;
mod rfc;
mod s2n;

use super::Stack;

/// A preset of endpoints.
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    make: fn() -> Stack,
}

const fn preset(name: &'static str, make: fn() -> Stack, about: &'static str) -> Preset {
    Preset { name, about, make }
}

/// The presets that are listed.
pub const PRESETS: &[Preset] = &[
    preset(
        "rfc",
        Stack::rfc,
        "the standards as written today: RFC 5681, 6298, 6675, 6928, 3042, 7323",
    ),
    preset(
        "ns2",
        Stack::ns2,
        "the one-way agents of ns-2.35, which number packets and acknowledge each of them",
    ),
    preset(
        "opnet",
        Stack::opnet,
        "the hosts of the OPNET study of Modified Swift Start: no SACK, no window scaling",
    ),
    preset(
        "linux",
        Stack::linux,
        "a current Linux kernel with time stamps, and receive buffers of 32 to 128 MiB",
    ),
    preset(
        "quic",
        Stack::quic,
        "QUIC over UDP and IPv4 by RFC 9000 and 9002, in packets of 1500 bytes",
    ),
    preset("quinn", Stack::quinn, "quinn 0.11, a QUIC stack in Rust"),
    preset(
        "noq",
        Stack::noq,
        "noq 1.4, a QUIC stack in Rust, whose pacer holds acknowledgements back too",
    ),
    preset(
        "s2n",
        Stack::s2n,
        "s2n-quic 1.91, a QUIC stack in Rust that acknowledges every tenth packet",
    ),
];

/// Presets of stacks that startups of the catalog control. They are accepted by name.
const ADAPTERS: &[Preset] = &[
    preset("quinn-adapter", Stack::quinn_adapter, ""),
    preset("noq-adapter", Stack::noq_adapter, ""),
];

impl Stack {
    /// The preset of this name.
    pub fn preset(name: &str) -> Option<Stack> {
        let mut all = PRESETS.iter().chain(ADAPTERS);
        all.find(|preset| preset.name == name)
            .map(|preset| (preset.make)())
    }
}

/// The names of the presets that are listed.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}
