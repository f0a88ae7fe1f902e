//! The server of a load: a thread for each connection, which answers one request and is done.

use crate::agent::{Agent, Connection, Ports};
use crate::http::{self, Asked};
use crate::info::Info;
use crate::{sys, transfer};
use flowstart_control::{Exit, Segments};
use flowstart_sim::Request;
use std::collections::HashMap;
use std::io::{self, Read};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Duration;

/// For how long the agent may take to answer the opening of a connection.
const PATIENCE: Duration = Duration::from_secs(2);

/// The server's report on an answer.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// Segments that were sent again.
    pub retransmitted: u64,
    /// How the startup ended, where one of the catalog drives the sender.
    pub exit: Option<Exit>,
    /// The largest window, in that case.
    pub max_cwnd: Option<Segments>,
}

/// Its report on the request of this number; an error where it could not answer.
pub(crate) type Told = (Option<u32>, io::Result<Sent>);

/// A server.
pub(crate) struct Server<'a> {
    agent: Option<&'a Agent>,
    /// What is requested soon, by number.
    orders: Mutex<HashMap<u32, Request>>,
    sockets: Sockets,
    told: Sender<Told>,
}

impl<'a> Server<'a> {
    /// One whose senders the agent drives, if there is one.
    pub(crate) fn new(agent: Option<&'a Agent>, told: Sender<Told>) -> Server<'a> {
        Server {
            agent,
            orders: Mutex::default(),
            sockets: Sockets::default(),
            told,
        }
    }

    /// This is requested soon.
    pub(crate) fn expect(&self, request: Request) {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders.insert(request.number, request);
    }

    /// Takes connections until the socket is shut.
    pub(crate) fn run<'scope>(&'scope self, listener: &OwnedFd, scope: &'scope Scope<'scope, '_>) {
        while let Ok(socket) = sys::accept(listener) {
            scope.spawn(move || {
                let mut number = None;
                let answer = || self.serve(&socket, &mut number);
                let result = self.sockets.during(&socket, answer);
                // Nobody may wait for it any more.
                let _ = self.told.send((number, result));
            });
        }
    }

    /// Ends what its threads wait for.
    pub(crate) fn shut(&self) {
        self.sockets.shut();
    }

    fn serve(&self, socket: &OwnedFd, number: &mut Option<u32>) -> io::Result<Sent> {
        let mut stream = TcpStream::from(socket.try_clone()?);
        let (head, _) = http::head(&mut stream)?;
        let asked = Asked::read(&head).ok_or_else(|| http::bad("no request that is known"))?;
        *number = Some(asked.number);
        let head = http::answer(asked.size);
        let ports = self.attend(socket, asked, head.len() as u64)?;
        transfer::fill(&mut stream, head.as_bytes(), asked.size)?;
        stream.shutdown(std::net::Shutdown::Write)?;
        // The client closes when it has all of it, and is gone at once.
        let _ = stream.read(&mut [0]);
        let info = Info::of(socket)?;
        let mut sent = Sent {
            retransmitted: info.total_retrans.into(),
            ..Sent::default()
        };
        if let (Some(agent), Some(ports)) = (self.agent, ports)
            && let Some(connection) = agent.release(ports)?
        {
            sent.exit = connection.exit().copied();
            sent.max_cwnd = Some(connection.max_cwnd());
        }
        Ok(sent)
    }

    /// Has the agent look after a socket, and waits until it may send.
    fn attend(&self, socket: &OwnedFd, asked: Asked, head: u64) -> io::Result<Option<Ports>> {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let order = orders.remove(&asked.number);
        drop(orders);
        let order = order.ok_or_else(|| http::bad("an unknown request"))?;
        let Some(agent) = self.agent else {
            return Ok(None);
        };
        let ports = (transfer::PORT, sys::peer_port(socket)?);
        let recipe = &order.recipe;
        let connection = Connection::new(
            recipe.build(),
            order.known,
            order.stack,
            recipe.avoidance_name(),
            head + asked.size,
        );
        let opened = agent.attend(ports, socket.try_clone()?, connection)?;
        let opened = opened.recv_timeout(PATIENCE);
        opened.map_err(|_| io::Error::other("the agent heard nothing of the connection"))?;
        Ok(Some(ports))
    }
}

/// Sockets at which threads wait.
#[derive(Default)]
pub(crate) struct Sockets(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    all_shut: bool,
    next: u64,
    sockets: HashMap<u64, OwnedFd>,
}

impl Sockets {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works with one more; an error where all are shut.
    pub(crate) fn during<T>(
        &self,
        socket: &OwnedFd,
        work: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        let mut waiting = self.lock();
        if waiting.all_shut {
            return Err(io::Error::other("the run is over"));
        }
        let key = waiting.next;
        waiting.next += 1;
        waiting.sockets.insert(key, socket.try_clone()?);
        drop(waiting);
        let done = work();
        self.lock().sockets.remove(&key);
        done
    }

    /// Ends what threads wait for, and at any that comes later.
    pub(crate) fn shut(&self) {
        let mut waiting = self.lock();
        waiting.all_shut = true;
        waiting.sockets.values().for_each(sys::shut);
    }
}
