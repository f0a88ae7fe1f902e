//! A sender's state, as qlog's recovery events: only changes are written.

use super::event::milliseconds;
use flowstart_control::{Exit, Instant};
use flowstart_sim::record::packets::{FlowLog, Knowledge};
use serde_json::{Map, Value as Json, json};

/// State of the congestion controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    SlowStart,
    CongestionAvoidance,
    Recovery,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::SlowStart => "slow_start",
            Phase::CongestionAvoidance => "congestion_avoidance",
            Phase::Recovery => "recovery",
        }
    }
}

/// What has been written so far.
pub(super) struct State {
    mss: f64,
    exit: Option<Exit>,
    phase: Phase,
    /// The startup's end has been written.
    has_left: bool,
    recoveries: u64,
    /// The recovery under way is over when all below is acknowledged.
    recovery_point: u64,
    metrics: Map<String, Json>,
}

impl State {
    /// Of a connection that has not opened.
    pub(super) fn new(log: &FlowLog) -> State {
        State {
            mss: f64::from(log.stack.framing.mss),
            exit: log.exit,
            phase: Phase::SlowStart,
            has_left: false,
            recoveries: 0,
            recovery_point: 0,
            metrics: Map::new(),
        }
    }

    /// The events of what has changed.
    pub(super) fn learn(&mut self, known: &Knowledge, now: Instant) -> Vec<(&'static str, Json)> {
        let mut events = Vec::new();
        if let Some(change) = self.change_phase(known, now) {
            events.push(("recovery:congestion_state_updated", change));
        }
        let metrics = self.metrics_of(known);
        let news = |(name, value): &(&String, &Json)| self.metrics.get(*name) != Some(value);
        let changed: Map<String, Json> = (metrics.iter().filter(news))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if !changed.is_empty() {
            events.push(("recovery:metrics_updated", changed.into()));
        }
        self.metrics = metrics;
        events
    }

    fn change_phase(&mut self, known: &Knowledge, now: Instant) -> Option<Json> {
        let leaves = self.exit.filter(|exit| exit.at <= now && !self.has_left);
        self.has_left |= leaves.is_some();
        let begins = known.recoveries > self.recoveries;
        self.recoveries = known.recoveries;
        if begins {
            self.recovery_point = known.high;
        }
        let in_recovery = known.una < self.recovery_point;
        // Below the threshold after a timeout it is slow start again.
        let reached = known.cwnd >= known.ssthresh || known.ssthresh.is_infinite();
        let phase = match (in_recovery, self.has_left && reached) {
            (true, _) => Phase::Recovery,
            (false, true) => Phase::CongestionAvoidance,
            (false, false) => Phase::SlowStart,
        };
        let old = std::mem::replace(&mut self.phase, phase);
        if old == phase && leaves.is_none() {
            return None;
        }
        let mut change = json!({ "old": old.name(), "new": phase.name() });
        if let Some(exit) = leaves {
            change["startup_exit_reason"] = json!(exit.reason);
            change["startup_exit_cwnd"] = self.bytes(exit.cwnd);
        }
        Some(change)
    }

    fn metrics_of(&self, known: &Knowledge) -> Map<String, Json> {
        let mut metrics = Map::new();
        let mut put = |name: &str, value: Json| metrics.insert(name.to_string(), value);
        put("congestion_window", self.bytes(known.cwnd));
        put("bytes_in_flight", known.flight.into());
        if known.ssthresh.is_finite() {
            put("ssthresh", self.bytes(known.ssthresh));
        }
        if let Some((srtt, rttvar)) = known.smoothed {
            put("smoothed_rtt", milliseconds(srtt).into());
            put("rtt_variance", milliseconds(rttvar).into());
        }
        if let Some(latest) = known.latest {
            put("latest_rtt", milliseconds(latest).into());
        }
        if let Some(min_rtt) = known.min_rtt {
            put("min_rtt", milliseconds(min_rtt).into());
        }
        if let Some(rate) = known.pacing_bps {
            put("pacing_rate", rate.into());
        }
        metrics
    }

    fn bytes(&self, segments: f64) -> Json {
        ((segments * self.mss) as u64).into()
    }
}
