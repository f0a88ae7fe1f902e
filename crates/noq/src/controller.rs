//! noq's callbacks as events of an adapter.

use flowstart_live::{Adapter, Gate, Handle, Lost, Path, Startup};
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use noq_proto::RttEstimator;
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// Makes a controller for every path.
#[derive(Debug)]
pub struct Factory(Startup);

impl Factory {
    /// Of this startup.
    pub fn new(startup: Startup) -> Factory {
        Factory(startup)
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Live(Path::new(self.0.clone(), current_mtu, now)))
    }
}

/// A startup and its congestion control, as noq's controller of one path.
#[derive(Debug)]
pub struct Live(Path);

impl Live {
    /// The handle of the connection whose congestion state this is.
    pub fn handle(state: Box<dyn Controller>) -> Option<Handle> {
        let live = state.into_any().downcast::<Live>().ok()?;
        Some(live.0.gate().handle())
    }

    /// The adapter between this and the controller.
    pub fn gate(&self) -> &Gate {
        self.0.gate()
    }
}

impl Controller for Live {
    // Not `on_packet_sent`: a datagram that carries the end of the handshake too is one.
    fn on_sent(&mut self, now: Instant, bytes: u64, largest_pn: u64) {
        self.0.on_sent(now, bytes, Some(largest_pn));
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        pn: u64,
        _app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.0.on_ack(now, (sent, bytes), Some(pn), rtt.get());
    }

    fn on_end_acks(
        &mut self,
        _now: Instant,
        _in_flight: u64,
        app_limited: bool,
        _largest: Option<u64>,
    ) {
        self.0.on_end_acks(app_limited);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        _lost_bytes: u64,
        _largest_lost_pn: u64,
    ) {
        let (now, sent) = (self.0.time(now), self.0.time(sent));
        self.0.own(|a| match is_ecn {
            true => a.on_mark(sent, now),
            false => a.on_congestion(Lost::Told, is_persistent_congestion, now),
        });
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, _now: Instant) {
        self.0.own(|a| a.on_packet_lost(pn, lost_bytes.into()));
    }

    fn on_spurious_congestion_event(&mut self) {
        self.0.own(Adapter::on_spurious);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.0.on_mtu(new_mtu);
    }

    fn window(&self) -> u64 {
        self.0.gate().window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.0.gate().window();
        metrics.pacing_rate = self.0.gate().pacing();
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Live(self.0.borrow()))
    }

    fn initial_window(&self) -> u64 {
        self.0.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const MTU: u16 = 1472;

    fn first_path(origin: Instant) -> Box<Live> {
        let startup = Startup::parse("slow-start", "cubic").unwrap();
        let path = Arc::new(Factory::new(startup)).build(origin, MTU);
        path.into_any().downcast().unwrap()
    }

    /// A round trip of 100 ms, an initial window, and the acknowledgement of a packet of it.
    fn sends_a_window(path: &mut Live, origin: Instant) {
        let at = |ms| origin + Duration::from_millis(ms);
        let acknowledged = |path: &mut Live, number, sent, now| {
            let (sent, now) = (path.0.time(sent), path.0.time(now));
            path.0
                .own(|a| a.on_packet_acked(Some(number), sent, MTU.into(), now));
        };
        path.on_sent(origin, MTU.into(), 0);
        acknowledged(path, 0, at(0), at(100));
        (1..=10).for_each(|number| path.on_sent(at(100), MTU.into(), number));
        acknowledged(path, 1, at(100), at(200));
    }

    fn looked_at(path: &Live) -> (f64, u64) {
        let handle = Live::handle(path.clone_box()).unwrap();
        let in_flight = handle.shared().lock().in_flight();
        (handle.window().cwnd, in_flight)
    }

    #[test]
    fn a_copy_that_only_looks_sees_what_the_path_does_later() {
        let origin = Instant::now();
        let mut path = first_path(origin);
        let handle = Live::handle(path.clone_box()).unwrap();
        sends_a_window(&mut path, origin);
        assert_eq!(handle.window().cwnd, 11.0);
    }

    #[test]
    fn a_copy_that_another_path_uses_shares_nothing_with_the_first() {
        let origin = Instant::now();
        let mut first = first_path(origin);
        sends_a_window(&mut first, origin);
        let before = looked_at(&first);
        let mut second: Box<Live> = first.clone_box().into_any().downcast().unwrap();
        second.on_sent(origin + Duration::from_secs(1), MTU.into(), 0);
        assert_eq!(looked_at(&second), (10.0, u64::from(MTU) - 33));
        assert_eq!(looked_at(&first), before);
    }
}
