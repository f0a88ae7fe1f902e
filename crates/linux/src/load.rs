//! A scenario's transfers in the kernel, several at a time over one path: a real HTTP server, and
//! clients with requests at the scenario's times.

use crate::agent::Agent;
use crate::driving::Driver;
use crate::http::{self, Asked};
use crate::namespace::Host;
use crate::run::{self, Hosts, Run, Timed};
use crate::server::{Sent, Server, Sockets, Told};
use crate::sys;
use crate::transfer::{self, Setup};
use flowstart_control::{Duration, Instant};
use flowstart_live::links::{Lateness, Side, Wire};
use flowstart_sim::record::object::ObjectTable;
use flowstart_sim::{Prepared, Request, RequestError, Requests};
use flowstart_transport::stack::{EcnMode, Pacing, Stack};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// How long the loop waits where nothing is to be requested.
const LOOK_EVERY: std::time::Duration = std::time::Duration::from_millis(10);
/// Time limit of the server's report when all is answered.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);
/// Bytes that are read at once.
const PIECE: usize = 1 << 18;

/// What became of a request. Times count from the run's beginning.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Flows of the scenario come first, by their places; behind them objects of sessions.
    pub number: u32,
    /// Bytes that were requested.
    pub size: u64,
    /// When its client began to open the connection.
    pub asked: Instant,
    /// When the client had all of it.
    pub completed: Option<Instant>,
    /// The server's report.
    pub sent: Sent,
    /// Why it was given up, if it was.
    pub failure: Option<String>,
}

/// What came of a load.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// In the order in which they were requested.
    pub requests: Vec<Answered>,
    /// The objects of sessions, in the order of their numbers.
    pub objects: Option<ObjectTable>,
    /// Packets with data that the path lost or refused.
    pub packets_dropped: u64,
    /// How late the emulator was.
    pub lateness: Lateness,
    /// How long after events the agent answered them.
    pub answered: Option<Lateness>,
    /// Runs in which the emulator was too late for this to be one of them.
    pub stalls: u32,
    /// Why there is nothing, or not all, if so.
    pub failure: Option<String>,
}

impl Timed for Outcome {
    fn most_late(&self) -> Duration {
        self.lateness.most
    }

    fn set_stalls(&mut self, stalls: u32) {
        self.stalls = stalls;
    }
}

/// Runs the transfers of a scenario that clients ask for, again where the emulator stalls; the run
/// in which it was least late counts. Once `stop` is set the run ends early, as a failure.
pub fn run(
    prepared: &Prepared,
    driver: &Driver,
    stop: &AtomicBool,
) -> Result<Outcome, RequestError> {
    check(&prepared.load()?.stacks)?;
    let outcome = run::until_clean(stop, || {
        run::soon(|| attempt(prepared, driver, stop)).unwrap_or_else(failed)
    });
    outcome.ok_or_else(|| RequestError::new("stack", "`linux`: nothing was run"))
}

fn failed(problem: io::Error) -> Outcome {
    Outcome {
        requests: Vec::new(),
        objects: None,
        packets_dropped: 0,
        lateness: Lateness::default(),
        answered: None,
        stalls: 0,
        failure: Some(problem.to_string()),
    }
}

/// Both hosts have one kernel each: the settings that it takes from the stack are equal for all
/// flows.
fn check(stacks: &[Arc<Stack>]) -> Result<(), RequestError> {
    let told = |stack: &Stack| (run::settings(stack), stack.pacing.rule == Pacing::Internal);
    let differ = stacks.windows(2).any(|two| told(&two[0]) != told(&two[1]));
    match differ {
        true => Err(RequestError::new(
            "stack",
            "flows with separate stacks: the hosts of a load have one kernel each",
        )),
        false => Ok(()),
    }
}

fn attempt(prepared: &Prepared, driver: &Driver, stop: &AtomicBool) -> io::Result<Outcome> {
    let load = prepared.load().map_err(io::Error::other)?;
    let stack = load.stacks.first().cloned();
    let stack = stack.ok_or_else(|| io::Error::other("there is no flow"))?;
    let hosts = Hosts::new(&run::settings(&stack))?;
    let origin = sys::monotonic();
    let agent = match driver {
        Driver::Kernel(_) => None,
        Driver::Startup => Some(Agent::start(origin)?),
    };
    let setup = Setup {
        control: match (driver, &agent) {
            (Driver::Kernel(control), _) => control.clone(),
            (Driver::Startup, agent) => agent.as_ref().map_or("", Agent::name).to_string(),
        },
        paced: stack.pacing.rule == Pacing::Internal && agent.is_none(),
    };
    let listener = transfer::listener(&hosts.server, &setup)?;
    let ecn = stack.ecn != EcnMode::Off;
    let wire = Wire::new(load.links, load.route, ecn, Side::Server);
    let (run, [client, server]) = hosts.join(wire, origin, load.end, stop);
    let mut site = Site {
        run,
        client,
        address: server.address(),
    };
    let mut requests = load.requests;
    let mut outcome = site.go(&mut requests, agent.as_ref(), &listener);
    outcome.objects = Some(requests.into_objects());
    outcome.answered = agent.map(Agent::stop);
    let passed = site.run.stop()?;
    outcome.packets_dropped = passed.dropped;
    outcome.lateness = passed.lateness;
    Ok(outcome)
}

/// Where clients ask.
struct Site<'a> {
    run: Run<'a>,
    client: Host,
    address: Ipv4Addr,
}

/// A request that has ended in one way or another, and when its client began and had all of it.
type Ended = (u32, u64, io::Result<u64>);

impl Site<'_> {
    fn go(
        &mut self,
        requests: &mut Requests<'_>,
        agent: Option<&Agent>,
        listener: &OwnedFd,
    ) -> Outcome {
        let (told, tellings) = mpsc::channel();
        let server = Server::new(agent, told);
        let sockets = Sockets::default();
        thread::scope(|scope| {
            let taking = scope.spawn(|| server.run(listener, scope));
            let (ended, endings) = mpsc::channel();
            let mut found: Vec<Answered> = Vec::new();
            let mut place = HashMap::new();
            while !requests.is_over() && !self.run.is_over() && !taking.is_finished() {
                while let Some(request) = requests.take(self.in_run(sys::monotonic())) {
                    place.insert(request.number, found.len());
                    found.push(answered(&request));
                    server.expect(request.clone());
                    let ended = ended.clone();
                    let (site, sockets) = (&*self, &sockets);
                    scope.spawn(move || site.ask(&request, sockets, &ended));
                }
                let ending = endings.recv_timeout(self.wait(requests)).ok();
                for (number, asked, had) in ending.into_iter().chain(endings.try_iter()) {
                    requests.on_answered(number, had.is_ok(), self.in_run(sys::monotonic()));
                    self.note(&mut found[place[&number]], asked, had);
                }
            }
            let failure = (!requests.is_over()).then(|| "the run was over before".to_string());
            self.gather(&tellings, &mut found, &place);
            sys::shut(listener);
            server.shut();
            sockets.shut();
            Outcome {
                requests: found,
                failure,
                ..failed(io::Error::other(""))
            }
        })
    }

    fn in_run(&self, monotonic: u64) -> Instant {
        self.run.in_run(self.run.at(monotonic))
    }

    fn wait(&self, requests: &Requests<'_>) -> std::time::Duration {
        let now = self.in_run(sys::monotonic());
        let next = requests.next_at().map_or(LOOK_EVERY, |at| {
            std::time::Duration::from_nanos(at.since(now).nanos())
        });
        next.min(LOOK_EVERY)
    }

    fn note(&self, answered: &mut Answered, asked: u64, had: io::Result<u64>) {
        answered.asked = self.in_run(asked);
        match had {
            Ok(at) => answered.completed = Some(self.in_run(at)),
            Err(e) => answered.failure = Some(e.to_string()),
        }
    }

    /// Sends a request and reads the response to its end.
    fn ask(&self, request: &Request, sockets: &Sockets, ended: &Sender<Ended>) {
        let mut asked = sys::monotonic();
        let socket = self.client.enter().and_then(|()| transfer::opener());
        let had = socket.and_then(|socket| {
            asked = sys::monotonic();
            let had = sockets.during(&socket, || self.fetch(&socket, request));
            sys::shut(&socket);
            had
        });
        // Nobody may wait for it any more.
        let _ = ended.send((request.number, asked, had));
    }

    /// When the last byte was read.
    fn fetch(&self, socket: &OwnedFd, request: &Request) -> io::Result<u64> {
        sys::connect(socket, self.address, transfer::PORT)?;
        let mut stream = TcpStream::from(socket.try_clone()?);
        let asked = Asked {
            size: request.size,
            number: request.number,
        };
        stream.write_all(asked.write(request.request).as_bytes())?;
        let (head, rest) = http::head(&mut stream)?;
        let length = http::length(&head).filter(|length| *length == request.size);
        let length = length.ok_or_else(|| http::bad("the answer is another one"))?;
        let mut left = length.saturating_sub(rest.len() as u64);
        let mut last = sys::monotonic();
        let mut piece = vec![0; PIECE];
        while left > 0 {
            match stream.read(&mut piece)? {
                0 => {
                    return Err(http::bad(&format!(
                        "{left} of {length} bytes did not arrive"
                    )));
                }
                bytes => left = left.saturating_sub(bytes as u64),
            }
            last = sys::monotonic();
        }
        Ok(last)
    }

    /// Waits for the server's report on the requests.
    fn gather(
        &self,
        tellings: &Receiver<Told>,
        found: &mut [Answered],
        place: &HashMap<u32, usize>,
    ) {
        for _ in 0..found.len() {
            let Ok((number, sent)) = tellings.recv_timeout(PATIENCE) else {
                return;
            };
            let known = number.and_then(|number| place.get(&number));
            let Some(answered) = known.and_then(|at| found.get_mut(*at)) else {
                continue;
            };
            match sent {
                Ok(mut sent) => {
                    if let Some(exit) = &mut sent.exit {
                        exit.at = self.run.in_run(exit.at);
                    }
                    answered.sent = sent;
                }
                Err(e) if answered.failure.is_none() && answered.completed.is_none() => {
                    answered.failure = Some(e.to_string());
                }
                Err(_) => {}
            }
        }
    }
}

fn answered(request: &Request) -> Answered {
    Answered {
        number: request.number,
        size: request.size,
        asked: Instant::ZERO,
        completed: None,
        sent: Sent::default(),
        failure: None,
    }
}
