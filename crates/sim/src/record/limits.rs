//! For how long each reason kept each sender from sending.

use super::recorder::{Kinds, PROGRESS, Recorder, RunEvent, Scene, TRANSMITTED};
use crate::maybe_time::MaybeTime;
use flowstart_control::named::Named;
use flowstart_control::{Duration, Instant};
use flowstart_transport::sender::Limit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What limited a flow: the share of each reason in the time from its opening until all was
/// acknowledged, or the run ended.
///
/// The shares add up to 1. At each moment the reason is the first check that stops the next packet:
/// see `flowstart_transport::sender::Limit`.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
pub struct LimitRow {
    /// Which flow.
    pub flow: u32,
    /// The connection was not open.
    #[schemars(extend("unit" = "ratio"))]
    pub handshake_share: f64,
    /// The application had handed over nothing more.
    #[schemars(extend("unit" = "ratio"))]
    pub application_share: f64,
    /// The send buffer was full and the congestion window was not, as in Linux's
    /// `tcpi_sndbuf_limited`.
    #[schemars(extend("unit" = "ratio"))]
    pub send_buffer_share: f64,
    /// QUIC's limit for the stream was reached.
    #[schemars(extend("unit" = "ratio"))]
    pub stream_flow_control_share: f64,
    /// QUIC's limit for the connection was reached.
    #[schemars(extend("unit" = "ratio"))]
    pub connection_flow_control_share: f64,
    /// TCP's receive window was full and the congestion window was not, as in Linux's
    /// `tcpi_rwnd_limited`.
    #[schemars(extend("unit" = "ratio"))]
    pub receive_window_share: f64,
    /// The congestion window was full.
    #[schemars(extend("unit" = "ratio"))]
    pub cwnd_share: f64,
    /// The pacer held a packet back.
    #[schemars(extend("unit" = "ratio"))]
    pub pacing_share: f64,
    /// All data had left, and was not acknowledged.
    #[schemars(extend("unit" = "ratio"))]
    pub link_share: f64,
    /// The reason with the largest share; the first of equal ones.
    pub limited_by: String,
    /// When it first held, from the opening.
    #[schemars(extend("unit" = "seconds"))]
    pub limited_from_s: f64,
}

impl LimitRow {
    /// The reasons with their shares.
    pub fn shares(&self) -> [(Limit, f64); Limit::VALUES.len()] {
        [
            (Limit::Handshake, self.handshake_share),
            (Limit::Application, self.application_share),
            (Limit::SendBuffer, self.send_buffer_share),
            (Limit::StreamFlowControl, self.stream_flow_control_share),
            (
                Limit::ConnectionFlowControl,
                self.connection_flow_control_share,
            ),
            (Limit::ReceiveWindow, self.receive_window_share),
            (Limit::Cwnd, self.cwnd_share),
            (Limit::Pacing, self.pacing_share),
            (Limit::Link, self.link_share),
        ]
    }
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
        let time = |limit: Limit| self.times[limit as usize];
        let longer = |best: Limit, next: Limit| if time(next) > time(best) { next } else { best };
        let values = Limit::VALUES.iter().map(|value| value.0);
        let longest = values.fold(Limit::Handshake, longer);
        let first = self.first[longest as usize].get().unwrap_or(self.opened);
        let whole = self.since.since(self.opened).secs();
        let share = |limit: Limit| {
            if whole > 0.0 {
                time(limit).secs() / whole
            } else {
                0.0
            }
        };
        LimitRow {
            flow,
            handshake_share: share(Limit::Handshake),
            application_share: share(Limit::Application),
            send_buffer_share: share(Limit::SendBuffer),
            stream_flow_control_share: share(Limit::StreamFlowControl),
            connection_flow_control_share: share(Limit::ConnectionFlowControl),
            receive_window_share: share(Limit::ReceiveWindow),
            cwnd_share: share(Limit::Cwnd),
            pacing_share: share(Limit::Pacing),
            link_share: share(Limit::Link),
            limited_by: longest.name().to_owned(),
            limited_from_s: first.since(self.opened).secs(),
        }
    }
}
