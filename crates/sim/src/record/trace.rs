//! Columns over time: what senders and queues did, event by event.

use flowstart_control::Time;
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

/// Everything recorded, as columns of equal length in order of time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Trace {
    /// One entry for each event at a sender, and for each of its packets, the SYN among them,
    /// dropped or marked.
    pub flow_samples: FlowSamples,
    /// One entry whenever the bottleneck's queue was offered a packet.
    pub queue_samples: QueueSamples,
    /// One entry whenever a packet left the bottleneck's queue.
    pub queue_departures: QueueDepartures,
}

impl Trace {
    /// Bytes that the columns take.
    pub fn bytes_held(&self) -> usize {
        self.flow_samples.bytes_held()
            + self.queue_samples.bytes_held()
            + self.queue_departures.bytes_held()
    }
}

/// One row for each event at a sender, and for each of its packets dropped or marked.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct FlowSamples {
    /// When, counted from the start of the run.
    #[schemars(extend("unit" = "nanoseconds"))]
    pub time_ns: Vec<u64>,
    /// Which flow.
    pub flow: Vec<u32>,
    /// What happened: 0 data left for the first time, 1 data left again, 2 an acknowledgement
    /// arrived, 3 the retransmission timer expired, 4 the SYN left, 5 the connection opened, 6 a data
    /// packet was dropped, 7 one was marked (ECN), 8 the SYN was dropped.
    pub event: Vec<u8>,
    /// First byte of the segment sent, dropped or marked; the acknowledgement's number for acks.
    #[schemars(extend("unit" = "bytes"))]
    pub seq_bytes: Vec<u64>,
    /// SACK blocks that an acknowledgement carried.
    pub sack_blocks: Vec<u8>,
    /// The window after the event, in segments.
    #[schemars(extend("unit" = "segments", "null" = "the sample is of a packet on its way"))]
    pub cwnd: Vec<f64>,
    /// The threshold after the event, in segments; infinite until it is set.
    #[schemars(extend("unit" = "segments", "null" = "the sample is of a packet on its way"))]
    pub ssthresh: Vec<f64>,
    /// Bytes in flight after the event.
    #[schemars(extend("unit" = "bytes"))]
    pub flight_bytes: Vec<u64>,
    /// The smoothed round-trip time after the event; not a number before the first sample.
    #[schemars(extend("unit" = "seconds", "null" = "no round trip has been measured"))]
    pub srtt_s: Vec<f64>,
    /// The rate at which the sender paces after the event, headers included; not a number where it
    /// does not.
    #[schemars(extend("unit" = "bits per second", "null" = "the sender does not pace"))]
    pub pacing_bps: Vec<f64>,
    /// The latest sample of the delivery rate; not a number before the first, and where the
    /// controller takes none.
    #[schemars(extend("unit" = "bits per second", "null" = "there is no sample, or the controller takes none"))]
    pub delivery_bps: Vec<f64>,
    /// Columns that startups name themselves; not a number where a sample's startup has none.
    #[serde(skip)]
    pub own: Vec<(String, Vec<f64>)>,
}

/// One flow sample.
#[derive(Clone, Copy, Debug)]
pub struct FlowSample {
    /// Which flow.
    pub flow: u32,
    /// What.
    pub event: Event,
    /// See [`FlowSamples::seq_bytes`].
    pub seq_bytes: u64,
    /// See [`FlowSamples::sack_blocks`].
    pub sack_blocks: u8,
    /// The window.
    pub cwnd: f64,
    /// The threshold.
    pub ssthresh: f64,
    /// Bytes in flight.
    pub flight_bytes: u64,
    /// See [`FlowSamples::srtt_s`].
    pub srtt_s: f64,
    /// See [`FlowSamples::pacing_bps`].
    pub pacing_bps: f64,
    /// See [`FlowSamples::delivery_bps`].
    pub delivery_bps: f64,
}

impl FlowSamples {
    /// The columns that every trace has.
    pub const COLUMNS: &[&str] = &[
        "time_ns",
        "flow",
        "event",
        "seq_bytes",
        "sack_blocks",
        "cwnd",
        "ssthresh",
        "flight_bytes",
        "srtt_s",
        "pacing_bps",
        "delivery_bps",
    ];

    fn bytes_held(&self) -> usize {
        let own = self.own.iter().map(|(_, cells)| size_of_val(&cells[..]));
        self.time_ns.len() * size_of::<FlowSample>() + own.sum::<usize>()
    }

    /// Adds a number of the startup's own to the last sample.
    pub fn push_own(&mut self, name: &str, value: f64) {
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

    /// Appends a sample.
    pub fn push(&mut self, now: Time, sample: FlowSample) {
        self.time_ns.push(now.0);
        self.flow.push(sample.flow);
        self.event.push(sample.event as u8);
        self.seq_bytes.push(sample.seq_bytes);
        self.sack_blocks.push(sample.sack_blocks);
        self.cwnd.push(sample.cwnd);
        self.ssthresh.push(sample.ssthresh);
        self.flight_bytes.push(sample.flight_bytes);
        self.srtt_s.push(sample.srtt_s);
        self.pacing_bps.push(sample.pacing_bps);
        self.delivery_bps.push(sample.delivery_bps);
    }

    /// Puts samples in order of time: those of packets that a queue evicted or marked are recorded
    /// when the link is next looked at. Samples of the same time stay in order.
    pub fn put_in_order(&mut self) {
        for (_, cells) in &mut self.own {
            cells.resize(self.time_ns.len(), f64::NAN);
        }
        if self.time_ns.is_sorted() {
            return;
        }
        let mut order: Vec<usize> = (0..self.time_ns.len()).collect();
        order.sort_by_key(|i| self.time_ns[*i]);
        pick(&mut self.time_ns, &order);
        pick(&mut self.flow, &order);
        pick(&mut self.event, &order);
        pick(&mut self.seq_bytes, &order);
        pick(&mut self.sack_blocks, &order);
        pick(&mut self.cwnd, &order);
        pick(&mut self.ssthresh, &order);
        pick(&mut self.flight_bytes, &order);
        pick(&mut self.srtt_s, &order);
        pick(&mut self.pacing_bps, &order);
        pick(&mut self.delivery_bps, &order);
        for (_, cells) in &mut self.own {
            pick(cells, &order);
        }
    }
}

fn pick<T: Copy>(column: &mut Vec<T>, order: &[usize]) {
    *column = order.iter().map(|i| column[*i]).collect();
}

/// One row whenever the bottleneck's queue was offered a packet.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct QueueSamples {
    /// When, counted from the start of the run.
    #[schemars(extend("unit" = "nanoseconds"))]
    pub time_ns: Vec<u64>,
    /// Which direction of the bottleneck: 0 forward, 1 reverse.
    pub direction: Vec<u8>,
    /// Packets held after the offer, as the limit counts them.
    #[schemars(extend("unit" = "packets"))]
    pub packets: Vec<u64>,
    /// Bytes held after the offer.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes: Vec<u64>,
    /// When it would hold nothing if nothing else came.
    #[schemars(extend("unit" = "nanoseconds"))]
    pub empty_ns: Vec<u64>,
    /// Whether the packet offered was dropped.
    pub dropped: Vec<bool>,
}

impl QueueSamples {
    fn bytes_held(&self) -> usize {
        const OF_ONE: usize = 4 * size_of::<u64>() + 2;
        self.time_ns.len() * OF_ONE
    }
}

/// One row whenever a packet left the bottleneck's queue, to be transmitted or evicted.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct QueueDepartures {
    /// When the queue's limit did not count the packet any more.
    #[schemars(extend("unit" = "nanoseconds"))]
    pub time_ns: Vec<u64>,
    /// Which direction of the bottleneck: 0 forward, 1 reverse.
    pub direction: Vec<u8>,
    /// Departures of each direction that are not in the columns yet.
    #[serde(skip)]
    noted: [Vec<u64>; 2],
}

impl QueueDepartures {
    fn bytes_held(&self) -> usize {
        self.noted.iter().map(|noted| size_of_val(&noted[..])).sum()
    }

    /// Notes a departure.
    pub fn note(&mut self, at: Time, direction: u8) {
        self.noted[usize::from(direction)].push(at.0);
    }

    /// Fills the columns, in order of time: a departure is noted when the packet arrives at the far
    /// end, and one that was evicted later still.
    pub fn put_in_order(&mut self) {
        let [mut forward, mut reverse] = std::mem::take(&mut self.noted);
        for times in [&mut forward, &mut reverse] {
            if !times.is_sorted() {
                times.sort_unstable();
            }
        }
        let (mut forward, mut reverse) = (forward.into_iter(), reverse.into_iter());
        let (mut next, mut back) = (forward.next(), reverse.next());
        while let Some(time) = earlier(next, back) {
            let direction = u8::from(next != Some(time));
            self.time_ns.push(time);
            self.direction.push(direction);
            match direction {
                0 => next = forward.next(),
                _ => back = reverse.next(),
            }
        }
    }
}

fn earlier(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(samples: &mut FlowSamples, ns: u64) {
        let sample = FlowSample {
            flow: 0,
            event: Event::Ack,
            seq_bytes: 0,
            sack_blocks: 0,
            cwnd: 1.0,
            ssthresh: 1.0,
            flight_bytes: 0,
            srtt_s: f64::NAN,
            pacing_bps: f64::NAN,
            delivery_bps: f64::NAN,
        };
        samples.push(Time(ns), sample);
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
            own.map(|own| own.1.iter().map(|cell| cell.to_string()).collect())
        };
        assert_eq!(samples.time_ns, [1, 2, 3, 4]);
        let words = |text: &str| Some(text.split(' ').map(String::from).collect::<Vec<_>>());
        assert_eq!(cells("late"), words("NaN NaN 30 NaN"));
        assert_eq!(cells("early"), words("NaN 20 NaN NaN"));
    }

    #[test]
    fn every_column_is_among_the_names_that_are_taken() {
        let text = serde_json::to_value(FlowSamples::default()).unwrap();
        let mut names: Vec<&String> = text.as_object().unwrap().keys().collect();
        names.sort_unstable();
        let mut taken = FlowSamples::COLUMNS.to_vec();
        taken.sort_unstable();
        assert_eq!(names, taken);
    }
}
