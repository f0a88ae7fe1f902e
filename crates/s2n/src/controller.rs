//! s2n-quic's controller of one path.

use crate::calls::Calls;
use crate::clock::Clock;
use flowstart_control::Duration;
use s2n_quic::provider::congestion_controller::{
    CongestionController, Publisher, RandomGenerator, RttEstimator, Timestamp,
};
use std::cell::RefCell;

/// A startup and its congestion control, as s2n-quic's controller of one path.
///
/// s2n-quic looks at its clock in milliseconds: a packet leaves up to one before
/// [`earliest_departure_time`](CongestionController::earliest_departure_time). The pacer counts from
/// when each was due, so the rate is exact and packets leave in groups of a millisecond.
#[derive(Clone, Debug)]
pub struct Live {
    calls: RefCell<Calls>,
    clock: Clock,
}

/// Place of a packet in the order of sending.
#[derive(Clone, Copy, Debug)]
pub struct Order(u64);

impl Live {
    pub(crate) fn new(calls: Calls, clock: Clock) -> Live {
        Live {
            calls: RefCell::new(calls),
            clock,
        }
    }
}

fn whole(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl CongestionController for Live {
    type PacketInfo = Order;

    fn congestion_window(&self) -> u32 {
        let bytes = self.calls.borrow_mut().adapter().window_bytes();
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    fn bytes_in_flight(&self) -> u32 {
        self.calls.borrow().in_flight()
    }

    fn is_congestion_limited(&self) -> bool {
        !self.calls.borrow_mut().adapter().has_room()
    }

    fn requires_fast_retransmission(&self) -> bool {
        false
    }

    fn on_packet_sent<Pub: Publisher>(
        &mut self,
        time_sent: Timestamp,
        sent_bytes: usize,
        app_limited: Option<bool>,
        _rtt_estimator: &RttEstimator,
        _publisher: &mut Pub,
    ) -> Order {
        let now = self.clock.time(time_sent);
        let calls = self.calls.get_mut();
        Order(calls.on_sent(whole(sent_bytes), app_limited, now))
    }

    fn on_rtt_update<Pub: Publisher>(
        &mut self,
        _time_sent: Timestamp,
        now: Timestamp,
        rtt_estimator: &RttEstimator,
        _publisher: &mut Pub,
    ) {
        let now = self.clock.time(now);
        let srtt = rtt_estimator.smoothed_rtt().as_nanos() as u64;
        self.calls.get_mut().on_rtt(Duration::from_nanos(srtt), now);
    }

    fn on_ack<Pub: Publisher>(
        &mut self,
        _newest_acked_time_sent: Timestamp,
        bytes_acknowledged: usize,
        newest_acked_packet_info: Order,
        _rtt_estimator: &RttEstimator,
        _random_generator: &mut dyn RandomGenerator,
        ack_receive_time: Timestamp,
        _publisher: &mut Pub,
    ) {
        let now = self.clock.time(ack_receive_time);
        let Order(newest) = newest_acked_packet_info;
        let calls = self.calls.get_mut();
        calls.on_ack(newest, whole(bytes_acknowledged), now);
    }

    fn on_packet_lost<Pub: Publisher>(
        &mut self,
        lost_bytes: u32,
        packet_info: Order,
        persistent_congestion: bool,
        _new_loss_burst: bool,
        _random_generator: &mut dyn RandomGenerator,
        timestamp: Timestamp,
        _publisher: &mut Pub,
    ) {
        let now = self.clock.time(timestamp);
        let calls = self.calls.get_mut();
        calls.on_lost(packet_info.0, lost_bytes, persistent_congestion, now);
    }

    fn on_explicit_congestion<Pub: Publisher>(
        &mut self,
        _ce_count: u64,
        event_time: Timestamp,
        _publisher: &mut Pub,
    ) {
        let now = self.clock.time(event_time);
        self.calls.get_mut().on_mark(now);
    }

    fn on_mtu_update<Pub: Publisher>(&mut self, max_data_size: u16, _publisher: &mut Pub) {
        self.calls.get_mut().on_mtu(max_data_size);
    }

    fn on_packet_discarded<Pub: Publisher>(&mut self, bytes_sent: usize, _publisher: &mut Pub) {
        self.calls.get_mut().on_discarded(whole(bytes_sent));
    }

    fn earliest_departure_time(&self) -> Option<Timestamp> {
        let mut calls = self.calls.borrow_mut();
        let now = calls.now;
        let departure = calls.adapter().departure(now)?;
        self.clock.timestamp(departure)
    }
}
