//! The form of 2018: rounds of `M` chirps, each analysed when it is known whole; when the round's
//! chirps fill the round trip, another round trip of packets at the average gap, and the end.

use super::excursion;
use super::form::{Answer, End, Form, Moment, Next};
use super::rounds::Rounds;
use super::settings::{Settings, WIDEST};
use super::train::{Chirp, Train};
use crate::{Segments, Window};

/// The minimum window of the last round trip.
const LEAST_LAST_WINDOW: f64 = 10.0;

/// State of the form of 2018.
#[derive(Clone)]
pub(super) struct Pc2018 {
    rounds: Rounds,
    l: usize,
}

impl Pc2018 {
    pub(super) fn new(settings: &Settings) -> Pc2018 {
        Pc2018 {
            rounds: Rounds::new(settings),
            l: settings.l as usize,
        }
    }

    /// A round ends; there are to be more chirps in the next one if all of this were sent.
    fn next_round(&mut self) {
        self.rounds.begin(self.rounds.is_full());
    }

    /// Chirps fill the round trip: twice what it holds is the window at the gap that they found.
    fn transition(&self, m: &Moment) -> End {
        let target = self.rounds.packets_in(m.rtts.least);
        End::AfterAcks {
            window: (2.0 * target as f64).max(LEAST_LAST_WINDOW),
            gap: self.rounds.gap.min(WIDEST),
            acks: target,
        }
    }
}

impl Form for Pc2018 {
    fn next(&mut self, m: &Moment, train: &Train, w: &Window) -> Next {
        if self.rounds.is_full() {
            return Next::Halt;
        }
        let packets = self.rounds.packets();
        if !train.has(packets, w) {
            return Next::Unchirped(packets);
        }
        Next::Chirp(self.rounds.chirp(m.rtts.smoothed, 0))
    }

    fn on_packet(&mut self, chirp: &Chirp, m: &Moment) -> Option<End> {
        if chirp.delays.len() == 1 && self.rounds.is_opened_by(chirp.number) {
            self.next_round();
        }
        if !chirp.is_known() {
            return None;
        }
        let estimate = excursion::whole(&chirp.delays, &chirp.gaps(), self.l);
        self.rounds.take(estimate);
        if chirp.number == 0 {
            self.next_round();
        }
        let ends = self.rounds.fill(m.rtts.smoothed);
        ends.then(|| self.transition(m))
    }

    /// The form has no separate rule.
    fn on_loss(&mut self, flight: Segments) -> Answer {
        Answer::Avoidance(flight)
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::moment;
    use super::super::rounds::tests::{RTT, US, m_after};
    use super::super::settings::settings_of;
    use super::*;

    fn form(spec: &str) -> Pc2018 {
        Pc2018::new(&settings_of(&format!("form=pc2018,{spec}")))
    }

    /// So many chirps of 16 packets at 200 us, of a round of eight.
    fn fills(chirps: u64) -> bool {
        let mut form = form("chirps=8");
        for _ in 0..4 {
            form.rounds.chirp(RTT, 0);
        }
        form.rounds.begin(false);
        for _ in 0..chirps {
            form.rounds.chirp(RTT, 0);
        }
        form.rounds.fill(RTT)
    }

    #[test]
    fn six_chirps_of_three_milliseconds_fill_twenty() {
        assert_eq!([5, 6, 8].map(fills), [false, true, true]);
    }

    #[test]
    fn the_last_round_trip_has_twice_what_the_path_holds_and_lasts_that_many_acks() {
        let end = form("gap=100us").transition(&moment(RTT));
        let expected = End::AfterAcks {
            window: 400.0,
            gap: 100 * US,
            acks: 200,
        };
        assert_eq!(end, expected);
    }

    #[test]
    fn a_round_that_was_cut_short_does_not_lead_to_more_chirps() {
        let grows = |rounds: &Rounds| rounds.is_full();
        assert_eq!(m_after(6, 2, grows), 4);
        assert_eq!(m_after(9, 1, grows), 2);
    }
}
