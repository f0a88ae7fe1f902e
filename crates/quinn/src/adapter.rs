//! What the adapters to quinn and noq share.
//!
//! `quinn-proto` and `noq-proto` have the same names for the same things, but no type in common, so
//! the code of both is a macro.

/// Defines a stack's factory of controllers and the controller of one path, whose calls that differ
/// between the stacks are its second argument. `on_path` looks at the startup of a new path.
macro_rules! adapter {
    ($proto:ident, { $($call:item)* }) => {
        use flowstart_live::{Gate, Handle, Path, Startup};
        use std::any::Any;
        use std::sync::Arc;
        use $proto::congestion::{Controller, ControllerFactory};

        /// The factory of controllers for a `TransportConfig`.
        pub fn factory(startup: &Startup) -> Arc<Factory> {
            Arc::new(Factory::new(startup.clone()))
        }

        /// Makes a controller for each path.
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
                on_path(&self.0);
                Box::new(Live(Path::new(self.0.clone(), current_mtu, now)))
            }
        }

        /// A startup and its congestion control, as the stack's controller of one path.
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
            $($call)*

            fn on_end_acks(
                &mut self,
                _now: Instant,
                _in_flight: u64,
                app_limited: bool,
                _largest: Option<u64>,
            ) {
                self.0.on_end_acks(app_limited);
            }

            fn on_mtu_update(&mut self, new_mtu: u16) {
                self.0.on_mtu(new_mtu);
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
                let path = factory(&startup).build(origin, MTU);
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
                path.0.on_sent(origin, MTU.into(), Some(0));
                acknowledged(path, 0, at(0), at(100));
                (1..=10).for_each(|number| path.0.on_sent(at(100), MTU.into(), Some(number)));
                acknowledged(path, 1, at(100), at(200));
            }

            fn window_and_in_flight(path: &Live) -> (f64, u64) {
                let handle = Live::handle(path.clone_box()).unwrap();
                let in_flight = handle.shared().lock().in_flight();
                (handle.window().cwnd, in_flight)
            }

            #[test]
            fn a_copy_for_reading_sees_what_the_path_does_later() {
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
                let before = window_and_in_flight(&first);
                let mut second: Box<Live> = first.clone_box().into_any().downcast().unwrap();
                second.on_sent(origin + Duration::from_secs(1), MTU.into(), 0);
                let in_flight = u64::from(MTU) - 33;
                assert_eq!(window_and_in_flight(&second), (10.0, in_flight));
                assert_eq!(window_and_in_flight(&first), before);
            }
        }
    };
}

pub(crate) use adapter;
