//! What controls the congestion window of a run.

use flowstart_live::Startup;
use flowstart_live::lab::{Control, Native};
use s2n_quic::provider::congestion_controller::{Bbr, Cubic, bbr, cubic};

/// s2n-quic's congestion controls, its default first. BBR is simulated in outline only.
pub const NATIVE: [Control; 2] = [
    Control {
        name: "cubic",
        startup: "hystart",
        cc: "cubic",
    },
    Control {
        name: "bbr",
        startup: "bbr-startup",
        cc: "bbr",
    },
];

/// A startup of the catalog, or a control of s2n-quic's with its initial window in bytes.
#[derive(Clone)]
pub(super) enum Controls {
    Catalog(Startup),
    Cubic(Option<u32>),
    Bbr(Option<u32>),
    /// CUBIC, whose endpoints skip no packet numbers at random.
    Unskipped(Option<u32>),
}

impl Controls {
    pub fn native(native: &Native) -> Controls {
        match native.cc.as_str() {
            "bbr" => Controls::Bbr(initial_window(native)),
            _ => Controls::Cubic(initial_window(native)),
        }
    }

    pub fn without_skips(native: &Native) -> Controls {
        Controls::Unskipped(initial_window(native))
    }

    pub fn cubic(window: Option<u32>) -> Cubic {
        let builder = cubic::Builder::default();
        let set = cubic::Builder::with_initial_congestion_window;
        window.into_iter().fold(builder, set).build()
    }

    pub fn bbr(window: Option<u32>) -> Bbr {
        let builder = bbr::Builder::default();
        let set = bbr::Builder::with_initial_congestion_window;
        window.into_iter().fold(builder, set).build()
    }
}

fn initial_window(native: &Native) -> Option<u32> {
    let bytes = native.initial_window?;
    Some(u32::try_from(bytes).unwrap_or(u32::MAX))
}
