//! A scenario's only flow in the kernel: two hosts, the path between them, one transfer.

use crate::driving::{Driver, Driving, Found};
use crate::emulator::Passed;
use crate::info::{self, Counters, Info};
use crate::run::{self, Hosts, Run, Timed};
use crate::sys;
use crate::transfer::{self, Ended, Ends, Setup};
use flowstart_control::{Duration, Instant};
use flowstart_live::links::{BusyTimes, Lateness, Outcome, Wire};
use flowstart_sim::{ExternalSender, Prepared, RequestError};
use flowstart_transport::stack::Pacing;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;

pub use crate::run::STALL;

/// Between two looks at a connection.
const LOOK_EVERY: std::time::Duration = std::time::Duration::from_millis(1);
/// For how long the receiver may take to say that it is done.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

/// Runs a scenario's only flow, again where the emulator stalls; the run in which it was least late
/// counts. Once `stop` is set the run ends early, as a failure.
pub fn run(
    prepared: &Prepared,
    driver: &Driver,
    stop: &AtomicBool,
) -> Result<Outcome, RequestError> {
    prepared.external_sender()?;
    let outcome = run::until_clean(stop, || {
        let found = run::soon(|| {
            let flow = prepared.external_sender().map_err(io::Error::other)?;
            attempt(flow, driver, stop)
        });
        found.unwrap_or_else(|e| {
            let mut failed = Outcome::of(None, None, 0, Some(e.to_string()));
            failed.lateness = Some(Lateness::default());
            failed
        })
    });
    outcome.ok_or_else(|| RequestError::new("stack", "`linux`: nothing was run"))
}

impl Timed for Outcome {
    fn most_late(&self) -> Duration {
        self.lateness.map_or(Duration::MAX, |late| late.most)
    }

    fn set_stalls(&mut self, stalls: u32) {
        self.stalls = stalls;
    }
}

fn attempt(mut flow: ExternalSender, driver: &Driver, stop: &AtomicBool) -> io::Result<Outcome> {
    let hosts = Hosts::new(&run::settings(&flow.stack))?;
    let origin = sys::monotonic();
    let mut driving = Driving::start(driver, &flow, origin)?;
    let setup = Setup {
        control: driving.control().to_string(),
        paced: flow.stack.pacing.rule == Pacing::Internal && matches!(driver, Driver::Kernel(_)),
    };
    let ends = match flow.by_receiver {
        true => Ends::new([&hosts.server, &hosts.client], &setup, true)?,
        false => Ends::new([&hosts.client, &hosts.server], &setup, false)?,
    };
    if !flow.by_receiver {
        driving.attend(ends.sender.try_clone()?, transfer::PORT)?;
    }
    let (run, [client, server]) = hosts.join(Wire::of(&mut flow), origin, flow.end, stop);
    let mut run = Transfer(run);
    let result = run.transfer(&flow, &ends, server.address(), &mut driving);
    ends.shut();
    let passed = run.0.stop()?;
    let counters = Counters::of(if flow.by_receiver { &server } else { &client })?;
    let found = driving.conclude(&counters)?;
    let mut outcome = run.outcome(result?, passed, found);
    outcome.timeouts = Some(counters.get("TCPTimeouts"));
    Ok(outcome)
}

/// A connection as its sender has it, and what its receiver reads.
type Opened = (OwnedFd, Receiver<Ended<u64>>);

/// What a transfer came to.
struct Transferred {
    opened: Option<Duration>,
    fct: Option<Duration>,
    info: Info,
    busy_times: Option<BusyTimes>,
    failure: Option<String>,
}

/// A run of one transfer.
struct Transfer<'a>(Run<'a>);

impl Transfer<'_> {
    fn transfer(
        &self,
        flow: &ExternalSender,
        ends: &Ends,
        server: Ipv4Addr,
        driving: &mut Driving,
    ) -> io::Result<Transferred> {
        let Some((socket, read)) = self.open(ends, server)? else {
            return Ok(Transferred {
                opened: None,
                fct: None,
                info: Info::default(),
                busy_times: None,
                failure: Some("the connection did not open".to_string()),
            });
        };
        let opened = self.0.since_begun(self.0.now());
        if flow.by_receiver {
            driving.attend(socket.try_clone()?, sys::peer_port(&socket)?)?;
        }
        driving.wait_until_open()?;
        let written = transfer::write(socket.try_clone()?, flow.size);
        let info = self.watch(driving, &socket, &written)?;
        let busy_times = info::busy_times(&socket)?;
        if self.0.is_over() {
            ends.shut();
        }
        let read = read.recv_timeout(PATIENCE);
        sys::shut(&socket);
        let (fct, failure) = match read {
            Ok((last, Ok(bytes))) if bytes >= flow.size => {
                (Some(self.0.since_begun(self.0.at(last))), None)
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
            busy_times,
            failure,
        })
    }

    /// Opens the connection, or gives up when the run is over.
    fn open(&self, ends: &Ends, server: Ipv4Addr) -> io::Result<Option<Opened>> {
        thread::scope(|scope| {
            let opening = scope.spawn(|| ends.open(server));
            let shorter = LOOK_EVERY / 10;
            while !opening.is_finished() {
                if self.0.is_over() {
                    ends.shut();
                }
                thread::sleep(shorter);
            }
            match opening.join() {
                Ok(Ok(opened)) => Ok(Some(opened)),
                Ok(Err(_)) if self.0.is_over() => Ok(None),
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
            let info = driving.look(socket, self.0.now())?;
            if all_written && info.is_drained() || self.0.is_over() {
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
        let since = |at: Instant| self.0.in_run(at);
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
        outcome.busy_times = of.busy_times;
        outcome
    }
}
