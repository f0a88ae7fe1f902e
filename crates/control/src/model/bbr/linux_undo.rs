//! What Linux's v3 takes back where nothing was lost, and what a timeout bounds (google/bbr, branch
//! v3, `net/ipv4/tcp_bbr.c`, commit 001a430b).

use super::Bbr;
use super::probing::Phase;
use super::state::State;
use crate::{Rate, Window};

impl Bbr {
    /// `bbr_undo_cwnd`: bounds and window are back, and where it was in its course stays; a
    /// plateau is looked for anew.
    pub(super) fn undo_as_linux(&mut self, w: &mut Window) {
        self.plateau.look_again(Rate(0));
        self.probing.restore();
        if self.prior_cwnd > 0.0 {
            w.cwnd = self.prior_cwnd;
        }
    }

    /// `bbr_set_state`: a timeout that does not follow a probe bounds what may be in flight by what
    /// was.
    pub(super) fn bound_for_timeout(&mut self) {
        let probes = match self.state {
            State::Startup => true,
            State::ProbeBw => matches!(self.probing.phase, Phase::Refill | Phase::Up),
            State::Drain | State::ProbeRtt => false,
        };
        let bound = &mut self.probing.bounds.inflight_shortterm;
        if !probes && bound.is_none() {
            *bound = Some(self.prior_cwnd * self.mss as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bbr::Version;
    use crate::signals::RateSample;
    use crate::signals::{Ack, Delivery, Established};
    use crate::testing::RTT;
    use crate::{Convention, Reason};
    use crate::{Duration, Instant};

    const MSS: u64 = 1448;

    /// An acknowledgement's sample, in packets.
    #[derive(Clone, Copy)]
    struct Sampled {
        /// Whether its packet left after the last acknowledgement.
        newest: bool,
        delivered: u64,
        in_ms: u64,
        marked: u64,
        lost: u64,
    }

    /// What a round of a path brings that delivers a thousand packets a second.
    const ROUND: Sampled = Sampled {
        newest: true,
        delivered: 100,
        in_ms: 100,
        marked: 0,
        lost: 0,
    };

    /// A connection with two hundred packets in flight.
    struct Flow {
        bbr: Bbr,
        w: Window,
        now: Instant,
        total: u64,
    }

    impl Flow {
        fn new(version: Version) -> Flow {
            let mut flow = Flow {
                bbr: Bbr::new(version, Convention::LINUX, None),
                w: Window::new(MSS as u32),
                now: Instant::ZERO + RTT,
                total: 0,
            };
            flow.w.cwnd = 10.0;
            let e = Established {
                rtt: Some(RTT),
                ..Established::at(Instant::ZERO + RTT)
            };
            flow.bbr.on_established(&flow.w, &e);
            flow
        }

        fn ack(&mut self, s: Sampled) -> Option<Reason> {
            self.now += Duration::from_millis(1);
            let prior_delivered = if s.newest { self.total } else { 0 };
            self.total += MSS;
            let flight = 200 * MSS;
            let ack = Ack {
                rtt: Some(RTT),
                flight,
                delivery: Some(Delivery {
                    total: self.total,
                    newly: MSS,
                    lost: s.marked * MSS,
                    in_flight_before: flight + MSS,
                    repairing: false,
                    sample: Some(RateSample {
                        prior_delivered,
                        delivered: s.delivered * MSS,
                        interval: Duration::from_millis(s.in_ms),
                        app_limited: false,
                        tx_in_flight: 200 * MSS,
                        lost: s.lost * MSS,
                        ..RateSample::default()
                    }),
                }),
                ..Ack::of(self.now, MSS)
            };
            self.bbr.on_ack(&mut self.w, &ack)
        }

        /// A round of recovery in which so many acknowledgements mark forty losses, and the largest
        /// delivery of one is `most`.
        fn lossy_round(&mut self, marking: u64, most: u64) -> Option<Reason> {
            assert_eq!(self.ack(ROUND), None);
            self.bbr.on_loss(&self.w);
            assert_eq!(self.ack(ROUND), None);
            for index in 0..marking {
                let marks = Sampled {
                    newest: false,
                    delivered: most,
                    in_ms: 1000,
                    marked: 40 / marking + u64::from(index < 40 % marking),
                    ..ROUND
                };
                assert_eq!(self.ack(marks), None);
            }
            let last = Sampled {
                delivered: 60,
                lost: 40,
                ..ROUND
            };
            self.ack(last)
        }

        fn longterm(&self) -> Option<f64> {
            let bound = self.bbr.probing.bounds.inflight_longterm;
            bound.map(|bytes| bytes / MSS as f64)
        }
    }

    /// V4
    #[test]
    fn forty_losses_end_startup_where_six_acknowledgements_have_marked_them() {
        let mut five = Flow::new(Version::V3Linux);
        assert_eq!((five.lossy_round(5, 80), five.longterm()), (None, None));
        let mut six = Flow::new(Version::V3Linux);
        assert_eq!(six.lossy_round(6, 80), Some(Reason::Loss));
        assert_eq!(six.bbr.state, State::Drain);
    }

    /// V4: the path holds a hundred packets.
    #[test]
    fn after_losses_the_bound_is_what_the_path_holds_or_the_most_that_a_sample_delivered() {
        for version in [Version::V3, Version::V3Linux] {
            for (most, expected) in [(80, 100.0), (150, 150.0)] {
                let mut flow = Flow::new(version);
                flow.lossy_round(6, most);
                assert_eq!(flow.longterm(), Some(expected), "{version:?} {most}");
            }
        }
    }

    /// V7
    #[test]
    fn a_recovery_for_nothing_brings_the_draft_back_to_startup_but_not_linux() {
        let undone = |version| {
            let mut flow = Flow::new(version);
            assert_eq!(flow.lossy_round(6, 80), Some(Reason::Loss));
            let prior = flow.bbr.prior_cwnd;
            flow.w.cwnd = 300.0;
            flow.bbr.on_spurious(&mut flow.w);
            let reached = flow.bbr.plateau.reached;
            assert_eq!(flow.longterm(), None, "{version:?}");
            (flow.bbr.state, reached, flow.w.cwnd == prior)
        };
        assert_eq!(undone(Version::V3Linux), (State::Drain, true, true));
        assert_eq!(undone(Version::V3), (State::Startup, false, false));
    }

    #[test]
    fn after_a_recovery_for_nothing_the_plateau_is_looked_for_anew() {
        let mut flow = Flow::new(Version::V3Linux);
        (0..3).for_each(|_| assert_eq!(flow.ack(ROUND), None));
        flow.bbr.on_loss(&flow.w);
        flow.bbr.on_spurious(&mut flow.w);
        (0..3).for_each(|_| assert_eq!(flow.ack(ROUND), None));
        assert_eq!(flow.ack(ROUND), Some(Reason::FullPipe));
    }

    #[test]
    fn a_loss_begins_a_loss_round_whether_or_not_its_ack_gives_a_sample() {
        for version in [Version::V3, Version::V3Linux] {
            let mut flow = Flow::new(version);
            flow.ack(ROUND);
            let at = flow.total + MSS;
            let ack = Ack {
                delivery: Some(Delivery {
                    total: at,
                    newly: MSS,
                    lost: MSS,
                    ..Delivery::default()
                }),
                ..Ack::of(flow.now, MSS)
            };
            flow.bbr.on_ack(&mut flow.w, &ack);
            let noted = &flow.bbr.probing;
            assert_eq!(
                (noted.loss_in_round, noted.loss_round_delivered),
                (true, at)
            );
        }
    }

    #[test]
    fn drain_lasts_as_long_as_more_is_in_flight_than_the_path_holds() {
        let mut flow = Flow::new(Version::V3Linux);
        while flow.ack(ROUND).is_none() {}
        (0..50).for_each(|_| assert_eq!(flow.ack(ROUND), None));
        assert_eq!(flow.bbr.state, State::Drain);
    }

    #[test]
    fn a_timeout_in_drain_bounds_what_may_be_in_flight_by_the_window_before() {
        let bound_after = |fill: usize| {
            let mut flow = Flow::new(Version::V3Linux);
            (0..fill).for_each(|_| {
                flow.ack(ROUND);
            });
            let before = flow.w.cwnd;
            flow.bbr.on_timeout(&mut flow.w);
            let bound = flow.bbr.probing.bounds.inflight_shortterm;
            bound.map(|bytes| bytes / MSS as f64 == before)
        };
        assert_eq!(bound_after(3), None);
        assert_eq!(bound_after(10), Some(true));
    }

    /// V6
    #[test]
    fn more_leaves_together_where_the_peer_is_near() {
        let burst = |rate: u64, us: u64| {
            let mut bbr = Bbr::new(Version::V3Linux, Convention::LINUX, None);
            (bbr.mss, bbr.pacing) = (MSS, Rate(8 * rate));
            bbr.min_rtt
                .take(Some(Duration::from_micros(us)), Instant::ZERO);
            bbr.quantum()
        };
        let bursts = [100, 600, 2_000, 3_000, 20_000].map(|us| burst(1_250_000, us));
        assert_eq!(bursts, [45, 23, 6, 2, 2]);
        assert_eq!(burst(125_000_000, 20_000), 45);
    }
}
