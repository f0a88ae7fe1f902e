//! Startup by the rules of QUICHE.

use super::Bbr;
use super::quiche::{Ending, RoundEnd};
use super::state::State;
use crate::signals::Delivery;
use crate::{Reason, Segments};

impl Bbr {
    /// Startup, judged where a round ends (`Bbr2StartupMode::OnCongestionEvent`).
    pub(super) fn check_quiche_startup(&mut self, d: &Delivery, flight: u64) -> Option<Reason> {
        let end = RoundEnd {
            max_bw: self.max_bw.max(),
            app_limited: self.is_app_limited(d),
            path: self.bdp(1.0),
            mss: self.mss,
            in_flight: d.sample.map_or(0, |s| s.tx_in_flight),
            startup_pacing: self.constants.startup_pacing,
        };
        let quiche = self.quiche.as_mut()?;
        quiche.note(d, flight);
        if self.state != State::Startup || !self.rounds.start {
            return None;
        }
        let reason = match quiche.end_round(&end)? {
            Ending::Full => Reason::FullPipe,
            Ending::Lossy(bound) => {
                self.probing.bound(bound);
                Reason::Loss
            }
        };
        self.plateau.find();
        self.enter_drain();
        Some(reason)
    }

    /// The window in Startup: twice the path's content, or what was acknowledged below two initial
    /// windows (`update_congestion_window`).
    pub(super) fn grown_by_quiche(&self, cwnd: Segments, acked: Segments) -> Segments {
        let target = self.bdp(self.cwnd_gain) / self.mss as f64;
        match cwnd < target || cwnd < 2.0 * self.init_cwnd {
            true => cwnd + acked,
            false => cwnd,
        }
    }
}
