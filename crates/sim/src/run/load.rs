//! A scenario whose transfers are external: clients request them of one server, over links that all
//! share, by a transport that is not the simulator's.

use super::external_sender::known;
use crate::compile::Prepared;
use crate::flow_plan::{FlowKind, FlowPlan, Opening};
use crate::record::object::ObjectTable;
use crate::spec::{Direction, RequestError};
use crate::workload::web::{Sessions, WebEntry};
use flowstart_control::catalog::Recipe;
use flowstart_control::signals::PathInfo;
use flowstart_control::{Duration, Instant};
use flowstart_network::graph::Route;
use flowstart_network::link::Link;
use flowstart_transport::stack::Stack;
use std::sync::Arc;

/// The links, and what is requested over them.
pub struct Load<'a> {
    /// Every link.
    pub links: Vec<Link>,
    /// The links that all pass.
    pub route: Route,
    /// When the run is stopped.
    pub end: Instant,
    /// How the simulated endpoints of each kind of flow behave.
    pub stacks: Vec<Arc<Stack>>,
    /// What is requested.
    pub requests: Requests<'a>,
}

/// A transfer that a client requests now, on a separate connection.
#[derive(Clone)]
pub struct Request {
    /// Flows of the scenario come first, by their places; behind them objects of sessions, in the order
    /// in which they are requested.
    pub number: u32,
    /// Bytes of the client's request; 0 where a flow's opening is enough.
    pub request: u64,
    /// Bytes of the answer.
    pub size: u64,
    /// Makes the controller of the answer's sender.
    pub recipe: Arc<Recipe>,
    /// What that is given of the path.
    pub known: PathInfo,
    /// How it behaves where it is simulated.
    pub stack: Arc<Stack>,
}

/// What is requested over time: the scenario's flows, and the objects of its web sessions, drawn as
/// the simulator draws them.
pub struct Requests<'a> {
    prepared: &'a Prepared,
    /// What senders of each kind know.
    known: Vec<PathInfo>,
    /// Flows that have not opened, the next one last, with their places.
    flows: Vec<(u32, FlowPlan)>,
    sessions: Sessions<'a>,
    /// How many flows the scenario has.
    first: u32,
    /// The number of the next flow of a session.
    next_flow: u32,
    /// By object: bytes of its request, and the flow that answers.
    objects: Vec<(u64, u32)>,
    unanswered: usize,
}

impl Prepared {
    /// The scenario's transfers from a server to clients that open the connections.
    ///
    /// An error where there are others, or not all go the same way.
    pub fn load(&self) -> Result<Load<'_>, RequestError> {
        let plans = self.plans();
        for (number, plan) in plans.iter().enumerate() {
            check_flow(number, plan, &self.kinds[plan.kind as usize])?;
        }
        for (number, entry) in self.web.iter().enumerate() {
            check_web(number, entry)?;
        }
        let network = self.network(&plans);
        // Of sessions every second way is that of requests.
        let answers = network.other_routes.iter().step_by(2);
        let mut routes = network.route_of.iter().chain(answers);
        let route = routes.next().ok_or_else(|| {
            let problem = "there are none, and a load in real time has one at least";
            RequestError::new("flows", problem)
        })?;
        if routes.any(|other| other != route) {
            let problem = "the transfers of a load in real time share one way; these have several";
            return Err(RequestError::new("path", problem));
        }
        let route = network.routes[*route as usize].clone();
        let links = network.links;
        let known = self.kinds.iter().map(|kind| known(kind, &route, &links));
        Ok(Load {
            requests: Requests::new(self, plans, known.collect()),
            links,
            route,
            end: self.end,
            stacks: self.kinds.iter().map(|kind| kind.stack.clone()).collect(),
        })
    }
}

/// Whether a flow is a transfer that its receiver requests.
fn check_flow(number: usize, plan: &FlowPlan, kind: &FlowKind) -> Result<(), RequestError> {
    let refused = |field: &str, problem: &str| {
        Err(RequestError::new(
            format!("flows[{number}].{field}"),
            problem,
        ))
    };
    if !kind.by_receiver {
        return refused("opener", "`sender`: clients open the connections of a load");
    }
    if plan.size().is_none() || !kind.writes.is_empty() {
        return refused("size", "a load has transfers of known size");
    }
    if kind.start_after.is_some() {
        return refused(
            "start_after",
            "a load's transfers have separate start times",
        );
    }
    Ok(())
}

/// Whether objects come on the connections on which they are requested.
fn check_web(number: usize, entry: &WebEntry) -> Result<(), RequestError> {
    let field = |name: &str| format!("web[{number}].{name}");
    if !entry.single_connection {
        let problem = "`false`: a real server answers on the connection of the request";
        return Err(RequestError::new(field("single_connection"), problem));
    }
    if entry.direction == Direction::Alternate {
        let problem = "`alternate`: a load has one server";
        return Err(RequestError::new(field("direction"), problem));
    }
    Ok(())
}

impl<'a> Requests<'a> {
    fn new(prepared: &'a Prepared, plans: Vec<FlowPlan>, known: Vec<PathInfo>) -> Requests<'a> {
        let count = plans.len();
        let mut flows: Vec<_> = (0..).zip(plans).collect();
        flows.sort_by_key(|(number, plan)| std::cmp::Reverse((start(plan), *number)));
        Requests {
            prepared,
            known,
            unanswered: 0,
            flows,
            sessions: Sessions::new(&prepared.web, count, prepared.seed),
            first: count as u32,
            next_flow: count as u32,
            objects: Vec::new(),
        }
    }

    /// Time of the next request, as far as that is known; times count from the run's beginning.
    pub fn next_at(&self) -> Option<Instant> {
        let flow = self.flows.last().map(|(_, plan)| start(plan));
        let session = self.sessions.next_wake().map(|wake| wake.time);
        flow.into_iter().chain(session).min()
    }

    /// What is requested by now, the first of it.
    pub fn take(&mut self, now: Instant) -> Option<Request> {
        let opens = self.flows.last().map(|(_, plan)| start(plan));
        let wakes = self.sessions.next_wake().map(|wake| wake.time);
        if opens.is_some_and(|at| at <= now && wakes.is_none_or(|wake| at <= wake)) {
            let (number, plan) = self.flows.pop()?;
            self.unanswered += 1;
            return Some(self.request(number, &plan, 0));
        }
        while self
            .sessions
            .next_wake()
            .is_some_and(|wake| wake.time <= now)
        {
            let launch = self.sessions.wake(now)?;
            let flow = self.next_flow;
            self.next_flow += 1;
            if launch.opening == Opening::Handshake {
                // The server's response is known at the request.
                self.objects.push((launch.plan.size().unwrap_or(0), flow));
                self.sessions.on_delivered(flow, Duration::ZERO, now);
                continue;
            }
            let object = self.sessions.object_of(flow);
            let asked = &mut self.objects[object as usize];
            asked.1 = flow;
            let request = asked.0;
            self.unanswered += 1;
            return Some(self.request(self.first + object, &launch.plan, request));
        }
        None
    }

    fn request(&self, number: u32, plan: &FlowPlan, request: u64) -> Request {
        let kind = &self.prepared.kinds[plan.kind as usize];
        Request {
            number,
            request,
            size: plan.size().unwrap_or(0),
            recipe: kind.recipe.clone(),
            known: self.known[plan.kind as usize],
            stack: kind.stack.clone(),
        }
    }

    /// The client has all of what it requested, or has given it up.
    pub fn on_answered(&mut self, number: u32, complete: bool, now: Instant) {
        self.unanswered -= 1;
        if let Some(object) = number.checked_sub(self.first) {
            let flow = self.objects[object as usize].1;
            if complete {
                self.sessions.on_delivered(flow, Duration::ZERO, now);
            }
            self.sessions.on_closed(flow, complete, complete, now);
        }
    }

    /// The objects of sessions, in the order of their numbers.
    pub fn into_objects(self) -> ObjectTable {
        ObjectTable::new(self.sessions.into_objects())
    }

    /// Whether all is answered and nothing more will be requested.
    pub fn is_over(&self) -> bool {
        self.unanswered == 0 && self.sessions.unfinished() == 0 && self.flows.is_empty()
    }
}

fn start(plan: &FlowPlan) -> Instant {
    plan.start.get().unwrap_or(Instant::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Scenario;

    fn prepared(text: &str) -> Prepared {
        Prepared::new(&Scenario::from_toml(text).unwrap()).unwrap()
    }

    /// Requests everything at its time, each answer taking as long; when what was requested, and
    /// its size.
    fn all(prepared: &Prepared, takes: Duration) -> Vec<(u32, Instant, u64)> {
        let mut requests = prepared.load().unwrap().requests;
        let (mut found, mut under_way) = (Vec::new(), Vec::<(Instant, u32)>::new());
        while !requests.is_over() {
            let ends = under_way.iter().map(|(at, _)| *at).min();
            let now = ends.into_iter().chain(requests.next_at()).min().unwrap();
            while let Some(request) = requests.take(now) {
                found.push((request.number, now, request.size));
                under_way.push((now + takes, request.number));
            }
            let done = under_way
                .iter()
                .filter(|(at, _)| *at <= now)
                .map(|(_, n)| *n);
            for number in done.collect::<Vec<_>>() {
                requests.on_answered(number, true, now);
            }
            under_way.retain(|(at, _)| *at > now);
        }
        assert_eq!(requests.next_at(), None);
        found
    }

    const WEB: &str = r#"
        path = { rate = "10Mbps", rtt = "20ms", hosts = 1 }
        [[web]]
        single_connection = true
        sessions = 3
        interval = "exponential:mean=0.1s"
        pages = 2
        page_pause = "1s"
        objects = "exponential:mean=3"
        size = "pareto2:mean=10,shape=1.5"
        request = "300B"
    "#;

    #[test]
    fn flows_are_asked_for_when_they_start() {
        let text = r#"
            path = { rate = "10Mbps", rtt = "20ms" }
            flows = [
                { size = "20kB", start = "1s", opener = "receiver" },
                { size = "10kB", count = 2, stagger = "2s", opener = "receiver" },
            ]
        "#;
        let (at_ms, ms) = (Instant::from_millis, Duration::from_millis);
        let expected = [
            (1, at_ms(0), 10_000),
            (0, at_ms(1000), 20_000),
            (2, at_ms(2000), 10_000),
        ];
        assert_eq!(all(&prepared(text), ms(5000)), expected);
    }

    #[test]
    fn objects_are_those_that_the_simulator_draws_however_long_answers_take() {
        let prepared = prepared(WEB);
        let place = |o: &crate::record::object::ObjectRow| (o.session, o.page, o.object, o.packets);
        let mut simulated: Vec<_> = prepared.run().objects.iter().map(|o| place(&o)).collect();
        simulated.sort_unstable();
        for takes in [10, 3000] {
            let mut requests = prepared.load().unwrap().requests;
            let mut now = Instant::ZERO;
            while !requests.is_over() {
                while let Some(request) = requests.take(now) {
                    assert_eq!(request.request, 300);
                    requests.on_answered(request.number, true, now + Duration::from_millis(takes));
                }
                now = requests.next_at().unwrap_or(now);
            }
            let mut found: Vec<_> = requests.into_objects().iter().map(|o| place(&o)).collect();
            found.sort_unstable();
            assert_eq!(found, simulated);
        }
    }

    #[test]
    fn a_page_waits_for_the_one_before_it() {
        let text = WEB.replace("sessions = 3", "sessions = 1");
        let found = all(&prepared(&text), Duration::from_millis(700));
        let first = found
            .iter()
            .filter(|(_, at, _)| *at == Instant::ZERO)
            .count();
        let second = found
            .iter()
            .filter(|(_, at, _)| *at == Instant::from_millis(1700))
            .count();
        assert!(first > 0 && second > 0);
        assert_eq!(first + second, found.len());
    }

    #[test]
    fn what_a_server_could_not_be_asked_for_is_refused_by_its_field() {
        let path = r#"path = { rate = "10Mbps", rtt = "20ms" }"#;
        let cases = [
            (r#"flows = [{ size = "1kB" }]"#, "flows[0].opener"),
            (r#"flows = [{ opener = "receiver" }]"#, "flows[0].size"),
            (r"web = [{ size = 1 }]", "web[0].single_connection"),
            (
                r#"flows = [{ size = "1kB", opener = "receiver" },
                            { size = "1kB", opener = "receiver", rtt = "50ms" }]"#,
                "path",
            ),
        ];
        for (rest, field) in cases {
            let prepared = prepared(&format!("duration = \"1s\"\n{path}\n{rest}"));
            let refused = prepared.load().err().unwrap().to_string();
            assert!(refused.starts_with(&format!("{field}: ")), "{refused}");
        }
    }
}
