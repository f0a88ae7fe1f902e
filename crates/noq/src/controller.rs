//! noq's callbacks, told to an adapter.

use flowstart_control::Time;
use flowstart_live::{Adapter, Gate, Handle, Lost, Startup};
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use noq_proto::RttEstimator;
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// Makes a controller for every path.
#[derive(Debug)]
pub struct Factory(Startup);

impl Factory {
    /// Of this start-up.
    pub fn new(startup: Startup) -> Factory {
        Factory(startup)
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Live {
            startup: self.0.clone(),
            gate: self.0.gate(current_mtu, now),
            mtu: current_mtu,
            borrowed: false,
        })
    }
}

/// A start-up and its avoidance, as noq's controller of one path.
#[derive(Debug)]
pub struct Live {
    startup: Startup,
    gate: Gate,
    mtu: u16,
    /// It is a copy of another path's, to be looked at. One that is used begins afresh, since a path
    /// says nothing of another.
    borrowed: bool,
}

impl Live {
    /// The handle of the connection whose congestion state this is.
    pub fn handle(state: Box<dyn Controller>) -> Option<Handle> {
        let live = state.into_any().downcast::<Live>().ok()?;
        Some(live.gate.handle())
    }

    /// What stands between this and the controller.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    fn time(&self, at: Instant) -> Time {
        self.gate.time(at)
    }

    /// The adapter, which is this path's own from now on.
    fn own<T>(&mut self, change: impl FnOnce(&mut Adapter) -> T) -> T {
        if std::mem::take(&mut self.borrowed) {
            self.gate = self.startup.gate(self.mtu, self.gate.origin());
        }
        change(&mut self.gate.adapter().lock())
    }
}

impl Controller for Live {
    // Not `on_packet_sent`: a datagram that carries the end of the handshake too is one. Several may
    // leave together, all but the last of one size and with numbers in a row.
    fn on_sent(&mut self, now: Instant, bytes: u64, largest_pn: u64) {
        let (now, mtu) = (self.time(now), u64::from(self.mtu));
        let count = bytes.div_ceil(mtu);
        self.own(|a| {
            for behind in (0..count).rev() {
                let datagram = mtu.min(bytes - (count - 1 - behind) * mtu);
                a.on_sent(largest_pn.checked_sub(behind), datagram as u32, now);
            }
        });
        self.gate.on_leaving();
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
        let (now, sent) = (self.time(now), self.time(sent));
        let srtt = Time::from_nanos(rtt.get().as_nanos() as u64);
        self.own(|a| {
            a.on_rtt(srtt, now);
            a.on_packet_acked(Some(pn), sent, bytes as u32, now);
        });
    }

    fn on_end_acks(
        &mut self,
        _now: Instant,
        _in_flight: u64,
        app_limited: bool,
        _largest: Option<u64>,
    ) {
        if app_limited {
            self.own(Adapter::on_app_limited);
        }
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
        let (now, sent) = (self.time(now), self.time(sent));
        self.own(|a| match is_ecn {
            true => a.on_mark(sent, now),
            false => a.on_congestion(Lost::Told, is_persistent_congestion, now),
        });
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, _now: Instant) {
        self.own(|a| a.on_packet_lost(pn, lost_bytes.into()));
    }

    fn on_spurious_congestion_event(&mut self) {
        self.own(Adapter::on_spurious);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = new_mtu;
        self.own(|a| a.on_mtu(new_mtu));
    }

    fn window(&self) -> u64 {
        self.gate.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.gate.window();
        metrics.pacing_rate = self.gate.pacing();
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Live {
            startup: self.startup.clone(),
            gate: self.gate.clone(),
            mtu: self.mtu,
            borrowed: true,
        })
    }

    fn initial_window(&self) -> u64 {
        self.gate.adapter().lock().window_bytes()
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
            let (sent, now) = (path.time(sent), path.time(now));
            path.own(|a| a.on_packet_acked(Some(number), sent, MTU.into(), now));
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
