//! The properties of a host in plain values.

use flowstart_control::{Duration, named};
use flowstart_wire::{Answers, Body, Packet};

/// The properties of one host. [`Host::IDEAL`] takes no time and loses nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Host {
    /// Datagrams that leave together at most, as with UDP_SEGMENT (GSO); 1 for none.
    pub send_batch: u32,
    /// The pacer spaces out the datagrams of a batch, which otherwise leave with the first.
    pub paced_batch: bool,
    /// Packets that a sender hands over before the host does other work; 0 for all.
    pub per_wake: u32,
    /// Packets that a pacer without bucket makes up for after a late wake.
    pub credit: u32,
    /// Timers expire at multiples of this time.
    pub timer: Duration,
    /// Mean lateness of a wake beyond.
    pub late: Duration,
    /// Distribution of the lateness.
    pub late_law: LateLaw,
    /// Time for which an interface gathers frames, from the first.
    pub coalesce: Duration,
    /// Frames after which it does not wait longer; 0 for any number.
    pub frames: u32,
    /// Packets that are read together at most, with one acknowledgement decision; 1 for none.
    pub receive_batch: u32,
    /// Datagrams that a socket holds unread; 0 for any number.
    pub receive_buffer: u32,
    /// Processor time.
    pub costs: Costs,
}

named! {
    /// Distribution of the lateness of a wake.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LateLaw {
        /// Every wake has the mean.
        Constant = "constant",
        /// Exponential.
        Exponential = "exponential",
        /// Uniform from zero to twice the mean.
        Uniform = "uniform",
    }
}

/// What a host's processor spends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    /// Per data packet.
    pub packet: Duration,
    /// Per batch, in addition.
    pub batch: Duration,
    /// Per packet without data.
    pub ack: Duration,
    /// Per 1000 bytes of data packets, in addition.
    pub kilobyte: Duration,
    /// The server's signature, before its certificate leaves.
    pub sign: Duration,
    /// The client's verification, once it has the certificate.
    pub verify: Duration,
}

impl Costs {
    /// Of a packet in either direction, without its batch's.
    fn of(&self, packet: &Packet) -> Duration {
        match packet.is_data() {
            true => self.packet + Duration(self.kilobyte.0 * u64::from(packet.wire) / 1000),
            false => self.ack,
        }
    }

    /// Of a packet that leaves.
    pub(crate) fn sending(&self, packet: &Packet) -> Duration {
        let signs = match &packet.body {
            Body::SynAck(answer) => answer.to != Answers::Message,
            Body::Data(data) => data.is_signed(),
            _ => false,
        };
        self.of(packet) + if signs { self.sign } else { Duration::ZERO }
    }

    /// Of a packet that has arrived.
    pub(crate) fn receiving(&self, packet: &Packet) -> Duration {
        let verifies = match &packet.body {
            Body::SynAck(answer) => answer.to != Answers::Message,
            Body::Data(data) => data.is_verified(),
            _ => false,
        };
        self.of(packet)
            + if verifies {
                self.verify
            } else {
                Duration::ZERO
            }
    }
}

impl Host {
    /// A host without effect.
    pub const IDEAL: Host = Host {
        send_batch: 1,
        paced_batch: false,
        per_wake: 0,
        credit: 0,
        timer: Duration::ZERO,
        late: Duration::ZERO,
        late_law: LateLaw::Constant,
        coalesce: Duration::ZERO,
        frames: 0,
        receive_batch: 1,
        receive_buffer: 0,
        costs: Costs {
            packet: Duration::ZERO,
            batch: Duration::ZERO,
            ack: Duration::ZERO,
            kilobyte: Duration::ZERO,
            sign: Duration::ZERO,
            verify: Duration::ZERO,
        },
    };

    /// Datagrams that leave with the first of their batch.
    pub fn together(&self) -> u32 {
        if self.paced_batch { 1 } else { self.send_batch }
    }

    /// Whether its timers are late.
    pub fn wakes_late(&self) -> bool {
        self.timer > Duration::ZERO || self.late > Duration::ZERO
    }

    /// Whether it needs processor time.
    pub fn takes_time(&self) -> bool {
        self.costs != Costs::default()
    }

    /// Whether packets that arrive are gathered.
    pub(crate) fn coalesces(&self) -> bool {
        self.coalesce > Duration::ZERO
    }

    /// Whether packets that arrive pass a socket.
    pub(crate) fn has_socket(&self) -> bool {
        self.takes_time() || self.receive_buffer > 0
    }
}
