//! What a sender reports of itself.

use super::{Sender, State};
use crate::connection::Counters;
use crate::flow_control::Level;
use crate::info::Info;
use crate::ranges::RangeSet;
use crate::rtt::RttEstimator;
use crate::throughput::Delivered;
use flowstart_control::signals::PathMemory;
use flowstart_control::{Duration, Exit, Rate, Window};
use flowstart_wire::{Ack, Body, Packet};

impl Sender {
    /// Names `column` the startup's own numbers, for a trace.
    pub fn trace(&self, column: &mut dyn FnMut(&str, f64)) {
        self.connection.controller().trace(column);
    }

    /// Whether the connection was given up.
    pub fn failed(&self) -> bool {
        self.state == State::Failed
    }

    /// Everything below this position is acknowledged.
    pub fn acknowledged(&self) -> u64 {
        self.connection.una()
    }

    /// Bytes of which the peer has reported the arrival, in order or above a hole (SACK).
    pub fn delivered(&self) -> u64 {
        self.connection.una() + self.connection.sent().arrived_bytes()
    }

    /// Up to where an answer acknowledges data: its own word, unless it speaks of packets.
    pub fn position_of(&self, answer: &Packet) -> u64 {
        match answer.body {
            Body::Ack(Ack::Bytes(ack)) => ack.una(),
            Body::Ack(Ack::Numbers(_)) => self.connection.una(),
            _ => 0,
        }
    }

    /// The window.
    pub fn window(&self) -> &Window {
        self.connection.window()
    }

    /// Bytes in flight as recovery estimates them.
    pub fn flight(&self) -> u64 {
        self.recovery.pipe(&self.connection)
    }

    /// Bytes that what is out takes.
    pub fn bytes_held(&self) -> usize {
        self.connection.sent().bytes_held()
    }

    /// What this connection has measured of its path; nothing before a round trip was measured.
    pub fn memory(&self) -> Option<PathMemory> {
        let (srtt, rttvar) = self.connection.rtt().smoothed()?;
        let c = &self.connection;
        let delivered = c
            .throughput()
            .as_ref()
            .map_or(Delivered::default(), |d| d.last());
        Some(PathMemory {
            cwnd: c.window().cwnd,
            ssthresh: c.window().ssthresh,
            srtt,
            rttvar,
            min_rtt: c.rtt().min_rtt().unwrap_or(srtt),
            delivered: delivered.bytes,
            rate: delivered.rate,
            in_use: false,
        })
    }

    /// How the startup ended.
    pub fn exit(&self) -> Option<&Exit> {
        self.connection.controller().exit()
    }

    /// Whether `segment`, just sent, had been sent before.
    pub fn is_retransmission(&self, segment: &Packet) -> bool {
        segment.start() < self.connection.prev_high()
    }

    /// What it did.
    pub fn counters(&self) -> &Counters {
        self.connection.counters()
    }

    /// What is out, and what has become of it, where recovery is Linux's.
    pub fn info(&self) -> Option<Info> {
        self.recovery.info(&self.connection)
    }

    /// The latest sample of the delivery rate, where its controller uses them.
    pub fn delivery_rate(&self) -> Option<Rate> {
        self.connection.sent().delivery_rate()
    }

    /// What is lost and was not sent again since, as `[start, end)` in order.
    pub fn lost(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.connection
            .sent()
            .lost()
            .into_iter()
            .flat_map(RangeSet::iter)
    }

    /// The level of flow control that stops it, where it has data beyond the peer's limit.
    pub fn blocked_by(&self) -> Option<Level> {
        self.connection.blocked_by()
    }

    /// One past the highest byte ever sent.
    pub fn high(&self) -> u64 {
        self.connection.high()
    }

    /// Round-trip estimates and the retransmission timeout.
    pub fn rtt(&self) -> &RttEstimator {
        self.connection.rtt()
    }

    /// Bytes that the application has handed over and that were never sent.
    pub fn unsent(&self) -> u64 {
        self.connection.queued() - self.connection.high()
    }

    /// The smallest round-trip time seen.
    pub fn min_rtt(&self) -> Option<Duration> {
        self.connection.rtt().min_rtt()
    }
}
