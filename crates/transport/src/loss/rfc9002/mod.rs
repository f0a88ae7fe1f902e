//! QUIC's loss detection and congestion events (RFC 9002; J. Iyengar, I. Swett, May 2021).
//!
//! Every packet has a separate number, also where it carries what another has carried: an
//! acknowledgement identifies those that arrived, so each gives a round trip, and none is
//! ambiguous. A packet is lost when three later ones have arrived or one that left long enough
//! after it; a timer only sends probes, which make the peer answer, and marks nothing lost. What
//! was lost is sent again in new packets.
//!
//! | constant | value | section |
//! | --- | --- | --- |
//! | kPacketThreshold | 3 packets | 6.1.1 |
//! | kTimeThreshold | 9/8 of a round trip | 6.1.2 |
//! | kGranularity | 1 ms (the stack's `tick`) | 6.1.2 |
//! | kInitialRtt | 333 ms, so 999 ms (the stack's `rto_initial`) | 6.2.2 |
//! | kPersistentCongestionThreshold | 3 | 7.6.1 |
//! | kMinimumWindow | 2 packets (`reduction`) | 7.2 |
//!
//! Where the text leaves a choice: a timeout sends two probes, lost data first, then new data,
//! then what is on its way; one packet may leave as recovery begins, whatever the window (§7.3.2).
//! The window itself is the controller's: a congestion event is a loss to it, persistent congestion
//! a timeout, and the threshold falls once for both. A startup's own, shorter timeout
//! (`Window::timeout`) has nothing to stand for here. What happens where packets that counted as
//! lost are acknowledged after all is decided in `undo` (`late`). Timers end connections as they do
//! under TCP, where QUIC has an idle timeout, and their back-off is bounded by `rto_max`. With
//! `ecn`, marks are echoed as TCP does (RFC 3168 §6.1.3) instead of counted (RFC 9000 §13.4).

mod late;
mod prr;
#[cfg(test)]
mod tests;

use super::super::connection::Connection;
use super::super::numbers::{DELAY_UNIT, ack_delay};
use super::super::segment::{ByteRange, SegmentRange, Why};
use super::super::sent::{NewlyAckedPackets, Packet};
use super::super::stack::{LossResponse, Undo};
use super::detector::LossDetector;
use super::outcome::{AckOutcome, AckRole, CongestionEvent, Events};
use crate::narrow::whole;
use flowstart_control::signals::Ack as Signal;
use flowstart_control::{Duration, Instant};
use flowstart_wire as wire;
use flowstart_wire::NumberAck;
use late::Late;
use prr::Prr;

/// kPersistentCongestionThreshold (§7.6.1).
const PERSISTENT_CONGESTION_THRESHOLD: u64 = 3;
/// What CUBIC leaves of the window (quiche 0.30.0, `BETA_CUBIC`).
const BETA: f64 = 0.7;
/// Packets that a timeout may send (§6.2.4).
const PROBES: u8 = 2;

/// Packets outcome lost together.
#[derive(Clone, Copy, Debug, Default)]
struct Losses {
    /// The number of the newest.
    newest: Option<u64>,
    /// They, and others before them, span too long a time (§7.6).
    persistent: bool,
}

/// Lost packets with consecutive numbers.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// When the first left.
    from: Instant,
    /// The number that would continue it.
    next: u64,
}

/// Probes that a timeout called for.
#[derive(Clone, Copy, Debug, Default)]
struct Probing {
    left: u8,
    /// What was on its way at the timeout and has not been repeated: these numbers.
    from: u64,
    end: u64,
    /// How far probes have repeated a server's flight.
    flight: u64,
}

/// A server's flight. Its acknowledgements do not wait (§6.2.1), and packet numbers of its first space
/// overtake none of the second (§6.1).
#[derive(Clone, Copy, Debug)]
struct Serving {
    /// Where the first space ends in the stream.
    first_space: u64,
    /// One past the largest acknowledged number of a packet of the second.
    acknowledged: u64,
    /// When the last packet of each space left.
    last_sent: [Option<Instant>; 2],
}

/// RFC 9002's sender.
#[derive(Default)]
pub(crate) struct Rfc9002 {
    recovering: bool,
    /// When the last recovery began.
    began: Instant,
    /// One packet may leave whatever the window.
    free: bool,
    run: Option<Run>,
    /// first_rtt_sample, likewise.
    first_sample: Option<u64>,
    pto_count: u32,
    /// time_of_last_ack_eliciting_packet.
    last_sent: Instant,
    /// loss_time: when the oldest packet counts as lost.
    loss_time: Option<Instant>,
    /// The probe timeout, back-off included.
    probe_timeout: Duration,
    /// When the timer fires, for the one or the other.
    due: Option<Instant>,
    probing: Probing,
    late: Late,
    /// Acknowledgements of a recovery let packets leave above the window.
    paces_reduction: bool,
    prr: Prr,
    /// The handshake is confirmed: data has a timer (§6.2.1).
    confirmed: bool,
    /// The end of a client's handshake is in flight, which needs a timer too (§6.2.2.1).
    ends_handshake: bool,
    /// A server's flight leaves.
    serving: Option<Serving>,
    /// Probes of its first space have left: they overtake nothing of the others (§6.1).
    probed_one_space: bool,
    /// Below which number packets are of other spaces too, whose acknowledgement gives a separate
    /// sample, and when the last of them left.
    other_spaces: Option<(u64, Instant)>,
    /// A packet without data is to answer the first acknowledgement, and has not.
    answers: bool,
    /// So much of the first packet does not let the window grow.
    uncredited: u64,
    /// And so much of it is not counted in flight.
    uncounted: u64,
}

// What the sender calls stays out of its line, which other stacks' senders share.
impl LossDetector for Rfc9002 {
    fn on_numbers(
        &mut self,
        c: &mut Connection,
        ack: &NumberAck,
        signal: &mut Signal,
    ) -> Option<AckOutcome> {
        let (una, now) = (c.una(), signal.now);
        if let Some(serving) = &mut self.serving {
            serving.record(c, ack);
        }
        let mut newly = c.acknowledge_packets(ack.numbers(), now);
        let undone = self.take_late(c, ack.numbers(), now);
        newly.acked = c.una() - una;
        if self.other_spaces.is_some() {
            self.sample_first_space(c, &mut newly, ack, now);
        }
        c.begin_signal(newly.acked, signal);
        self.on_packets(c, &newly, undone, ack_delay(ack), signal)
    }

    fn after_ack(&mut self, c: &mut Connection, _advanced: bool, _now: Instant) {
        self.set_timer(c);
    }

    fn after_sent(&mut self, c: &mut Connection, _range: ByteRange, _now: Instant) {
        self.restart_timer(c);
    }

    fn on_serving(&mut self, first_space: Option<u64>) {
        self.serving = first_space.map(|first_space| Serving {
            first_space,
            acknowledged: 0,
            last_sent: [None; 2],
        });
        // A server changes connection IDs with the first data packet (quinn-proto 0.11.19).
        self.answers = false;
        self.probed_one_space &= first_space.is_some();
    }

    /// The window is underused (§7.8). Stacks that judge it when they look for data grow again as soon
    /// as the window is full.
    fn on_amplification_limit(&mut self, c: &mut Connection) {
        if c.stack().window.app_limited_when_drained {
            return c.record_underused();
        }
        self.uncredited = self.pipe(c);
    }

    /// The handshake ends in the first data packet.
    fn on_first_packet_shared(&mut self, c: &Connection) {
        let bytes = u64::from(c.stack().window.end_of_handshake);
        self.uncredited = match c.stack().window.filling {
            Some(filling) => {
                self.uncounted = filling.uncounted.into();
                bytes
            }
            None => bytes * c.mss() / c.stack().datagram(),
        };
    }

    fn on_end_of_handshake(&mut self, c: &Connection, now: Instant) {
        (self.ends_handshake, self.last_sent) = (true, now);
        self.set_timer(c);
    }

    /// The handshake is over; `lost` where a packet of it was.
    #[inline(never)]
    fn on_handshake(&mut self, c: &mut Connection, lost: bool) -> Option<Events> {
        self.confirmed = true;
        self.answers = c.stack().recovery.id_update > 0;
        self.paces_reduction = c.stack().window.on_loss == LossResponse::PrrAboveWindow
            && c.controller().paces_reduction();
        self.record_sample(c);
        let began = lost.then(|| self.begin_recovery(c));
        self.set_timer(c);
        began.map(Events::begin)
    }

    /// A mark has come back, a congestion event as well (§7.1), but nothing is to be repaired.
    fn on_mark(
        &mut self,
        c: &mut Connection,
        role: &mut Option<AckRole>,
        signal: &mut Signal,
    ) -> bool {
        let newly = c.mark_is_news();
        if newly {
            c.sent_mut().begin_epoch();
            (self.recovering, self.began) = (true, self.last_sent);
            *role = role.map(|_| held_still(signal));
        }
        newly
    }

    /// Probes and the first packet of a recovery whatever the window, then what was lost, then
    /// new data.
    #[inline(never)]
    fn plan(&self, c: &Connection) -> Option<SegmentRange> {
        if self.probing.left > 0
            && let Some(probe) = self.probe(c)
        {
            return Some(probe.because(Why::Probe));
        }
        let lost = first_lost(c).map(|range| range.because(Why::Lost));
        if self.free && lost.is_some() {
            return lost;
        }
        let next = lost.or_else(|| Some(c.next_segment()?.because(Why::New)))?;
        let pipe = self.pipe(c);
        match c.stack().window.filling {
            Some(filling) => self.fill(c, next, pipe, filling.least.into()),
            None => c.within_window(next, pipe),
        }
    }

    /// OnPacketSent (A.5).
    #[inline(never)]
    fn on_sent(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) {
        let plan = segment.range;
        if self.probing.left > 0 {
            self.probing.left -= 1;
            if self.serving.is_some() {
                self.probing.flight = plan.end;
            } else if let Some((number, packet)) = self.unrepeated(c)
                && packet.plan() == plan
            {
                self.probing.from = number + 1;
            }
        }
        if self.paces_reduction {
            let header = u64::from(c.stack().counted_header());
            self.prr.sent(plan.bytes() + header);
        }
        let lost = c.sent().first_lost();
        if lost.is_some_and(|(start, _)| start == plan.start) {
            self.free = false;
            c.sent_mut().repair(plan, now);
        }
        self.last_sent = now;
        if let Some(serving) = &mut self.serving {
            let spaces = [
                plan.start < serving.first_space,
                plan.end > serving.first_space,
            ];
            for (last_sent, _) in serving.last_sent.iter_mut().zip(spaces).filter(|of| of.1) {
                *last_sent = Some(now);
            }
        }
        // After the first acknowledgement it carries what the other packet would.
        self.answers = self.answers && c.sent().acknowledged() == 0;
    }

    /// The packet without data, where one is due and the window has room.
    fn answer(&mut self, c: &mut Connection, now: Instant) -> Option<wire::Packet> {
        let waits = !self.answers || c.sent().acknowledged() == 0;
        if waits || !c.window().has_room(self.pipe(c)) {
            return None;
        }
        self.answers = false;
        let packet = c.transmit_empty(c.stack().recovery.id_update, now)?;
        self.last_sent = now;
        self.set_timer(c);
        Some(packet)
    }

    fn report_blocked(&mut self, c: &mut Connection, now: Instant) -> Option<wire::Packet> {
        let packet = c.transmit_blocked(now)?;
        self.last_sent = now;
        self.set_timer(c);
        Some(packet)
    }

    /// When to call [`on_timer`](Self::on_timer).
    fn deadline(&self) -> Option<Instant> {
        self.due
    }

    /// OnLossDetectionTimeout (A.9).
    #[inline(never)]
    fn on_timer(&mut self, c: &mut Connection, now: Instant) -> Option<Events> {
        if self.due.is_none_or(|due| due > now) {
            return None;
        }
        let mut events = None;
        if self.loss_time.is_some() {
            events = Some(self.find_lost(c, now));
        } else {
            c.count_timeout();
            self.pto_count += 1;
            let of_first_space = self.probes_first_space(c);
            if of_first_space && !self.probed_one_space {
                self.probed_one_space = true;
                self.other_spaces = Some((c.sent().next_number(), self.last_sent));
            }
            self.probing = Probing {
                // One datagram has what is missing of the first space.
                left: if of_first_space { 1 } else { PROBES },
                from: 0,
                end: c.sent().next_number(),
                flight: 0,
            };
        }
        self.set_timer(c);
        // Probes that pacing holds back leave `last_sent` as it was, and `rto_max` may bound the wait.
        if self.due.is_some_and(|due| due <= now) {
            self.due = Some(now + self.probe_timeout);
        }
        events
    }

    /// Whether so many consecutive timers have expired that the connection is to be given up.
    fn gives_up(&self, c: &Connection) -> bool {
        let most = c.stack().max_timeouts;
        most.is_some_and(|most| self.pto_count >= most)
    }

    /// bytes_in_flight, as far as they are the stream's.
    fn pipe(&self, c: &Connection) -> u64 {
        c.sent().in_flight()
    }
}

impl Rfc9002 {
    fn record_sample(&mut self, c: &Connection) {
        if c.rtt().smoothed().is_some() {
            self.first_sample.get_or_insert(c.sent().next_number());
        }
    }

    /// A probe of the first space is acknowledged along with packets of the others, which give the last
    /// sample.
    #[cold]
    fn sample_first_space(
        &mut self,
        c: &mut Connection,
        newly: &mut NewlyAckedPackets,
        ack: &NumberAck,
        now: Instant,
    ) {
        let of_others =
            |(below, _): &mut (u64, Instant)| ack.numbers().any(|(first, _)| first < *below);
        if let Some((_, sent)) = self.other_spaces.take_if(of_others)
            && let Some(probe) = newly.largest.replace(sent)
        {
            c.rtt_mut().sample_held(probe, now, Duration::ZERO);
        }
    }

    /// OnAckReceived (A.7): the peer has held the acknowledgement back for so long.
    #[inline(never)]
    fn on_packets(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAckedPackets,
        undone: bool,
        held: Duration,
        signal: &mut Signal,
    ) -> Option<AckOutcome> {
        let now = signal.now;
        if newly.packets == 0 && !undone {
            return None;
        }
        if c.stack().window.stays_below {
            // Not before: the end of the handshake is in the first datagram, and as far as it
            // acknowledges it is not in flight, so that the first flight reaches the window.
            c.window_mut().stay_below();
        }
        signal.rtt = newly.largest.map(|sent| now.since(sent));
        if let Some(sent) = newly.largest {
            let held = self.held(c, held);
            self.take_sample(c, sent, now, held);
            if self.serving.is_some() && self.first_sample.is_none() {
                // The first datagram has a packet of each of two spaces, which both give a sample.
                self.take_sample(c, sent, now, held);
            }
            self.record_sample(c);
        }
        let response = c.stack().window.on_loss;
        let by_state = response == LossResponse::OutsideRecovery;
        let ended = self.recovering && self.ends_recovery(newly, by_state);
        if ended && !by_state {
            (self.recovering, self.free) = (false, false);
        }
        if undone {
            c.sent_mut().end_epoch();
            (self.recovering, self.free) = (false, false);
        }
        let counted = Counted::of(c, newly);
        let paces = self.paces_reduction && !c.controller_owns_cwnd();
        // With what is acknowledged now, and what is found lost.
        let flight = paces.then(|| self.pipe(c) + counted.bytes);
        let mut events = self.find_lost(c, now);
        if ended && by_state {
            (self.recovering, self.free) = (false, false);
        }
        if let Some(flight) = flight {
            self.record_prr(c, counted, events.began.map(|_| flight));
        }
        (events.ended, events.undone) = (ended, undone);
        (self.pto_count, self.ends_handshake) = (0, false);
        self.probing.left = 0;
        let uncredited = self.uncredited.min(counted.in_epoch);
        self.uncredited -= uncredited;
        signal.delivered = newly.delivered;
        signal.credit = counted.in_epoch - uncredited;
        signal.flight = self.pipe(c);
        let held_back = events.began.is_some() || by_state && self.recovering;
        let grows = !held_back || response == LossResponse::AfterGrowth;
        let role = match grows && newly.in_epoch > 0 {
            true => AckRole::Growth,
            false => held_still(signal),
        };
        Some(AckOutcome {
            role: (newly.delivered > 0).then_some(role),
            events: events.any().then_some(events),
        })
    }

    /// Whether what an ACK acknowledges ends the recovery.
    fn ends_recovery(&self, newly: &NewlyAckedPackets, by_state: bool) -> bool {
        match by_state {
            // Not with the packet that left as it began.
            true => newly.largest.is_some_and(|sent| sent > self.began),
            false => newly.packets_in_epoch > 0,
        }
    }

    /// How long the peer has held an acknowledgement back, as the stack reads it.
    fn held(&self, c: &Connection, held: Duration) -> Duration {
        let held = match c.stack().recovery.ack_delay_without_exponent {
            true => held.over(DELAY_UNIT),
            false => held,
        };
        held.min(c.stack().receiver.ack.max_delay())
    }

    /// Proportional rate reduction; a recovery has begun with so much in flight.
    #[cold]
    fn record_prr(&mut self, c: &Connection, counted: Counted, began: Option<u64>) {
        let w = c.window();
        let mut ssthresh = w.ssthresh;
        if let Some(flight) = began {
            self.prr.begin(flight);
            ssthresh = w.cwnd * BETA;
        }
        let before = match began {
            Some(_) => counted.bytes,
            None => counted.bytes - counted.in_epoch,
        };
        if before > 0 {
            let pipe = self.pipe(c) + counted.bytes;
            let ssthresh = whole(ssthresh * f64::from(w.mss));
            self.prr.acked(before, pipe, ssthresh, w.mss.into());
        }
    }

    /// Looks for packets among these that counted as lost. Whether the reduction was for nothing.
    fn take_late(
        &mut self,
        c: &mut Connection,
        ranges: impl Iterator<Item = (u64, u64)>,
        now: Instant,
    ) -> bool {
        if c.stack().recovery.undo == Undo::None || self.late.is_empty() {
            return false;
        }
        self.late
            .forget_before(now.saturating_sub(probe_timeout(c).times(2)));
        let (any, all) = self.late.take(c, ranges, now);
        if any && c.stack().recovery.undo == Undo::Full {
            self.late.adapt();
        }
        all
    }

    /// DetectAndRemoveLostPackets (A.10) and OnPacketsLost (B.8).
    fn find_lost(&mut self, c: &mut Connection, now: Instant) -> Events {
        let losses = self.remove_lost(c, now);
        let is_new = |newest: &u64| match c.stack().window.on_loss {
            LossResponse::OutsideRecovery => !self.recovering,
            _ => c.sent().is_in_epoch(*newest),
        };
        let began = losses.newest.filter(is_new);
        let began = began.map(|_| self.begin_recovery(c));
        if began.is_some() {
            self.began = now;
        }
        if losses.persistent && c.stack().recovery.persistent_congestion {
            // What a timeout is to TCP (§7.6.2).
            c.sent_mut().end_epoch();
            self.recovering = false;
            self.run = None;
            self.late.forget_before(Instant::MAX);
        }
        Events {
            began,
            persistent: losses.persistent && c.stack().recovery.persistent_congestion,
            ..Events::default()
        }
    }

    fn remove_lost(&mut self, c: &mut Connection, now: Instant) -> Losses {
        let acknowledged = match self.serving {
            Some(serving) => serving.acknowledged,
            None => c.sent().acknowledged(),
        };
        let mut losses = Losses::default();
        self.loss_time = None;
        while let Some((number, packet)) = c.sent().oldest_packet() {
            if number >= acknowledged {
                break;
            }
            if !self.late.is_overtaken(number, acknowledged) {
                let due = packet.sent + self.loss_delay(c);
                if due > now {
                    self.loss_time = Some(due);
                    break;
                }
            }
            c.sent_mut().mark_oldest_packet_lost();
            if c.stack().recovery.undo != Undo::None {
                self.late.lose(number, packet.plan(), now);
            }
            losses.newest = Some(number);
            losses.persistent |= self.record_run(c, number, packet);
        }
        losses
    }

    /// A sample, which a stack may ignore before the handshake is confirmed (§5.3).
    fn take_sample(&self, c: &mut Connection, sent: Instant, now: Instant, held: Duration) {
        let (rtt, least) = (now.since(sent), c.rtt().min_rtt());
        let may_ignore = self.serving.is_some() && c.stack().recovery.ignores_shortest_samples;
        // Timestamps are whole microseconds (`time/timestamp.rs`).
        let micros = |time: Duration| time.nanos() / 1_000;
        if may_ignore && least.is_some_and(|least| micros(rtt) <= micros(least + held)) {
            return c.rtt_mut().ignore(rtt);
        }
        c.rtt_mut().sample_held(sent, now, held);
    }

    /// How long a packet may be missing that a later one has overtaken (§6.1.2).
    fn loss_delay(&self, c: &Connection) -> Duration {
        let rtt = c
            .rtt()
            .srtt()
            .max(c.rtt().latest().unwrap_or(Duration::ZERO));
        self.late.loss_delay(rtt).max(c.stack().rto.granularity)
    }

    /// Whether all that left over a long time, this packet last, was lost (§7.6.2).
    fn record_run(&mut self, c: &Connection, number: u64, packet: Packet) -> bool {
        if self.first_sample.is_none_or(|next| number < next) {
            return false;
        }
        let goes_on = self.run.filter(|run| run.next == number);
        let from = goes_on.map_or(packet.sent, |run| run.from);
        self.run = Some(Run {
            from,
            next: number + 1,
        });
        let long = probe_timeout(c).times(PERSISTENT_CONGESTION_THRESHOLD);
        packet.sent.since(from) > long
    }

    /// OnCongestionEvent (B.6).
    fn begin_recovery(&mut self, c: &mut Connection) -> CongestionEvent {
        c.sent_mut().begin_epoch();
        self.recovering = true;
        // One packet more than the window (§7.3.2), which quinn, noq, quicly and quiche do not send.
        self.free = matches!(
            c.stack().window.on_loss,
            LossResponse::Rfc9002 | LossResponse::OutsideRecovery
        );
        CongestionEvent::Reduction {
            added: 0,
            timed: false,
        }
    }

    /// SetLossDetectionTimer (A.8). Data has no timer while the handshake is not confirmed.
    fn set_timer(&mut self, c: &Connection) {
        self.probe_timeout = backed_off(c, self.serving.is_some(), self.pto_count);
        self.restart_timer(c);
    }

    /// Restarts the timer after a packet has left, which leaves the probe timeout as it was.
    fn restart_timer(&mut self, c: &Connection) {
        let out = self.confirmed && (c.sent().in_flight() > 0 || self.ends_handshake);
        let last_sent = (self.serving.as_ref()).and_then(|serving| serving.oldest_sent(c.una()));
        let probe = out.then(|| last_sent.unwrap_or(self.last_sent) + self.probe_timeout);
        self.due = self.loss_time.or(probe);
    }

    /// As much of a segment as the window has room for, with `pipe` bytes in flight.
    fn fill(
        &self,
        c: &Connection,
        segment: SegmentRange,
        pipe: u64,
        least: u64,
    ) -> Option<SegmentRange> {
        let free = c.window().cwnd_bytes().saturating_sub(pipe);
        let room = free + self.prr.allowance();
        let ByteRange { start, end } = segment.range;
        let shared = if c.high() == 0 { self.uncounted } else { 0 };
        let payload = room.checked_sub(c.stack().counted_header().into())?;
        let most = c.mss().saturating_sub(shared).max(1);
        let end = end.min(start + payload.min(most));
        (room >= least && start < end).then_some(ByteRange { start, end }.because(segment.why))
    }

    /// Of a flight it is what was sent (§6.2.4): new data may wait behind what is missing.
    fn probe(&self, c: &Connection) -> Option<ByteRange> {
        let lost = first_lost(c);
        if self.serving.is_some() {
            let repeated = lost.or_else(|| self.unrepeated_of_flight(c));
            return self.new_of_flight(c, repeated).or(repeated);
        }
        lost.or_else(|| c.next_segment())
            .or_else(|| self.unrepeated(c).map(|(_, packet)| packet.plan()))
    }

    /// What a probe carries instead of these bytes of a flight: of a space with new data that data, where
    /// the stack prefers it. The first space has none.
    fn new_of_flight(&self, c: &Connection, repeated: Option<ByteRange>) -> Option<ByteRange> {
        let new = c.next_segment()?;
        match (repeated, self.serving) {
            (Some(_), _) if !c.stack().messages.probes_new_data => None,
            (Some(ByteRange { start, .. }), Some(of)) if start < of.first_space => {
                Some(ByteRange {
                    start,
                    end: of.first_space,
                })
            }
            _ => Some(new),
        }
    }

    /// Whether a probe repeats what is missing of a flight's first space, and of no other.
    fn probes_first_space(&self, c: &Connection) -> bool {
        let is_missing = self.serving.is_some_and(|of| c.una() < of.first_space);
        is_missing && !c.stack().messages.probes_all_spaces
    }

    /// The oldest packet that was on its way at the timeout and that no probe has repeated.
    fn unrepeated(&self, c: &Connection) -> Option<(u64, Packet)> {
        c.sent()
            .oldest_packet_within(self.probing.from, self.probing.end)
    }

    /// The first part of a flight that was on its way at the timeout and that no probe has repeated: what
    /// the client can read comes first.
    fn unrepeated_of_flight(&self, c: &Connection) -> Option<ByteRange> {
        let from = c.una().max(self.probing.flight);
        let (mut number, mut first) = (self.probing.from, None::<ByteRange>);
        while let Some((next, packet)) = c.sent().oldest_packet_within(number, self.probing.end) {
            let ByteRange { start, end } = packet.plan();
            if end > from && first.is_none_or(|first| start < first.start) {
                first = Some(ByteRange {
                    start: start.max(from),
                    end,
                });
            }
            number = next + 1;
        }
        first
    }
}

impl Serving {
    /// When the last packet left of the space whose timer expires first.
    #[cold]
    fn oldest_sent(&self, una: u64) -> Option<Instant> {
        let [first, second] = self.last_sent;
        let first = first.filter(|_| una < self.first_space);
        first.into_iter().chain(second).min()
    }

    /// Packets are to be acknowledged, which are still in flight.
    #[cold]
    fn record(&mut self, c: &Connection, ack: &NumberAck) {
        for (first, end) in ack.numbers() {
            let mut from = first;
            while let Some((number, packet)) = c.sent().oldest_packet_within(from, end) {
                if packet.plan().end > self.first_space {
                    self.acknowledged = self.acknowledged.max(number + 1);
                }
                from = number + 1;
            }
        }
    }
}

/// What an acknowledgement takes from what is in flight.
#[derive(Clone, Copy, Debug)]
struct Counted {
    bytes: u64,
    /// Of packets of the present epoch.
    in_epoch: u64,
}

impl Counted {
    fn of(c: &Connection, newly: &NewlyAckedPackets) -> Counted {
        let header = u64::from(c.stack().counted_header());
        Counted {
            bytes: newly.delivered + newly.packets * header,
            in_epoch: newly.in_epoch + newly.packets_in_epoch * header,
        }
    }
}

/// Only what left after recovery began lets the window grow (§7.3.2).
fn held_still(signal: &mut Signal) -> AckRole {
    signal.credit = 0;
    AckRole::Held
}

/// What was lost and has its turn.
fn first_lost(c: &Connection) -> Option<ByteRange> {
    let (start, end) = c.sent().first_lost()?;
    Some(ByteRange {
        start,
        end: end.min(c.segment_end(start)),
    })
}

/// The probe timeout of data without back-off (§6.2.1).
fn probe_timeout(c: &Connection) -> Duration {
    (answer_timeout(c) + c.stack().receiver.ack.max_delay()).max(c.stack().rto.min)
}

/// The probe timeout of a handshake, whose acknowledgements are not held back.
fn answer_timeout(c: &Connection) -> Duration {
    let rto = &c.stack().rto;
    let measured = c.rtt().smoothed();
    measured.map_or(rto.initial, |(srtt, rttvar)| {
        latest_answer(srtt, rttvar, rto.granularity)
    })
}

/// How long an answer that is not held back may take.
fn latest_answer(srtt: Duration, rttvar: Duration, granularity: Duration) -> Duration {
    srtt + rttvar.times(4).max(granularity)
}

/// The probe timeout after so many consecutive ones.
fn backed_off(c: &Connection, serving: bool, pto_count: u32) -> Duration {
    let (base, most) = match serving {
        true => (answer_timeout(c), c.stack().handshake_timeout_max()),
        false => (probe_timeout(c), c.stack().rto.max),
    };
    let backed_off = match pto_count {
        0 => base,
        times => base.times(1 << times.min(32)),
    };
    backed_off.min(most)
}
