//! The form split from DCTCP: rounds of `M` chirps, analysed packet by packet. A packet in no chirp
//! marks the end of the first round. As soon as the round's chirps and the gaps between them fill the
//! round trip, the window is what it holds at the average gap.

use super::excursion::Online;
use super::form::{Answer, End, Form, Moment, Next};
use super::rounds::Rounds;
use super::settings::{Settings, WIDEST};
use super::train::{Chirp, Train};
use crate::{Reason, Segments, Window};

/// State of the form split from DCTCP.
#[derive(Clone)]
pub(super) struct PcSplit {
    rounds: Rounds,
    l: usize,
    /// The marking packet has been let out, and is known to have arrived.
    mark_sent: bool,
    mark_received: bool,
}

impl PcSplit {
    pub(super) fn new(settings: &Settings) -> PcSplit {
        PcSplit {
            rounds: Rounds::new(settings),
            l: settings.l as usize,
            mark_sent: false,
            mark_received: false,
        }
    }

    /// The estimate of a chirp; none where a gap was more than twice the one before it.
    fn estimate(&self, chirp: &Chirp) -> Option<u64> {
        let (gaps, delays, last) = (chirp.gaps(), &chirp.delays, chirp.packets - 1);
        if gaps[1..].windows(2).any(|pair| pair[1] > 2 * pair[0]) {
            return None;
        }
        let mut online = Online::default();
        for at in 2..=last {
            online.step(delays[at - 1], delays[at], gaps[at - 1], self.l, false);
        }
        online.step(delays[last], 0, gaps[last], self.l, true);
        Some(online.sum() / last as u64)
    }
}

impl Form for PcSplit {
    fn next(&mut self, m: &Moment, train: &Train, w: &Window) -> Next {
        let heard = train.oldest().is_some_and(|chirp| !chirp.delays.is_empty());
        if !self.mark_sent && heard {
            self.mark_sent = true;
            return Next::Unchirped(1);
        }
        if self.rounds.is_full() {
            return Next::Halt;
        }
        let packets = self.rounds.packets();
        if !train.has(packets, w) {
            return Next::Unchirped(packets);
        }
        let gap = self.rounds.gap;
        Next::Chirp(self.rounds.chirp(m.rtts.smoothed, gap))
    }

    fn on_ack(&mut self, m: &Moment) -> Option<End> {
        if !self.rounds.fill(m.rtts.smoothed) {
            return None;
        }
        self.rounds.gap = self.rounds.gap.min(WIDEST);
        let holds = self.rounds.packets_in(m.rtts.least) as f64;
        Some(End::Now {
            window: holds.max(m.flight).max(2.0),
            reason: Some(Reason::Estimate),
        })
    }

    fn on_packet(&mut self, chirp: &Chirp, _m: &Moment) -> Option<End> {
        if chirp.delays.len() == 1 && self.rounds.is_opened_by(chirp.number) {
            self.rounds.begin(true);
        }
        if chirp.is_known() {
            if let Some(estimate) = self.estimate(chirp) {
                self.rounds.take(estimate);
            }
            if chirp.number == 0 {
                self.rounds.begin(true);
            }
        }
        None
    }

    fn after_packets(&mut self, una: u64, train: &Train) {
        let Some(chirp) = train.oldest() else { return };
        let marked = chirp.number == 2 && chirp.delays.is_empty() && una == chirp.start;
        if self.mark_sent && !self.mark_received && marked {
            self.mark_received = true;
            self.rounds.begin(true);
        }
    }

    fn on_loss(&mut self, flight: Segments) -> Answer {
        Answer::Window((flight / 2.0).floor())
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::moment;
    use super::super::rounds::tests::{RTT, US, m_after};
    use super::super::settings::settings_of;
    use super::*;
    use crate::{Duration, Instant};

    fn form(spec: &str) -> PcSplit {
        PcSplit::new(&settings_of(&format!("form=pc-split,{spec}")))
    }

    #[test]
    fn six_chirps_with_the_gaps_between_them_end_it_at_once_at_what_the_path_holds() {
        let mut form = form("chirps=8");
        for _ in 0..4 {
            form.rounds.chirp(RTT, 0);
        }
        form.rounds.begin(false);
        for _ in 0..5 {
            let gap = form.rounds.gap;
            form.rounds.chirp(RTT, gap);
            assert_eq!(form.on_ack(&moment(RTT)), None);
        }
        form.rounds.chirp(RTT, 200 * US);
        form.rounds.gap = 100 * US;
        for (flight, window) in [(30.0, 200.0), (240.0, 240.0)] {
            let m = Moment {
                flight,
                ..moment(RTT)
            };
            let expected = End::Now {
                window,
                reason: Some(Reason::Estimate),
            };
            assert_eq!(form.on_ack(&m), Some(expected));
        }
    }

    #[test]
    fn a_round_that_was_cut_short_leads_to_more_chirps_too() {
        assert_eq!(m_after(6, 1, |_| true), 4);
    }

    fn chirp(number: u64, gaps: [u64; 5]) -> Chirp {
        let mut now = Instant::ZERO;
        let sent = gaps.map(|gap| {
            now += Duration(gap * US);
            now
        });
        Chirp {
            number,
            packets: 5,
            start: 9_000,
            sent_at: sent.to_vec(),
            delays: vec![0; 5],
        }
    }

    #[test]
    fn a_chirp_with_a_gap_more_than_twice_the_one_before_says_nothing() {
        let form = form("gap=200us");
        let estimate = |gaps| form.estimate(&chirp(4, gaps));
        assert_eq!(estimate([0, 400, 320, 240, 160]), Some(160 * US));
        assert_eq!(estimate([0, 400, 320, 240, 480]), Some(480 * US));
        assert_eq!(estimate([0, 400, 320, 240, 481]), None);
    }

    #[test]
    fn a_loss_leaves_half_of_what_is_out() {
        assert_eq!(form("gap=200us").on_loss(31.0), Answer::Window(15.0));
    }
}
