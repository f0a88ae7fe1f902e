//! A congestion window that opens and shuts, as a stack with a separate pacer is to see it.
//!
//! A stack reads the window before each datagram, and where it is shut it sleeps until something
//! happens. So a window can pace if a timer wakes the stack again when the next datagram is due.
//! That is the business of an [`Alarm`], which is set up where the stack hands its first datagram
//! to a socket that has one: the task that does so is the one to be woken. As long as there is
//! none, and nothing else sets the time, the window is the adapter's, and the stack paces as it
//! does. The window is the adapter's too for a reader that is not this task, such as statistics, and
//! while the startup paces nothing.

use crate::adapter::{Adapter, OPEN};
use crate::{Handle, Shared};
use flowstart_control::{Duration, Instant};
use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

thread_local! {
    /// Whose datagram is on its way from a stack to the socket. Between the two a stack does
    /// nothing else on this thread.
    static LEAVING: RefCell<Option<Gate>> = const { RefCell::new(None) };
}

/// Wakes a task of a stack.
pub trait Alarm: fmt::Debug + Send {
    /// The time.
    fn now(&self) -> std::time::Instant;
    /// Wakes the task then, and at no earlier time that was requested before.
    fn ring_at(&mut self, at: std::time::Instant);
    /// Whether this is the task.
    fn wakes(&self, task: &Waker) -> bool;
    /// Whether the task is what runs on this thread now.
    fn is_running(&self) -> bool;
    /// How late it may ring.
    fn lateness(&self) -> Duration;
}

/// What a stack reports of its controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metrics {
    /// The window, bytes of UDP payload.
    pub window: u64,
    /// The threshold, bytes of UDP payload; `None` where there is none.
    pub ssthresh: Option<u64>,
    /// The rate at which datagrams are to leave, bytes a second; `None` where nothing is paced.
    pub pacing: Option<u64>,
}

/// One path's adapter behind the window that its stack sees.
#[derive(Clone, Debug)]
pub struct Gate {
    adapter: Shared,
    alarm: Arc<Mutex<Option<Box<dyn Alarm>>>>,
    /// Its datagrams pass a socket that may have an alarm.
    has_socket: bool,
}

impl Gate {
    /// That of this adapter.
    pub(crate) fn new(adapter: Shared, has_socket: bool) -> Gate {
        Gate {
            adapter,
            alarm: Arc::default(),
            has_socket,
        }
    }

    /// The adapter.
    pub fn adapter(&self) -> &Shared {
        &self.adapter
    }

    /// What an application has of it.
    pub fn handle(&self) -> Handle {
        Handle::new(self.adapter.clone())
    }

    /// Since its time began.
    pub fn time(&self, at: std::time::Instant) -> Instant {
        self.adapter.time(at)
    }

    /// Where its time begins.
    pub fn origin(&self) -> std::time::Instant {
        self.adapter.origin()
    }

    /// The window for a stack that compares it with what it has in flight itself, and that reads it so
    /// many times for each datagram of a batch.
    pub fn window(&self, reads: u32) -> u64 {
        if let Some(window) = self.adapter.published() {
            return window;
        }
        let mut alarm = self.alarm();
        let mut adapter = self.adapter.lock();
        if !self.is_gated(&mut adapter) {
            return self.adapter.publish(&mut adapter);
        }
        let Some(alarm) = &mut *alarm else {
            return adapter.gate();
        };
        if !alarm.is_running() {
            return adapter.window_bytes();
        }
        adapter.set_clock(self.time(alarm.now()));
        let window = adapter.gate_batch(reads);
        if let Some(due) = adapter.paced_until() {
            alarm.ring_at(self.origin() + std::time::Duration::from_nanos(due.nanos()));
        }
        window
    }

    /// Whether the stack sees another window than the adapter's: with a socket while the startup paces,
    /// without one wherever something else sets the time.
    fn is_gated(&self, adapter: &mut Adapter) -> bool {
        adapter.is_clocked() && (!self.has_socket || adapter.window().pacing.is_some())
    }

    /// Publishes the window of the adapter, which is locked, where it is what the stack sees.
    pub(crate) fn publish(&self, adapter: &mut Adapter) {
        if !self.is_gated(adapter) {
            self.adapter.publish(adapter);
        }
    }

    /// The window, the threshold and the pacing rate.
    pub fn metrics(&self) -> Metrics {
        let mut adapter = self.adapter.lock();
        Metrics {
            window: adapter.window_bytes(),
            ssthresh: adapter.ssthresh_bytes(),
            pacing: adapter.pacing(),
        }
    }

    /// The window and the rate for a stack's own pacer: a window without end and no rate where
    /// [`window`](Self::window) paces.
    pub fn for_pacer(&self) -> (u64, Option<u64>) {
        let mut adapter = self.adapter.lock();
        match self.is_gated(&mut adapter) {
            true if self.has_socket => (OPEN, None),
            true => (adapter.gate(), None),
            false => (adapter.window_bytes(), adapter.pacing()),
        }
    }

    /// A datagram of this path is next to reach the socket.
    pub fn on_leaving(&self) {
        if self.has_socket {
            LEAVING.replace(Some(self.clone()));
        }
    }

    /// The datagram that was next has reached a socket, of which this is the task.
    pub fn on_socket<A: Alarm + 'static>(task: &Waker, alarm: impl FnOnce() -> A) {
        let Some(gate) = LEAVING.take() else { return };
        let mut set = gate.alarm();
        if set.as_ref().is_none_or(|alarm| !alarm.wakes(task)) {
            let alarm = alarm();
            let mut adapter = gate.adapter.lock();
            adapter.set_clock(gate.time(alarm.now()));
            adapter.tolerate(alarm.lateness());
            *set = Some(Box::new(alarm));
        }
    }

    fn alarm(&self) -> MutexGuard<'_, Option<Box<dyn Alarm>>> {
        self.alarm.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Startup;

    /// Keeps a request.
    #[derive(Clone, Debug)]
    struct Kept {
        now: std::time::Instant,
        is_running: bool,
        asked: Arc<Mutex<Option<std::time::Instant>>>,
    }

    impl Alarm for Kept {
        fn now(&self) -> std::time::Instant {
            self.now
        }

        fn ring_at(&mut self, at: std::time::Instant) {
            *self.asked.lock().unwrap() = Some(at);
        }

        fn wakes(&self, _task: &Waker) -> bool {
            true
        }

        fn is_running(&self) -> bool {
            self.is_running
        }

        fn lateness(&self) -> Duration {
            Duration::ZERO
        }
    }

    const MTU: u16 = 1472;

    /// A paced initial window after a round trip of 100 ms, of which one datagram has left.
    fn gate(has_socket: bool) -> Gate {
        let startup = Startup::parse("paced-initial-window", "cubic").unwrap();
        if has_socket {
            startup.expect_socket();
        }
        let gate = startup.gate(MTU, std::time::Instant::now());
        let mut adapter = gate.adapter.lock();
        adapter.on_sent(None, 1200, Instant::ZERO);
        adapter.on_packet_acked(None, Instant::ZERO, 1200, Instant::from_millis(100));
        adapter.begin(Some(1_000_000), Instant::from_millis(100));
        adapter.on_sent(None, MTU.into(), Instant::from_millis(100));
        drop(adapter);
        gate
    }

    fn alarm(gate: &Gate) -> Kept {
        Kept {
            now: gate.origin() + std::time::Duration::from_millis(100),
            is_running: true,
            asked: Arc::default(),
        }
    }

    #[test]
    fn without_an_alarm_the_window_is_the_adapters_and_the_stack_paces() {
        let gate = gate(false);
        gate.on_leaving();
        let alarm = alarm(&gate);
        Gate::on_socket(Waker::noop(), || alarm.clone());
        assert_eq!(gate.window(1), 10 * u64::from(MTU));
        assert_eq!(gate.for_pacer(), (gate.window(1), gate.metrics().pacing));
        assert!(gate.metrics().pacing.is_some());
        assert_eq!(*alarm.asked.lock().unwrap(), None);
    }

    /// A gate whose socket has set up an alarm.
    fn gate_with(change: impl FnOnce(&mut Kept)) -> (Gate, Kept) {
        let gate = gate(true);
        gate.on_leaving();
        let mut alarm = alarm(&gate);
        change(&mut alarm);
        Gate::on_socket(Waker::noop(), || alarm.clone());
        (gate, alarm)
    }

    #[test]
    fn with_one_it_is_shut_until_the_alarm_rings() {
        let (gate, alarm) = gate_with(|_| {});
        assert_eq!(gate.window(1), 1);
        assert_eq!(gate.for_pacer(), (OPEN, None));
        let due = alarm.asked.lock().unwrap().unwrap();
        assert!(due > alarm.now + std::time::Duration::from_millis(5));
        gate.alarm().replace(Box::new(Kept { now: due, ..alarm }));
        assert!(gate.window(1) > 1 << 32);
    }

    #[test]
    fn statistics_see_the_window_whether_it_is_shut_or_open() {
        let (gate, _) = gate_with(|alarm| alarm.is_running = false);
        assert_eq!(gate.window(2), 10 * u64::from(MTU));
        assert_eq!(gate.metrics().window, 10 * u64::from(MTU));
    }

    /// Datagrams of a batch that leaves `late_ms` after the second was due; one is due every 8 ms.
    fn batch(late_ms: u64, reads: u32) -> usize {
        let (gate, alarm) = gate_with(|_| {});
        gate.window(reads);
        let due = alarm.asked.lock().unwrap().unwrap();
        let now = due + std::time::Duration::from_millis(late_ms);
        gate.adapter.lock().tolerate(Duration::from_millis(40));
        gate.alarm().replace(Box::new(Kept { now, ..alarm }));
        let asked = (0..100).take_while(|_| gate.window(reads) > 1 << 32);
        asked.count() / reads as usize
    }

    #[test]
    fn a_batch_holds_what_is_due_however_often_the_window_is_read() {
        for reads in [1, 2] {
            assert_eq!((batch(0, reads), batch(25, reads)), (1, 3), "{reads}");
        }
    }
}
