//! A scenario's only flow in the kernel: two hosts, the path between them, one transfer.

use crate::driving::{Driver, Driving, Found};
use crate::emulator::{Emulator, Passed};
use crate::info::{Counters, Info};
use crate::namespace::Host;
use crate::sys;
use crate::transfer::{self, Ended, Ends, Setup};
use flowstart_control::Time;
use flowstart_live::links::{Lateness, Outcome, Wire};
use flowstart_sim::{LoneFlow, Prepared, RequestError};
use flowstart_transport::stack::{Pacing, Stack};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Between two looks at a connection.
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// For how long the agent may take to answer the opening of a connection.
const PATIENCE: Duration = Duration::from_secs(2);
/// The addresses of client and server. Nobody else is in their networks.
const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 2);

/// An emulator that is later than this with a packet has stalled: acknowledgements so far apart end a
/// train for HyStart (`hystart_ack_delta_us`).
pub const STALL: Time = Time::from_millis(2);
/// How often a transfer is run, at most, until the emulator has not stalled.
const TRIES: u32 = 3;

/// Runs a scenario's only flow, again where the emulator stalls; the run in which it was least late
/// counts. Once `stop` is set the run ends early, as a failure.
pub fn run(
    prepared: &Prepared,
    driver: &Driver,
    stop: &AtomicBool,
) -> Result<Outcome, RequestError> {
    let mut best: Option<Outcome> = None;
    for tried in 0..TRIES {
        let flow = prepared.lone_flow()?;
        let mut outcome = soon(|| attempt(flow, driver, stop)).unwrap_or_else(|e| {
            let mut failed = Outcome::of(None, None, 0, Some(e.to_string()));
            failed.lateness = Some(Lateness::default());
            failed
        });
        let late = |outcome: &Outcome| outcome.lateness.map_or(Time::MAX, |late| late.most);
        let is_clean = late(&outcome) <= STALL;
        outcome.stalls = tried + u32::from(!is_clean);
        let stalls = outcome.stalls;
        if best.as_ref().is_none_or(|best| late(&outcome) < late(best)) {
            best = Some(outcome);
        }
        if let Some(best) = &mut best {
            best.stalls = stalls;
        }
        if is_clean || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    best.ok_or_else(|| RequestError::new("stack", "`linux`: nothing was run"))
}

/// Works on a thread that comes before what else the machine does, and so do threads that it makes.
fn soon<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    let done = thread::scope(|scope| {
        let done = scope.spawn(|| {
            sys::come_first(transfer::PRIORITY);
            work()
        });
        done.join()
    });
    done.unwrap_or_else(|_| Err(io::Error::other("a thread ended early")))
}

fn attempt(mut flow: LoneFlow, driver: &Driver, stop: &AtomicBool) -> io::Result<Outcome> {
    let settings = settings(&flow.stack);
    let (client, client_device) = Host::new(CLIENT, &settings)?;
    let (server, server_device) = Host::new(SERVER, &settings)?;
    let origin = sys::monotonic();
    let mut driving = Driving::start(driver, &flow, origin)?;
    let setup = Setup {
        control: driving.control().to_string(),
        paced: flow.stack.pacing == Pacing::Internal && matches!(driver, Driver::Kernel(_)),
    };
    let hosts = match flow.by_receiver {
        true => [&server, &client],
        false => [&client, &server],
    };
    let ends = Ends::new(hosts, &setup, flow.by_receiver)?;
    if !flow.by_receiver {
        driving.attend(ends.sender.try_clone()?)?;
    }
    let path = Emulator::start(Wire::of(&mut flow), [client_device, server_device], origin);
    let mut run = Run {
        origin,
        begun: Time::from_nanos(sys::monotonic() - origin),
        end: flow.end,
        stop,
        path,
    };
    run.begun = run.now();
    let result = run.transfer(&flow, &ends, server.address(), &mut driving);
    ends.shut();
    let passed = run.path.stop()?;
    let counters = Counters::of(hosts[0])?;
    let found = driving.conclude(&counters)?;
    Ok(run.outcome(result?, passed, found))
}

/// What the hosts' kernels are to do as the simulated stack does.
fn settings(stack: &Stack) -> Vec<(String, String)> {
    let buffer = stack.buffer.as_ref();
    let [initial, largest] = buffer.map_or([32 << 20, 128 << 20], |buffer| {
        [buffer.initial, buffer.largest]
    });
    // By default neither limits; what may be held is what the simulated sender may hold.
    let wmem = match stack.send_buffer {
        Some(size) => format!("4096 16384 {size}"),
        None => "4096 134217728 268435456".to_string(),
    };
    let ecn = u8::from(stack.ecn != flowstart_transport::stack::EcnMode::Off);
    let settings = [
        ("ipv6/conf/all/disable_ipv6", "1".to_string()),
        ("ipv4/tcp_rmem", format!("4096 {initial} {largest}")),
        ("ipv4/tcp_wmem", wmem),
        ("ipv4/tcp_timestamps", "1".to_string()),
        ("ipv4/tcp_sack", u8::from(stack.sack).to_string()),
        ("ipv4/tcp_dsack", u8::from(stack.dsack).to_string()),
        ("ipv4/tcp_no_metrics_save", "1".to_string()),
        ("ipv4/tcp_ecn", ecn.to_string()),
        ("ipv4/tcp_recovery", "1".to_string()),
        ("ipv4/tcp_early_retrans", "3".to_string()),
    ];
    settings
        .map(|(name, value)| (name.to_string(), value))
        .to_vec()
}

/// A connection as its sender has it, and what its receiver reads.
type Opened = (OwnedFd, Receiver<Ended<u64>>);

/// What a transfer came to.
struct Transferred {
    opened: Option<Time>,
    fct: Option<Time>,
    info: Info,
    failure: Option<String>,
}

struct Run<'a> {
    path: Emulator,
    origin: u64,
    /// When the connection began to open.
    begun: Time,
    end: Time,
    stop: &'a AtomicBool,
}

impl Run<'_> {
    fn now(&self) -> Time {
        self.at(sys::monotonic())
    }

    fn at(&self, monotonic: u64) -> Time {
        Time::from_nanos(monotonic.saturating_sub(self.origin))
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.now().since(self.begun) > self.end
            || self.path.has_ended()
    }

    fn transfer(
        &self,
        flow: &LoneFlow,
        ends: &Ends,
        server: Ipv4Addr,
        driving: &mut Driving,
    ) -> io::Result<Transferred> {
        let Some((socket, read)) = self.open(ends, server)? else {
            return Ok(Transferred {
                opened: None,
                fct: None,
                info: Info::default(),
                failure: Some("the connection did not open".to_string()),
            });
        };
        let opened = self.now().since(self.begun);
        if flow.by_receiver {
            driving.attend(socket.try_clone()?)?;
        }
        driving.wait_until_open()?;
        let written = transfer::write(socket.try_clone()?, flow.size);
        let info = self.watch(driving, &socket, &written)?;
        if self.is_over() {
            ends.shut();
        }
        let read = read.recv_timeout(PATIENCE);
        sys::shut(&socket);
        let (fct, failure) = match read {
            Ok((last, Ok(bytes))) if bytes >= flow.size => {
                (Some(self.at(last).since(self.begun)), None)
            }
            Ok((_, Ok(bytes))) => (
                None,
                Some(format!("{bytes} of {} bytes arrived", flow.size)),
            ),
            Ok((_, Err(e))) => (None, Some(e.to_string())),
            Err(_) => (None, Some("the receiver did not end".to_string())),
        };
        Ok(Transferred {
            opened: Some(opened),
            fct,
            info,
            failure,
        })
    }

    /// Opens the connection, or gives up when the run is over.
    fn open(&self, ends: &Ends, server: Ipv4Addr) -> io::Result<Option<Opened>> {
        thread::scope(|scope| {
            let opening = scope.spawn(|| ends.open(server));
            let shorter = LOOK_EVERY / 10;
            while !opening.is_finished() {
                if self.is_over() {
                    ends.shut();
                }
                thread::sleep(shorter);
            }
            match opening.join() {
                Ok(Ok(opened)) => Ok(Some(opened)),
                Ok(Err(_)) if self.is_over() => Ok(None),
                Ok(Err(e)) => Err(e),
                Err(_) => Err(io::Error::other("a thread ended early")),
            }
        })
    }

    /// Looks at the sender until all is acknowledged and read, or the run is over.
    fn watch(
        &self,
        driving: &mut Driving,
        socket: &OwnedFd,
        written: &Receiver<Ended<()>>,
    ) -> io::Result<Info> {
        let mut all_written = false;
        loop {
            let info = driving.look(socket, self.now())?;
            if all_written && info.is_drained() || self.is_over() {
                return Ok(info);
            }
            match written.recv_timeout(LOOK_EVERY) {
                Ok((_, Ok(()))) => all_written = true,
                Ok((_, Err(e))) => return Err(e),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK_EVERY),
            }
        }
    }

    fn outcome(&self, of: Transferred, passed: Passed, found: Found) -> Outcome {
        let since = |at: Time| at.since(self.begun);
        let mut outcome = Outcome::of(None, of.fct, passed.dropped, of.failure);
        outcome.opened = of.opened;
        outcome.exit = found.exit.map(|exit| flowstart_control::Exit {
            at: since(exit.at),
            ..exit
        });
        outcome.max_cwnd = found.max_cwnd;
        outcome.packets_sent = of.info.data_segs_out.into();
        outcome.packets_lost = of.info.total_retrans.into();
        outcome.trace = found.trace;
        outcome
            .trace
            .iter_mut()
            .for_each(|sample| sample.at = since(sample.at));
        outcome.lateness = Some(passed.lateness);
        outcome.answered = found.answered;
        outcome.datagrams = passed.passages;
        outcome
            .datagrams
            .iter_mut()
            .for_each(|passed| passed.at = since(passed.at));
        outcome.mss = of.info.mss;
        outcome
    }
}
