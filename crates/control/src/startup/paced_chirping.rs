//! Paced Chirping: probe with trains whose packets come closer and closer.
//!
//! J. Misund and B. Briscoe, "Paced Chirping: Rethinking TCP startup", Netdev 0x13, 2019, of which
//! the abstract was read, and three forms of Misund's code for Linux, which were read whole. A
//! startup that grows a window learns what the path carries by filling its queue. A *chirp*
//! measures it with a few packets: the gaps between them shrink, and the gap at which the queueing
//! delay begins to rise for good is the one that the path just carries (as in pathChirp). The queue
//! drains until the next chirp. Chirps come closer together until they fill the path; then it is
//! known, and about full.
//!
//! The forms, which share the analysis of a chirp and nothing else; each has a separate file:
//!
//! | form | read | chirps | ends |
//! | --- | --- | --- | --- |
//! | `pc2020` | `net/ipv4/paced_chirping.c` in ij1/linux-accecn, commit 03abc4b, and its header | a guard keeps the load at one packet each `gap_load`, which follows the average gap down | where the load meets the average gap |
//! | `pc2018` | `latest/module/paced_chirping.c` in JoakimMisund/PacedChirping, commit 1071592 | `M` a round trip, twice as many from round to round | when a round's chirps are as long as the round trip; then one more, paced at the average gap |
//! | `pc-split` | `net/ipv4/paced_chirping.c` in ij1/linux-flowstartup, commit 0113153, and its header | as `pc2018` | at once when chirps and the gaps between them are as long as the round trip |
//!
//! # State
//!
//! The average gap, and in `pc2020` the load gap; the chirp that is leaving and those that are out,
//! with when each packet left and how long it queued.
//!
//! # Deviations
//!
//! - Times are nanoseconds throughout. The code takes 1024 ns for a microsecond in round lengths and
//!   guards, which makes a round 2.4 % shorter than it is.
//! - The window is what lets a chirp leave: between chirps it is what is out. The code keeps it wide
//!   and is called for each packet. So a loss finds the window at what is out.
//! - `pc2018` and `pc-split` also wait until no more than 16 segments are in the host's queues. There
//!   are none here.
//! - `pc2018` continues chirping through fast recovery, with DCTCP's reduction of nothing at first.
//!   Here any loss ends chirping, and the avoidance reduces what is out.
//! - `pc-split` leaves its pacing rate to the kernel, which replaces it at the next acknowledgement.
//!   Here pacing ends with the startup, and the stack's own begins where it has one.
//! - `pc-split`: at a chirp's end the commit that was read takes the last gap for what is not counted
//!   where an excursion is open, and the start of an older one where none is. Both other forms have
//!   it the other way round, and so has this.
//! - A chirp that an idle time or a loss interrupts is dropped.
//!
//! # Contested
//!
//! - pathChirp takes the gap behind the packet from which the delay rises. `pc2018` and `pc-split`
//!   take the wider one before it, `pc2020` the one behind.
//! - `pc2018` may chirp on for long: an average gap at least separates chirps and counts for
//!   nothing, so a round's chirps come to the round trip only where what queues does not make it
//!   longer.
//! - Of `pc2020` there is an earlier version (JoakimMisund/net-next, commit 03aa045): it ends with
//!   what is out even where the round trip holds less, does not narrow chirps over discontinuous
//!   links, and takes the gap before a chirp for a jump. The later one is the form here.
//! - Packets need separate acknowledgements. Those that share one share its delay, as in
//!   the code; `delayed_acks=leave` goes over to slow start instead, as its authors require
//!   receivers that do not delay.
//! - Where fewer packets wait than the next chirp has, they leave at once and in no chirp.

mod excursion;
mod form;
mod pc2018;
mod pc2020;
mod pc_split;
mod rounds;
mod settings;
mod train;

use super::{Congestion, Maker, Reduction, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::round_trips::RoundTrips;
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established, Idle, Sent};
use crate::slow_start::SlowStart;
use crate::{Duration, Instant, Reason, Segments, Window, with_slow_start};
use form::{Answer, End, Form, Moment, Next};
use pc_split::PcSplit;
use pc2018::Pc2018;
use pc2020::Pc2020;
use settings::{DelayedAcks, FormName, Settings};
use train::Train;

/// Entry of `paced-chirping` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "paced-chirping",
    title: "Paced Chirping",
    source: "Misund, Briscoe: Paced Chirping, Netdev 0x13, 2019; Linux module paced_chirping.c",
    year: 2019,
    opened: "abstract; code: paced_chirping.c and .h in github.com/JoakimMisund/PacedChirping at \
             1071592, ij1/linux-flowstartup at 0113153, ij1/linux-accecn at 03abc4b, \
             JoakimMisund/net-next at 03aa045",
    compared: "shape and spacing of chirps, analysis, averages, rounds, load, every way out",
    summary: "Sends trains whose gaps shrink, finds the gap at which a queue begins, and packs \
              such trains closer until they fill the path.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Code,
    build,
};

fn build(params: &Params, _: crate::Convention) -> Result<Box<Maker>, SpecError> {
    let settings = Settings::read(params)?;
    let (pc2020, needs) = (
        settings.form == FormName::Pc2020,
        "`form=pc2018` or `form=pc-split`",
    );
    params.effective(&Settings::gap, !pc2020, needs)?;
    params.effective(&Settings::chirps, !pc2020, needs)?;
    params.effective(&Settings::gain, !pc2020, needs)?;
    params.effective(&Settings::geometry, !pc2020, needs)?;
    params.effective(&Settings::lowest_gap, pc2020, "`form=pc2020`")?;
    params.effective(&Settings::maximum_chirps, pc2020, "`form=pc2020`")?;
    let leaves = settings.delayed_acks == DelayedAcks::Leave;
    Ok(match settings.form {
        FormName::Pc2018 => copies(PacedChirping::new(Pc2018::new(&settings), leaves)),
        FormName::PcSplit => copies(PacedChirping::new(PcSplit::new(&settings), leaves)),
        FormName::Pc2020 => copies(PacedChirping::new(Pc2020::new(&settings), leaves)),
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Chirps leave or are waited for.
    Chirping,
    /// Packets leave at one gap until more than so many acknowledgements have come.
    Ending {
        acks: u64,
    },
    Over,
}

/// Paced Chirping in one form: what all of them do alike.
#[derive(Clone)]
struct PacedChirping<F> {
    form: F,
    /// An acknowledgement of several packets ends it.
    leaves: bool,
    phase: Phase,
    initial: Segments,
    train: Train,
    rtts: RoundTrips,
}

impl<F: Form> PacedChirping<F> {
    fn new(form: F, leaves: bool) -> PacedChirping<F> {
        PacedChirping {
            form,
            leaves,
            phase: Phase::Over,
            initial: 1.0,
            train: Train::default(),
            rtts: RoundTrips::default(),
        }
    }

    fn moment(&self, w: &Window, now: Instant, flight: u64) -> Moment {
        Moment {
            now,
            rtts: self.rtts,
            delay: self.rtts.queueing().nanos(),
            flight: w.segments(flight).ceil(),
            mss: w.mss,
            sample: None,
        }
    }

    /// No chirp is leaving: what leaves next, if anything.
    fn go_on(&mut self, w: &mut Window, now: Instant, flight: u64) {
        let m = self.moment(w, now, flight);
        match self.form.next(&m, &self.train, w) {
            Next::Chirp(plan) => self.train.begin(w, flight, plan),
            Next::Unchirped(packets) => self.train.unchirped(w, flight, packets),
            Next::Halt => self.train.halt(w, flight),
        }
    }

    /// Passes an acknowledgement to the form; whether that ends chirping.
    fn learn(&mut self, w: &Window, a: &Ack) -> Option<End> {
        let m = Moment {
            sample: a.delivery.and_then(|delivery| delivery.sample),
            ..self.moment(w, a.now, a.flight)
        };
        if let Some(end) = self.form.on_ack(&m) {
            return Some(end);
        }
        while let Some(chirp) = self.train.acknowledge(a.una, w.mss, m.delay) {
            if let Some(end) = self.form.on_packet(chirp, &m) {
                return Some(end);
            }
        }
        self.form.after_packets(a.una, &self.train);
        None
    }

    fn end(&mut self, w: &mut Window, end: End) -> Option<Reason> {
        self.cancel(w);
        match end {
            End::Now { window, reason } => {
                w.cwnd = window;
                if reason.is_some() {
                    w.ssthresh = window;
                }
                reason
            }
            End::AfterAcks { window, gap, acks } => {
                w.cwnd = window;
                w.pacing = w.rate_over(1.0, Duration(gap.max(1)));
                self.phase = Phase::Ending { acks };
                None
            }
        }
    }

    /// Counts an acknowledgement of the last round trip; with the last one the window is what is
    /// out.
    fn count_down(&mut self, w: &mut Window, acks: u64, flight: u64) -> Option<Reason> {
        if acks > 0 {
            self.phase = Phase::Ending { acks: acks - 1 };
            return None;
        }
        self.cancel(w);
        w.cwnd = w.segments(flight).floor().max(2.0).min(w.cwnd);
        w.ssthresh = w.cwnd;
        Some(Reason::Estimate)
    }

    /// The receiver delays acknowledgements: slow start from what is out.
    fn leave(&mut self, w: &mut Window, flight: u64) {
        self.cancel(w);
        w.cwnd = w.segments(flight).ceil().max(self.initial);
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.phase != Phase::Over {
            w.pacing = None;
        }
        self.phase = Phase::Over;
        self.train.clear();
    }
}

impl<F: Form> Startup for PacedChirping<F> {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        let rtt = e.rtt.filter(|rtt| *rtt > Duration::ZERO);
        self.initial = w.cwnd;
        self.train.queue(e.queued);
        self.rtts.sample(rtt);
        self.form.open(rtt);
        self.phase = Phase::Chirping;
        self.go_on(w, e.now, 0);
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        if self.phase == Phase::Chirping && !s.retransmission {
            self.train.on_sent(w, s);
            if !self.train.is_leaving() {
                self.go_on(w, s.now, s.flight);
            }
        }
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.rtts.sample(a.rtt);
        self.train.on_ack(a);
        if self.phase == Phase::Chirping && self.leaves && a.acked > u64::from(w.mss) {
            self.leave(w, a.flight);
        }
        if self.phase == Phase::Over {
            slow_start.grow(w, a);
            return None;
        }
        slow_start.leave_unused(a);
        if let Phase::Ending { acks } = self.phase {
            return self.count_down(w, acks, a.flight);
        }
        if let Some(end) = self.learn(w, a) {
            return self.end(w, end);
        }
        if !self.train.is_leaving() {
            self.go_on(w, a.now, a.flight);
        }
        None
    }

    /// While chirps leave, marks change nothing (`disable_cwr_upon_ece`).
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        let l = match c {
            Congestion::Timeout(_) => {
                self.cancel(w);
                return Response::STANDARD;
            }
            _ if self.phase == Phase::Over => return Response::STANDARD,
            Congestion::Mark(_) => return Response::continues(Reduction::Done),
            Congestion::Loss(l) => l,
        };
        self.cancel(w);
        let before = w.cwnd;
        match self.form.on_loss(w.segments(l.flight)) {
            Answer::Avoidance(window) => {
                w.cwnd = window.clamp(1.0, before.max(1.0));
                Response::STANDARD
            }
            Answer::Window(window) => {
                w.cwnd = window.min(before).max(2.0);
                w.ssthresh = w.cwnd;
                Response::ends(Reduction::Done)
            }
        }
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        self.cancel(w);
        false
    }

    fn wants_delivery(&self) -> bool {
        self.form.wants_delivery()
    }

    /// While it chirps the window is its own, whatever the threshold is.
    fn in_charge(&self, w: &Window) -> bool {
        self.phase != Phase::Over || w.in_slow_start()
    }
}

#[cfg(test)]
mod tests {
    use super::settings::settings_of;
    use super::*;
    use crate::Convention;
    use crate::signals::Marked;
    use crate::testing::{slow_start, with_reno};

    const RTT: Duration = Duration::from_millis(20);

    fn started(spec: &str) -> (PacedChirping<Pc2018>, Window) {
        let form = Pc2018::new(&settings_of(&format!("form=pc2018,{spec}")));
        let mut start = PacedChirping::new(form, false);
        let mut w = Window::new(1460);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(RTT),
            ..Established::at(Instant::ZERO + RTT)
        };
        start.on_established(&mut w, &e);
        (start, w)
    }

    #[test]
    fn the_last_round_trip_ends_after_more_acknowledgements_than_its_target() {
        let (mut start, mut w) = started("gap=100us");
        w.header = 0;
        let end = End::AfterAcks {
            window: 400.0,
            gap: 100_000,
            acks: 200,
        };
        assert_eq!(start.end(&mut w, end), None);
        assert_eq!(w.cwnd, 400.0);
        assert_eq!(w.pacing.unwrap().time_for(1460), Duration::from_micros(100));
        let ack = Ack {
            flight: 190 * 1460,
            ..Ack::of(Instant::ZERO + RTT, 1460)
        };
        for _ in 0..200 {
            assert_eq!(start.on_ack(&mut w, &ack, &mut slow_start()), None);
        }
        let reason = start.on_ack(&mut w, &ack, &mut slow_start());
        assert_eq!(reason, Some(Reason::Estimate));
        assert_eq!((w.cwnd, w.ssthresh, w.pacing), (190.0, 190.0, None));
    }

    #[test]
    fn a_mark_changes_nothing_while_chirps_leave() {
        let mut c = with_reno(&ENTRY, "", Convention::RFC).unwrap();
        let mut w = Window::new(1460);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(RTT),
            ..Established::at(Instant::ZERO + RTT)
        };
        c.on_established(&mut w, &e);
        let before = (w.cwnd, w.ssthresh, w.pacing);
        let marked = Marked {
            now: Instant::ZERO + RTT,
            flight: 5 * 1460,
            usable: 5.0,
        };
        c.on_marked(&mut w, &marked);
        assert_eq!((w.cwnd, w.ssthresh, w.pacing), before);
        assert_eq!(c.exit(), None);
    }

    #[test]
    fn without_an_estimate_slow_start_goes_on() {
        let (mut start, mut w) = started("gap=100us");
        let end = End::Now {
            window: 40.0,
            reason: None,
        };
        assert_eq!(start.end(&mut w, end), None);
        assert_eq!((w.cwnd, w.ssthresh), (40.0, f64::INFINITY));
        start.on_ack(
            &mut w,
            &Ack::of(Instant::ZERO + RTT, 1460),
            &mut slow_start(),
        );
        assert_eq!(w.cwnd, 41.0);
    }

    #[test]
    fn values_that_make_no_chirp_and_parameters_of_another_form_are_refused() {
        for (spec, expected) in [
            (
                "form=pc2018,gap=6ms",
                "parameter `gap`: `6ms` is not a time from 1us to 5ms",
            ),
            (
                "form=pc2018,gain=0",
                "parameter `gain`: `0` is not a number from 1 to 10",
            ),
            (
                "form=pc-split,geometry=4",
                "parameter `geometry`: `4` is not a number from 1 to 3",
            ),
            (
                "l=0",
                "parameter `l`: `0` is not a number of packets from 1 to 16",
            ),
            (
                "form=pc-split,chirps=0",
                "parameter `chirps`: `0` is not a number from 1 to 100",
            ),
            (
                "chirps=3",
                "parameter `chirps` has no effect here; it needs `form=pc2018` or `form=pc-split`",
            ),
            (
                "maximum_chirps=0",
                "parameter `maximum_chirps`: `0` is not a whole number from 1 to 65535",
            ),
            (
                "form=pc2018,lowest_gap=20us",
                "parameter `lowest_gap` has no effect here; it needs `form=pc2020`",
            ),
        ] {
            let error = with_reno(&ENTRY, spec, Convention::RFC).err().unwrap();
            let expected = format!("startup `paced-chirping`: {expected}");
            assert_eq!(error.to_string(), expected);
        }
    }
}
