//! The clock of a thread.
//!
//! quiche calls `Instant::now()`, which is `clock_gettime` of `CLOCK_MONOTONIC`. The definition here
//! replaces the C library's in this program. It returns the time that the thread has set, or else
//! the kernel's.

#![allow(unsafe_code, reason = "a C function, and a system call")]

use libc::{c_int, clockid_t, timespec};
use std::cell::Cell;
use std::time::{Duration, Instant};

thread_local! {
    /// Nanoseconds of `CLOCK_MONOTONIC` on this thread, where they are set.
    static SET: Cell<Option<i64>> = const { Cell::new(None) };
}

const NANOS: i64 = 1_000_000_000;

/// Called through the symbol `clock_gettime`.
///
/// # Safety
///
/// `time` points to a `timespec`, or the kernel returns an error.
unsafe extern "C" fn on_this_thread(clock: clockid_t, time: *mut timespec) -> c_int {
    match SET.get() {
        Some(nanos) if clock == libc::CLOCK_MONOTONIC => {
            // SAFETY: as the caller promises.
            unsafe {
                *time = timespec {
                    tv_sec: nanos / NANOS,
                    tv_nsec: nanos % NANOS,
                }
            };
            0
        }
        // SAFETY: the arguments are those of the system call.
        _ => match unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) } {
            0 => 0,
            _ => -1,
        },
    }
}

// Not `#[no_mangle]`: that would export it from a shared library, and the C library's would be found
// first.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".globl clock_gettime",
    ".hidden clock_gettime",
    ".type clock_gettime,@function",
    "clock_gettime:",
    "jmp {}",
    sym on_this_thread
);
#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".globl clock_gettime",
    ".hidden clock_gettime",
    ".type clock_gettime,%function",
    "clock_gettime:",
    "b {}",
    sym on_this_thread
);

/// Time on this thread moves by [`set`](Virtual::set) only, until this is dropped.
pub struct Virtual {
    origin: Instant,
    nanos: i64,
}

impl Virtual {
    /// Begins at the present time.
    pub fn begin() -> Virtual {
        let mut now = timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `now` is a `timespec`. The reference also makes the linker take the symbol from here.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
        let nanos = now.tv_sec * NANOS + now.tv_nsec;
        SET.set(Some(nanos));
        Virtual {
            origin: Instant::now(),
            nanos,
        }
    }

    /// When it began.
    pub fn origin(&self) -> Instant {
        self.origin
    }

    /// What `Instant::now()` returns from here on.
    pub fn set(&self, now: Instant) {
        let since = now.saturating_duration_since(self.origin);
        SET.set(Some(self.nanos + nanos(since)));
    }
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).expect("a run takes less than 292 years")
}

impl Drop for Virtual {
    fn drop(&mut self) {
        SET.set(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_on_the_thread_is_what_was_set_and_elsewhere_the_systems() {
        let clock = Virtual::begin();
        let later = clock.origin() + Duration::from_secs(3600);
        clock.set(later);
        assert_eq!(Instant::now(), later);
        let elsewhere = std::thread::spawn(Instant::now).join().unwrap();
        assert!(elsewhere < later);
        drop(clock);
        assert!(Instant::now() < later);
    }
}
