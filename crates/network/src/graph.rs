//! The links of a chain, and the routes that flows take over them.

use crate::chain::{Access, Chain, DelayQueue, Hop, HopDirection};
use crate::host::Host as Properties;
use crate::link::{
    Bursts, Cpu, ForcedDrop, Held, Link, LinkConfig, LinkKind, Losses, RandomLoss, Service, Shared,
    StagePlan, coalescing, host_send, late, socket, varying_delay,
};
use crate::queue::{DropTail, Limit, Port};
use crate::quick_start::{Admission, Policy};
use crate::random::{Chance, stream};
use flowstart_control::Duration;
use flowstart_wire::Part;
use std::collections::HashMap;

/// Index of a link.
pub type LinkId = u32;

/// The links that a flow's data and its acknowledgements pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Route {
    /// From sender to receiver.
    pub data: Vec<LinkId>,
    /// And back.
    pub acks: Vec<LinkId>,
}

/// Links and routes, ready to run.
pub struct Network {
    /// Every link.
    pub links: Vec<Link>,
    /// The different routes that flows take.
    pub routes: Vec<Route>,
    /// Which of them each flow takes: most flows share one, and so its place in the
    /// processor's cache.
    pub route_of: Vec<u32>,
    /// Hosts of the other endpoints, where they were requested.
    pub other_routes: Vec<u32>,
    /// The bottleneck's two directions.
    pub bottleneck: [LinkId; 2],
    /// The line of each hop, forward and reverse.
    pub lines: [Vec<LinkId>; 2],
    /// Where Quick-Start's requests are decided on.
    pub quick_start_routers: Vec<QuickStartRouter>,
}

/// Where data goes: between which hosts, in which direction, over which hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEndpoints {
    /// The host on the left.
    pub left: u32,
    /// The host on the right.
    pub right: u32,
    /// Data goes from right to left.
    pub reverse: bool,
    /// First hop.
    pub from_hop: u32,
    /// Last hop.
    pub to_hop: u32,
}

/// A flow as far as the network goes.
#[derive(Clone, Copy, Debug)]
pub struct FlowPath<'a> {
    /// Where its data goes.
    pub endpoints: FlowEndpoints,
    /// Separate one-way delay, in addition to the path's.
    pub extra_delay: Duration,
    /// Packets of it to lose at the bottleneck.
    pub forced_drops: &'a [u64],
    /// Packets of its handshake to lose there, by kind, from number 0.
    pub handshake_drops: &'a [(Part, u64)],
    /// Packets of it to delay behind the bottleneck, in the order of their positions.
    pub delays: &'a [(u64, Duration)],
    /// The properties of the hosts of its sender and its receiver.
    pub hosts: [Properties; 2],
}

/// An output link at which a router, or a sending host, decides on rate requests.
#[derive(Clone, Copy, Debug)]
pub struct QuickStartRouter {
    /// The link.
    pub link: LinkId,
    /// Whether it is a router's, not a host's.
    pub forwards: bool,
    /// How it decides.
    pub policy: Policy,
}

/// Builds the links of a chain for these flows, and for other endpoints.
pub fn build<'a>(
    chain: &Chain,
    flows: impl Iterator<Item = FlowPath<'a>>,
    others: impl Iterator<Item = (FlowEndpoints, [Properties; 2])>,
    seed: u64,
) -> Network {
    let mut builder = Builder {
        chain,
        links: Vec::new(),
        hops: [Vec::new(), Vec::new()],
        routers: Vec::new(),
        hosts: HashMap::new(),
        quick_start_routers: Vec::new(),
        stages: HashMap::new(),
        host_stages: HashMap::new(),
        processors: HashMap::new(),
        seed,
    };
    builder.build_hops();
    builder.build_routers();
    let lines = [0, 1].map(|direction| {
        let hops = builder.hops[direction].iter();
        hops.map(|hop: &HopLinks| hop.line).collect::<Vec<_>>()
    });
    let narrowest = chain.narrowest(0, chain.hops() - 1);
    let bottleneck = [0, 1].map(|direction| lines[direction][narrowest]);
    let mut routes = Routes::default();
    let mut route_of = Vec::new();
    for (number, flow) in (0..).zip(flows) {
        let far = (flow.extra_delay > Duration::ZERO).then_some((number, flow.extra_delay));
        let mut route = builder.route(flow.endpoints, far, &flow.hosts);
        let FlowEndpoints {
            from_hop, to_hop, ..
        } = flow.endpoints;
        let own = chain.narrowest(from_hop, to_hop);
        let line = lines[usize::from(flow.endpoints.reverse)][own];
        if !flow.delays.is_empty() {
            let plan = late(flow.delays);
            let name = format!("{}-{number}", plan.name);
            let stage = builder.add_stage(name, &plan, 0);
            let at = route.data.iter().position(|link| *link == line);
            let at = at.unwrap_or(route.data.len());
            route.data.splice(at..at, [stage]);
            let behind = (at + 2).min(route.data.len());
            route.data.insert(behind, stage);
        }
        route_of.push(routes.number(route));
        let drop = |part, position| ForcedDrop {
            flow: number,
            part,
            position,
        };
        let (link, _) = &mut builder.links[line as usize];
        let drops = flow
            .forced_drops
            .iter()
            .map(|position| drop(None, *position));
        link.losses.forced.extend(drops);
        // Those of the client take the other direction.
        for line in [0, 1].map(|direction: usize| lines[direction][own]) {
            let (link, _) = &mut builder.links[line as usize];
            let parts = flow.handshake_drops.iter();
            let drops = parts.map(|(part, position)| drop(Some(*part), *position));
            link.losses.forced.extend(drops);
        }
    }
    let other_routes = others
        .map(|(endpoints, hosts)| routes.number(builder.route(endpoints, None, &hosts)))
        .collect();
    let links = builder.links.into_iter();
    Network {
        links: links
            .map(|(config, kind)| Link::new(config, kind))
            .collect(),
        routes: routes.all,
        route_of,
        other_routes,
        bottleneck,
        lines,
        quick_start_routers: builder.quick_start_routers,
    }
}

/// The different routes, each with a number.
#[derive(Default)]
struct Routes {
    all: Vec<Route>,
    numbers: HashMap<Route, u32>,
}

impl Routes {
    fn number(&mut self, route: Route) -> u32 {
        let all = &mut self.all;
        *self.numbers.entry(route).or_insert_with_key(|route| {
            all.push(route.clone());
            all.len() as u32 - 1
        })
    }
}

/// The links of one direction of a hop.
#[derive(Clone)]
struct HopLinks {
    /// Its line.
    line: LinkId,
    /// All that is passed with it, in order.
    links: Vec<LinkId>,
}

/// Sides of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
    Left,
    Right,
}

impl Side {
    /// What a host there is called by.
    fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

/// What a host does for a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    Sender,
    Receiver,
}

/// The links between one host and its router.
#[derive(Clone, Debug, Default)]
struct Host {
    up: Vec<LinkId>,
    down: Vec<LinkId>,
}

struct Builder<'a> {
    chain: &'a Chain,
    links: Vec<(LinkConfig, LinkKind)>,
    /// The hops, forward and reverse.
    hops: [Vec<HopLinks>; 2],
    /// The processor of each router, where forwarding takes time.
    routers: Vec<LinkId>,
    /// The hosts of either side, as far as there are any yet.
    hosts: HashMap<(u32, Side), Host>,
    quick_start_routers: Vec<QuickStartRouter>,
    /// What is between a host and its router's links, by what it is, number and side.
    stages: HashMap<(&'static str, u32, Side), LinkId>,
    /// Stages inside of hosts, likewise and by their role.
    host_stages: HashMap<(&'static str, Role, u32, Side), LinkId>,
    /// The processors of hosts.
    processors: HashMap<(u32, Side), Cpu>,
    seed: u64,
}

impl Builder<'_> {
    /// Rate requests that leave over `link` are decided on there.
    fn decides(&mut self, link: LinkId, forwards: bool, knows: bool) {
        let mut policy = self.chain.quick_start;
        if !knows {
            policy.admission = Admission::Ignorant;
        }
        self.quick_start_routers.push(QuickStartRouter {
            link,
            forwards,
            policy,
        });
    }

    fn add_link(
        &mut self,
        name: String,
        service: Service,
        delay: Duration,
        limit: Limit,
    ) -> LinkId {
        let queue = DropTail {
            limit,
            reading: self.chain.reading,
        };
        let config = LinkConfig {
            name,
            service,
            variation: None,
            delay,
            queue,
            losses: Losses::default(),
            shaper: None,
            shared: Shared::default(),
        };
        self.links.push((config, LinkKind::DropTail));
        self.links.len() as LinkId - 1
    }

    fn build_hops(&mut self) {
        let chain = self.chain;
        let delay = chain.delay_queue.as_ref();
        self.hops[0] = self.build_direction("forward", |hop| &hop.forward);
        // Only a path of one hop has stages.
        if delay.is_some_and(|delay| delay.loopback) {
            self.build_stages(0, "forward");
            self.hops[1] = self.hops[0].clone();
        } else {
            self.hops[1] = self.build_direction("reverse", |hop| &hop.reverse);
            self.build_stages(0, "forward");
            self.build_stages(1, "reverse");
        }
    }

    /// The stages of one direction of a chain of one hop.
    fn build_stages(&mut self, direction: usize, way: &str) {
        let chain = self.chain;
        if let Some(delay) = &chain.delay_queue {
            let line = self.hops[direction][0].line;
            self.links[line as usize].0.delay = Duration::ZERO;
            if direction == 0 {
                self.build_delay_queue(delay, line);
            }
        }
        if direction == 0 {
            for (place, plan) in chain.before.iter().enumerate() {
                let stage = self.add_stage(plan.name.into(), plan, 0);
                self.hops[0][0].links.insert(place, stage);
            }
        }
        for plan in &chain.behind[direction] {
            let name = format!("{}-{way}", plan.name);
            let stage = self.add_stage(name, plan, direction as u64);
            self.hops[direction][0].links.push(stage);
        }
    }

    /// The delay of a chain of one hop, in a queue before its line. Random losses are before it, so
    /// that its limit does not count what is lost (`sch_netem.c`, `netem_enqueue`).
    fn build_delay_queue(&mut self, delay: &DelayQueue, line: LinkId) {
        let directions = if delay.loopback { 1 } else { 2 };
        let mut config = delay.config.clone();
        config.base = self.chain.hops[0].delay.times(directions);
        let stage = self.add_stage("delay".into(), &varying_delay(config), 0);
        let random = std::mem::take(&mut self.links[line as usize].0.losses.random);
        self.links[stage as usize].0.losses.random = random;
        if let Some(held) = delay.limit.map(Held::new) {
            let last = if delay.limit_with_queue { line } else { stage };
            self.links[stage as usize].0.shared.enter = Some(held.clone());
            self.links[last as usize].0.shared.leave = Some(held);
        }
        self.hops[0][0].links.insert(0, stage);
    }

    /// All hops in one direction.
    fn build_direction(&mut self, label: &str, pick: fn(&Hop) -> &HopDirection) -> Vec<HopLinks> {
        let hops = &self.chain.hops;
        let build = |(i, hop): (usize, &Hop)| {
            let name = match hops.len() {
                1 => label.to_string(),
                _ => format!("{label}-{i}"),
            };
            let line = self.build_line(name, hop.delay, pick(hop));
            self.decides(line, true, hop.knows_quick_start);
            HopLinks {
                line,
                links: vec![line],
            }
        };
        hops.iter().enumerate().map(build).collect()
    }

    /// A link without transmitter, with a random stream of this number.
    fn add_stage(&mut self, name: String, plan: &StagePlan, stream_number: u64) -> LinkId {
        let id = self.add_link(name, Service::Instant, Duration::ZERO, Limit::Unlimited);
        self.links[id as usize].1 = plan.stage(stream(self.seed, plan.purpose, stream_number));
        id
    }

    /// One direction of a hop, with its losses and its discipline.
    fn build_line(&mut self, name: String, delay: Duration, direction: &HopDirection) -> LinkId {
        let id = self.add_link(name, Service::Line(direction.rate), delay, direction.limit);
        let (link, kind) = &mut self.links[id as usize];
        let random = |purpose| stream(self.seed, purpose, u64::from(id));
        link.losses.random = match direction.loss_burst {
            _ if direction.loss == 0.0 => RandomLoss::None,
            None => RandomLoss::Single(Chance::new(direction.loss, random("loss"))),
            Some(length) => {
                let (begins, ends) = (random("loss"), random("loss ends"));
                RandomLoss::Bursts(Bursts::new(direction.loss, length, begins, ends))
            }
        };
        link.shaper = direction.shaper;
        let varies = direction.variation.as_ref();
        link.variation = varies.map(|plan| plan.begin(direction.rate, random("rate")));
        let port = Port {
            rate: Some(direction.long_run_rate()),
            delay,
            packet: self.chain.packet,
            random: random("queue"),
        };
        *kind = LinkKind::Managed(direction.queue.clone(), Box::new(port));
        id
    }

    /// The processors of the routers: before the first hop, between hops, after the last.
    fn build_routers(&mut self) {
        let Some(pps) = self.chain.router_pps else {
            return;
        };
        for i in 0..=self.chain.hops.len() {
            let name = format!("router-{i}");
            let id = self.add_link(
                name,
                Service::Packets(pps),
                Duration::ZERO,
                Limit::Unlimited,
            );
            self.routers.push(id);
        }
    }

    /// A route over links that are added where they are not there yet. What is `far` has a
    /// number and a separate delay.
    fn route(
        &mut self,
        endpoints: FlowEndpoints,
        far: Option<(u32, Duration)>,
        properties: &[Properties; 2],
    ) -> Route {
        let (left, right) = ((endpoints.left, Side::Left), (endpoints.right, Side::Right));
        let ends = [self.host(left.0, left.1), self.host(right.0, right.1)];
        let (from, to) = (endpoints.from_hop as usize, endpoints.to_hop as usize);
        let [there, back] = [0, 1].map(|direction| self.between(direction, from, to));
        let east = [ends[0].up.as_slice(), &there, &ends[1].down].concat();
        let west = [ends[1].up.as_slice(), &back, &ends[0].down].concat();
        let (mut data, mut acks, sender, receiver) = match endpoints.reverse {
            false => (east, west, left, right),
            true => (west, east, right, left),
        };
        if let Some((flow, delay)) = far {
            let mut detour = |name: &str| {
                let name = format!("{name}-{flow}");
                self.add_link(name, Service::Instant, delay, Limit::Unlimited)
            };
            data.push(detour("far"));
            acks.push(detour("near"));
        }
        let hosts = &self.chain.hosts;
        acks.extend(self.stage(&hosts.ack_aggregation, sender));
        data.extend(self.stage(&hosts.inside, receiver));
        acks.extend(self.stage(&hosts.inside, sender));
        let [of_sender, of_receiver] = properties;
        self.add_host(Role::Sender, sender, of_sender, &mut data, &mut acks);
        self.add_host(Role::Receiver, receiver, of_receiver, &mut acks, &mut data);
        Route { data, acks }
    }

    /// What packets pass in a host: `out` as they leave it, and `inward` as they arrive.
    fn add_host(
        &mut self,
        role: Role,
        host: (u32, Side),
        properties: &Properties,
        out: &mut Vec<LinkId>,
        inward: &mut Vec<LinkId>,
    ) {
        if properties.takes_time() {
            let plan = |cpu: &Cpu| host_send(properties, cpu);
            out.insert(0, self.host_stage(role, host, "sending", plan));
        }
        if properties.coalesces() {
            let plan = |_: &Cpu| coalescing(properties.coalesce, properties.frames);
            inward.push(self.host_stage(role, host, "interface", plan));
        }
        if properties.has_socket() {
            let plan = |cpu: &Cpu| socket(properties, cpu);
            inward.push(self.host_stage(role, host, "socket", plan));
        }
    }

    /// A stage of a host in a role, which shares the host's processor with the others.
    fn host_stage(
        &mut self,
        role: Role,
        (number, side): (u32, Side),
        what: &'static str,
        plan: impl FnOnce(&Cpu) -> StagePlan,
    ) -> LinkId {
        let key = (what, role, number, side);
        if let Some(stage) = self.host_stages.get(&key) {
            return *stage;
        }
        let plan = plan(self.processors.entry((number, side)).or_default());
        let name = format!("{what}-{}-{number}", side.name());
        let stage = self.add_stage(name, &plan, self.links.len() as u64);
        self.host_stages.insert(key, stage);
        stage
    }

    /// The links of the hops `from..=to` in a direction, 0 forward and 1 reverse, with the
    /// routers, if they take time, before the first hop and behind each.
    fn between(&self, direction: usize, from: usize, to: usize) -> Vec<LinkId> {
        let router = |number| {
            let router = self.routers.get(number);
            router.map_or(&[][..], std::slice::from_ref)
        };
        let mut parts = vec![router(from)];
        for number in from..=to {
            let hop = &self.hops[direction][number];
            parts.extend([hop.links.as_slice(), router(number + 1)]);
        }
        if direction == 1 {
            parts.reverse();
        }
        parts.concat()
    }

    /// A stage before a host, if there is to be one: it is added at the first request, and shared from
    /// then on.
    fn stage(&mut self, plan: &Option<StagePlan>, host: (u32, Side)) -> Option<LinkId> {
        let plan = plan.as_ref()?;
        let (number, side) = host;
        let key = (plan.name, number, side);
        if let Some(stage) = self.stages.get(&key) {
            return Some(*stage);
        }
        let name = format!("{}-{}-{number}", plan.name, side.name());
        let stage = self.add_stage(name, plan, self.links.len() as u64);
        self.stages.insert(key, stage);
        Some(stage)
    }

    fn host(&mut self, number: u32, side: Side) -> Host {
        if let Some(host) = self.hosts.get(&(number, side)) {
            return host.clone();
        }
        let name = format!("{}-{number}", side.name());
        let host = self.build_host(&name, side);
        self.hosts.insert((number, side), host.clone());
        host
    }

    fn build_host(&mut self, name: &str, side: Side) -> Host {
        let mut host = Host::default();
        if let Some(rate) = self.chain.hosts.nic_rate {
            let nic = self.add_link(
                format!("nic-{name}"),
                Service::Line(rate),
                Duration::ZERO,
                Limit::Unlimited,
            );
            host.up.push(nic);
            self.decides(nic, false, true);
        }
        if let Some(access) = self.chain.hosts.access.filter(|a| a.at[side as usize]) {
            self.build_access(&mut host, name, access);
        }
        host
    }

    fn build_access(&mut self, host: &mut Host, name: &str, access: Access) {
        let service = access.rate.map_or(Service::Instant, Service::Line);
        let mut add = |what: &str| {
            self.add_link(
                format!("{what}-{name}"),
                service,
                access.delay,
                Limit::Unlimited,
            )
        };
        let (up, down) = (add("up"), add("down"));
        host.up.push(up);
        host.down.push(down);
        if host.up.len() == 1 {
            self.decides(up, false, true);
        }
        self.decides(down, true, true);
    }
}
