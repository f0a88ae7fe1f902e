//! What a live run comes to.

use crate::Shared;
use crate::lateness::Lateness;
use crate::wire::Passage;
use flowstart_control::{Duration, Exit, Segments};

/// What times are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Those of the events of the run: nothing waits.
    Virtual,
    /// This machine's: datagrams pass through its sockets, and a relay keeps them for as long as the
    /// path does.
    Real,
}

/// For how long Linux's sender was busy, and what limited it then (`tcp_chrono`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusyTimes {
    /// Data was not acknowledged, or not sent: `tcpi_busy_time`.
    pub busy: Duration,
    /// The receive window was full, and cwnd was not: `tcpi_rwnd_limited`.
    pub rwnd_limited: Duration,
    /// The send buffer was full, and cwnd was not: `tcpi_sndbuf_limited`.
    pub sndbuf_limited: Duration,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// From the first packet to the last byte at its receiver; `None` where that was not reached.
    pub fct: Option<Duration>,
    /// From the first packet until the sender could send data; `None` where it never could.
    pub opened: Option<Duration>,
    /// How the startup ended; `None` where it lasted.
    pub exit: Option<Exit>,
    /// The largest window.
    pub max_cwnd: Segments,
    /// Datagrams that carried data.
    pub packets_sent: u64,
    /// Packets that the path lost or refused on the way of the data.
    pub packets_dropped: u64,
    /// Packets that the sender found lost.
    pub packets_lost: u64,
    /// How often its retransmission timer expired; `None` where the stack does not count it.
    pub timeouts: Option<u64>,
    /// What limited the sender, where the kernel counts it.
    pub busy_times: Option<BusyTimes>,
    /// What the window did.
    pub trace: Vec<crate::Sample>,
    /// How late the relay was, in real time.
    pub lateness: Option<Lateness>,
    /// How long after events they were answered, where that takes time.
    pub answered: Option<Lateness>,
    /// Runs in which the relay was too late for this to be one of them.
    pub stalls: u32,
    /// The datagrams that the sender of the data sent and received, in order of time.
    pub datagrams: Vec<Passage>,
    /// Bytes of data in a full datagram; 0 where the sender never could send data.
    pub mss: u32,
    /// Why the connection was given up, if it was.
    pub failure: Option<String>,
}

impl Outcome {
    /// What a run of this connection's adapter came to.
    pub fn of(
        adapter: Option<&Shared>,
        fct: Option<Duration>,
        packets_dropped: u64,
        failure: Option<String>,
    ) -> Outcome {
        let mut outcome = Outcome {
            fct,
            opened: None,
            exit: None,
            max_cwnd: 0.0,
            packets_sent: 0,
            packets_dropped,
            packets_lost: 0,
            timeouts: None,
            busy_times: None,
            trace: Vec::new(),
            lateness: None,
            answered: None,
            stalls: 0,
            datagrams: Vec::new(),
            mss: 0,
            failure,
        };
        if let Some(adapter) = adapter {
            let mut adapter = adapter.lock();
            let counters = adapter.counters();
            outcome.exit = adapter.exit().copied();
            outcome.max_cwnd = counters.max_cwnd;
            outcome.packets_sent = counters.sent;
            outcome.packets_lost = counters.lost;
            outcome.trace = adapter.trace().to_vec();
            outcome.mss = adapter.window().mss;
        }
        outcome
    }
}
