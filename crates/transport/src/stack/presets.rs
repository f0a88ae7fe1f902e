//! The presets by name: one file for each stack or family, with its values, the variants of algorithms
//! that it has, and the rules that it leaves out.

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

use super::Stack;
use super::preset::Preset;

/// The preset of endpoints that name none: most servers run Linux.
pub const DEFAULT: &str = "linux";

/// The presets that are listed.
pub const PRESETS: &[Preset] = &[
    rfc::RFC,
    ns2::NS2,
    ns2::OPNET,
    linux::LINUX,
    quic::QUIC,
    quinn::QUINN,
    quinn::NOQ,
    s2n::S2N,
    quiche::QUICHE,
    neqo::NEQO,
    picoquic::PICOQUIC,
    quicly::QUICLY,
    tquic::TQUIC,
    linux::LINUX_5_15,
    freebsd::FREEBSD_14,
];

/// Presets of stacks that startups of the catalog control. They are accepted by name.
const ADAPTERS: &[Preset] = &[quinn::QUINN_ADAPTER, quinn::NOQ_ADAPTER, s2n::S2N_ADAPTER];

/// All presets, those that are not listed included.
pub fn all_presets() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().chain(ADAPTERS)
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
            assert!(source.contains('.'), "{source} is not a file");
        }
    }

    #[test]
    fn a_preset_has_the_name_by_which_it_is_found() {
        for preset in all_presets() {
            assert_eq!(preset.stack().preset, preset.name);
        }
    }
}
