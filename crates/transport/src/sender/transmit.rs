//! The packets that leave: the detector's next segment, where window and pacer let it.

use super::probe::is_stalled;
use super::{Persist, Sender, State};
use crate::pacing::pacer::Release;
use crate::segment::{ByteRange, SegmentRange, Why};
use crate::stack::{Bucket, Pacing};
use flowstart_control::{Instant, Rate};
use flowstart_wire::Packet;

impl Sender {
    /// The next segment to leave at `now`, until there is none.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Packet> {
        match self.send_buffer.is_some() {
            true => self.poll_buffered(now),
            false => self.poll_next(now),
        }
    }

    /// The same where the application waits for room in a send buffer.
    #[cold]
    fn poll_buffered(&mut self, now: Instant) -> Option<Packet> {
        self.poll_next(now).or_else(|| self.poll_written(now))
    }

    /// The next segment of what the application has handed over.
    #[inline(always)]
    pub(super) fn poll_next(&mut self, now: Instant) -> Option<Packet> {
        if self.state != State::Open && !self.sends_early_data() {
            return match self.state {
                State::Serving => self.poll_serving(now),
                _ => self.poll_syn(now),
            };
        }
        if self.held_back.is_some() {
            return self.send_held_back(now);
        }
        match self.recovery.plan(&self.connection) {
            Some(segment) => self.send(segment, now),
            None => self.poll_unplanned(now),
        }
    }

    /// The segment that the pacer held back, if it lets it leave now. Nothing has happened since that
    /// would change the plan.
    #[inline(never)]
    fn send_held_back(&mut self, now: Instant) -> Option<Packet> {
        debug_assert_eq!(self.held_back, self.recovery.plan(&self.connection));
        let segment = self.held_back.take()?;
        self.send(segment, now)
    }

    /// What leaves where recovery has no segment to send: the answer to the first acknowledgement, a
    /// proactive retransmission, or a probe of a closed window.
    #[inline(always)]
    pub(super) fn poll_unplanned(&mut self, now: Instant) -> Option<Packet> {
        let c = &mut self.connection;
        if c.stack().recovery.id_update > 0
            && let Some(packet) = self.recovery.answer_first_ack(c, now)
        {
            return Some(packet);
        }
        if c.window().proactive.segments > 0
            && let Some(packet) = self.send_proactive(now)
        {
            return Some(packet);
        }
        let c = &mut self.connection;
        if c.owes_blocked()
            && let Some(packet) = self.recovery.report_blocked(c, now)
        {
            return Some(packet);
        }
        let c = &mut self.connection;
        self.pacer.nothing_to_send();
        c.record_limit(self.recovery.pipe(c), now);
        if is_stalled(c) || self.persist == Persist::Due {
            return self.poll_probe(now);
        }
        None
    }

    /// Sends `segment`, if the pacer lets it leave now.
    #[inline(always)]
    pub(super) fn send(&mut self, segment: SegmentRange, now: Instant) -> Option<Packet> {
        let release = match self.spaces_out() {
            true => match self.space_out(segment, now) {
                Ok(release) => release,
                Err(other) => return other,
            },
            false => {
                self.pacer.nothing_waits();
                None
            }
        };
        let pipe = self.measured_pipe();
        let c = &mut self.connection;
        self.recovery.on_sent(c, segment, now);
        let packet = c.transmit(segment.range, pipe, now);
        self.recovery.after_sent(c, segment.range, now);
        if self.send_buffer.is_some() {
            self.leaves_send_buffer(segment.range, release);
        }
        if let Some((rate, release)) = release {
            self.pacer.sent(rate, release, packet.wire, now);
        }
        Some(packet)
    }

    /// Whether anything but the window decides when packets leave.
    #[inline(always)]
    fn spaces_out(&self) -> bool {
        let c = &self.connection;
        self.bucket.is_some() | c.window().pacing.is_some() | c.stack().pacing.tso
    }

    /// How what follows `segment` is spaced out, if it may leave now. Otherwise what leaves in its
    /// place.
    #[inline(always)]
    fn space_out(
        &mut self,
        segment: SegmentRange,
        now: Instant,
    ) -> Result<Option<(Rate, Release)>, Option<Packet>> {
        let c = &mut self.connection;
        let window = c.window();
        let follows_controller = |bucket: Bucket| bucket.follows_controller();
        let by_tokens = self.bucket.is_some()
            && (window.pacing.is_none()
                || c.stack().pacing.bucket().is_some_and(follows_controller));
        if c.stack().pacing.tso && window.pacing.is_some() {
            self.pacer.begin_packet(segment);
        }
        let admitted = if !by_tokens {
            self.pacer.admits(window.pacing, window.pacing_from, now)
        } else if let Some(packet) = self.end_of_handshake(now) {
            return Err(Some(packet));
        } else {
            self.takes_tokens(segment, now)
        };
        if !admitted {
            self.held_back = Some(segment);
            self.record_paced();
            return Err(None);
        }
        let c = &mut self.connection;
        if c.stack().pacing.tso && !self.recovery.may_leave(c, segment, now) {
            self.pacer.nothing_to_send();
            return Err(None);
        }
        Ok(if by_tokens { None } else { self.release() })
    }

    pub(super) fn may_send_data(&self) -> bool {
        matches!(
            self.state,
            State::Open | State::Early { .. } | State::Serving
        )
    }

    /// Data leaves behind a SYN that is not answered.
    #[cold]
    fn sends_early_data(&self) -> bool {
        matches!(self.state, State::Early { waiting: false, .. })
    }

    /// What is in flight, where samples of the delivery rate need it.
    #[inline(always)]
    fn measured_pipe(&self) -> u64 {
        match self.connection.sent().samples_delivery() {
            true => self.recovery.pipe(&self.connection),
            false => 0,
        }
    }

    /// The pacer holds back what the window allows (RFC 9002 §7.8).
    #[cold]
    fn record_paced(&mut self) {
        let rule = self.connection.stack().pacing.rule;
        if matches!(rule, Pacing::Rfc9002(_) | Pacing::TokenBucket(_)) {
            let pipe = self.recovery.pipe(&self.connection);
            self.connection.record_paced(pipe);
        }
    }

    /// Sends a proactive retransmission, where one is left. Out of the way of every other segment.
    #[cold]
    #[inline(never)]
    fn send_proactive(&mut self, now: Instant) -> Option<Packet> {
        let segment = self.next_proactive()?;
        let pipe = self.measured_pipe();
        if self.connection.stack().numbers_packets() {
            // A packet of its own, which is acknowledged by its number.
            let again = segment.because(Why::Probe);
            self.recovery.on_sent(&mut self.connection, again, now);
        }
        Some(self.connection.transmit(segment, pipe, now))
    }

    /// The next segment that the startup sends a second time. Recovery has nothing to
    /// send, and is not notified: it is no sign of loss.
    fn next_proactive(&mut self) -> Option<ByteRange> {
        let c = &mut self.connection;
        while c.window().proactive.segments > 0 {
            let end = c.window().proactive.below.min(c.high());
            if end <= c.una() {
                c.window_mut().proactive.segments = 0;
                break;
            }
            let start = ((end - 1) / c.mss() * c.mss()).max(c.una());
            c.window_mut().proactive.segments -= 1;
            c.window_mut().proactive.below = start;
            if !self.recovery.has_arrived(c, start, end) {
                return Some(ByteRange { start, end });
            }
        }
        None
    }
}
