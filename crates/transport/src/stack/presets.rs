//! The presets by name.

mod freebsd;
mod linux;
mod neqo;
mod ns2;
mod picoquic;
mod quic;
mod quiche;
mod quicly;
mod quinn;
mod rfc;
mod s2n;
mod tquic;

use super::{Stack, Touches};

/// A preset of endpoints.
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The rules of the stack that it leaves out.
    pub omissions: &'static [Omission],
    make: fn() -> Stack,
}

/// A rule of a stack that its preset leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The rule, as a clause.
    pub rule: &'static str,
    /// Where the stack has it.
    pub source: &'static str,
    /// What of a result it decides.
    pub touches: Touches,
    /// Only transfers of more bytes are concerned.
    pub above: u64,
    /// Only flows with this congestion control are concerned; `None` for all.
    pub cc: Option<&'static str>,
}

impl Omission {
    /// A rule that concerns every flow.
    const fn of(touches: Touches, source: &'static str, rule: &'static str) -> Omission {
        Omission {
            rule,
            source,
            touches,
            above: 0,
            cc: None,
        }
    }

    /// A rule that concerns transfers of more bytes.
    const fn above(self, bytes: u64) -> Omission {
        Omission {
            above: bytes,
            ..self
        }
    }

    /// A rule of one congestion control.
    const fn under(self, cc: &'static str) -> Omission {
        Omission {
            cc: Some(cc),
            ..self
        }
    }
}

const fn preset(name: &'static str, make: fn() -> Stack, about: &'static str) -> Preset {
    Preset {
        name,
        about,
        omissions: &[],
        make,
    }
}

impl Preset {
    const fn without(self, omissions: &'static [Omission]) -> Preset {
        Preset { omissions, ..self }
    }
}

/// The preset of endpoints that name none: most servers run Linux.
pub const DEFAULT: &str = "linux";

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
    preset(
        "quiche",
        Stack::quiche,
        "quiche 0.30, a QUIC stack in Rust without pacer under CUBIC and Reno",
    ),
    preset(
        "neqo",
        Stack::neqo,
        "neqo 0.30, the QUIC stack of Firefox, which paces at two windows a round trip",
    )
    .without(neqo::OMISSIONS),
    preset(
        "picoquic",
        Stack::picoquic,
        "picoquic 1.1.52, a QUIC stack in C, whose window follows round trips above 100 ms",
    )
    .without(picoquic::OMISSIONS),
    preset(
        "quicly",
        Stack::quicly,
        "quicly at b11d363, the QUIC stack of H2O, without its optional pacer and startups",
    )
    .without(quicly::OMISSIONS),
    preset(
        "tquic",
        Stack::tquic,
        "tquic 1.6, a QUIC stack in Rust, whose default is BBR",
    )
    .without(tquic::OMISSIONS),
    preset(
        "linux-5.15",
        Stack::linux_5_15,
        "Linux 5.15: as `linux`, but TSO bursts are no larger on paths below 4 ms",
    )
    .without(linux::OMISSIONS_5_15),
    preset(
        "freebsd-14",
        Stack::freebsd_14,
        "FreeBSD 14 with its default TCP stack: CUBIC, neither RACK nor HyStart++",
    )
    .without(freebsd::OMISSIONS),
];

/// Presets of stacks that startups of the catalog control. They are accepted by name.
const ADAPTERS: &[Preset] = &[
    preset("quinn-adapter", Stack::quinn_adapter, ""),
    preset("noq-adapter", Stack::noq_adapter, ""),
    preset("s2n-adapter", Stack::s2n_adapter, ""),
];

/// All presets, those that are not listed included.
pub fn all_presets() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().chain(ADAPTERS)
}

impl Preset {
    /// The stack that it is.
    pub fn stack(&self) -> Stack {
        (self.make)()
    }
}

impl Stack {
    /// The preset of this name.
    pub fn preset(name: &str) -> Option<Stack> {
        let preset = all_presets().find(|preset| preset.name == name);
        preset.map(Preset::stack)
    }
}

/// The names of the presets that are listed.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The initial window in bytes of UDP payload, and the size of a datagram.
    fn opens_with(name: &str) -> (f64, u64) {
        let stack = Stack::preset(name).expect(name);
        let datagram = stack.datagram();
        ((stack.initial_window() * datagram as f64).round(), datagram)
    }

    #[test]
    fn a_quic_stack_opens_with_the_window_of_its_source() {
        assert_eq!(opens_with("neqo"), (12_520.0, 1252));
        assert_eq!(opens_with("picoquic"), (15_360.0, 1440));
        assert_eq!(opens_with("quicly"), (14_720.0, 1280));
        assert_eq!(opens_with("tquic"), (12_000.0, 1472));
    }

    #[test]
    fn an_omission_is_a_clause_with_its_source() {
        for omission in all_presets().flat_map(|preset| preset.omissions) {
            let (rule, source) = (omission.rule, omission.source);
            assert!(!rule.ends_with('.') && rule.len() < 200, "{rule}");
            assert!(source.contains('.'), "{source} is no file");
        }
    }

    #[test]
    fn a_preset_has_the_name_by_which_it_is_found() {
        for preset in all_presets() {
            assert_eq!(preset.stack().preset, preset.name);
        }
    }
}
