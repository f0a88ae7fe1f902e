//! What a run is to record besides its rows.

use super::checks::LONGEST_RUN;
use crate::record::goodput::Measure;
use crate::record::journeys::{JourneysRequest, MOST_JOURNEYS};
use crate::record::lines::{LinesRequest, MOST_COLUMNS};
use crate::spec::{RequestError, Scenario, out_of_range};
use flowstart_control::{Duration, Instant};

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
    /// The recording of a scenario.
    pub(super) fn of(scenario: &Scenario) -> Recording {
        match scenario.trace {
            true => Recording::Trace,
            false => Recording::Nothing,
        }
    }

    /// Lines, of a run that lists `count` flows.
    pub(super) fn lines(request: LinesRequest, count: u64) -> Result<Self, RequestError> {
        check_flows(&request.flows, count)?;
        if !(1..=MOST_COLUMNS).contains(&request.columns) {
            let right = format!("1 to {MOST_COLUMNS}");
            return Err(out_of_range("columns", request.columns, &right));
        }
        if let Some(to) = request.to.filter(|to| *to <= request.from) {
            let right = format!("later than the beginning, {},", request.from);
            return Err(out_of_range("to", to, &right));
        }
        Ok(Recording::Lines(request))
    }

    /// The ways of packets, in a run that lists `count` flows.
    pub(super) fn journeys(request: JourneysRequest, count: u64) -> Result<Self, RequestError> {
        check_flows(&[request.flow], count)?;
        if !(1..=MOST_JOURNEYS).contains(&request.most) {
            let right = format!("1 to {MOST_JOURNEYS}");
            return Err(out_of_range("most", request.most, &right));
        }
        Ok(Recording::Journeys(request))
    }

    /// Whether every event is kept.
    pub(crate) fn keeps_every_event(&self) -> bool {
        matches!(self, Recording::Trace)
    }

    /// When a run may stop because nothing is recorded from then on.
    pub(crate) fn end(&self) -> Instant {
        match self {
            Recording::Lines(LinesRequest { to: Some(to), .. }) => *to,
            _ => Instant::MAX,
        }
    }
}

/// The rates that a scenario has measured of its flows, each once.
pub(super) fn measures(scenario: &Scenario) -> Result<Vec<Measure>, RequestError> {
    let mut measures = Vec::new();
    let mut add = |field: String, measure, text: String| match measures.contains(&measure) {
        true => Err(RequestError::new(field, format!("`{text}` is given twice"))),
        false => {
            measures.push(measure);
            Ok(())
        }
    };
    for (i, time) in scenario.within.iter().enumerate() {
        let field = format!("within[{i}]");
        if *time == Duration::ZERO || *time > LONGEST_RUN {
            let right = format!("above 0s to {LONGEST_RUN}");
            return Err(out_of_range(&field, time, &right));
        }
        if let Some(duration) = scenario.duration.filter(|duration| time > duration) {
            let problem = format!("`{time}` is longer than the run's `duration`, {duration}");
            return Err(RequestError::new(field, problem));
        }
        add(field, Measure::Within(*time), time.to_string())?;
    }
    for (i, test) in scenario.speed_tests.iter().enumerate() {
        let field = format!("speed_tests[{i}]");
        add(field, Measure::Test(*test), test.to_string())?;
    }
    Ok(measures)
}

/// An error where a run that lists `count` flows has not all of these.
pub(super) fn check_flows(flows: &[u32], count: u64) -> Result<(), RequestError> {
    let Some(flow) = flows.iter().find(|flow| u64::from(**flow) >= count) else {
        return Ok(());
    };
    let problem = match count {
        1 => "the run has one flow, number 0".to_string(),
        _ => format!("the run has {count} flows, numbered from 0"),
    };
    Err(RequestError::new(format!("flow {flow}"), problem))
}
