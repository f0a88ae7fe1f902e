//! One `web` entry of a scenario, checked and worked out.

use super::super::{Entry, FlowPlan, LARGEST, LONGEST_RUN};
use crate::compile::checks::distribution;
use crate::request::{out_of_range, within, RequestError};
use crate::scenario::{Direction, FlowSpec, PauseFrom, Scenario, WebSpec};
use flowstart_control::{Amount, Guests, Time};
use flowstart_network::chain::Chain;
use flowstart_network::distribution::{Law, Measure};
use flowstart_network::graph::Course;
use flowstart_transport::stack::Stack;
use std::sync::Arc;

/// Sessions of one kind.
pub struct WebEntry {
    /// How many.
    pub sessions: u32,
    /// When the first begins.
    pub start: Time,
    /// From one session's beginning to the next one's.
    pub interval: Law,
    /// Pages of a session.
    pub pages: Law,
    /// From page to page.
    pub page_pause: Law,
    /// From when that is counted.
    pub page_pause_from: PauseFrom,
    /// Objects of a page.
    pub objects: Law,
    /// From request to request within a page.
    pub object_pause: Law,
    /// Packets of an object.
    pub size: Law,
    /// No object has more packets; a larger one is cut.
    pub max_size: u64,
    /// The response comes on the request's connection.
    pub single_connection: bool,
    /// Which way responses go.
    pub direction: Direction,
    /// Hosts that read.
    pub clients: u32,
    /// Hosts that answer.
    pub servers: u32,
    /// What all requests have in common.
    pub request: FlowPlan,
    /// What all responses have in common.
    pub response: FlowPlan,
    /// The number of its first way among those of all entries.
    first_way: u32,
    chain: Hosts,
}

/// Which hosts on the chain the entry's are.
#[derive(Clone, Copy)]
struct Hosts {
    shared: Option<u32>,
    /// The first that belongs to nobody else.
    free: u32,
}

/// One way that data of an entry may go.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The host that answers, among the entry's servers.
    pub server: u32,
    /// The host that reads, among its clients.
    pub client: u32,
    /// The server is on the right.
    pub reverse: bool,
    /// From client to server.
    pub request: bool,
}

const MOST_SESSIONS: u64 = 1_000_000;
const MOST_HOSTS: u64 = 1000;
const MOST_PAIRS: u64 = 100_000;
/// More objects than that do not fit into memory.
const MOST_OBJECTS: f64 = 1e7;

/// The `web` entries of a scenario, whose hosts come after those of `flows` flows.
pub fn entries(
    scenario: &Scenario,
    stack: &Arc<Stack>,
    chain: &Chain,
    guests: &Guests,
    flows: usize,
) -> Result<Vec<WebEntry>, RequestError> {
    let (mut free, mut first_way) = (flows as u32, 0);
    let mut entries = Vec::with_capacity(scenario.web.len());
    for (i, spec) in scenario.web.iter().enumerate() {
        let reader = Reader {
            spec,
            field: format!("web[{i}]"),
            stack,
            chain,
            guests,
        };
        let entry = reader.read(first_way, free)?;
        free += entry.clients.max(entry.servers);
        first_way += entry.ways() as u32;
        entries.push(entry);
    }
    let objects: f64 = entries.iter().map(WebEntry::expected_objects).sum();
    if objects > MOST_OBJECTS {
        let right = "at most 10 000 000 objects on average, over all sessions and pages,";
        return Err(out_of_range("web", objects.round(), right));
    }
    Ok(entries)
}

impl WebEntry {
    fn expected_objects(&self) -> f64 {
        f64::from(self.sessions) * self.pages.mean().max(1.0) * self.objects.mean().max(1.0)
    }

    fn both_directions(&self) -> bool {
        self.direction == Direction::Alternate
    }

    fn ways(&self) -> usize {
        let directions = if self.both_directions() { 2 } else { 1 };
        self.servers as usize * self.clients as usize * 2 * directions
    }

    /// The number of a way among those of all entries, which [`courses`](Self::courses) has
    /// in this order.
    pub fn way(&self, way: Way) -> u32 {
        let pair = way.server * self.clients + way.client;
        let second = self.both_directions() && way.reverse;
        let directions = if self.both_directions() { 2 } else { 1 };
        let n = pair * directions + u32::from(second);
        self.first_way + 2 * n + u32::from(way.request)
    }

    /// Where data goes on each of the entry's ways.
    pub fn courses(&self) -> impl Iterator<Item = Course> + '_ {
        let directions: &[bool] = match self.direction {
            Direction::Forward => &[false],
            Direction::Reverse => &[true],
            Direction::Alternate => &[false, true],
        };
        (0..self.servers).flat_map(move |server| {
            (0..self.clients).flat_map(move |client| {
                directions.iter().flat_map(move |&reverse| {
                    [false, true].map(|request| {
                        self.course(Way {
                            server,
                            client,
                            reverse,
                            request,
                        })
                    })
                })
            })
        })
    }

    fn course(&self, way: Way) -> Course {
        let server = self.chain.host(way.server);
        let client = self.chain.host(way.client);
        let (left, right) = if way.reverse {
            (client, server)
        } else {
            (server, client)
        };
        Course {
            left,
            right,
            reverse: way.reverse != way.request,
            from_hop: self.response.from_hop,
            to_hop: self.response.to_hop,
        }
    }

    /// What a connection on this way is to be like, but for its size and its beginning.
    pub fn plan(&self, way: Way) -> FlowPlan {
        let course = self.course(way);
        let template = if way.request {
            &self.request
        } else {
            &self.response
        };
        FlowPlan {
            reverse: course.reverse,
            hosts: self.chain.memory(course),
            ..template.clone()
        }
    }
}

impl Hosts {
    fn host(self, n: u32) -> u32 {
        self.shared.map_or(self.free + n, |shared| n % shared)
    }

    /// Under which number what connections between two hosts leave behind is kept: that of
    /// the pair where they are one.
    fn memory(self, course: Course) -> u32 {
        const SIDE: u32 = 1 << 16;
        if self.shared.is_some() && course.left == course.right {
            return course.left;
        }
        SIDE + course.left.wrapping_mul(SIDE).wrapping_add(course.right)
    }
}

struct Reader<'a> {
    spec: &'a WebSpec,
    field: String,
    stack: &'a Arc<Stack>,
    chain: &'a Chain,
    guests: &'a Guests,
}

impl Reader<'_> {
    fn field(&self, name: &str) -> String {
        format!("{}.{name}", self.field)
    }

    fn read(&self, first_way: u32, free: u32) -> Result<WebEntry, RequestError> {
        let spec = self.spec;
        let sessions = u64::from(spec.sessions.unwrap_or(1));
        let right = "1 to 1 000 000 sessions";
        within(&self.field("sessions"), sessions, 1, MOST_SESSIONS, right)?;
        let start = spec.start.unwrap_or(Time::ZERO);
        if start > LONGEST_RUN {
            let right = format!("0s to {LONGEST_RUN}");
            return Err(out_of_range(&self.field("start"), start, &right));
        }
        let Some(size) = &spec.size else {
            let problem = "missing; needed, such as `size = \"pareto2:mean=4,shape=1.2\"`";
            return Err(RequestError::new(self.field("size"), problem));
        };
        let (clients, servers) = self.hosts()?;
        let (request, response) = self.plans()?;
        Ok(WebEntry {
            sessions: sessions as u32,
            start,
            interval: self.law("interval", Measure::Time, &spec.interval, "0s")?,
            pages: self.numerous("pages", &spec.pages)?,
            page_pause: self.law("page_pause", Measure::Time, &spec.page_pause, "0s")?,
            page_pause_from: spec.page_pause_from.unwrap_or_default(),
            objects: self.numerous("objects", &spec.objects)?,
            object_pause: self.law("object_pause", Measure::Time, &spec.object_pause, "0s")?,
            size: distribution(&self.field("size"), Measure::Count, size)?,
            max_size: self.max_size()?,
            single_connection: spec.single_connection.unwrap_or(false),
            direction: spec.direction.unwrap_or_default(),
            clients,
            servers,
            request,
            response,
            first_way,
            chain: Hosts {
                shared: self.chain.hosts.shared,
                free,
            },
        })
    }

    fn law(
        &self,
        name: &str,
        measure: Measure,
        given: &Option<String>,
        usual: &str,
    ) -> Result<Law, RequestError> {
        let given = given.as_deref().unwrap_or(usual);
        distribution(&self.field(name), measure, given)
    }

    /// A number of pages or objects, which must have a mean for the run to have an end.
    fn numerous(&self, name: &str, given: &Option<String>) -> Result<Law, RequestError> {
        let law = self.law(name, Measure::Count, given, "1")?;
        if law.mean().is_finite() {
            return Ok(law);
        }
        let given = given.as_deref().unwrap_or_default();
        let problem = format!("`{given}` has no mean; a `shape` above 1 is needed");
        Err(RequestError::new(self.field(name), problem))
    }

    fn max_size(&self) -> Result<u64, RequestError> {
        let most = LARGEST / u64::from(self.stack.mss);
        let Some(max) = self.spec.max_size else {
            return Ok(most);
        };
        within(&self.field("max_size"), max, 1, most, "1 packet to 1 PB")
    }

    fn hosts(&self) -> Result<(u32, u32), RequestError> {
        let shared = self.chain.hosts.shared.map(u64::from);
        let most = shared.unwrap_or(MOST_HOSTS).min(MOST_HOSTS);
        let right = match shared {
            Some(shared) if shared < MOST_HOSTS => format!("1 to `path.hosts`, {shared},"),
            _ => format!("1 to {MOST_HOSTS} hosts"),
        };
        let count = |name: &str, given: Option<u32>| {
            let given = u64::from(given.unwrap_or(1));
            within(&self.field(name), given, 1, most, &right)
        };
        let clients = count("clients", self.spec.clients)?;
        let servers = count("servers", self.spec.servers)?;
        let right = format!("at most {MOST_PAIRS} pairs of client and server");
        within(&self.field, clients * servers, 1, MOST_PAIRS, &right)?;
        Ok((clients as u32, servers as u32))
    }

    /// What all requests, and all responses, have in common.
    fn plans(&self) -> Result<(FlowPlan, FlowPlan), RequestError> {
        let of = |startup: &Option<String>, avoidance: &Option<String>| FlowSpec {
            startup: startup.clone(),
            avoidance: avoidance.clone(),
            from_hop: self.spec.from_hop,
            to_hop: self.spec.to_hop,
            ..FlowSpec::default()
        };
        let (request, response) = (
            of(&None, &None),
            FlowSpec {
                interface_rate: self.spec.interface_rate,
                ..of(&self.spec.startup, &self.spec.avoidance)
            },
        );
        let entry = |spec| Entry {
            spec,
            field: self.field.clone(),
            stack: self.stack.clone(),
            chain: self.chain,
            guests: self.guests,
        };
        let asking = entry(&request);
        let mut plan = asking.template()?;
        let size = self.spec.request.unwrap_or(Amount::Packets(1));
        plan.size = Some(asking.bytes("request", size, plan.from_hop, plan.to_hop)?);
        Ok((plan, entry(&response).template()?))
    }
}
