//! The sending endpoint: opens the connection, sends what window, pacer and recovery
//! allow, and repairs loss.
//!
//! Its host drives it: every entry point takes the time, and what it is to
//! send is fetched with [`Sender::poll_transmit`] until nothing is left.
//! One file for each job.

mod acknowledge;
mod application;
mod facts;
mod kernel_buffer;
mod limit;
mod opening;
mod opening_state;
mod pacing;
mod probe;
mod send_buffer;
mod serving;
mod timers;
mod transmit;

use crate::connection::Connection;
use crate::handshake::Report;
use crate::pacing::pacer::Pacer;
use crate::pacing::token_bucket::TokenBucket;
use crate::prefetch::prefetch;
use crate::recovery::Recovery;
use crate::rtt::RttRule;
use crate::segment::SegmentRange;
use crate::stack::Stack;
use flowstart_control::{Controller, Instant, Rate};
use kernel_buffer::KernelBuffer;
use opening_state::OpeningState;
use send_buffer::{PayloadBuffer, SendBuffer};
use std::sync::Arc;

pub use limit::Limit;
pub use opening_state::Preparation;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    SynSent {
        at: Instant,
        tries: u32,
        waiting: bool,
    },
    /// Data leaves although the SYN is not answered.
    Early {
        at: Instant,
        tries: u32,
        waiting: bool,
    },
    /// As a server: its flight leaves, and the response once it is due.
    Serving,
    Open,
    /// Given up after too many timeouts.
    Failed,
}

/// A window that no ACKs clock is spread over a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spreading {
    Nothing,
    /// A cached one, over the cached round trip.
    Memory,
    /// What is left of one after an idle time.
    Restart,
    /// Not a window, but the end of a client's handshake is to leave; or has left, and is not confirmed.
    Handshake {
        waiting: bool,
    },
}

/// State of a connection with a closed window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Persist {
    /// The window is open, or something is on its way.
    #[default]
    Off,
    /// The retransmission timer runs for the next probe.
    Waits,
    /// It has expired.
    Due,
}

/// The sending endpoint of one flow.
pub struct Sender {
    connection: Connection,
    recovery: Recovery,
    pacer: Pacer,
    /// Where the stack paces by tokens.
    bucket: Option<Box<dyn TokenBucket>>,
    state: State,
    opening: Option<Box<OpeningState>>,
    spreading: Spreading,
    /// The segment that the pacer holds back, until something happens that may change the plan.
    held_back: Option<SegmentRange>,
    /// What the application has beyond a bounded send buffer.
    send_buffer: Option<Box<SendBuffer>>,
    /// The pacing rate that the stack, not the startup, has set.
    usual_pacing: Option<Rate>,
    persist: Persist,
    /// What a handshake of packets has cost, which is over.
    served: Option<Box<Report>>,
}

impl Sender {
    /// A sender for `flow` that has not opened its connection.
    pub fn new(
        stack: Arc<Stack>,
        flow: u32,
        controller: Controller,
        preparation: Preparation,
    ) -> Sender {
        let server = stack.server();
        let exchanges = if server.is_some() {
            1
        } else {
            stack.exchanges()
        };
        Sender {
            recovery: Recovery::new(&stack),
            send_buffer: stack.window.send_buffer.map(|size| {
                Box::new(match stack.rto.rule {
                    RttRule::Linux => SendBuffer::Kernel(KernelBuffer::new(size)),
                    _ => SendBuffer::Payload(PayloadBuffer::new(size, stack.numbers_packets())),
                })
            }),
            connection: Connection::new(stack, flow, controller),
            pacer: Pacer::default(),
            bucket: None,
            state: State::Closed,
            opening: Some(Box::new(OpeningState::new(preparation, exchanges, server))),
            spreading: Spreading::Nothing,
            held_back: None,
            usual_pacing: None,
            persist: Persist::Off,
            served: None,
        }
    }

    /// Prefetches the memory that an acknowledgement will need beyond the sender's own.
    pub fn prefetch(&self) {
        let (startup, cc) = self.connection.controller().parts();
        prefetch(startup);
        prefetch(cc);
        self.connection.sent().prefetch();
    }

    /// Takes samples of the delivery rate for as long as the connection lasts, where its controller
    /// needs any.
    pub fn keep_sampling(&mut self) {
        self.connection.keep_sampling();
    }

    /// Gives up a part of the window to a connection that has just opened, `others` having
    /// shared it so far (RFC 9040 §7).
    pub fn make_room(&mut self, others: usize) {
        self.held_back = None;
        let n = others as f64;
        let window = self.connection.window_mut();
        window.cwnd = (window.cwnd * n / (n + 1.0)).max(1.0);
        window.ssthresh = (window.ssthresh * n / (n + 1.0)).max(2.0);
    }
}
