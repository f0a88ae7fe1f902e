//! tokio's timers as alarms.

use crate::gate::{Alarm, Gate};
use flowstart_control::Duration;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Instant;
use tokio::task::{Id, try_id};
use tokio::time::{Sleep, sleep_until};

/// tokio's timers ring by the millisecond, and the task waits for its turn.
const LATENESS: Duration = Duration::from_millis(4);

/// Wakes a task when it has slept.
#[derive(Debug)]
struct Sleeper {
    task: Waker,
    /// Its number at tokio.
    id: Option<Id>,
    sleep: Pin<Box<Sleep>>,
}

impl Alarm for Sleeper {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn ring_at(&mut self, at: Instant) {
        self.sleep.as_mut().reset(at.into());
        let mut context = Context::from_waker(&self.task);
        if self.sleep.as_mut().poll(&mut context).is_ready() {
            self.task.wake_by_ref();
        }
    }

    fn wakes(&self, task: &Waker) -> bool {
        self.task.will_wake(task)
    }

    fn is_running(&self) -> bool {
        try_id() == self.id
    }

    fn lateness(&self) -> Duration {
        LATENESS
    }
}

/// A task of a stack gives a socket a datagram: it is woken when its path's next is due.
pub fn on_socket(context: &Context<'_>) {
    let task = context.waker();
    Gate::on_socket(task, || Sleeper {
        task: task.clone(),
        id: try_id(),
        sleep: Box::pin(sleep_until(tokio::time::Instant::now())),
    });
}
