//! What every run in real time has: two hosts, the path between them, a clock, and an end.

use crate::emulator::{Emulator, Passed};
use crate::namespace::Host;
use crate::{sys, transfer};
use flowstart_control::{Duration, Instant};
use flowstart_live::links::Wire;
use flowstart_transport::stack::Stack;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The addresses of client and server. Their networks have no other hosts.
const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 2);

/// An emulator that is later than this with a packet has stalled: acknowledgements so far apart end a
/// train for HyStart (`hystart_ack_delta_us`).
pub const STALL: Duration = Duration::from_millis(2);
/// How often something is run, at most, until the emulator has not stalled.
const TRIES: u32 = 3;

/// What a run came to, as far as the emulator's lateness decides whether it counts.
pub(crate) trait Timed {
    /// By how much a packet was late at most.
    fn most_late(&self) -> Duration;
    /// In so many runs the emulator was too late.
    fn set_stalls(&mut self, stalls: u32);
}

/// Runs something again where the emulator stalls; the run in which it was least late counts. `None`
/// where nothing was run.
pub(crate) fn until_clean<T: Timed>(
    stop: &AtomicBool,
    mut attempt: impl FnMut() -> T,
) -> Option<T> {
    let mut best: Option<T> = None;
    let mut stalls = 0;
    for _ in 0..TRIES {
        let outcome = attempt();
        let is_clean = outcome.most_late() <= STALL;
        stalls += u32::from(!is_clean);
        let least = best.as_ref().map_or(Duration::MAX, Timed::most_late);
        if best.is_none() || outcome.most_late() < least {
            best = Some(outcome);
        }
        if is_clean || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    if let Some(best) = &mut best {
        best.set_stalls(stalls);
    }
    best
}

/// Works on a thread that comes before what else the machine does, and so do threads that it makes.
pub(crate) fn soon<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    let done = thread::scope(|scope| {
        let done = scope.spawn(|| {
            sys::come_first(transfer::PRIORITY);
            work()
        });
        done.join()
    });
    done.unwrap_or_else(|_| Err(io::Error::other("a thread ended early")))
}

/// Two hosts, and the devices between which a path is to be.
pub(crate) struct Hosts {
    /// It opens connections.
    pub client: Host,
    /// It answers.
    pub server: Host,
    devices: [OwnedFd; 2],
}

impl Hosts {
    /// Hosts whose kernels do as these settings say.
    pub(crate) fn new(settings: &[(String, String)]) -> io::Result<Hosts> {
        let (client, client_device) = Host::new(CLIENT, settings)?;
        let (server, server_device) = Host::new(SERVER, settings)?;
        Ok(Hosts {
            client,
            server,
            devices: [client_device, server_device],
        })
    }

    /// Puts a path between them, which begins to work now. Times count from `origin`, nanoseconds of
    /// the monotonic clock; the run is over after `end` from now, or once `stop` is set.
    pub(crate) fn join(
        self,
        wire: Wire,
        origin: u64,
        end: Instant,
        stop: &AtomicBool,
    ) -> (Run<'_>, [Host; 2]) {
        let path = Emulator::start(wire, self.devices, origin);
        let begun = Instant::from_nanos(sys::monotonic() - origin);
        let run = Run {
            path,
            origin,
            begun,
            end,
            stop,
        };
        (run, [self.client, self.server])
    }
}

/// A run in progress.
pub(crate) struct Run<'a> {
    path: Emulator,
    origin: u64,
    begun: Instant,
    end: Instant,
    stop: &'a AtomicBool,
}

impl Run<'_> {
    /// Since the origin.
    pub(crate) fn now(&self) -> Instant {
        self.at(sys::monotonic())
    }

    /// Converts a time of the monotonic clock.
    pub(crate) fn at(&self, monotonic: u64) -> Instant {
        Instant::from_nanos(monotonic.saturating_sub(self.origin))
    }

    /// How long after the run's beginning a time is.
    pub(crate) fn since_begun(&self, at: Instant) -> Duration {
        at.since(self.begun)
    }

    /// A time as the run counts them, from its beginning.
    pub(crate) fn in_run(&self, at: Instant) -> Instant {
        Instant::ZERO + self.since_begun(at)
    }

    /// Whether its time has passed, it is to stop, or the path has failed.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.in_run(self.now()) > self.end
            || self.path.has_ended()
    }

    /// Takes the path away.
    pub(crate) fn stop(&mut self) -> io::Result<Passed> {
        self.path.stop()
    }
}

/// What the hosts' kernels are to do as the simulated stack does.
pub(crate) fn settings(stack: &Stack) -> Vec<(String, String)> {
    let buffer = stack.receive_window.buffer.as_ref();
    let [initial, largest] = buffer.map_or([32 << 20, 128 << 20], |buffer| {
        [buffer.initial, buffer.largest]
    });
    // By default neither limits; what may be held is what the simulated sender may hold.
    let wmem = match stack.window.send_buffer {
        Some(size) => format!("4096 16384 {size}"),
        None => "4096 134217728 268435456".to_string(),
    };
    let ecn = u8::from(stack.ecn != flowstart_transport::stack::EcnMode::Off);
    let settings = [
        ("ipv6/conf/all/disable_ipv6", "1".to_string()),
        ("ipv4/tcp_rmem", format!("4096 {initial} {largest}")),
        ("ipv4/tcp_wmem", wmem),
        ("ipv4/tcp_timestamps", "1".to_string()),
        ("ipv4/tcp_sack", u8::from(stack.recovery.sack).to_string()),
        ("ipv4/tcp_dsack", u8::from(stack.receiver.dsack).to_string()),
        ("ipv4/tcp_no_metrics_save", "1".to_string()),
        ("ipv4/tcp_ecn", ecn.to_string()),
        ("ipv4/tcp_recovery", "1".to_string()),
        ("ipv4/tcp_early_retrans", "3".to_string()),
    ];
    settings
        .map(|(name, value)| (name.to_string(), value))
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Late(u64, u32);

    impl Timed for Late {
        fn most_late(&self) -> Duration {
            Duration::from_millis(self.0)
        }

        fn set_stalls(&mut self, stalls: u32) {
            self.1 = stalls;
        }
    }

    fn repeated(late: &[u64]) -> (usize, Late) {
        let mut runs = 0;
        let kept = until_clean(&AtomicBool::new(false), || {
            runs += 1;
            Late(late[runs - 1], 0)
        });
        (runs, kept.unwrap())
    }

    #[test]
    fn a_run_is_repeated_until_the_emulator_has_not_stalled() {
        let (runs, kept) = repeated(&[5, 1, 0]);
        assert_eq!((runs, kept.0, kept.1), (2, 1, 1));
    }

    #[test]
    fn where_all_stall_the_least_late_is_kept() {
        let (runs, kept) = repeated(&[5, 3, 4]);
        assert_eq!((runs, kept.0, kept.1), (3, 3, 3));
    }
}
