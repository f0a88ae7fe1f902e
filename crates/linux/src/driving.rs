//! What sets the window of a sender: the kernel, which is watched, or a startup, through the agent.

use crate::agent::{Agent, Connection, Ports};
use crate::info::{Counters, Info};
use crate::sys;
use crate::watch::Watch;
use flowstart_control::{Exit, Instant, Segments};
use flowstart_live::Sample;
use flowstart_live::links::Lateness;
use flowstart_sim::ExternalSender;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// For how long the agent may take to answer the opening of a connection.
const PATIENCE: Duration = Duration::from_secs(2);

/// What sets a sender's window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driver {
    /// A congestion control of the kernel's own: `cubic`, `reno` or `bbr`.
    Kernel(String),
    /// The flow's startup and congestion control, through the agent.
    Startup,
}

/// What is found out of a sender.
pub(crate) struct Found {
    /// How its startup ended.
    pub exit: Option<Exit>,
    /// The largest window.
    pub max_cwnd: Segments,
    /// What the window did.
    pub trace: Vec<Sample>,
    /// How long after events the agent answered them.
    pub answered: Option<Lateness>,
}

/// A driver at work.
pub(crate) enum Driving {
    /// The kernel sets the window.
    Watched {
        /// Its congestion control.
        control: String,
        /// What is seen of it.
        watch: Watch,
    },
    /// The agent does.
    Driven {
        /// The agent.
        agent: Agent,
        /// What it is to look after, until it does.
        connection: Option<Box<Connection>>,
        /// The socket's ports, and the word that it may send.
        attended: Option<(Ports, Receiver<()>)>,
    },
}

impl Driving {
    /// That of a flow. Times count from `origin`, nanoseconds of the monotonic clock.
    pub(crate) fn start(
        driver: &Driver,
        flow: &ExternalSender,
        origin: u64,
    ) -> io::Result<Driving> {
        Ok(match driver {
            Driver::Kernel(control) => Driving::Watched {
                control: control.clone(),
                watch: Watch::new(control),
            },
            Driver::Startup => Driving::Driven {
                agent: Agent::start(origin)?,
                connection: Some(Box::new(Connection::new(
                    flow.recipe.build(),
                    flow.known,
                    flow.stack.clone(),
                    flow.recipe.avoidance_name(),
                    flow.size,
                ))),
                attended: None,
            },
        })
    }

    /// The congestion control that the sender's socket is to have.
    pub(crate) fn control(&self) -> &str {
        match self {
            Driving::Watched { control, .. } => control,
            Driving::Driven { agent, .. } => agent.name(),
        }
    }

    /// This is the sender's socket, whose peer has or will have this port.
    pub(crate) fn attend(&mut self, socket: OwnedFd, peer: u16) -> io::Result<()> {
        if let Driving::Driven {
            agent,
            connection,
            attended,
        } = self
            && let Some(connection) = connection.take()
        {
            let ports = (sys::port(&socket)?, peer);
            *attended = Some((ports, agent.attend(ports, socket, *connection)?));
        }
        Ok(())
    }

    /// Waits until it is known how the connection begins.
    pub(crate) fn wait_until_open(&self) -> io::Result<()> {
        let Driving::Driven {
            attended: Some((_, opened)),
            ..
        } = self
        else {
            return Ok(());
        };
        let opened = opened.recv_timeout(PATIENCE);
        opened.map_err(|_| io::Error::other("the agent heard nothing of the connection"))
    }

    /// Looks at the sender's socket.
    pub(crate) fn look(&mut self, socket: &OwnedFd, now: Instant) -> io::Result<Info> {
        match self {
            Driving::Watched { watch, .. } => watch.look(socket, now),
            Driving::Driven { .. } => Info::of(socket),
        }
    }

    /// The transfer is over; `counters` are those of the sender's host.
    pub(crate) fn conclude(self, counters: &Counters) -> io::Result<Found> {
        match self {
            Driving::Watched { mut watch, .. } => {
                watch.conclude(counters);
                Ok(Found {
                    exit: watch.exit_found(),
                    max_cwnd: watch.max_cwnd(),
                    trace: watch.trace(),
                    answered: None,
                })
            }
            Driving::Driven {
                agent, attended, ..
            } => {
                let ports = attended.map_or((0, 0), |(ports, _)| ports);
                let connection = agent.release(ports)?;
                let answered = Some(agent.stop());
                let lost = || io::Error::other("the agent has lost the connection");
                let connection = connection.ok_or_else(lost)?;
                Ok(Found {
                    exit: connection.exit().copied(),
                    max_cwnd: connection.max_cwnd(),
                    trace: connection.trace().to_vec(),
                    answered,
                })
            }
        }
    }
}
