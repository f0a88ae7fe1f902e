//! Who looks at single packets and senders: logs of packets, measures of startups, and flows that
//! wait for a startup's end. Most runs have none, and ask one question where something happens.

use super::flows::Endpoints;
use super::followers::Followers;
use super::startup_measures::StartupMeasure;
use crate::compile::Prepared;
use crate::flow_plan::FlowPlan;
use crate::record::packets::FlowLog;
use crate::record::startup::StartupRow;
use flowstart_network::graph::LinkId;
use flowstart_network::link::Link;
use flowstart_network::moment::Moment;

/// All observers of a run.
#[derive(Debug, Default)]
pub(super) struct Observers {
    /// There is one at least.
    pub(super) exist: bool,
    /// The packets of flows that are logged and have opened.
    pub(super) logs: Vec<FlowLog>,
    /// By the number of the flow; empty where nothing is measured of any.
    measures: Vec<Option<Box<StartupMeasure>>>,
    pub(super) followers: Followers,
}

impl Observers {
    /// Those that a run is to have whose bottleneck's directions are these.
    pub(super) fn new(
        prepared: &Prepared,
        plans: &[FlowPlan],
        bottleneck: [LinkId; 2],
    ) -> Observers {
        let measure = |plan: &FlowPlan| {
            let kind = &prepared.kinds[plan.kind as usize];
            let available = kind.available_rate?;
            let measure = StartupMeasure::new(plan, kind, available, bottleneck);
            Some(Box::new(measure))
        };
        let mut measures = Vec::new();
        if prepared
            .kinds
            .iter()
            .any(|kind| kind.available_rate.is_some())
        {
            measures.extend(plans.iter().map(measure));
        }
        let followers = Followers::new(prepared, plans);
        Observers {
            exist: !prepared.logged.is_empty()
                || !measures.is_empty()
                || !followers.is_empty()
                || prepared.recording.follows_packets(),
            logs: Vec::new(),
            measures,
            followers,
        }
    }

    /// Whether any startup is measured.
    pub(super) fn measure(&self) -> bool {
        !self.measures.is_empty()
    }

    #[inline]
    pub(super) fn measure_of(&mut self, flow: u32) -> Option<&mut StartupMeasure> {
        self.measures.get_mut(flow as usize)?.as_deref_mut()
    }

    /// One row for each flow that was measured.
    pub(super) fn startup_rows(&self) -> Vec<StartupRow> {
        let measured = (0..).zip(&self.measures);
        let row = |(flow, measure): (u32, &Option<Box<StartupMeasure>>)| {
            measure.as_ref().map(|measure| measure.row(flow))
        };
        measured.filter_map(row).collect()
    }

    /// A flow is over, or the run.
    pub(super) fn close(&mut self, flow: u32, ends: &Endpoints, links: &mut [Link], now: Moment) {
        if let Some(measure) = self.measure_of(flow) {
            let waited = links[measure.bottleneck as usize].waited(now);
            measure.close(waited, ends.sender.counters());
        }
    }
}
