//! An acknowledgement: what it reports to the ledger, the round trip that it gives, and its signal,
//! to which the controller responds.

use super::super::ecn::EcnSender;
use super::super::flow_control::decode;
use super::super::rtt::RttSample;
use super::super::segment::ByteRange;
use super::super::sent::{Departures, NewlyAcked, NewlyAckedPackets, Reception};
use super::{AckMeta, Connection};
use flowstart_control::signals::{Ack, Feedback, PeerGap};
use flowstart_control::{Duration, Instant};
use flowstart_wire as wire;
use flowstart_wire::{AckOption, UNLIMITED_WINDOW};

impl Connection {
    /// Whether an acknowledgement is only of what was sent. Any other is dropped (RFC 9293 §3.10.7.4;
    /// RFC 9000 §13.1 would close the connection).
    #[inline]
    pub(crate) fn has_sent(&self, ack: &wire::Ack) -> bool {
        let (high, numbers) = (self.high(), self.stack.numbers_packets());
        match ack {
            wire::Ack::Bytes(ack) if !numbers => {
                let mut blocks = ack.sack_blocks();
                ack.una() <= high
                    && (ack.is_bare() || blocks.all(|(start, end)| start < end && end <= high))
            }
            wire::Ack::Numbers(ack) if numbers => ack.end() <= self.sent.next_number(),
            _ => false,
        }
    }

    /// Takes over the window that a segment advertises, or QUIC's limit of flow control.
    pub(crate) fn take_window(&mut self, advertised: u32) {
        if self.takes_limits() {
            return self.take_limit(advertised);
        }
        self.peer_window = if advertised == UNLIMITED_WINDOW {
            u64::MAX
        } else {
            u64::from(advertised)
        };
    }

    /// Takes over the window that the answer to a SYN advertises. QUIC's limits of flow control are
    /// known.
    pub(crate) fn take_syn_window(&mut self, advertised: u32) {
        if !self.takes_limits() {
            self.take_window(advertised);
        }
    }

    /// Takes over a limit of flow control, which is never lowered.
    pub(crate) fn take_limit(&mut self, field: u32) {
        if let Some((limit, level)) = decode(field, self.limit) {
            (self.limit, self.level) = (limit, level);
        }
    }

    /// Takes in an acknowledgement of all below `una`, which is above SND.UNA, while the ledger is
    /// clear. Returns when the newest segment below was sent.
    #[inline]
    pub(crate) fn acknowledge_in_order(&mut self, una: u64, now: Instant) -> Departures {
        let sent = self.sent.acknowledge_in_order(una, now);
        self.record_advance(now);
        sent
    }

    /// What an acknowledgement at `now` may answer. A retransmission that left less than the
    /// minimum RTT ago has not arrived (`tcp_rack_advance`), nor has one where the timestamp
    /// echoes a first sending (`tcp_skb_spurious_retrans`).
    pub(crate) fn reception(&self, answers_repetition: bool, now: Instant) -> Reception {
        let least = self.rtt.min_rtt().unwrap_or(Duration::ZERO);
        let repeats_until = now.saturating_sub(least);
        let needless = self.stack.recovery.timestamps && !answers_repetition;
        Reception {
            now,
            repeats_until,
            acked_repeats_until: if needless {
                Instant::ZERO
            } else {
                repeats_until
            },
        }
    }

    /// Takes in an acknowledgement of all below `una` and of `blocks` above it.
    #[inline]
    pub(crate) fn acknowledge(
        &mut self,
        una: u64,
        blocks: impl Iterator<Item = (u64, u64)>,
        reception: impl Into<Reception>,
    ) -> NewlyAcked {
        let reception = reception.into();
        let newly = self.sent.acknowledge(una, blocks, reception);
        if newly.acked > 0 {
            self.record_advance(reception.now);
        }
        newly
    }

    /// Takes in an acknowledgement of these packet numbers, `[first, end)`, the largest first.
    pub(crate) fn acknowledge_packets(
        &mut self,
        ranges: impl Iterator<Item = (u64, u64)>,
        now: Instant,
    ) -> NewlyAckedPackets {
        let before = self.una();
        let newly = self.sent.acknowledge_packets(ranges, now);
        if self.una() > before {
            self.record_advance(now);
        }
        newly
    }

    /// The range `plan` has arrived with a packet that counted as lost.
    pub(crate) fn acknowledge_late(&mut self, plan: ByteRange, now: Instant) {
        let una = self.una();
        self.delivered_total += self.sent.acknowledge_late(plan);
        if self.una() > una {
            self.record_advance(now);
        }
    }

    /// SND.UNA has moved.
    fn record_advance(&mut self, now: Instant) {
        self.nxt = self.nxt.max(self.una());
        self.last_acked = now;
        self.timeouts_in_a_row = 0;
    }

    /// Takes the round-trip sample that an acknowledgement up to `una` gives, and
    /// returns that of the newest segment exact. `sent` is when what it
    /// answers was sent, if that is known ([`NewlyAcked::sent`]).
    pub(crate) fn take_sample(
        &mut self,
        sent: Option<Departures>,
        now: Instant,
    ) -> Option<Duration> {
        if self.rtt.times_one_segment() {
            if self.timed.covered_by(self.una()) {
                self.sample(Departures::at(self.timed.sent), now);
                self.stop_timing();
            }
        } else if let Some(sent) = sent {
            self.sample(sent, now);
        }
        sent.map(|sent| now.since(sent.newest))
    }

    fn sample(&mut self, sent: Departures, now: Instant) {
        let (una, high) = (self.una(), self.high());
        self.rtt.sample(&RttSample { sent, una, high }, now);
    }

    /// After new data was acknowledged: run on while something is outstanding
    /// (RFC 6298 §5.2 and 5.3).
    pub(crate) fn rearm(&mut self, now: Instant) {
        if self.outstanding() > 0 {
            self.restart_timer(now);
        } else {
            self.timer.stop();
        }
    }

    /// Marked packets of which the controller is to be notified.
    fn untold_marks(&mut self) -> u32 {
        self.ecn_mut().map_or(0, EcnSender::take_untold)
    }

    /// The signal of an acknowledgement that has moved SND.UNA by `acked`, as far as no loss detector
    /// is needed.
    #[inline(always)]
    pub(crate) fn begin_signal(&self, acked: u64, signal: &mut Ack) {
        (signal.acked, signal.delivered, signal.credit) = (acked, acked, acked);
        signal.cwnd_limited =
            self.stack.window.grow_when_app_limited || self.limited.covers(self.una());
    }

    /// Completes the signal of an acknowledgement of which the controller is to be notified.
    #[inline(always)]
    pub(crate) fn complete_signal(&mut self, signal: &mut Ack) {
        self.delivered_total += signal.delivered;
        if let Some(throughput) = &mut self.throughput {
            throughput.on_ack(
                signal.now,
                self.sent.una(),
                self.sent.high(),
                self.delivered_total,
            );
        }
        signal.marked = self.untold_marks();
        signal.delivered_total = self.delivered_total;
        signal.srtt = self.rtt.srtt();
        (signal.una, signal.nxt) = (self.una(), self.high());
        signal.queued = self.queued - self.nxt.min(self.queued);
        signal.peer_window = self.peer_window();
        let repairing = self.una() < self.repairing_until;
        if let Some(rate) = self.sent.delivery() {
            let least = self.rtt.min_rtt();
            signal.delivery = Some(rate.conclude(signal.flight, repairing, least));
            let may_stop = !self.keeps_sampling && rate.samples();
            if may_stop && !self.session.controller.reads_samples() {
                rate.stop_sampling();
            }
        }
    }

    /// The window may grow.
    pub(crate) fn grow(&mut self, ack: &Ack, meta: AckMeta) {
        if meta.option != AckOption::None {
            self.on_option(meta.option, ack);
        }
        if meta.ece && self.on_ece(ack) {
            return;
        }
        self.grow_plainly(ack);
    }

    /// The window may grow, and the acknowledgement reports nothing else.
    #[inline]
    pub(crate) fn grow_plainly(&mut self, ack: &Ack) {
        self.session.on_ack(ack);
        self.record_cwnd();
    }

    /// Notifies the controller of an acknowledgement during recovery.
    pub(crate) fn recovery_ack(&mut self, ack: &Ack) {
        self.session.on_recovery_ack(ack);
        if self.controller_owns_cwnd() {
            self.record_cwnd();
        }
    }

    /// An echo lets no window grow, and brings it down once per window of data (RFC 3168
    /// §6.1.2). Nothing is missing, so the answer is over at once.
    ///
    /// Below the threshold an echo that has been answered for does not stop growth, as Linux
    /// has had it: only new data notifies the peer, and where a timeout finds all data sent
    /// already, the echo lasts to the end.
    #[cold]
    fn on_ece(&mut self, ack: &Ack) -> bool {
        let news = self.mark_is_news();
        if !news && self.session.window.in_slow_start() {
            return false;
        }
        if news {
            self.answer_mark(ack.now);
            self.session.on_recovered(ack.now, 0, self.outstanding());
        }
        self.session.on_recovery_ack(ack);
        self.record_cwnd();
        true
    }

    fn on_option(&mut self, option: AckOption, ack: &Ack) {
        match option {
            AckOption::Gap(gap) => self.take_gap(gap, ack),
            AckOption::Feedback(_) if self.una() < self.repairing_until => {}
            AckOption::Feedback(change) => self.take_feedback(change, option, ack),
            AckOption::None
            | AckOption::Duplicate { .. }
            | AckOption::Marks(_)
            | AckOption::Limit(_) => {}
        }
    }

    fn take_gap(&mut self, gap: Duration, ack: &Ack) {
        // The receiver answers the pair as it was first sent: no mark is sent again.
        let gap = PeerGap {
            now: ack.now,
            gap,
            rtt: Some(ack.now.since(self.sent.newest_first_sent())),
            nxt: ack.nxt,
            peer_window: ack.peer_window,
        };
        self.session
            .controller
            .on_peer_gap(&mut self.session.window, &gap);
    }

    fn take_feedback(&mut self, change: f64, option: AckOption, ack: &Ack) {
        let feedback = Feedback {
            now: ack.now,
            change: Some(change).filter(|change| change.is_finite()),
            rtt: ack.rtt,
            wire: self.stack.packet() + option.wire(self.stack.framing.option),
            cwnd_limited: ack.cwnd_limited,
        };
        self.session
            .controller
            .on_feedback(&mut self.session.window, &feedback);
    }
}
