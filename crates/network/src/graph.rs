//! The links of a chain, and the routes that flows take over them.

use crate::chain::{Access, Chain, Hop, Way};
use crate::link::{
    Bursts, ForcedDrop, HostConfig, LinkConfig, LinkKind, Losses, RandomLoss, Service,
};
use crate::queue::{DropTail, Limit, Port};
use crate::quick_start::{Admission, Policy};
use crate::random::{stream, Chance};
use flowstart_control::Time;
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
    pub links: Vec<LinkConfig>,
    /// The different routes that flows take.
    pub routes: Vec<Route>,
    /// Which of them each flow takes: most flows share one, and so its place in the
    /// processor's cache.
    pub route_of: Vec<u32>,
    /// Which route goes each of the further ways that were asked for.
    pub ways: Vec<u32>,
    /// The bottleneck's two directions.
    pub bottleneck: [LinkId; 2],
    /// Where Quick-Start's requests are decided on.
    pub sites: Vec<Site>,
}

/// Where data goes: between which hosts, in which direction, over which hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Course {
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
    pub course: Course,
    /// One-way delay of its own, beyond the path's.
    pub extra_delay: Time,
    /// Packets of it to lose at the bottleneck.
    pub forced_drops: &'a [u64],
}

/// An output link at which a router, or a sending host, decides on rate requests.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// The link.
    pub link: LinkId,
    /// Whether it is a router's, not a host's.
    pub forwards: bool,
    /// How it decides.
    pub policy: Policy,
}

/// Lays the links of a chain for these flows, and for others that go these ways.
pub fn build<'a>(
    chain: &Chain,
    flows: impl Iterator<Item = FlowPath<'a>>,
    courses: impl Iterator<Item = Course>,
    seed: u64,
) -> Network {
    let mut builder = Builder {
        chain,
        links: Vec::new(),
        routers: Vec::new(),
        hosts: HashMap::new(),
        sites: Vec::new(),
        stages: HashMap::new(),
        seed,
    };
    let [forward, reverse] = builder.lay_hops();
    builder.lay_routers();
    let narrowest = chain.narrowest();
    let bottleneck = [forward[narrowest].line, reverse[narrowest].line];
    let mut routes = Routes::default();
    let mut route_of = Vec::new();
    for (number, flow) in (0..).zip(flows) {
        let far = (flow.extra_delay > Time::ZERO).then_some((number, flow.extra_delay));
        let route = builder.route(flow.course, &forward, &reverse, far);
        route_of.push(routes.number(route));
        let link = &mut builder.links[bottleneck[usize::from(flow.course.reverse)] as usize];
        let drops = flow.forced_drops.iter().map(|position| ForcedDrop {
            flow: number,
            position: *position,
        });
        link.losses.forced.extend(drops);
    }
    let ways = courses
        .map(|course| routes.number(builder.route(course, &forward, &reverse, None)))
        .collect();
    Network {
        links: builder.links,
        routes: routes.all,
        route_of,
        ways,
        bottleneck,
        sites: builder.sites,
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

/// One direction of a hop as it has been laid.
struct Passage {
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

/// The links between one host and its router.
#[derive(Clone, Debug, Default)]
struct Host {
    up: Vec<LinkId>,
    down: Vec<LinkId>,
}

struct Builder<'a> {
    chain: &'a Chain,
    links: Vec<LinkConfig>,
    /// The processor of each router, where forwarding takes time.
    routers: Vec<LinkId>,
    /// The hosts of either side, as far as they have been laid.
    hosts: HashMap<(u32, Side), Host>,
    sites: Vec<Site>,
    /// What stands between a host and its router's links, by what it is, number and side.
    stages: HashMap<(&'static str, u32, Side), LinkId>,
    seed: u64,
}

impl Builder<'_> {
    /// Rate requests that leave over `link` are decided on there.
    fn decides(&mut self, link: LinkId, forwards: bool, knows: bool) {
        let mut policy = self.chain.quick_start;
        if !knows {
            policy.admission = Admission::Ignorant;
        }
        self.sites.push(Site {
            link,
            forwards,
            policy,
        });
    }

    fn lay(&mut self, name: String, service: Service, delay: Time, limit: Limit) -> LinkId {
        let queue = DropTail {
            limit,
            reading: self.chain.reading,
        };
        self.links.push(LinkConfig {
            name,
            service,
            variation: None,
            delay,
            queue,
            kind: LinkKind::DropTail,
            losses: Losses::default(),
        });
        self.links.len() as LinkId - 1
    }

    fn lay_hops(&mut self) -> [Vec<Passage>; 2] {
        let chain = self.chain;
        let hops = &chain.hops;
        let mut way = |label: &str, pick: fn(&Hop) -> &Way| {
            let lay = |(i, hop): (usize, &Hop)| {
                let name = if hops.len() == 1 {
                    label.to_string()
                } else {
                    format!("{label}-{i}")
                };
                let id = self.lay_way(name, hop.delay, pick(hop));
                self.decides(id, true, hop.knows_quick_start);
                Passage {
                    line: id,
                    links: vec![id],
                }
            };
            hops.iter().enumerate().map(lay).collect::<Vec<_>>()
        };
        let mut passages = [
            way("forward", |h| &h.forward),
            way("reverse", |h| &h.reverse),
        ];
        // Only a path of one hop has any.
        for (direction, passages) in passages.iter_mut().enumerate() {
            let links = &mut passages[0].links;
            if let Some((name, kind)) = chain.impairments.before(direction) {
                links.insert(0, self.lay_stage(name, kind));
            }
            for (name, kind) in chain.impairments.behind(direction, self.seed) {
                links.push(self.lay_stage(name, kind));
            }
        }
        passages
    }

    /// A link without transmitter.
    fn lay_stage(&mut self, name: String, kind: LinkKind) -> LinkId {
        let id = self.lay(name, Service::Instant, Time::ZERO, Limit::Unlimited);
        self.links[id as usize].kind = kind;
        id
    }

    /// One direction of a hop, with its losses and its discipline.
    fn lay_way(&mut self, name: String, delay: Time, way: &Way) -> LinkId {
        let id = self.lay(name, Service::Line(way.rate), delay, way.limit);
        let link = &mut self.links[id as usize];
        let random = |purpose| stream(self.seed, purpose, u64::from(id));
        link.losses.random = match way.loss_burst {
            _ if way.loss == 0.0 => RandomLoss::None,
            None => RandomLoss::Single(Chance::new(way.loss, random("loss"))),
            Some(length) => {
                let (begins, ends) = (random("loss"), random("loss ends"));
                RandomLoss::Bursts(Bursts::new(way.loss, length, begins, ends))
            }
        };
        let varies = way.variation.as_ref();
        link.variation = varies.map(|plan| plan.begin(way.rate, random("rate")));
        let port = Port {
            rate: Some(way.rate),
            delay,
            packet: self.chain.packet,
            random: random("queue"),
        };
        link.kind = LinkKind::Managed(way.queue.clone(), Box::new(port));
        id
    }

    /// The processors of the routers: before the first hop, between hops, after the last.
    fn lay_routers(&mut self) {
        let Some(pps) = self.chain.router_pps else {
            return;
        };
        for i in 0..=self.chain.hops.len() {
            let name = format!("router-{i}");
            let id = self.lay(name, Service::Packets(pps), Time::ZERO, Limit::Unlimited);
            self.routers.push(id);
        }
    }

    /// A route over links that are laid where they are not there yet. What is `far` has a
    /// number and a delay of its own.
    fn route(
        &mut self,
        course: Course,
        forward: &[Passage],
        reverse: &[Passage],
        far: Option<(u32, Time)>,
    ) -> Route {
        let left = self.host(course.left, Side::Left);
        let right = self.host(course.right, Side::Right);
        let (from, to) = (course.from_hop as usize, course.to_hop as usize);
        // A router, if any, before the first passage and behind each.
        let router = |number| {
            self.routers
                .get(number)
                .map_or(&[][..], std::slice::from_ref)
        };
        let middle = |passages: &[Passage], backwards: bool| {
            let mut parts = vec![router(from)];
            for (hop, passage) in passages.iter().enumerate().take(to + 1).skip(from) {
                parts.extend([passage.links.as_slice(), router(hop + 1)]);
            }
            if backwards {
                parts.reverse();
            }
            parts.concat()
        };
        let there = middle(forward, false);
        let back = middle(reverse, true);
        let join = |up: &Host, middle: Vec<LinkId>, down: &Host| {
            [up.up.as_slice(), &middle, &down.down].concat()
        };
        let east = join(&left, there, &right);
        let west = join(&right, back, &left);
        let (mut data, mut acks) = if course.reverse {
            (west, east)
        } else {
            (east, west)
        };
        if let Some((flow, delay)) = far {
            let mut detour = |name: &str| {
                let name = format!("{name}-{flow}");
                self.lay(name, Service::Instant, delay, Limit::Unlimited)
            };
            data.push(detour("far"));
            acks.push(detour("near"));
        }
        let (left, right) = ((course.left, Side::Left), (course.right, Side::Right));
        let (sender, receiver) = if course.reverse {
            (right, left)
        } else {
            (left, right)
        };
        acks.extend(self.ack_gate(sender.0, sender.1));
        data.extend(self.inside(receiver.0, receiver.1));
        acks.extend(self.inside(sender.0, sender.1));
        Route { data, acks }
    }

    /// The way from a host's interface to its TCP, where that takes time.
    fn inside(&mut self, number: u32, side: Side) -> Option<LinkId> {
        let hosts = &self.chain.hosts;
        let (interrupts, sack_cost) = (hosts.interrupts, hosts.sack_cost);
        if interrupts.is_none() && sack_cost == Time::ZERO {
            return None;
        }
        let seed = self.seed;
        let kind = |host| {
            LinkKind::Host(Box::new(HostConfig {
                interrupts,
                sack_cost,
                random: stream(seed, "interrupts", u64::from(host)),
            }))
        };
        Some(self.stage("host", number, side, kind))
    }

    /// Where the acknowledgements of a host's data are aggregated, if they are.
    fn ack_gate(&mut self, number: u32, side: Side) -> Option<LinkId> {
        let ack_aggregation = self.chain.hosts.ack_aggregation?;
        let kind = LinkKind::AckAggregation(ack_aggregation);
        Some(self.stage("gather", number, side, |_| kind))
    }

    /// A stage before a host that is laid when first asked for, and shared from then on.
    fn stage(
        &mut self,
        what: &'static str,
        number: u32,
        side: Side,
        kind: impl FnOnce(LinkId) -> LinkKind,
    ) -> LinkId {
        let key = (what, number, side);
        if let Some(stage) = self.stages.get(&key) {
            return *stage;
        }
        let name = format!("{what}-{}-{number}", side.name());
        let stage = self.lay(name, Service::Instant, Time::ZERO, Limit::Unlimited);
        self.links[stage as usize].kind = kind(stage);
        self.stages.insert(key, stage);
        stage
    }

    fn host(&mut self, number: u32, side: Side) -> Host {
        if let Some(host) = self.hosts.get(&(number, side)) {
            return host.clone();
        }
        let name = format!("{}-{number}", side.name());
        let host = self.lay_host(&name, side);
        self.hosts.insert((number, side), host.clone());
        host
    }

    fn lay_host(&mut self, name: &str, side: Side) -> Host {
        let mut host = Host::default();
        if let Some(rate) = self.chain.hosts.nic_rate {
            let nic = self.lay(
                format!("nic-{name}"),
                Service::Line(rate),
                Time::ZERO,
                Limit::Unlimited,
            );
            host.up.push(nic);
            self.decides(nic, false, true);
        }
        if let Some(access) = self.chain.hosts.access.filter(|a| a.at[side as usize]) {
            self.lay_access(&mut host, name, access);
        }
        host
    }

    fn lay_access(&mut self, host: &mut Host, name: &str, access: Access) {
        let service = access.rate.map_or(Service::Instant, Service::Line);
        let mut lay = |way: &str| {
            self.lay(
                format!("{way}-{name}"),
                service,
                access.delay,
                Limit::Unlimited,
            )
        };
        let (up, down) = (lay("up"), lay("down"));
        host.up.push(up);
        host.down.push(down);
        if host.up.len() == 1 {
            self.decides(up, false, true);
        }
        self.decides(down, true, true);
    }
}
