//! What arrives: acknowledgements, on their way to [`Recovery`](crate::recovery::Recovery), and the
//! packets of a handshake.

use super::{Persist, Sender, Spreading, State};
use crate::connection::AckMeta;
use flowstart_control::Instant;
use flowstart_wire::{Ack, AckOption, Body, Ecn, Packet};

impl Sender {
    /// A SYN-ACK or an acknowledgement has arrived.
    #[inline]
    pub fn on_packet(&mut self, packet: &Packet, now: Instant) {
        match &packet.body {
            Body::Ack(ack) if self.state == State::Open => {
                let option = ack.option();
                let ece = match option {
                    AckOption::Marks(total) => self.connection.count_marks(total),
                    _ => packet.ecn.has(Ecn::ECE),
                };
                self.on_ack(ack, AckMeta { option, ece }, now);
            }
            _ => self.on_opening_packet(packet, now),
        }
    }

    /// A packet has arrived while the connection is not open.
    #[cold]
    #[inline(never)]
    fn on_opening_packet(&mut self, packet: &Packet, now: Instant) {
        match (self.state, &packet.body) {
            (
                State::SynSent { at, tries, .. } | State::Early { at, tries, .. },
                Body::SynAck(answer),
            ) => self.on_syn_ack(answer, at, tries, now),
            (State::Closed, Body::Syn(syn)) if self.accepts() && syn.message == 0 => {
                self.begin_exchange(now);
            }
            // Its answer was lost.
            (State::SynSent { at, tries, .. }, Body::Syn(_)) => {
                let waiting = true;
                self.state = State::SynSent { at, tries, waiting };
            }
            (State::SynSent { at, tries, .. }, Body::Ack(ack)) if self.accepts() => {
                self.on_third_ack(Some(ack), at, tries, now);
                self.advance(now);
            }
            _ => self.on_client_packet(packet, now),
        }
    }

    #[inline(always)]
    pub(super) fn on_ack(&mut self, ack: &Ack, meta: AckMeta, now: Instant) {
        if !self.connection.has_sent(ack) {
            return;
        }
        self.held_back = None;
        self.connection.take_window(ack.window());
        if let AckOption::Limit(limit) = meta.option {
            self.connection.take_limit(limit);
        }
        if self.persist != Persist::Off {
            self.on_probe_answered(now);
        }
        // Before the startup hears of it, which may pace for reasons of its own.
        if self.spreading != Spreading::Nothing && self.acknowledges_data(ack) {
            self.on_first_ack();
        }
        if self.connection.sent().measures_delivery() {
            self.record_pipe();
        }
        self.recovery.on_ack(&mut self.connection, ack, meta, now);
        if self.send_buffer.is_some() {
            self.free_send_buffer();
        }
        self.set_usual_pacing();
    }

    fn acknowledges_data(&self, ack: &Ack) -> bool {
        match ack {
            Ack::Bytes(ack) => ack.una() > self.connection.una(),
            Ack::Numbers(_) => true,
        }
    }

    /// For samples of the delivery rate.
    fn record_pipe(&mut self) {
        let c = &self.connection;
        let pipe = self.recovery.pipe(c);
        let samples = c.stack().window.app_limited_at_acks && c.sent().samples_delivery();
        let idle = samples && c.is_drained() && self.is_left_idle();
        if let Some(delivery) = self.connection.sent_mut().delivery() {
            if idle {
                delivery.application_limits(pipe);
            }
            delivery.record_pipe(pipe);
        }
    }
}
