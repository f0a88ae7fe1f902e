//! Columns over time: what senders and queues did, event by event.

use super::limits::LimitTurns;
use super::recorder::{
    ANSWERED, HopQueue, IN_NETWORK, Kinds, QUEUES, QueueEvent, Recorder, RunEvent, SENT, Scene,
    TIMER, bits_per_second,
};
use flowstart_control::Instant;
use flowstart_transport::sender::Sender;
use flowstart_wire::{Body, Packet};
use schemars::JsonSchema;
use serde::Serialize;

/// What a flow sample is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[repr(u8)]
pub enum Event {
    /// Data left for the first time.
    Send = 0,
    /// Data left again.
    Retransmit = 1,
    /// An acknowledgement arrived and was dealt with.
    Ack = 2,
    /// The retransmission timer expired.
    Timeout = 3,
    /// The SYN left.
    Syn = 4,
    /// The connection opened.
    Open = 5,
    /// A data packet of the flow was dropped.
    Drop = 6,
    /// A data packet of the flow was marked by a queue (ECN).
    Mark = 7,
    /// The SYN was dropped.
    SynDrop = 8,
}

impl Event {
    /// The kind of sample that an event makes, if any.
    pub(crate) fn of(event: &RunEvent<'_>) -> Option<Event> {
        Some(match event {
            RunEvent::Sent { packet, again } => match packet.body {
                Body::Syn(_) | Body::SynAck(_) | Body::Message(_) => Event::Syn,
                _ if *again => Event::Retransmit,
                _ => Event::Send,
            },
            RunEvent::Received(packet) => match packet.body {
                Body::Ack(_) => Event::Ack,
                _ => Event::Open,
            },
            RunEvent::Timer { expired: true } => Event::Timeout,
            RunEvent::Dropped(packet) => match packet.body {
                Body::Data(_) => Event::Drop,
                Body::Syn(_) => Event::SynDrop,
                _ => return None,
            },
            RunEvent::Marked(_) => Event::Mark,
            _ => return None,
        })
    }
}

/// Everything recorded, as columns of equal length in order of time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Trace {
    /// One entry for each event at a sender, and for each of its packets, the SYN among them,
    /// dropped or marked.
    pub flow_samples: FlowSamples,
    /// One entry whenever a hop's queue was offered a packet.
    pub queue_samples: QueueSamples,
    /// One entry whenever a packet left a hop's queue.
    pub queue_departures: QueueDepartures,
    /// What limits each flow from when on, where limits are recorded.
    #[serde(skip)]
    pub limit_turns: LimitTurns,
    /// The narrowest hop of each flow, whose queue is that of its figures.
    #[serde(skip)]
    pub narrowest_hops: Vec<u8>,
    /// The narrowest hop of all.
    #[serde(skip)]
    pub bottleneck_hop: u8,
    /// When packets left which direction of which hop, while the run continues.
    #[serde(skip)]
    departed: Vec<(u64, u8, u8)>,
}

macro_rules! cells {
    ($($variant:ident: $cell:ty),*) => {
        /// The cells of a column, by their type.
        #[allow(missing_docs)]
        pub enum Cells {
            $($variant(Vec<$cell>),)*
        }

        $(impl From<Vec<$cell>> for Cells {
            fn from(cells: Vec<$cell>) -> Cells {
                Cells::$variant(cells)
            }
        })*
    };
}

cells!(U8: u8, U32: u32, U64: u64, F64: f64, Bool: bool);

/// Defines a table of columns, the row that is appended to it, and what is done column by column,
/// from one list of columns.
macro_rules! columns {
    (
        $(#[$about:meta])*
        $table:ident of $row:ident {
            $($(#[$doc:meta])* $name:ident: $cell:ty,)*
        }
        $(also { $(#[$also_doc:meta])* $also:ident: $also_type:ty })?
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, JsonSchema, Serialize)]
        pub struct $table {
            $($(#[$doc])* pub $name: Vec<$cell>,)*
            $($(#[$also_doc])* #[serde(skip)] pub $also: $also_type,)?
        }

        #[allow(dead_code)] // not every table needs all of this
        #[derive(Clone, Copy, Debug)]
        struct $row {
            $($name: $cell,)*
        }

        #[allow(dead_code)]
        impl $table {
            /// The names of the columns.
            pub const COLUMNS: &[&str] = &[$(stringify!($name)),*];

            fn push(&mut self, row: $row) {
                $(self.$name.push(row.$name);)*
            }

            fn bytes_held(&self) -> usize {
                0 $(+ size_of_val(&self.$name[..]))*
            }

            fn reorder(&mut self, order: &[usize]) {
                $(pick(&mut self.$name, order);)*
            }

            /// The columns by their names, in order.
            pub fn into_columns(self) -> Vec<(&'static str, Cells)> {
                vec![$((stringify!($name), self.$name.into())),*]
            }
        }
    };
}

columns! {
    /// One row for each event at a sender, and for each of its packets dropped or marked.
    FlowSamples of FlowSample {
        /// When, counted from the start of the run.
        #[schemars(extend("unit" = "nanoseconds"))]
        time_ns: u64,
        /// Which flow.
        flow: u32,
        /// What happened: 0 data left for the first time, 1 data left again, 2 an acknowledgement
        /// arrived, 3 the retransmission timer expired, 4 the SYN left, 5 the connection opened, 6 a data
        /// packet was dropped, 7 one was marked (ECN), 8 the SYN was dropped.
        event: u8,
        /// First byte of the segment sent, dropped or marked; the acknowledgement's number for acks.
        #[schemars(extend("unit" = "bytes"))]
        seq_bytes: u64,
        /// SACK blocks that an acknowledgement carried.
        sack_blocks: u8,
        /// The window after the event, in segments.
        #[schemars(extend("unit" = "segments", "null" = "the sample is of a packet on its way"))]
        cwnd: f64,
        /// The threshold after the event, in segments; infinite until it is set.
        #[schemars(extend("unit" = "segments", "null" = "the sample is of a packet on its way"))]
        ssthresh: f64,
        /// Bytes in flight after the event.
        #[schemars(extend("unit" = "bytes"))]
        flight_bytes: u64,
        /// The smoothed round-trip time after the event; not a number before the first sample.
        #[schemars(extend("unit" = "seconds", "null" = "no round trip has been measured"))]
        srtt_s: f64,
        /// The rate at which the sender paces after the event, headers included; not a number where it
        /// does not.
        #[schemars(extend("unit" = "bits per second", "null" = "the sender does not pace"))]
        pacing_bps: f64,
        /// The latest sample of the delivery rate; not a number before the first, and where the
        /// controller takes none.
        #[schemars(extend("unit" = "bits per second", "null" = "there is no sample, or the controller takes none"))]
        delivery_bps: f64,
    }
    also {
        /// Columns that startups name themselves; not a number where a sample's startup has none.
        own: Vec<(String, Vec<f64>)>
    }
}

columns! {
    /// One row whenever a hop's queue was offered a packet.
    QueueSamples of QueueSample {
        /// When, counted from the start of the run.
        #[schemars(extend("unit" = "nanoseconds"))]
        time_ns: u64,
        /// Which direction of the hop: 0 forward, 1 reverse.
        direction: u8,
        /// Which hop of the path, from 0.
        hop: u8,
        /// Packets held after the offer, as the limit counts them.
        #[schemars(extend("unit" = "packets"))]
        packets: u64,
        /// Bytes held after the offer.
        #[schemars(extend("unit" = "bytes"))]
        bytes: u64,
        /// When it would hold nothing if nothing else came.
        #[schemars(extend("unit" = "nanoseconds"))]
        empty_ns: u64,
        /// Whether the packet offered was dropped.
        dropped: bool,
    }
}

columns! {
    /// One row whenever a packet left a hop's queue, to be transmitted or evicted.
    QueueDepartures of QueueDeparture {
        /// When the queue's limit did not count the packet any more.
        #[schemars(extend("unit" = "nanoseconds"))]
        time_ns: u64,
        /// Which direction of the hop: 0 forward, 1 reverse.
        direction: u8,
        /// Which hop of the path, from 0.
        hop: u8,
    }
}

fn pick<T: Copy>(column: &mut Vec<T>, order: &[usize]) {
    *column = order.iter().map(|i| column[*i]).collect();
}

/// The order of rows by their times, those of the same time as they are; none where they are in order
/// already.
fn order_by(times: &[u64]) -> Option<Vec<usize>> {
    if times.is_sorted() {
        return None;
    }
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|row| times[*row]);
    Some(order)
}

impl FlowSamples {
    /// Adds a number of the startup's own to the last sample.
    fn push_own(&mut self, name: &str, value: f64) {
        let at = self.time_ns.len() - 1;
        let place = self.own.iter().position(|own| own.0 == name);
        let place = place.unwrap_or_else(|| {
            self.own.push((name.into(), Vec::new()));
            self.own.len() - 1
        });
        let cells = &mut self.own[place].1;
        cells.resize(at, f64::NAN);
        cells.push(value);
    }

    /// Puts samples in order of time: those of packets that a queue evicted or marked are recorded
    /// when the link is next looked at.
    fn put_in_order(&mut self) {
        for (_, cells) in &mut self.own {
            cells.resize(self.time_ns.len(), f64::NAN);
        }
        if let Some(order) = order_by(&self.time_ns) {
            self.reorder(&order);
            self.own
                .iter_mut()
                .for_each(|(_, cells)| pick(cells, &order));
        }
    }
}

impl QueueDepartures {
    /// Those at these times. One is recorded when the packet arrives at the far end, and one that was
    /// evicted later still. Of several at once those forward come first.
    fn at(mut departed: Vec<(u64, u8, u8)>) -> QueueDepartures {
        departed.sort_unstable();
        let mut departures = QueueDepartures::default();
        for (time_ns, direction, hop) in departed {
            departures.push(QueueDeparture {
                time_ns,
                direction,
                hop,
            });
        }
        departures
    }
}

impl Trace {
    /// The trace of a run that is over, with the narrowest hops of its flows and of its path.
    pub(crate) fn finish(
        mut self,
        narrowest_hops: Vec<u8>,
        bottleneck_hop: u8,
        limit_turns: LimitTurns,
    ) -> Trace {
        self.limit_turns = limit_turns;
        self.narrowest_hops = narrowest_hops;
        self.bottleneck_hop = bottleneck_hop;
        self.flow_samples.put_in_order();
        self.queue_departures = QueueDepartures::at(std::mem::take(&mut self.departed));
        self
    }
}

impl Recorder for Trace {
    fn takes(&self) -> Kinds {
        SENT | ANSWERED | TIMER | IN_NETWORK | QUEUES[0] | QUEUES[1]
    }

    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>) {
        let Some(kind) = Event::of(event) else { return };
        let (seq_bytes, sack_blocks) = match (event, scene.sender) {
            (RunEvent::Dropped(packet) | RunEvent::Marked(packet), _) => (packet.start(), 0),
            (RunEvent::Sent { packet, .. }, Some(_)) => (packet.start(), 0),
            (RunEvent::Received(packet), Some(sender)) => {
                (sender.position_of(packet), packet.sack_blocks())
            }
            (RunEvent::Timer { .. }, Some(_)) => (0, 0),
            _ => return,
        };
        let window = scene.sender.map(Sender::window);
        let smoothed = scene.sender.and_then(|sender| sender.rtt().smoothed());
        self.flow_samples.push(FlowSample {
            time_ns: scene.at.0,
            flow: scene.flow,
            event: kind as u8,
            seq_bytes,
            sack_blocks,
            cwnd: window.map_or(f64::NAN, |window| window.cwnd),
            ssthresh: window.map_or(f64::NAN, |window| window.ssthresh),
            flight_bytes: scene.sender.map_or(0, Sender::flight),
            srtt_s: smoothed.map_or(f64::NAN, |(srtt, _)| srtt.secs()),
            pacing_bps: bits_per_second(window.and_then(|window| window.pacing)),
            delivery_bps: bits_per_second(scene.sender.and_then(Sender::delivery_rate)),
        });
        if let Some(sender) = scene.sender {
            sender.trace(&mut |name: &str, value| self.flow_samples.push_own(name, value));
        }
    }

    fn record_queue(&mut self, at: Instant, queue: HopQueue, _packet: &Packet, event: &QueueEvent) {
        match *event {
            QueueEvent::Offered {
                dropped,
                held,
                empty,
            } => self.queue_samples.push(QueueSample {
                time_ns: at.0,
                direction: queue.direction,
                hop: queue.hop,
                packets: held.packets,
                bytes: held.bytes,
                empty_ns: empty.max(at).0,
                dropped,
            }),
            QueueEvent::Left | QueueEvent::Evicted => {
                self.departed.push((at.0, queue.direction, queue.hop));
            }
        }
    }

    fn bytes_held(&self) -> usize {
        let own = self.flow_samples.own.iter();
        self.flow_samples.bytes_held()
            + own.map(|(_, cells)| size_of_val(&cells[..])).sum::<usize>()
            + self.queue_samples.bytes_held()
            + size_of_val(&self.departed[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(samples: &mut FlowSamples, ns: u64) {
        samples.push(FlowSample {
            time_ns: ns,
            flow: 0,
            event: Event::Ack as u8,
            seq_bytes: 0,
            sack_blocks: 0,
            cwnd: 1.0,
            ssthresh: 1.0,
            flight_bytes: 0,
            srtt_s: f64::NAN,
            pacing_bps: f64::NAN,
            delivery_bps: f64::NAN,
        });
    }

    #[test]
    fn a_column_of_a_startups_own_goes_with_its_samples() {
        let mut samples = FlowSamples::default();
        push(&mut samples, 1);
        push(&mut samples, 3);
        samples.push_own("late", 30.0);
        push(&mut samples, 2);
        samples.push_own("early", 20.0);
        push(&mut samples, 4);
        samples.put_in_order();
        let cells = |name: &str| {
            let own = samples.own.iter().find(|own| own.0 == name);
            own.map(|own| own.1.iter().map(ToString::to_string).collect())
        };
        assert_eq!(samples.time_ns, [1, 2, 3, 4]);
        let words = |text: &str| Some(text.split(' ').map(String::from).collect::<Vec<_>>());
        assert_eq!(cells("late"), words("NaN NaN 30 NaN"));
        assert_eq!(cells("early"), words("NaN 20 NaN NaN"));
    }
}
