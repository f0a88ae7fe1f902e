//! How much of each flow was delivered within a time, and by when the first bytes were.

use super::flow_record::FlowRecord;
use super::recorder::{Kinds, PROGRESS, REACHED, Recorder, RunEvent, SENT, Scene};
use crate::flow_plan::FlowKind;
use crate::maybe_time::MaybeTime;
use crate::speed_test::{Cut, DOWNLOADS, Origin, SpeedTest};
use flowstart_control::{Duration, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sizes of which a row has the time: 100 kB, 1 MB and 10 MB. Those of Cloudflare's test begin with
/// them.
const SIZES: usize = 3;

/// The rate of a flow within a time, or as a speed test reports it.
///
/// Delivered bytes are those that the receiver held in order. A time counts from the opening of the
/// flow, with a handshake from the first SYN.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
pub struct GoodputRow {
    /// Which flow.
    pub flow: u32,
    /// `goodput`, or the speed test.
    pub measure: String,
    /// The time over which it is measured.
    #[schemars(extend("unit" = "seconds"))]
    pub within_s: f64,
    /// Bytes delivered within that time from the opening; of a speed test those that it counts.
    #[schemars(extend("unit" = "bytes", "null" = "the run ended before"))]
    pub within_bytes: Option<u64>,
    /// These bytes divided by the time, in bits per second; of a speed test what it reports.
    #[schemars(extend("unit" = "bits per second", "null" = "the run ended before"))]
    pub goodput_bps: Option<f64>,
    /// `goodput_bps` as a share of the rate of the narrowest link.
    #[schemars(extend("unit" = "ratio", "null" = "the run ended before"))]
    pub goodput_share: Option<f64>,
    /// Opened until the first 100 kB were delivered.
    #[schemars(extend("unit" = "seconds", "null" = "so much was not delivered"))]
    pub to_100kb_s: Option<f64>,
    /// Opened until the first 1 MB was delivered.
    #[schemars(extend("unit" = "seconds", "null" = "so much was not delivered"))]
    pub to_1mb_s: Option<f64>,
    /// Opened until the first 10 MB were delivered.
    #[schemars(extend("unit" = "seconds", "null" = "so much was not delivered"))]
    pub to_10mb_s: Option<f64>,
}

/// A rate that is measured of every flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    Within(Duration),
    Test(SpeedTest),
}

impl Measure {
    fn cuts(self) -> Vec<Cut> {
        match self {
            Measure::Within(after) => vec![Cut {
                from: Origin::Opened,
                after,
            }],
            Measure::Test(test) => test.cuts(),
        }
    }
}

/// Measures the rates of all flows.
#[derive(Debug)]
pub(crate) struct GoodputRecorder {
    measures: Vec<Measure>,
    /// Those of all measures, one after the other.
    cuts: Vec<Cut>,
    /// By the number of the flow.
    flows: Vec<Deliveries>,
    kinds: Kinds,
}

/// What of a flow was delivered when.
#[derive(Clone, Debug, Default)]
struct Deliveries {
    first_sent: MaybeTime,
    first_delivered: MaybeTime,
    /// Bytes delivered at each cut.
    at: Box<[u64]>,
    /// When each size was delivered.
    sizes: [MaybeTime; DOWNLOADS.len()],
}

impl GoodputRecorder {
    /// The recorder that a run is to have, if any.
    pub(crate) fn new(measures: &[Measure]) -> Option<GoodputRecorder> {
        let is_test = |measure: &Measure| matches!(measure, Measure::Test(_));
        let kinds = match measures.iter().any(is_test) {
            true => SENT | REACHED | PROGRESS,
            false => REACHED | PROGRESS,
        };
        (!measures.is_empty()).then(|| GoodputRecorder {
            cuts: measures.iter().flat_map(|one| one.cuts()).collect(),
            flows: Vec::new(),
            measures: measures.to_vec(),
            kinds,
        })
    }

    /// One row for each flow that has opened and each measure, of a run that ended then. `link` has
    /// the rate of a flow's narrowest link in bits per second.
    pub(crate) fn rows(
        &self,
        records: &[FlowRecord],
        kinds: &[FlowKind],
        end: Instant,
        link: impl Fn(&FlowRecord) -> f64,
    ) -> Vec<GoodputRow> {
        let flows = (0..).zip(&self.flows).zip(records);
        let rows = flows.flat_map(|((flow, deliveries), record)| {
            let kind = &kinds[record.plan.kind as usize];
            self.rows_of((flow, deliveries), (record, kind), end, link(record))
        });
        rows.collect()
    }

    fn rows_of(
        &self,
        (flow, deliveries): (u32, &Deliveries),
        (record, kind): (&FlowRecord, &FlowKind),
        end: Instant,
        link_bps: f64,
    ) -> Vec<GoodputRow> {
        let Some(opened) = record.plan.start.get() else {
            return Vec::new();
        };
        let since = |time: MaybeTime| time.get().map(|time| time.since(opened).secs());
        let [to_100kb_s, to_1mb_s, to_10mb_s] =
            std::array::from_fn::<_, SIZES, _>(|size| since(deliveries.sizes[size]));
        let mut first = 0;
        let mut row = |measure: &Measure| {
            let cuts = first..first + measure.cuts().len();
            first = cuts.end;
            let is_over = record.delivered_at.is_some()
                || self.cuts[cuts.clone()].iter().all(|cut| {
                    let origin = deliveries.origin(cut.from, opened).get();
                    origin.is_some_and(|origin| origin + cut.after <= end)
                });
            let at = Some(&deliveries.at[cuts]).filter(|_| is_over);
            let (name, within_s, goodput_bps) = match measure {
                Measure::Within(time) => {
                    let rate = at.map(|at| 8.0 * at[0] as f64 / time.secs());
                    ("goodput".to_owned(), time.secs(), rate)
                }
                Measure::Test(test) => {
                    let downloads = deliveries.downloads(kind.rtt.over(2));
                    let rate = at.and_then(|at| test.rate(at, &downloads));
                    (test.to_string(), test.measures().secs(), rate)
                }
            };
            let bytes = at.map(|at| match at {
                [all] => *all,
                _ => at[at.len() - 1] - at[0],
            });
            GoodputRow {
                flow,
                measure: name,
                within_s,
                within_bytes: bytes,
                goodput_bps,
                goodput_share: goodput_bps.map(|rate| rate / link_bps),
                to_100kb_s,
                to_1mb_s,
                to_10mb_s,
            }
        };
        self.measures.iter().map(&mut row).collect()
    }
}

impl Recorder for GoodputRecorder {
    fn takes(&self) -> Kinds {
        self.kinds
    }

    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>) {
        let (flow, now) = (scene.flow as usize, scene.now.time);
        if let RunEvent::Opened = event {
            let count = self.flows.len().max(flow + 1);
            let cuts = self.cuts.len();
            self.flows.resize_with(count, || Deliveries {
                at: vec![0; cuts].into(),
                ..Deliveries::default()
            });
        }
        let Some(deliveries) = self.flows.get_mut(flow) else {
            return;
        };
        match event {
            RunEvent::Sent { packet, .. }
                if packet.is_data() && !deliveries.first_sent.is_some() =>
            {
                deliveries.first_sent = now.into();
            }
            RunEvent::Reached(position) => {
                let plan = &scene.records[flow].plan;
                let position = plan.size().map_or(*position, |size| size.min(*position));
                let opened = plan.start.get().unwrap_or(now);
                deliveries.reach(position, &self.cuts, opened, now);
            }
            _ => {}
        }
    }

    fn bytes_held(&self) -> usize {
        let one = size_of::<Deliveries>() + self.cuts.len() * size_of::<u64>();
        self.flows.len() * one
    }
}

impl Deliveries {
    fn origin(&self, from: Origin, opened: Instant) -> MaybeTime {
        match from {
            Origin::Opened => opened.into(),
            Origin::FirstSent => self.first_sent,
            Origin::FirstDelivered => self.first_delivered,
        }
    }

    /// All data up to `position` has been delivered.
    fn reach(&mut self, position: u64, cuts: &[Cut], opened: Instant, now: Instant) {
        if !self.first_delivered.is_some() {
            self.first_delivered = now.into();
        }
        for (place, cut) in cuts.iter().enumerate() {
            let origin = self.origin(cut.from, opened).get();
            if origin.is_none_or(|origin| now <= origin + cut.after) {
                self.at[place] = position;
            }
        }
        for (time, (size, _)) in self.sizes.iter_mut().zip(DOWNLOADS) {
            if position >= size && !time.is_some() {
                *time = now.into();
            }
        }
    }

    /// The times in which downloads of [`DOWNLOADS`] end whose requests take so long to arrive.
    fn downloads(&self, request: Duration) -> [Option<f64>; DOWNLOADS.len()] {
        self.sizes.map(|time| {
            let (time, sent) = time.get().zip(self.first_sent.get())?;
            Some((time.since(sent) + request).secs())
        })
    }
}
