//! Acknowledgements, on their way to [`Recovery`](crate::recovery::Recovery).

use super::{Persist, Sender, Spreading};
use crate::connection::AckMeta;
use flowstart_control::Instant;
use flowstart_wire::Ack;

impl Sender {
    pub(super) fn on_ack(&mut self, ack: &Ack, meta: AckMeta, now: Instant) {
        if !self.connection.has_sent(ack) {
            return;
        }
        self.held_back = None;
        self.connection.take_window(ack.window());
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
            self.refill();
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
