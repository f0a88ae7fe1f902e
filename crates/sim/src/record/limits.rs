//! For how long each reason kept each sender from sending.

use super::recorder::{Kinds, PROGRESS, Recorder, RunEvent, Scene, TRANSMITTED};
use crate::maybe_time::MaybeTime;
use flowstart_control::named::Named;
use flowstart_control::{Duration, Instant};
use flowstart_transport::sender::Limit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// For how long a flow was limited by what, from its opening until all was acknowledged, or the run
/// ended.
///
/// The times add up to that. At each moment the reason is the first check that stops the next packet:
/// see `flowstart_transport::sender::Limit`.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
pub struct LimitRow {
    /// Which flow.
    pub flow: u32,
    /// The connection was not open.
    #[schemars(extend("unit" = "seconds"))]
    pub handshake_s: f64,
    /// The application had handed over nothing more.
    #[schemars(extend("unit" = "seconds"))]
    pub application_s: f64,
    /// The send buffer was full and the congestion window was not, as in Linux's
    /// `tcpi_sndbuf_limited`.
    #[schemars(extend("unit" = "seconds"))]
    pub send_buffer_s: f64,
    /// QUIC's limit for the stream was reached.
    #[schemars(extend("unit" = "seconds"))]
    pub stream_flow_control_s: f64,
    /// QUIC's limit for the connection was reached.
    #[schemars(extend("unit" = "seconds"))]
    pub connection_flow_control_s: f64,
    /// TCP's receive window was full and the congestion window was not, as in Linux's
    /// `tcpi_rwnd_limited`.
    #[schemars(extend("unit" = "seconds"))]
    pub receive_window_s: f64,
    /// The congestion window was full.
    #[schemars(extend("unit" = "seconds"))]
    pub cwnd_s: f64,
    /// The pacer held a packet back.
    #[schemars(extend("unit" = "seconds"))]
    pub pacing_s: f64,
    /// All data had left, and was not acknowledged.
    #[schemars(extend("unit" = "seconds"))]
    pub link_s: f64,
    /// The reason with the largest time; the first of equal ones.
    pub limited_by: String,
    /// Its share of all times.
    #[schemars(extend("unit" = "ratio", "null" = "the flow took no time"))]
    pub limited_share: Option<f64>,
    /// When it first held, from the opening.
    #[schemars(extend("unit" = "seconds"))]
    pub limited_from_s: f64,
}

/// Records the limits of all flows.
#[derive(Debug, Default)]
pub(crate) struct LimitRecorder {
    /// By the number of the flow.
    clocks: Vec<Option<LimitClock>>,
}

impl LimitRecorder {
    /// One row for each flow that has opened.
    pub(crate) fn rows(&self) -> Vec<LimitRow> {
        let clocks = (0..).zip(&self.clocks);
        let row = |(flow, clock): (u32, &Option<LimitClock>)| Some(clock.as_ref()?.row(flow));
        clocks.filter_map(row).collect()
    }
}

impl Recorder for LimitRecorder {
    fn takes(&self) -> Kinds {
        PROGRESS | TRANSMITTED
    }

    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>) {
        let (flow, now) = (scene.flow as usize, scene.now.time);
        if let RunEvent::Opened = event {
            let count = self.clocks.len().max(flow + 1);
            self.clocks.resize_with(count, || None);
            self.clocks[flow] = Some(LimitClock::new(now));
        }
        let (Some(Some(clock)), Some(sender)) = (self.clocks.get_mut(flow), scene.sender) else {
            return;
        };
        let limit = match sender.limit() {
            Limit::Application if scene.records[flow].plan.ends_at(sender.high()) => Limit::Link,
            limit => limit,
        };
        clock.turn(limit, now);
    }

    fn bytes_held(&self) -> usize {
        size_of_val(self.clocks.as_slice())
    }
}

/// The times of one flow's reasons, of which one runs.
#[derive(Debug)]
struct LimitClock {
    opened: Instant,
    since: Instant,
    limit: Limit,
    times: [Duration; Limit::VALUES.len()],
    first: [MaybeTime; Limit::VALUES.len()],
}

impl LimitClock {
    fn new(opened: Instant) -> LimitClock {
        let limit = Limit::Handshake;
        let mut first = [MaybeTime::NONE; Limit::VALUES.len()];
        first[limit as usize] = opened.into();
        LimitClock {
            opened,
            since: opened,
            limit,
            times: [Duration::ZERO; Limit::VALUES.len()],
            first,
        }
    }

    /// From now on this is the reason.
    fn turn(&mut self, limit: Limit, now: Instant) {
        self.times[self.limit as usize] += now.since(self.since);
        (self.since, self.limit) = (now, limit);
        let first = &mut self.first[limit as usize];
        if !first.is_some() {
            *first = now.into();
        }
    }

    fn row(&self, flow: u32) -> LimitRow {
        let secs = |limit: Limit| self.times[limit as usize].secs();
        let longer = |best: Limit, next: Limit| match secs(next) > secs(best) {
            true => next,
            false => best,
        };
        let values = Limit::VALUES.iter().map(|value| value.0);
        let longest = values.fold(Limit::Handshake, longer);
        let whole = self.since.since(self.opened).secs();
        let first = self.first[longest as usize].get().unwrap_or(self.opened);
        LimitRow {
            flow,
            handshake_s: secs(Limit::Handshake),
            application_s: secs(Limit::Application),
            send_buffer_s: secs(Limit::SendBuffer),
            stream_flow_control_s: secs(Limit::StreamFlowControl),
            connection_flow_control_s: secs(Limit::ConnectionFlowControl),
            receive_window_s: secs(Limit::ReceiveWindow),
            cwnd_s: secs(Limit::Cwnd),
            pacing_s: secs(Limit::Pacing),
            link_s: secs(Limit::Link),
            limited_by: longest.name().to_owned(),
            limited_share: (whole > 0.0).then(|| secs(longest) / whole),
            limited_from_s: first.since(self.opened).secs(),
        }
    }
}
