//! Opening the connection: exchanges of packets before data leaves, or while early data does.

use super::opening_state::OpeningState;
use super::{Sender, Spreading, State};
use crate::handshake::{INITIAL_ACK, SMALLEST_INITIAL};
use crate::narrow::whole;
use crate::quick_start::Asked;
use crate::rtt::RttSample;
use crate::stack::Pacing;
use flowstart_control::signals::{Established, PathInfo, Syn};
use flowstart_control::{AfterSynLoss, Duration, Instant};
use flowstart_wire::{Ack, Packet, RateRequest, RateResponse, SynAck};

impl Sender {
    /// Opens the connection.
    pub fn open(&mut self, now: Instant) {
        if self.connection.stack().handshake.opens_with_data() {
            return self.open_early(now);
        }
        self.begin_exchange(now);
    }

    /// Waits for the data's receiver to open the connection.
    pub fn listen(&mut self) {
        if let Some(opening) = &mut self.opening {
            opening.accepts = true;
        }
    }

    pub(super) fn begin_exchange(&mut self, now: Instant) {
        self.state = State::SynSent {
            at: now,
            tries: 1,
            waiting: true,
        };
        self.connection.restart_timer(now);
    }

    /// Data leaves right behind the SYN: its sender has the state of an earlier connection.
    fn open_early(&mut self, now: Instant) {
        self.connection.take_open_window();
        if let Some(opening) = &mut self.opening {
            opening.deadline = Some(now + self.connection.rtt().rto());
            let rtt = opening.preparation.known.memory.map(|m| m.srtt);
            self.establish(now, rtt, 1);
        }
        self.state = State::Early {
            at: now,
            tries: 1,
            waiting: true,
        };
    }

    /// Begins on a connection that is open already and on which a round trip of `rtt`
    /// has been measured, by the peer's request for example.
    pub fn open_established(&mut self, now: Instant, rtt: Duration) {
        self.connection.take_open_window();
        self.connection.skip_handshake();
        self.establish(now, Some(rtt), 1);
        self.confirm(false, now);
    }

    /// The handshake is over.
    pub(super) fn confirm(&mut self, lost: bool, now: Instant) {
        self.state = State::Open;
        if self.serves() {
            self.state = State::Serving;
            self.recovery.on_serving(Some(self.keys()));
        } else if self.opening.take().is_some_and(|opening| !opening.accepts) {
            self.recovery.on_first_packet_shared(&self.connection);
        }
        let lost =
            lost && self.connection.stack().window.after_syn_loss == AfterSynLoss::CongestionEvent;
        self.recovery.on_handshake(&mut self.connection, lost, now);
    }

    pub(super) fn accepts(&self) -> bool {
        self.opening.as_ref().is_some_and(|opening| opening.accepts)
    }

    /// The SYN that waits, if one does.
    #[cold]
    #[inline(never)]
    pub(super) fn poll_syn(&mut self, now: Instant) -> Option<Packet> {
        let (State::SynSent { waiting, at, tries } | State::Early { waiting, at, tries }) =
            &mut self.state
        else {
            return None;
        };
        if !std::mem::take(waiting) {
            return None;
        }
        *at = now;
        let tries = *tries;
        if self.accepts() {
            return Some(self.connection.syn_ack());
        }
        let request = self.request(tries);
        let number = self.opening.as_mut().map_or(0, |opening| {
            if self.connection.stack().numbers_packets() {
                opening.sent.push(now);
            }
            opening.syns += 1;
            opening.syns - 1
        });
        Some(self.connection.syn(number, request))
    }

    /// The rate request of the SYN: only the first one has it, since an option may be
    /// why it was lost (RFC 4782 §4.7.1), and none whose answer would come late.
    fn request(&mut self, tries: u32) -> Option<RateRequest> {
        let c = &mut self.connection;
        let syn = Syn {
            queued: c.queued(),
            mss: c.stack().framing.mss,
            header: c.stack().framing.header,
            codes: c.stack().rate_codes,
        };
        let early = matches!(self.state, State::Early { .. });
        let first = |opening: &&mut Box<OpeningState>| tries == 1 && opening.syns == 0 && !early;
        let opening = self.opening.as_mut().filter(first)?;
        let rate = c.rate_request(&syn)?;
        let (asked, request) = Asked::new(syn.codes, rate, opening.preparation.secret);
        opening.asked = Some(asked);
        Some(request)
    }

    /// The data's receiver, which opens the connection, has heard the answer that left at `at`, the
    /// latest of so many.
    #[cold]
    pub(super) fn on_third_ack(
        &mut self,
        ack: Option<&Ack>,
        at: Instant,
        tries: u32,
        now: Instant,
    ) {
        let c = &mut self.connection;
        match ack {
            Some(ack) => c.take_window(ack.window()),
            None => c.take_open_window(),
        }
        let fair = tries == 1;
        match fair {
            true => c.rtt_mut().sample(&RttSample::of_handshake(at), now),
            false => c.rtt_mut().after_syn_loss(),
        }
        self.end_exchange(now, fair.then(|| now.since(at)));
    }

    /// An answer to a SYN that left at `at`, the latest of so many tries.
    #[cold]
    pub(super) fn on_syn_ack(&mut self, answer: &SynAck, at: Instant, tries: u32, now: Instant) {
        let Some(opening) = &mut self.opening else {
            return;
        };
        // It may answer one of an earlier exchange.
        let answered = answer.answers;
        if answered < opening.first {
            return;
        }
        let c = &mut self.connection;
        c.take_syn_window(answer.window);
        // Where packets are numbered there is no doubt which it answers.
        let exact = opening.sent.get(answered as usize).copied();
        opening.lost |= exact.is_some() && opening.is_missing(answer);
        if tries == 1 || exact.is_some() {
            let sample = RttSample::of_handshake(exact.unwrap_or(at));
            c.rtt_mut().sample(&sample, now);
        } else if !c.stack().ns2.syn_backoff_lasts {
            c.rtt_mut().after_syn_loss();
        }
        let fair = tries == 1 || exact.is_some() || c.stack().ns2.trusts_repeated_syn;
        let rtt = fair.then(|| now.since(exact.unwrap_or(at)));
        self.hear_routers(answer.response(), tries);
        self.end_exchange(now, rtt);
    }

    fn end_exchange(&mut self, now: Instant, rtt: Option<Duration>) {
        let Some(opening) = &mut self.opening else {
            return;
        };
        self.held_back = None;
        opening.exchanges -= 1;
        opening.first = opening.syns;
        let (left, repeats, lost) = (opening.exchanges, opening.repeats, opening.lost);
        if left > 0 {
            return self.begin_exchange(now);
        }
        if !matches!(self.state, State::Early { .. }) {
            self.establish(now, rtt, repeats + 1);
        }
        self.confirm(lost, now);
        self.set_usual_pacing();
    }

    /// The SYN-ACK carries the rate that the routers approved. A repeated SYN had no request.
    fn hear_routers(&mut self, response: Option<RateResponse>, tries: u32) {
        let Some(opening) = self.opening.as_mut() else {
            return;
        };
        let Some(asked) = opening.asked.take().filter(|_| tries == 1) else {
            return;
        };
        let answer = asked.validate(response);
        opening.preparation.known.approved = answer.approved;
        self.connection.report(answer.report);
    }

    pub(super) fn establish(&mut self, now: Instant, rtt: Option<Duration>, tries: u32) {
        let opening = self.opening.as_ref();
        let mut known = opening.map_or(PathInfo::default(), |o| o.preparation.known);
        known.exact_rtt = rtt;
        let c = &mut self.connection;
        c.stop_timer();
        let stack = c.stack();
        let usual = stack.initial_window();
        let memory = known.memory.filter(|_| stack.sharing.kind.opens_windows());
        // RFC 9040 §6: the new connection begins where the old one was.
        let allowed = memory.map_or(usual, |m| m.cwnd.min(stack.sharing.cap).max(usual));
        let initial_window = stack.window.after_syn_loss.apply(allowed, tries - 1);
        let coarse = stack.ns2.coarse_pacing.then_some(stack.rto.granularity);
        let established = Established {
            now,
            initial_window,
            rtt: match coarse {
                Some(tick) => rtt.map(|_| c.rtt().latest().unwrap_or(tick)),
                None => rtt,
            },
            queued: c.queued(),
            peer_window: c.peer_window(),
            header: stack.framing.header - stack.counted_header(),
            clock: coarse,
            counts_marks: c.is_scalable(),
        };
        c.on_established(&known, &established);
        if tries > 1 && c.stack().ns2.syn_loss_lowers_ssthresh {
            c.window_mut().ssthresh = c.window().ssthresh.min(2.0);
        }
        if let Some(memory) = memory {
            c.window_mut().ssthresh = c.window().ssthresh.min(memory.ssthresh);
            self.spread(usual, memory.srtt);
        }
        if let Pacing::TokenBucket(kind) = self.connection.stack().pacing.rule {
            let packet = self.connection.stack().datagram();
            let window = whole(initial_window * packet as f64);
            // It was full when the first packet left, and is filled again when data needs it.
            let measured = rtt.filter(|_| self.connection.rtt().smoothed().is_some());
            let filling = measured.filter(|_| !kind.begins_empty());
            let created = now.saturating_sub(filling.unwrap_or(Duration::ZERO));
            let mut bucket = kind.of(window, packet, created);
            let confirmed_by_ack = self.connection.stack().numbers_packets() && measured.is_some();
            let ends = kind.ends_handshake() && confirmed_by_ack && !self.accepts();
            if ends && self.spreading == Spreading::Nothing {
                bucket.end_handshake(packet);
                self.spreading = Spreading::Handshake { waiting: true };
            } else if !self.serves() {
                bucket.sent((SMALLEST_INITIAL - INITIAL_ACK).into());
            }
            self.bucket = Some(bucket);
        }
        self.connection.record_cwnd();
        self.set_usual_pacing();
        self.recovery.on_data();
    }

    pub(super) fn on_syn_timeout(&mut self, now: Instant, tries: u32) {
        /// SYNs sent again before giving up, as common systems have it.
        const SYN_RETRIES: u32 = 6;
        let c = &mut self.connection;
        if c.stack().max_timeouts.is_some() && tries > SYN_RETRIES {
            return self.fail();
        }
        c.count_syn_retransmit();
        c.rtt_mut().back_off();
        let (at, tries, waiting) = (now, tries + 1, true);
        let opening = self.opening.as_mut();
        let deadline = opening.map(|opening| {
            opening.repeats += 1;
            &mut opening.deadline
        });
        self.state = match (self.state, deadline) {
            (State::Early { .. }, Some(deadline)) => {
                *deadline = Some(now + c.rtt().rto());
                State::Early { at, tries, waiting }
            }
            _ => {
                c.restart_timer(now);
                State::SynSent { at, tries, waiting }
            }
        };
    }
}
