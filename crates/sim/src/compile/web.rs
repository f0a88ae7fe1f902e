//! The web sessions of a scenario, read and checked.

use super::checks::{LONGEST_RUN, distribution, within};
use super::flows::{FlowReader, LARGEST, own_ends};
use super::setting::Setting;
use super::shared::Recipes;
use crate::flow_plan::{FlowKind, FlowPlan};
use crate::spec::{DrawnText, FlowSpec, RequestError, Scenario, WebSpec, out_of_range};
use crate::workload::web::{Hosts, WebEntry};
use flowstart_control::{Instant, Named};
use flowstart_network::distribution::{Distribution, Measure};
use std::num::NonZeroU64;

const MOST_HOSTS: u64 = 1000;
const MOST_PAIRS: u64 = 100_000;
/// More objects than that do not fit into memory.
const MOST_OBJECTS: f64 = 1e7;

/// The `web` entries of a scenario, whose hosts come after those of `flows` flows; their kinds
/// join `kinds`.
pub(super) fn web_entries(
    scenario: &Scenario,
    setting: &Setting,
    recipes: &Recipes,
    flows: u32,
    kinds: &mut Vec<FlowKind>,
) -> Result<Vec<WebEntry>, RequestError> {
    let (mut free, mut first_route) = (flows, 0);
    let mut entries = Vec::with_capacity(scenario.web.len());
    for (i, spec) in scenario.web.iter().enumerate() {
        let reader = Reader {
            scenario,
            spec,
            field: format!("web[{i}]"),
            setting,
            recipes,
        };
        let entry = reader.read(first_route, free, kinds)?;
        free += entry.clients.max(entry.servers);
        first_route += entry.routes() as u32;
        entries.push(entry);
    }
    let objects: f64 = entries.iter().map(WebEntry::expected_objects).sum();
    if objects > MOST_OBJECTS {
        let right = "at most 10 000 000 objects on average, over all sessions and pages,";
        return Err(out_of_range("web", objects.round(), right));
    }
    Ok(entries)
}

struct Reader<'a> {
    scenario: &'a Scenario,
    spec: &'a WebSpec,
    field: String,
    setting: &'a Setting,
    recipes: &'a Recipes,
}

impl Reader<'_> {
    fn field(&self, name: &str) -> String {
        format!("{}.{name}", self.field)
    }

    fn read(
        &self,
        first_route: u32,
        free: u32,
        kinds: &mut Vec<FlowKind>,
    ) -> Result<WebEntry, RequestError> {
        let spec = self.spec;
        spec.check(&self.field)?;
        let start = spec.start();
        if start > LONGEST_RUN {
            let right = format!("0s to {LONGEST_RUN}");
            return Err(out_of_range(&self.field("start"), start, &right));
        }
        let Some(size) = &spec.size else {
            let problem = "missing; needed, such as `size = \"pareto2:mean=4,shape=1.2\"`";
            return Err(RequestError::new(self.field("size"), problem));
        };
        let (clients, servers) = self.hosts()?;
        let [request, response] = self.plans(kinds)?;
        let kind = &kinds[response.kind as usize];
        Ok(WebEntry {
            sessions: spec.sessions(),
            start: Instant::ZERO + start,
            interval: self.distribution("interval", Measure::Time, &spec.interval())?,
            pages: self.numerous("pages", &spec.pages())?,
            page_pause: self.distribution("page_pause", Measure::Time, &spec.page_pause())?,
            page_pause_from: spec.page_pause_from(),
            objects: self.numerous("objects", &spec.objects())?,
            object_pause: self.distribution("object_pause", Measure::Time, &spec.object_pause())?,
            size: self.distribution("size", Measure::Count, size)?,
            max_size: self.max_size()?,
            single_connection: spec.single_connection(),
            direction: spec.direction(),
            clients,
            servers,
            request,
            response,
            mss: kind.stack.framing.mss,
            hops: (kind.from_hop, kind.to_hop),
            first_route,
            hosts: Hosts {
                shared: self.setting.chain.hosts.shared,
                free,
            },
        })
    }

    fn distribution(
        &self,
        name: &str,
        measure: Measure,
        given: &DrawnText,
    ) -> Result<Distribution, RequestError> {
        distribution(&self.field(name), measure, &given.0)
    }

    /// A number of pages or objects, which must have a mean for the run to have an end.
    fn numerous(&self, name: &str, given: &DrawnText) -> Result<Distribution, RequestError> {
        let distribution = self.distribution(name, Measure::Count, given)?;
        if distribution.mean().is_finite() {
            return Ok(distribution);
        }
        let problem = format!("`{given}` has no mean; a `shape` above 1 is needed");
        Err(RequestError::new(self.field(name), problem))
    }

    fn max_size(&self) -> Result<u64, RequestError> {
        let most = LARGEST / u64::from(self.setting.ends.stack.framing.mss);
        let Some(max) = self.spec.max_size else {
            return Ok(most);
        };
        within(&self.field("max_size"), max, 1, most, "1 packet to 1 PB")
    }

    fn hosts(&self) -> Result<(u32, u32), RequestError> {
        let shared = self.setting.chain.hosts.shared.map(u64::from);
        let most = shared.unwrap_or(MOST_HOSTS).min(MOST_HOSTS);
        let right = match shared {
            Some(shared) if shared < MOST_HOSTS => format!("1 to `path.hosts`, {shared},"),
            _ => format!("1 to {MOST_HOSTS} hosts"),
        };
        let count =
            |name: &str, given: u32| within(&self.field(name), given.into(), 1, most, &right);
        let clients = count("clients", self.spec.clients())?;
        let servers = count("servers", self.spec.servers())?;
        let right = format!("at most {MOST_PAIRS} pairs of client and server");
        within(&self.field, clients * servers, 1, MOST_PAIRS, &right)?;
        Ok((clients as u32, servers as u32))
    }

    /// Sessions may have hosts in common with others.
    fn refuse_hosts(&self) -> Result<(), RequestError> {
        let own = self.spec.stack.as_ref();
        let given = |field: &&str| own.is_some_and(|own| own.given(field).is_some());
        let field = ["host", "receiver_host"].into_iter().find(given);
        field.map_or(Ok(()), |field| {
            let problem =
                "web sessions have the scenario's hosts; set it in the scenario's `stack`";
            Err(RequestError::new(
                self.field(&format!("stack.{field}")),
                problem,
            ))
        })
    }

    /// What all requests, and all responses, have in common.
    fn plans(&self, kinds: &mut Vec<FlowKind>) -> Result<[FlowPlan; 2], RequestError> {
        let of = |startup: &Option<String>, cc: &Option<String>| FlowSpec {
            startup: startup.clone(),
            cc: cc.clone(),
            from_hop: self.spec.from_hop,
            to_hop: self.spec.to_hop,
            ..FlowSpec::default()
        };
        let (request, response) = (
            of(&None, &None),
            FlowSpec {
                interface_rate: self.spec.interface_rate,
                stack: self.spec.stack.clone(),
                ..of(&self.spec.startup, &self.spec.cc)
            },
        );
        self.refuse_hosts()?;
        let entry = |spec| -> Result<_, RequestError> {
            let ends = own_ends(self.scenario, spec, self.setting, &self.field)?;
            if let Some(flight) = ends.stack.messages.flight {
                let problem = format!(
                    "`{}`: web sessions count their handshakes in round trips; leave it out",
                    flight.name()
                );
                return Err(RequestError::new(
                    format!("{}.stack.flight", self.field),
                    problem,
                ));
            }
            Ok(FlowReader {
                spec,
                field: self.field.clone(),
                ends,
                chain: &self.setting.chain,
                recipes: self.recipes,
                draws: (0, 0),
                lasts: None,
            })
        };
        let asking = entry(&request)?;
        let first = kinds.len() as u32;
        let (mut request_plan, kind) = asking.template(first)?;
        let size = self.spec.request();
        let bytes = asking.bytes("request", size, kind.from_hop, kind.to_hop)?;
        request_plan.size = NonZeroU64::new(bytes);
        let (response_plan, response_kind) = entry(&response)?.template(first + 1)?;
        kinds.extend([kind, response_kind]);
        Ok([request_plan, response_plan])
    }
}
