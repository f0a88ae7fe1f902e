//! What a run is to record beside its rows.

use super::Prepared;
use crate::record::journeys::{JourneysRequest, MOST_JOURNEYS};
use crate::record::lines::{LinesRequest, MOST_COLUMNS};
use crate::spec::{out_of_range, RequestError, Scenario};
use flowstart_control::Time;

/// What a run records of what happens over time.
pub(crate) enum Recording {
    Nothing,
    /// Every event.
    Trace,
    /// Lines of chosen flows.
    Lines(LinesRequest),
    /// The ways of a flow's first packets.
    Journeys(JourneysRequest),
}

impl Recording {
    /// What a scenario itself asks for.
    pub(super) fn of(scenario: &Scenario) -> Recording {
        match scenario.trace {
            true => Recording::Trace,
            false => Recording::Nothing,
        }
    }

    /// Whether it is to hear of packets wherever they are.
    pub(crate) fn follows_packets(&self) -> bool {
        matches!(self, Recording::Journeys(_))
    }

    /// When a run may stop because nothing is recorded from then on.
    pub(crate) fn end(&self) -> Time {
        match self {
            Recording::Lines(LinesRequest { to: Some(to), .. }) => *to,
            _ => Time::MAX,
        }
    }
}

impl Prepared {
    /// Has the run keep every packet of these flows: see
    /// [`Outcome::packets`](crate::record::outcome::Outcome::packets).
    ///
    /// An error where the run has no such flow. How many web sessions make is not known before.
    pub fn log_packets(&mut self, flows: &[u32]) -> Result<(), RequestError> {
        self.check_flows(flows)?;
        self.logged = flows.to_vec();
        Ok(())
    }

    /// Has the run record what these flows do over time, in place of what the scenario says is to
    /// be recorded, and stop where nothing more is wanted: see
    /// [`Outcome::lines`](crate::record::outcome::Outcome::lines).
    ///
    /// An error where the run has no such flow, or there is nothing between the ends of the time.
    pub fn record_lines(&mut self, request: LinesRequest) -> Result<(), RequestError> {
        self.check_flows(&request.flows)?;
        if !(1..=MOST_COLUMNS).contains(&request.columns) {
            let right = format!("1 to {MOST_COLUMNS}");
            return Err(out_of_range("columns", request.columns, &right));
        }
        if let Some(to) = request.to.filter(|to| *to <= request.from) {
            let right = format!("later than the beginning, {}", request.from);
            return Err(out_of_range("to", to, &right));
        }
        self.recording = Recording::Lines(request);
        Ok(())
    }

    /// Has the run record the ways of a flow's first packets, in place of what the scenario says is
    /// to be recorded, and stop when they have arrived: see
    /// [`Outcome::journeys`](crate::record::outcome::Outcome::journeys).
    ///
    /// An error where the run has no such flow.
    pub fn record_journeys(&mut self, request: JourneysRequest) -> Result<(), RequestError> {
        self.check_flows(&[request.flow])?;
        if !(1..=MOST_JOURNEYS).contains(&request.most) {
            let right = format!("1 to {MOST_JOURNEYS}");
            return Err(out_of_range("most", request.most, &right));
        }
        self.recording = Recording::Journeys(request);
        Ok(())
    }

    /// An error where the run has not all of these flows. How many web sessions make is not known
    /// before.
    fn check_flows(&self, flows: &[u32]) -> Result<(), RequestError> {
        let count: u64 = self.flows.iter().map(|entry| entry.count).sum();
        let missing = flows.iter().find(|flow| u64::from(**flow) >= count);
        let (Some(flow), true) = (missing, self.web.is_empty()) else {
            return Ok(());
        };
        let problem = match count {
            1 => "the run has one flow, number 0".to_string(),
            _ => format!("the run has {count} flows, numbered from 0"),
        };
        Err(RequestError::new(format!("flow {flow}"), problem))
    }
}
