//! One connection of the kernel's: what its events are as signals of a startup, and what its sender is
//! to do. Nothing here speaks to the kernel.
//!
//! The signals are those of the simulated `linux` stack. Loss detection and retransmission are the
//! kernel's; so is the way down of the window in a recovery (Proportional Rate Reduction), unless the
//! startup manages that itself.

use super::delivery::Delivered;
use super::opening::Opening;
use super::records::{Command, Event, What};
use crate::info::INFINITE_SSTHRESH;
use flowstart_control::session::{Session, UndoRule};
use flowstart_control::signals::{Ack, Established, PathInfo, Sent};
use flowstart_control::{Controller, Duration, Exit, Instant, Rate, Segments, Window};
use flowstart_live::Sample;
use flowstart_transport::pacing::rate;
use flowstart_transport::stack::{Pacing, Stack};
use std::sync::Arc;

/// `FLAG_DATA_ACKED` of `tcp_ack`: something was acknowledged that had not been SACKed before.
const DATA_ACKED: u32 = 0x04;
/// `FLAG_DATA_SACKED`.
const DATA_SACKED: u32 = 0x20;
/// `FLAG_SND_UNA_ADVANCED`.
const UNA_ADVANCED: u32 = 0x400;
/// `sysctl_tcp_reordering`: beyond, SACKed data lets a window grow (`tcp_may_raise_cwnd`).
const REORDERING: u32 = 3;
/// Numbers of `icsk_ca_state`.
const CWR: u32 = 2;
const RECOVERY: u32 = 3;
const LOSS: u32 = 4;
/// Between two looks, at least.
const LOOK_EVERY: Duration = Duration::from_micros(200);
/// What CUBIC leaves of a window (`beta`, of 1024), and what others do.
const CUBIC_BETA: u32 = 717;
const HALF: u32 = 512;

/// Whose the window is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The controller's.
    Open,
    /// It comes down to this.
    Reduction(Segments),
}

/// A connection's sender, as the agent has it.
pub struct Connection {
    session: Session,
    known: PathInfo,
    stack: Arc<Stack>,
    /// Bytes of its transfer.
    size: u64,
    /// What a loss leaves of the window, of 1024, until the controller has set it.
    loss_share: u32,
    phase: Phase,
    opening: Option<Opening>,
    delivered: Delivered,
    /// The connection is open: the kernel works through the SYN-ACK before it reports so.
    is_open: bool,
    /// The last event.
    last: Event,
    /// When the kernel last looked for something to send, as far as is known.
    looked: Instant,
    /// Positions: acknowledged, and sent.
    una: u64,
    /// The same at the last acknowledgement that the controller heard of.
    told_una: u64,
    nxt: u64,
    /// `total_retrans` when the recovery under way began.
    retransmitted: u32,
    timeouts_in_a_row: u32,
    /// The pacing rate that the stack, not the startup, has set.
    usual: Option<Rate>,
    max_cwnd: Segments,
    trace: Vec<Sample>,
}

impl Connection {
    /// A connection that is not open yet, of a transfer of so many bytes.
    pub fn new(
        controller: Controller,
        known: PathInfo,
        stack: Arc<Stack>,
        cc: &str,
        size: u64,
    ) -> Connection {
        let mut window = Window::new(stack.framing.mss);
        window.header = stack.framing.header;
        Connection {
            delivered: Delivered::new(stack.framing.mss),
            session: Session::new(controller, window, UndoRule::Linux),
            known,
            stack,
            size,
            loss_share: if cc == "cubic" { CUBIC_BETA } else { HALF },
            phase: Phase::Open,
            opening: None,
            is_open: false,
            last: Event::default(),
            looked: Instant::ZERO,
            una: 0,
            told_una: 0,
            nxt: 0,
            retransmitted: 0,
            timeouts_in_a_row: 0,
            usual: None,
            max_cwnd: 0.0,
            trace: Vec::new(),
        }
    }

    /// How the startup ended; `None` while it lasts.
    pub fn exit(&self) -> Option<&Exit> {
        self.session.controller.exit()
    }

    /// The largest window.
    pub fn max_cwnd(&self) -> Segments {
        self.max_cwnd
    }

    /// What the window did.
    pub fn trace(&self) -> &[Sample] {
        &self.trace
    }

    /// Something has happened. Whether the sender is to be notified again.
    pub fn on_event(&mut self, event: &Event, now: Instant) -> bool {
        let Some(what) = event.what() else {
            return false;
        };
        self.is_open |= what == What::Established;
        if what == What::Released || !self.is_open {
            return false;
        }
        let before = std::mem::replace(&mut self.last, *event);
        if what == What::Established {
            self.establish(event, now);
        } else {
            self.note_sent(event, now);
        }
        match what {
            What::Ack => self.on_ack(event, now),
            What::Loss => self.on_loss(event, now),
            What::Marked => self.on_marked(event, now),
            What::Recovered => self.on_recovered(event, now),
            What::Timeout => self.on_timeout(event, &before, now),
            What::Undone => self.on_undone(now),
            What::Established | What::Sent | What::Repaired | What::Released => {}
        }
        self.looked = now;
        self.set_usual_pacing(event);
        if let Some(opening) = &mut self.opening {
            opening.on_sent(event.data_segs_out, &self.session.window, now);
        }
        self.note(now);
        true
    }

    /// When the kernel is to look for something to send: the window opens, or something paced may have
    /// left of which the startup is to hear.
    pub fn due(&self) -> Option<Instant> {
        let held = Some(self.session.window.pacing_from).filter(|from| self.is_held(*from));
        let opening = self.opening.as_ref().and_then(Opening::due);
        held.into_iter()
            .chain(opening)
            .chain(self.next_look())
            .min()
    }

    /// While a startup paces.
    fn next_look(&self) -> Option<Instant> {
        let w = &self.session.window;
        let own = w.pacing.filter(|rate| self.usual != Some(*rate));
        let rate = own.filter(|_| self.is_open && self.nxt < self.size)?;
        let together = w.wire() * w.quantum.max(1);
        Some(self.looked + rate.time_for(together.into()).max(LOOK_EVERY))
    }

    /// It looks now.
    pub fn on_look(&mut self, now: Instant) {
        self.looked = now;
    }

    fn is_held(&self, from: Instant) -> bool {
        let (w, c) = (&self.session.window, &self.session.controller);
        w.pacing.is_some() && from > Instant::ZERO && !c.owns_cwnd()
    }

    fn mss(&self) -> u64 {
        self.session.window.mss.into()
    }

    fn bytes(&self, segments: u32) -> u64 {
        u64::from(segments) * self.mss()
    }

    fn outstanding(&self) -> u64 {
        self.nxt - self.una
    }

    fn establish(&mut self, event: &Event, now: Instant) {
        self.session.window.mss = event.mss;
        let rtt =
            Some(Duration::from_micros(event.srtt_us.into())).filter(|rtt| *rtt > Duration::ZERO);
        self.known.exact_rtt = rtt;
        let established = Established {
            initial_window: self.stack.window.initial.segments(event.mss),
            rtt,
            queued: self.size,
            peer_window: event.snd_wnd.into(),
            header: self.stack.framing.header,
            ..Established::at(now)
        };
        self.session.on_established(&self.known, &established);
        self.delivered.begin(event.delivered);
        self.retransmitted = event.total_retrans;
        // The kernel paces no more than what leaves behind the first segments.
        let (w, c) = (&self.session.window, &self.session.controller);
        let own = w.pacing.filter(|_| !c.owns_cwnd());
        self.opening = own.map(|_| Opening::new(w, now));
    }

    /// What has left since the last event.
    fn note_sent(&mut self, event: &Event, now: Instant) {
        self.una = event.acked_bytes.min(self.size.max(self.nxt));
        let end = event.acked_bytes + u64::from(event.outstanding_bytes);
        // The FIN has a number too.
        let end = end.min(self.size);
        let mss = self.mss();
        while self.nxt < end {
            let bytes = mss.min(end - self.nxt);
            let sent = Sent {
                now,
                bytes: bytes as u32,
                seq: self.nxt,
                retransmission: false,
                flight: self.nxt + bytes - self.una.min(self.nxt),
            };
            self.nxt += bytes;
            self.session.on_sent(&sent);
        }
        self.una = self.una.min(self.nxt);
        self.delivered
            .note_flight(event.delivered, event.in_flight, event.lost);
    }

    fn on_ack(&mut self, event: &Event, now: Instant) {
        if event.flag & UNA_ADVANCED != 0 {
            self.timeouts_in_a_row = 0;
        }
        if event.acked_sacked == 0 && event.flag & UNA_ADVANCED == 0 {
            return;
        }
        let signal = self.signal(event, now);
        if matches!(event.state, CWR | RECOVERY) {
            // Where Proportional Rate Reduction has brought it.
            if !self.session.controller.recovery_is_self_managed() {
                self.session.window.cwnd = event.cwnd.into();
            }
            return self.session.on_recovery_ack(&signal);
        }
        // `tcp_may_raise_cwnd`.
        let wanted = match event.reordering > REORDERING {
            true => DATA_ACKED | DATA_SACKED | UNA_ADVANCED,
            false => DATA_ACKED | UNA_ADVANCED,
        };
        if event.flag & wanted != 0 || self.session.controller.owns_cwnd() {
            self.session.on_ack(&signal);
        }
    }

    fn signal(&mut self, event: &Event, now: Instant) -> Ack {
        let delivery = self.session.controller.wants_delivery();
        let delivery = delivery.then(|| self.delivered.conclude(event, event.state == LOSS, now));
        let delivered = self.bytes(event.acked_sacked);
        let before = std::mem::replace(&mut self.told_una, self.una);
        let least = 2 * u64::from(event.max_packets_out);
        let half_used = self.session.window.in_slow_start() && u64::from(event.cwnd) < least;
        Ack {
            now,
            acked: self.una.saturating_sub(before),
            delivered,
            credit: delivered,
            delivered_total: self.delivered.total(event.delivered),
            rtt: u64::try_from(event.rtt_us).ok().map(Duration::from_micros),
            srtt: Duration::from_micros(event.srtt_us.into()),
            una: self.una,
            nxt: self.nxt,
            flight: self.bytes(event.in_flight),
            cwnd_limited: event.is_cwnd_limited != 0 || half_used,
            queued: self.size.saturating_sub(self.nxt),
            peer_window: event.snd_wnd.into(),
            marked: 0,
            delivery,
        }
    }

    fn on_loss(&mut self, event: &Event, now: Instant) {
        self.retransmitted = event.total_retrans;
        // The window comes down already, for a mark.
        if event.flag != 0 {
            return;
        }
        let flight = self.outstanding();
        self.reduce(|session| session.on_loss(now, flight, event.snd_wnd.into()));
    }

    fn on_marked(&mut self, event: &Event, now: Instant) {
        let flight = self.outstanding();
        self.reduce(|session| session.on_marked(now, flight, event.snd_wnd.into()));
        self.session.forget();
    }

    /// `ask` has the controller set the window that is to be; the kernel leads the window there.
    fn reduce(&mut self, ask: impl FnOnce(&mut Session)) {
        let before = self.session.window.cwnd;
        self.session.save(self.outstanding());
        ask(&mut self.session);
        self.phase = Phase::Reduction(self.session.window.cwnd.max(1.0));
        if !self.session.controller.recovery_is_self_managed() {
            self.session.window.cwnd = before;
        }
    }

    fn on_recovered(&mut self, event: &Event, now: Instant) {
        if let Phase::Reduction(target) = std::mem::replace(&mut self.phase, Phase::Open)
            && !self.session.controller.recovery_is_self_managed()
        {
            self.session.window.cwnd = target.floor();
        }
        let again = event.total_retrans.wrapping_sub(self.retransmitted);
        let again = self.bytes(again);
        self.session.on_recovered(now, again, self.outstanding());
    }

    fn on_timeout(&mut self, event: &Event, before: &Event, now: Instant) {
        self.timeouts_in_a_row += 1;
        if self.timeouts_in_a_row == 1 && self.phase == Phase::Open {
            self.session.save(self.outstanding());
        }
        let reduced = self.phase != Phase::Open;
        let flight = self.bytes(before.in_flight).min(self.outstanding());
        let repeated = self.timeouts_in_a_row > 1 || reduced;
        self.phase = Phase::Open;
        self.session
            .on_timeout(now, flight, event.snd_wnd.into(), repeated);
    }

    fn on_undone(&mut self, now: Instant) {
        self.phase = Phase::Open;
        if self.session.undo(self.outstanding(), 0.0) && self.session.controller.owns_cwnd() {
            self.session.on_recovered(now, 0, self.outstanding());
        }
    }

    /// The rate that the kernel keeps whether it paces or not (`tcp_update_pacing_rate`), which it does
    /// not for a separate kind of congestion control.
    fn set_usual_pacing(&mut self, event: &Event) {
        let own = self.session.window.pacing.is_some() && self.session.window.pacing != self.usual;
        let srtt = Duration::from_micros(event.srtt_us.into());
        if own || srtt == Duration::ZERO {
            return;
        }
        let w = &self.session.window;
        let rate = rate::rate(w, self.outstanding(), w.wire(), srtt);
        self.usual = Some(rate).filter(|rate| rate.bps() > 0);
        self.session.window.pacing = self
            .usual
            .filter(|_| self.stack.pacing.rule == Pacing::Internal);
    }

    /// What the sender is to do now.
    pub fn command(&mut self, now: Instant) -> Command {
        let w = &self.session.window;
        let owns = self.session.controller.recovery_is_self_managed();
        let mut cwnd = w.cwnd_segments().clamp(1, u64::from(u32::MAX >> 1)) as u32;
        let rate = w.pacing.or(self.usual);
        if self.is_held(w.pacing_from) {
            match now < w.pacing_from {
                true => cwnd = cwnd.min(self.last.in_flight.max(1)),
                false => self.session.window.pacing_from = Instant::ZERO,
            }
        }
        if let Some(opening) = &mut self.opening {
            cwnd = cwnd.min(opening.allows(now));
        }
        if self.opening.as_ref().is_some_and(Opening::is_over) {
            self.opening = None;
        }
        let w = &self.session.window;
        let ssthresh = match self.phase {
            Phase::Reduction(target) => target,
            Phase::Open => w.ssthresh,
        };
        Command {
            pacing_rate: rate.map_or(u64::MAX, |rate| payload(rate, w)),
            epoch: self.last.epoch,
            cwnd,
            ssthresh: ssthresh.clamp(1.0, INFINITE_SSTHRESH.into()) as u32,
            owns_cwnd: owns.into(),
            loss_share: self.loss_share,
            min_tso: self.least_together(),
            paced: w.pacing.is_some().into(),
            reserved: 0,
        }
    }

    fn least_together(&self) -> u32 {
        match self.session.window.pacing {
            Some(rate) if self.usual != Some(rate) => self.session.window.quantum.max(1),
            _ => rate::MIN_TSO_SEGMENTS,
        }
    }

    fn note(&mut self, now: Instant) {
        self.max_cwnd = self.max_cwnd.max(self.session.window.cwnd);
        let flight = self.bytes(self.last.in_flight);
        let srtt = Duration::from_micros(self.last.srtt_us.into());
        let sample = Sample::of(&self.session.window, flight, srtt, now);
        self.trace.push(sample);
    }
}

/// Bytes of payload a second: the kernel counts no headers.
fn payload(rate: Rate, w: &Window) -> u64 {
    let bytes = u128::from(rate.bps() / 8) * u128::from(w.mss) / u128::from(w.wire());
    (bytes as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::catalog::Recipe;
    use flowstart_control::{Convention, Reason};

    const MSS: u32 = 1448;
    const INFINITE: u32 = INFINITE_SSTHRESH;

    fn connection(startup: &str, size: u64) -> Connection {
        let recipe = Recipe::parse(startup, "cubic", Convention::LINUX).unwrap();
        let stack = Arc::new(Stack::linux());
        Connection::new(recipe.build(), PathInfo::default(), stack, "cubic", size)
    }

    fn at_ms(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    /// An event of an open connection with a round trip of 50 ms, of which so much has left and come.
    fn event(what: What, acked: u32, sent: u32) -> Event {
        let out = sent - acked;
        Event {
            kind: what as u32,
            acked_bytes: u64::from(acked * MSS),
            outstanding_bytes: out * MSS,
            packets_out: out,
            in_flight: out,
            max_packets_out: out,
            delivered: 1 + acked,
            snd_wnd: 1 << 30,
            ssthresh: INFINITE,
            mss: MSS,
            srtt_us: 50_000,
            is_cwnd_limited: 1,
            reordering: 3,
            rtt_us: -1,
            rate_interval_us: -1,
            ..Event::default()
        }
    }

    fn ack(acked: u32, newly: u32, sent: u32) -> Event {
        Event {
            flag: DATA_ACKED | UNA_ADVANCED,
            acked_sacked: newly,
            rtt_us: 50_000,
            ..event(What::Ack, acked, sent)
        }
    }

    fn open(startup: &str, size: u64) -> Connection {
        let mut connection = connection(startup, size);
        assert!(connection.on_event(&event(What::Established, 0, 0), at_ms(50)));
        connection
    }

    #[test]
    fn a_connection_opens_with_the_initial_window_and_grows_by_what_is_delivered() {
        let mut connection = open("slow-start", 1_000_000);
        let first = connection.command(at_ms(50));
        assert_eq!((first.cwnd, first.ssthresh), (10, INFINITE));
        assert_eq!((first.paced, first.owns_cwnd), (0, 0));
        connection.on_event(&ack(2, 2, 10), at_ms(100));
        assert_eq!(connection.command(at_ms(100)).cwnd, 12);
    }

    #[test]
    fn what_comes_before_the_opening_and_behind_the_end_is_left_alone() {
        let mut connection = connection("slow-start", 1_000_000);
        assert!(!connection.on_event(&ack(0, 1, 0), at_ms(49)));
        assert!(connection.on_event(&event(What::Established, 0, 0), at_ms(50)));
        assert!(!connection.on_event(&event(What::Released, 0, 0), at_ms(60)));
        let unknown = Event {
            kind: 99,
            ..Event::default()
        };
        assert!(!connection.on_event(&unknown, at_ms(60)));
        assert_eq!(connection.command(at_ms(60)).cwnd, 10);
    }

    #[test]
    fn a_window_that_was_not_the_limit_does_not_grow() {
        let mut connection = open("slow-start", 1_000_000);
        let unused = Event {
            is_cwnd_limited: 0,
            max_packets_out: 2,
            cwnd: 10,
            ..ack(2, 2, 4)
        };
        connection.on_event(&unused, at_ms(100));
        assert_eq!(connection.command(at_ms(100)).cwnd, 10);
    }

    #[test]
    fn a_loss_names_the_threshold_at_once_and_the_kernel_leads_the_window_there() {
        let mut connection = open("slow-start", 10_000_000);
        for round in 1..=9 {
            connection.on_event(
                &ack(10 * round, 10, 10 * round + 100),
                at_ms(100 * u64::from(round)),
            );
        }
        assert_eq!(connection.command(at_ms(900)).cwnd, 100);
        let loss = Event {
            epoch: 1,
            state: RECOVERY,
            cwnd: 100,
            ..event(What::Loss, 90, 190)
        };
        connection.on_event(&loss, at_ms(950));
        let told = connection.command(at_ms(950));
        // CUBIC's 0.7.
        assert_eq!((told.epoch, told.ssthresh, told.owns_cwnd), (1, 70, 0));
        assert_eq!(connection.exit().unwrap().reason, Reason::Loss);
        let reduced = Event {
            epoch: 1,
            state: RECOVERY,
            cwnd: 85,
            ..ack(100, 10, 190)
        };
        connection.on_event(&reduced, at_ms(960));
        assert_eq!(connection.command(at_ms(960)).ssthresh, 70);
        let over = Event {
            epoch: 2,
            cwnd: 70,
            ..event(What::Recovered, 190, 190)
        };
        connection.on_event(&over, at_ms(1000));
        let told = connection.command(at_ms(1000));
        assert_eq!((told.epoch, told.cwnd, told.ssthresh), (2, 70, 70));
    }

    #[test]
    fn a_reduction_that_was_for_nothing_gives_the_window_back() {
        let mut connection = open("slow-start", 10_000_000);
        for round in 1..=4 {
            connection.on_event(
                &ack(10 * round, 10, 10 * round + 50),
                at_ms(100 * u64::from(round)),
            );
        }
        let before = connection.command(at_ms(400)).cwnd;
        let loss = Event {
            epoch: 1,
            state: RECOVERY,
            cwnd: before,
            ..event(What::Loss, 40, 90)
        };
        connection.on_event(&loss, at_ms(450));
        assert!(connection.command(at_ms(450)).ssthresh < before);
        let undone = Event {
            epoch: 2,
            ..event(What::Undone, 60, 90)
        };
        connection.on_event(&undone, at_ms(470));
        let told = connection.command(at_ms(470));
        assert_eq!((told.cwnd, told.ssthresh), (before, INFINITE));
    }

    #[test]
    fn a_timeout_leaves_one_segment() {
        let mut connection = open("slow-start", 10_000_000);
        connection.on_event(&ack(10, 10, 30), at_ms(100));
        let timeout = Event {
            epoch: 1,
            state: LOSS,
            in_flight: 0,
            ..event(What::Timeout, 10, 30)
        };
        connection.on_event(&timeout, at_ms(400));
        let told = connection.command(at_ms(400));
        assert_eq!((told.epoch, told.cwnd), (1, 1));
        assert_eq!(connection.exit().unwrap().reason, Reason::Timeout);
    }

    #[test]
    fn a_startup_that_paces_opens_one_by_one_and_then_leaves_it_to_the_kernel() {
        let mut connection = open("jump-start", 100 * u64::from(MSS));
        let told = connection.command(at_ms(50));
        assert_eq!((told.cwnd, told.paced), (1, 1));
        // 100 segments in a round trip of 50 ms, counted without headers.
        assert_eq!(told.pacing_rate, 2000 * u64::from(MSS));
        assert_eq!(
            connection.due(),
            Some(at_ms(50) + Duration::from_micros(500))
        );
        assert_eq!(connection.command(at_ms(53)).cwnd, 7);
        let many = connection.command(at_ms(55)).cwnd;
        assert_eq!(many, 100);
        // From now on it is asked what has left.
        connection.on_look(at_ms(55));
        assert_eq!(
            connection.due(),
            Some(at_ms(55) + Duration::from_micros(500))
        );
    }

    #[test]
    fn the_kernel_keeps_a_rate_also_where_it_does_not_pace() {
        let mut connection = open("slow-start", 1_000_000);
        let told = connection.command(at_ms(50));
        // Twice the window a round trip.
        let expected = 2.0 * 10.0 * f64::from(MSS) / 0.05;
        assert!((told.pacing_rate as f64 / expected - 1.0).abs() < 0.001);
        assert_eq!((told.paced, told.min_tso), (0, 2));
    }

    #[test]
    fn the_fin_is_no_data() {
        let mut connection = open("jump-start", 2 * u64::from(MSS));
        let sent = Event {
            outstanding_bytes: 2 * MSS + 1,
            ..event(What::Sent, 0, 2)
        };
        connection.on_event(&sent, at_ms(60));
        let all = Event {
            acked_bytes: u64::from(2 * MSS + 1),
            outstanding_bytes: 0,
            ..ack(2, 2, 2)
        };
        connection.on_event(&all, at_ms(110));
        assert_eq!(connection.outstanding(), 0);
    }
}
