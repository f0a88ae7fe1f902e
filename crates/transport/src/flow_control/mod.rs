//! Flow control by credit: what a receiver of QUIC (RFC 9000 §4), HTTP/2 (RFC 9113 §5.2) or yamux
//! offers a stream and the connection beyond what it has read.
//!
//! QUIC: every acknowledgement carries the present limit. One that has moved is acknowledged at once,
//! in place of MAX_DATA and MAX_STREAM_DATA.
//!
//! HTTP/2 and yamux have it above TCP, whose receive window holds too. A limit that has moved is
//! a write of the receiver's application, so it leaves at once with an acknowledgement, in place of
//! WINDOW_UPDATE. Data is read in whole frames.
//!
//! A limit that may have been lost with its packet is sent again after a probe timeout.

mod bdp;
mod credit;
mod field;
mod growth;
mod receivers;
#[cfg(test)]
mod tests;

pub use credit::{Counts, Credit, CreditOptions, Update};
pub use field::{Level, decode};
pub use growth::{Clock, Multiple, WindowGrowth};
pub use receivers::ReceiverName;

use bdp::BdpEstimator;
use field::{MOST_AHEAD, encode};
use flowstart_control::{Duration, Instant};
use std::collections::VecDeque;

/// kInitialRtt (RFC 9002 §6.2.2), where no exchange has shown the round trip.
pub(crate) const INITIAL_RTT: Duration = Duration::from_millis(333);

/// How a receiver answers a sender that its limit stops (DATA_BLOCKED, STREAM_DATA_BLOCKED).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBlocked {
    /// Not, or with the limit that it has offered before.
    Ignore,
    /// With what it would offer now.
    Offer,
}

/// The flow control of a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowControlOptions {
    /// That of a stream.
    pub stream: CreditOptions,
    /// That of the connection.
    pub connection: CreditOptions,
    /// The connection's window is kept at one and a half of the stream's once that has grown.
    pub lifts_connection: bool,
    /// The answer to a sender that is stopped.
    pub on_blocked: OnBlocked,
    /// Data is read in frames of so many bytes; `None` as it comes.
    pub frame: Option<u64>,
    /// The largest window that an estimate of the bandwidth-delay product gives both; `None` where
    /// nothing is estimated.
    pub largest_estimate: Option<u64>,
}

impl FlowControlOptions {
    /// One stream under no limit of the connection.
    pub const fn of_stream(stream: CreditOptions) -> FlowControlOptions {
        FlowControlOptions {
            stream,
            connection: CreditOptions::UNLIMITED,
            lifts_connection: false,
            on_blocked: OnBlocked::Ignore,
            frame: None,
            largest_estimate: None,
        }
    }

    /// Data is read in frames of so many bytes.
    pub const fn in_frames(self, bytes: u64) -> FlowControlOptions {
        FlowControlOptions {
            frame: Some(bytes),
            ..self
        }
    }

    /// Both windows follow an estimate of the bandwidth-delay product, up to so many bytes.
    pub const fn estimating(self, largest: u64) -> FlowControlOptions {
        FlowControlOptions {
            largest_estimate: Some(largest),
            ..self
        }
    }

    /// Under this limit of the connection.
    pub const fn under(self, connection: CreditOptions) -> FlowControlOptions {
        FlowControlOptions { connection, ..self }
    }

    /// The connection's window follows the stream's.
    pub const fn lifting_connection(self) -> FlowControlOptions {
        FlowControlOptions {
            lifts_connection: true,
            ..self
        }
    }

    /// A sender that is stopped gets an offer at once.
    pub const fn answering_blocked(self) -> FlowControlOptions {
        FlowControlOptions {
            on_blocked: OnBlocked::Offer,
            ..self
        }
    }

    /// With this first window of a stream, in bytes, and as much at least of the connection.
    pub fn beginning_with(self, window: u64) -> FlowControlOptions {
        let connection = match self.connection.first < window {
            true => self.connection.beginning_with(window),
            false => self.connection,
        };
        FlowControlOptions {
            stream: self.stream.beginning_with(window),
            connection,
            ..self
        }
    }

    /// Behind so many bytes of a handshake, which flow control does not count (RFC 9000 §4.1): the first
    /// limits are higher, and the windows as they were.
    pub fn behind(self, before: u64) -> FlowControlOptions {
        let raised = |credit: CreditOptions| CreditOptions {
            first: credit.first.saturating_add(before),
            ..credit
        };
        FlowControlOptions {
            stream: raised(self.stream),
            connection: raised(self.connection),
            ..self
        }
    }

    /// The largest window, in bytes.
    pub fn largest(&self) -> u64 {
        let largest = self.stream.max.min(self.connection.max);
        largest.max(self.largest_estimate.unwrap_or(0))
    }

    /// The first limit, in bytes.
    pub fn first(&self) -> u64 {
        let first = self.stream.first.min(self.connection.first);
        first.min(MOST_AHEAD)
    }
}

/// The limits that a receiver offers for the one stream of a connection.
#[derive(Clone, Debug)]
pub struct FlowControl {
    options: FlowControlOptions,
    stream: Credit,
    connection: Credit,
    opened: Instant,
    /// The round trip that growth goes by.
    rtt: Option<Duration>,
    read: u64,
    received: u64,
    /// The limits that were offered and not exceeded yet, the oldest first: the sender has heard of
    /// the first.
    offered: VecDeque<u64>,
    /// When the last of them is sent again, for the how many-th time.
    again: Option<(Instant, u32)>,
    /// The last of them is not on its way yet.
    unsent: bool,
    estimator: Option<Box<BdpEstimator>>,
}

impl FlowControl {
    /// The limits of a connection that opens now.
    pub fn new(options: FlowControlOptions, now: Instant) -> FlowControl {
        FlowControl {
            stream: Credit::new(options.stream, now),
            connection: Credit::new(options.connection, now),
            opened: now,
            rtt: None,
            read: 0,
            received: 0,
            offered: VecDeque::from([options.first()]),
            again: None,
            unsent: false,
            estimator: options.largest_estimate.map(|largest| {
                let window = options.stream.window.min(options.connection.window);
                Box::new(BdpEstimator::new(window, largest))
            }),
            options,
        }
    }

    /// The connection opens with a packet that is sent or answered now, `rtt` before data where that
    /// is known.
    pub fn open(&mut self, now: Instant, rtt: Option<Duration>) {
        if self.received == 0 {
            *self = FlowControl::new(self.options, now);
            self.rtt = rtt;
        }
    }

    /// The round trip since the opening: that of the handshake, which no queue of data extends.
    pub fn measure(&mut self, now: Instant) {
        self.rtt.get_or_insert_with(|| now.since(self.opened));
    }

    /// The limits as an acknowledgement carries them.
    pub fn field(&self) -> u32 {
        let (limit, level) = self.limit();
        encode(limit, level)
    }

    /// The limits, where they have moved since an acknowledgement last carried them.
    pub fn take_unsent(&mut self) -> Option<u32> {
        std::mem::take(&mut self.unsent).then(|| self.field())
    }

    fn limit(&self) -> (u64, Level) {
        let (stream, connection) = (self.stream.limit(), self.connection.limit());
        let most = self.read.saturating_add(MOST_AHEAD);
        match stream <= connection {
            true => (stream.min(most), Level::Stream),
            false => (connection.min(most), Level::Connection),
        }
    }

    /// Data has come: all below `read` is in order and read at once, `received` bytes have arrived.
    /// Whether the limit has moved.
    pub fn on_data(&mut self, read: u64, received: u64, now: Instant) -> bool {
        if self.received == 0 {
            self.measure(now);
        }
        let rtt = self.rtt.unwrap_or(INITIAL_RTT);
        let (next, (read, received)) = (read, self.whole_frames(read, received));
        let news = (read - self.read, received.saturating_sub(self.received));
        (self.read, self.received) = (read, self.received.max(received));
        let bytes = |counts| match counts {
            Counts::Read => news.0,
            Counts::Received => news.1,
        };
        // The connection first: a lift takes effect with the next read (quic-go).
        let before = self.limit().0;
        self.connection
            .on_read(now, bytes(self.options.connection.counts), rtt);
        let stream = self
            .stream
            .on_read(now, bytes(self.options.stream.counts), rtt);
        if stream.is_some() && self.options.lifts_connection {
            self.connection.lift(self.stream.window() * 3 / 2);
        }
        let estimator = self.estimator.as_mut();
        let pings = estimator.is_some_and(|estimator| estimator.on_read(news.0, next, now));
        if pings {
            // What could be offered leaves before the PING (grpc-go, `handleData`).
            self.connection.offer();
        }
        self.offer(before, now) || pings
    }

    /// What of the data below `next` is read: frames of full size, and one that ends at a limit,
    /// where the sender had to stop.
    fn whole_frames(&self, next: u64, received: u64) -> (u64, u64) {
        let Some(frame) = self.options.frame else {
            return (next, received);
        };
        let read = match self.offered.contains(&next) {
            true => next,
            false => next - (next - self.read) % frame,
        };
        (read, read)
    }

    /// Data comes from a sender which had received the acknowledgement of all below `echo`. Whether
    /// that moves the limit.
    pub fn on_echo(&mut self, echo: u64, now: Instant) -> bool {
        let estimator = self.estimator.as_mut();
        let Some(window) = estimator.and_then(|estimator| estimator.on_echo(echo, now)) else {
            return false;
        };
        let before = self.limit().0;
        self.connection.widen(window);
        self.stream.widen(window);
        self.offer(before, now)
    }

    /// The sender reports that a limit stops it. Whether it is answered with another.
    pub fn on_blocked(&mut self, now: Instant) -> bool {
        if self.options.on_blocked == OnBlocked::Ignore {
            return false;
        }
        let before = self.limit().0;
        self.connection.on_blocked(now);
        self.stream.on_blocked(now);
        self.offer(before, now)
    }

    /// The limit was `before`. Whether it is another now, which the sender hears of.
    fn offer(&mut self, before: u64, now: Instant) -> bool {
        let (limit, _) = self.limit();
        while self.offered.len() > 1 && self.received > self.offered[0] {
            self.offered.pop_front();
            self.again = None;
        }
        if limit == before {
            if self.is_used_up() && self.again.is_none() {
                // The update came due before the data below the old limit had arrived.
                self.again = Some((now + self.probe_timeout(0), 0));
            }
            return false;
        }
        self.offered.push_back(limit);
        self.unsent = true;
        self.again = Some((now + self.probe_timeout(0), 0));
        true
    }

    /// When the limit is sent again, unless data comes that only it allows.
    pub fn deadline(&self) -> Option<Instant> {
        self.again.map(|(due, _)| due)
    }

    /// Whether the limit is to be sent again now: the sender has used up one that was offered before.
    pub fn on_timer(&mut self, now: Instant) -> bool {
        let Some((due, times)) = self.again.filter(|(due, _)| *due <= now) else {
            return false;
        };
        let used_up = self.is_used_up();
        self.again = used_up.then(|| (due + self.probe_timeout(times + 1), times + 1));
        self.unsent = used_up;
        used_up
    }

    /// Whether the sender has used up a limit that was offered before the present one.
    fn is_used_up(&self) -> bool {
        self.offered.contains(&self.received) && self.offered.back() != Some(&self.received)
    }

    /// How long the acknowledgement of an update may take (RFC 9002 §6.2.1), backed off so often.
    fn probe_timeout(&self, times: u32) -> Duration {
        const MAX_ACK_DELAY: Duration = Duration::from_millis(25);
        let answer = self.rtt.unwrap_or(INITIAL_RTT).times(3) + MAX_ACK_DELAY;
        answer.times(1 << times.min(10))
    }
}
