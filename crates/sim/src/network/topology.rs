//! How links are put together: a chain of routers with hosts on both sides.
//!
//! ```text
//! host ─nic─access─┐                          ┌─access─ host
//!                  router ─hop─ router ─hop─ router
//! host ─nic─access─┘                          └─access─ host
//! ```
//!
//! A single path is a chain of one hop without access links; a dumbbell one with them.
//! A router that takes time to forward is a link of its own, which both directions pass.

use super::ingredients::{forward_line, loss_burst, reverse_line, Ingredients};
use super::link::{
    Bursts, ForcedDrop, HostConfig, LinkConfig, Losses, Manner, RandomLoss, Service,
};
use super::queue::{BufferReading, DropTail, Limit, Port, QueueSpec};
use super::quick_start::{Admission, Policy};
use super::random::{stream, Chance};
use super::variation::Plan;
use crate::compile::surroundings::Surroundings;
use crate::flow_plan::FlowPlan;
use crate::request::{out_of_range, rate, time, within, RequestError};
use crate::scenario::{HopSpec, PathSpec, Probability, QuickStartSpec, Side};
use flowstart_control::{Amount, Rate, Time};
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

/// A chain with its parameters worked out.
#[derive(Clone, Debug)]
pub struct Chain {
    hops: Vec<Hop>,
    access_rate: Option<Rate>,
    access_delay: Option<Time>,
    access_at: Side,
    nic_rate: Option<Rate>,
    router_pps: Option<u64>,
    gathering: Option<Manner>,
    ingredients: Ingredients,
    /// How hosts treat what arrives.
    interrupts: Option<(Time, Time)>,
    sack_cost: Time,
    hosts: Option<u32>,
    reading: BufferReading,
    packet: u32,
    quick_start: Policy,
}

#[derive(Clone, Debug)]
struct Hop {
    delay: Time,
    /// Whether the routers at its ends know Quick-Start's option.
    knows_quick_start: bool,
    forward: Way,
    reverse: Way,
}

/// One direction of a hop.
#[derive(Clone, Debug)]
struct Way {
    rate: Rate,
    limit: Limit,
    queue: QueueSpec,
    loss: f64,
    /// How many are lost in a row on average, where that is said.
    loss_burst: Option<f64>,
    /// How the rate varies about its mean, if it does.
    variation: Option<Plan>,
}

/// One direction of a hop as it has been laid.
struct Passage {
    /// Its line.
    line: LinkId,
    /// All that is passed with it, in order.
    links: Vec<LinkId>,
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

/// A segment counts the links that it has passed in a byte.
const MOST_HOPS: usize = 100;

impl Chain {
    /// Works a path out for data packets of so many bytes, checking every field. Queues of which
    /// nothing is said have the discipline `usual`.
    pub fn new(
        path: &PathSpec,
        packet: u32,
        around: &Surroundings,
        usual: QueueSpec,
    ) -> Result<Chain, RequestError> {
        let reading = path
            .buffer_reading
            .map_or(around.buffer_reading, Into::into);
        let hops = if path.hops.is_empty() {
            vec![Chain::single(path, reading, packet, &usual)?]
        } else {
            Chain::routers(path, reading, packet, &usual)?
        };
        if path.hosts == Some(0) {
            return Err(RequestError::new(
                "path.hosts",
                "`0` is no pair of hosts; at least 1 is needed",
            ));
        }
        let access = path.access_rate.is_some() || path.access_delay.is_some();
        if path.access_at.is_some() && !access {
            let problem =
                "there are no access links; give `path.access_rate` or `path.access_delay`";
            return Err(RequestError::new("path.access_at", problem));
        }
        Ok(Chain {
            hops,
            access_rate: path
                .access_rate
                .map(|r| rate("path.access_rate", r))
                .transpose()?,
            access_delay: path
                .access_delay
                .map(|d| time("path.access_delay", d))
                .transpose()?,
            access_at: path.access_at.unwrap_or_default(),
            nic_rate: path
                .nic_rate
                .map(|r| rate("path.nic_rate", r))
                .transpose()?,
            router_pps: path.router_pps.map(forwarding).transpose()?,
            gathering: gathering(path)?,
            ingredients: Ingredients::read(path, packet)?,
            interrupts: around.interrupts,
            sack_cost: around.sack_cost,
            hosts: path.hosts,
            reading,
            packet,
            quick_start: quick_start(path.quick_start.as_ref(), around.quick_start)?,
        })
    }

    fn single(
        path: &PathSpec,
        reading: BufferReading,
        packet: u32,
        usual: &QueueSpec,
    ) -> Result<Hop, RequestError> {
        let (forward, varies) = forward_line(path)?;
        let missing = "missing; a path needs one, such as `64ms`";
        let rtt = path
            .rtt
            .ok_or_else(|| RequestError::new("path.rtt", missing))?;
        let rtt = time("path.rtt", rtt)?;
        let (reverse, reverse_varies) = reverse_line(path, forward)?;
        let sized = |field, given, rate| limit(field, given, rate, rtt, reading, packet);
        let reverse_buffer = path.reverse_buffer.or(path.buffer);
        let forward_queue = queue("path.queue", path.queue.as_deref(), usual)?;
        let own = path.reverse_queue.as_deref();
        let reverse_queue = queue("path.reverse_queue", own, &forward_queue)?;
        Ok(Hop {
            delay: rtt.over(2),
            knows_quick_start: true,
            forward: Way {
                rate: forward,
                limit: sized("path.buffer", path.buffer, forward)?,
                queue: forward_queue,
                loss: path.loss.map_or(0.0, |p| p.0),
                loss_burst: loss_burst("", path.loss, path.loss_burst)?,
                variation: varies,
            },
            reverse: Way {
                rate: reverse,
                limit: sized("path.reverse_buffer", reverse_buffer, reverse)?,
                queue: reverse_queue,
                loss: path.reverse_loss.map_or(0.0, |p| p.0),
                loss_burst: loss_burst("reverse_", path.reverse_loss, path.reverse_loss_burst)?,
                variation: reverse_varies,
            },
        })
    }

    fn routers(
        path: &PathSpec,
        reading: BufferReading,
        packet: u32,
        usual: &QueueSpec,
    ) -> Result<Vec<Hop>, RequestError> {
        let unfit = [
            ("path.rate", path.rate.is_some()),
            ("path.rtt", path.rtt.is_some()),
            ("path.reverse_rate", path.reverse_rate.is_some()),
            ("path.reverse_buffer", path.reverse_buffer.is_some()),
            ("path.reverse_queue", path.reverse_queue.is_some()),
            ("path.loss", path.loss.is_some()),
            ("path.reverse_loss", path.reverse_loss.is_some()),
        ];
        if let Some((field, _)) = unfit.iter().find(|(_, given)| *given) {
            return Err(RequestError::new(
                *field,
                "contradicts `path.hops`; give it for each hop",
            ));
        }
        alone(path)?;
        if path.hops.len() > MOST_HOPS {
            let right = format!("a chain of at most {MOST_HOPS} hops");
            return Err(out_of_range("path.hops", path.hops.len(), &right));
        }
        for (i, hop) in path.hops.iter().enumerate() {
            time(&format!("path.hops[{i}].delay"), hop.delay)?;
        }
        let rtt = path.hops.iter().map(|h| h.delay).sum::<Time>().times(2);
        let hop = |(i, spec): (usize, &HopSpec)| {
            let field = |name: &str| format!("path.hops[{i}].{name}");
            let rate = rate(&field("rate"), spec.rate)?;
            let buffer = spec.buffer.or(path.buffer);
            let limit = limit(&field("buffer"), buffer, rate, rtt, reading, packet)?;
            let (name, given) = match &spec.queue {
                Some(own) => (field("queue"), Some(own)),
                None => ("path.queue".into(), path.queue.as_ref()),
            };
            let queue = queue(&name, given.map(String::as_str), usual)?;
            let way = |loss| Way {
                rate,
                limit,
                queue: queue.clone(),
                loss,
                loss_burst: None,
                variation: None,
            };
            Ok(Hop {
                delay: spec.delay,
                knows_quick_start: spec.quick_start.unwrap_or(true),
                forward: way(spec.loss.map_or(0.0, |p| p.0)),
                reverse: way(0.0),
            })
        };
        path.hops.iter().enumerate().map(hop).collect()
    }

    /// Which pair of hosts a flow is between, where flows share them.
    pub fn pair_of(&self, flow: u32) -> Option<u32> {
        self.hosts.map(|n| flow % n)
    }

    /// Pairs of hosts that everybody shares, where their number is given.
    pub fn shared_hosts(&self) -> Option<u32> {
        self.hosts
    }

    /// How many hops the chain has.
    pub fn hops(&self) -> u32 {
        self.hops.len() as u32
    }

    /// The buffers of its hops, forward and reverse.
    pub fn limits(&self) -> Vec<(Limit, Limit)> {
        let limits = |hop: &Hop| (hop.forward.limit, hop.reverse.limit);
        self.hops.iter().map(limits).collect()
    }

    /// The disciplines of its queues, likewise.
    pub fn queues(&self) -> Vec<(String, String)> {
        let queues = |hop: &Hop| (hop.forward.queue.to_string(), hop.reverse.queue.to_string());
        self.hops.iter().map(queues).collect()
    }

    /// The mean rate of the first hop's way back.
    pub fn reverse_rate(&self) -> Rate {
        self.hops[0].reverse.rate
    }

    /// How its buffers are read.
    pub fn reading(&self) -> BufferReading {
        self.reading
    }

    /// The buffer at the bottleneck, forward.
    pub fn buffer(&self) -> Limit {
        self.hops[self.narrowest()].forward.limit
    }

    fn narrowest(&self) -> usize {
        (0..self.hops.len())
            .min_by_key(|i| self.hops[*i].forward.rate)
            .unwrap_or(0)
    }

    /// Two-way propagation between hosts that use hops `from..=to`.
    pub fn rtt(&self, from: u32, to: u32) -> Time {
        let ends = if self.access_at == Side::Both { 2 } else { 1 };
        let access = self.access_delay.unwrap_or(Time::ZERO).times(ends);
        let hops: Time = self.hops[from as usize..=to as usize]
            .iter()
            .map(|h| h.delay)
            .sum();
        (hops + access).times(2)
    }

    /// The slowest rate on the way of a flow's data.
    pub fn bottleneck_rate(&self, from: u32, to: u32, reverse: bool) -> Rate {
        let hops = self.hops[from as usize..=to as usize].iter();
        let slowest = hops
            .map(|h| {
                if reverse {
                    h.reverse.rate
                } else {
                    h.forward.rate
                }
            })
            .min();
        [slowest, self.access_rate, self.nic_rate]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(Rate(0))
    }

    /// The bandwidth-delay product at `rate` over `rtt`, in full-size packets.
    pub fn bdp_packets(&self, rate: Rate, rtt: Time) -> u64 {
        rate.bytes_in(rtt) / u64::from(self.packet)
    }

    /// Lays the links for these flows, and for others that go these ways.
    pub fn build(
        &self,
        flows: &[FlowPlan],
        courses: impl Iterator<Item = Course>,
        seed: u64,
    ) -> Network {
        let mut builder = Builder {
            chain: self,
            links: Vec::new(),
            routers: Vec::new(),
            hosts: HashMap::new(),
            sites: Vec::new(),
            stages: HashMap::new(),
            seed,
        };
        let [forward, reverse] = builder.lay_hops();
        builder.lay_routers();
        let narrowest = self.narrowest();
        let bottleneck = [forward[narrowest].line, reverse[narrowest].line];
        let mut routes = Vec::new();
        let mut numbers = HashMap::new();
        let mut number = |route: Route| {
            *numbers.entry(route).or_insert_with_key(|route| {
                routes.push(route.clone());
                routes.len() as u32 - 1
            })
        };
        let route_of = flows
            .iter()
            .enumerate()
            .map(|(i, flow)| number(builder.route_of(i as u32, flow, &forward, &reverse)))
            .collect();
        let ways = courses
            .map(|course| number(builder.route(course, &forward, &reverse, None)))
            .collect();
        let sites = builder.sites;
        let mut links = builder.links;
        for (i, flow) in flows.iter().enumerate() {
            let link = &mut links[bottleneck[usize::from(flow.reverse)] as usize];
            link.losses
                .forced
                .extend(flow.forced_drops.iter().map(|p| ForcedDrop {
                    flow: i as u32,
                    position: *p,
                }));
        }
        Network {
            links,
            routes,
            route_of,
            ways,
            bottleneck,
            sites,
        }
    }
}

/// How the routers of a path decide on rate requests: as usual unless another rule is
/// given.
fn quick_start(spec: Option<&QuickStartSpec>, usual: Policy) -> Result<Policy, RequestError> {
    let field = |name: &str| format!("path.quick_start.{name}");
    let Some(spec) = spec else { return Ok(usual) };
    let share = |name: &str, given: Option<Probability>, usual: f64| match given {
        Some(Probability(x)) if x > 0.0 => Ok(x),
        Some(x) => Err(out_of_range(
            &field(name),
            x,
            "a share of the link, above 0 to 1",
        )),
        None => Ok(usual),
    };
    let state_delay = spec.state_delay.unwrap_or(usual.state_delay);
    if state_delay < Time::from_millis(1) {
        return Err(out_of_range(
            &field("state_delay"),
            state_delay,
            "at least 1ms",
        ));
    }
    Ok(Policy {
        admission: spec.admission.map_or(usual.admission, Into::into),
        threshold: share("threshold", spec.threshold, usual.threshold)?,
        allocation: share("allocation", spec.allocation, usual.allocation)?,
        state_delay: time(&field("state_delay"), state_delay)?,
        max_rate: spec.max_rate.unwrap_or(usual.max_rate),
        codes: usual.codes,
    })
}

/// Refuses for a chain what only a path of one bottleneck has.
fn alone(path: &PathSpec) -> Result<(), RequestError> {
    let unfit = [
        ("path.rate_trace", path.rate_trace.is_some()),
        ("path.reverse_rate_trace", path.reverse_rate_trace.is_some()),
        ("path.rate_steps", !path.rate_steps.is_empty()),
        ("path.rate_variation", path.rate_variation.is_some()),
        ("path.policer_rate", path.policer_rate.is_some()),
        ("path.policer_burst", path.policer_burst.is_some()),
        ("path.loss_burst", path.loss_burst.is_some()),
        ("path.reverse_loss_burst", path.reverse_loss_burst.is_some()),
        ("path.aggregation", path.aggregation.is_some()),
        ("path.jitter", path.jitter.is_some()),
        ("path.reverse_jitter", path.reverse_jitter.is_some()),
        ("path.jitter_every", path.jitter_every.is_some()),
        ("path.reordering", path.reordering.is_some()),
        ("path.ripple", path.ripple.is_some()),
        ("path.ripple_period", path.ripple_period.is_some()),
    ];
    let Some((field, _)) = unfit.iter().find(|(_, given)| *given) else {
        return Ok(());
    };
    let problem = "contradicts `path.hops`; only a path of one bottleneck has it";
    Err(RequestError::new(*field, problem))
}

/// A queue discipline, the usual one where none is given.
fn queue(field: &str, spec: Option<&str>, usual: &QueueSpec) -> Result<QueueSpec, RequestError> {
    let Some(spec) = spec else {
        return Ok(usual.clone());
    };
    QueueSpec::parse(spec).map_err(|e| RequestError::new(field, e.to_string()))
}

/// What a router forwards, packets per second.
fn forwarding(pps: u64) -> Result<u64, RequestError> {
    let right = "1 to 1 000 000 000 packets per second";
    within("path.router_pps", pps, 1, 1_000_000_000, right)
}

/// How acknowledgements are gathered on the last stage of their way.
fn gathering(path: &PathSpec) -> Result<Option<Manner>, RequestError> {
    let thinning = path.ack_thinning.unwrap_or(false);
    let Some(period) = path.ack_batch else {
        if thinning {
            let problem = "there are no batches to thin out; give `path.ack_batch`";
            return Err(RequestError::new("path.ack_thinning", problem));
        }
        return Ok(None);
    };
    if period == Time::ZERO {
        return Err(out_of_range("path.ack_batch", period, "above 0s to 600s"));
    }
    let period = time("path.ack_batch", period)?;
    Ok(Some(Manner::Gathered { period, thinning }))
}

/// A buffer that nobody has given holds 1 BDP, but no fewer packets than a router's interface does
/// as it comes: Cisco IOS queues 40 for output (`hold-queue 40 out`). Where the product is a few
/// packets, as between hosts beside each other, it says nothing about the buffers there.
const LEAST_ASSUMED: u64 = 40;

/// A buffer in the units of a queue; 1 BDP, or [`LEAST_ASSUMED`], where none is given.
fn limit(
    field: &str,
    given: Option<Amount>,
    rate: Rate,
    rtt: Time,
    reading: BufferReading,
    packet: u32,
) -> Result<Limit, RequestError> {
    // Under ns-2's reading a buffer of one refuses everything.
    let least = if reading == BufferReading::Ns2 { 2 } else { 1 };
    let Some(amount) = given else {
        let bdp = rate.bytes_in(rtt) / u64::from(packet);
        return Ok(Limit::Packets(bdp.max(LEAST_ASSUMED)));
    };
    match amount {
        Amount::Packets(n) if n >= least => Ok(Limit::Packets(n)),
        Amount::Packets(_) if least == 2 => {
            let right = "at least `2pkt`, one of which is the packet in transmission,";
            Err(out_of_range(field, amount, right))
        }
        Amount::Packets(_) => Err(out_of_range(field, amount, "at least `1pkt`")),
        Amount::Bytes(n) if n >= u64::from(packet) => Ok(Limit::Bytes(n)),
        Amount::Bytes(_) => {
            let right = format!("at least one packet, `{packet}B`,");
            Err(out_of_range(field, amount, &right))
        }
        // A product below one packet still leaves room for one.
        Amount::Bdp(x) if x > 0.0 && x <= 1e6 => {
            let bytes = rate.bytes_in(rtt) as f64 * x;
            Ok(Limit::Packets(
                ((bytes / f64::from(packet)) as u64).max(least),
            ))
        }
        Amount::Bdp(_) => Err(out_of_range(field, amount, "above 0 to `1000000bdp`")),
    }
}

/// The links between one host and its router.
#[derive(Clone, Debug, Default)]
struct Host {
    up: Vec<LinkId>,
    down: Vec<LinkId>,
}

/// What a host on one side is called by.
fn side_name(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        _ => "right",
    }
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
            manner: Manner::DropTail,
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
            if let Some((name, manner)) = chain.ingredients.before(direction) {
                links.insert(0, self.lay_stage(name, manner));
            }
            for (name, manner) in chain.ingredients.behind(direction, self.seed) {
                links.push(self.lay_stage(name, manner));
            }
        }
        passages
    }

    /// A link without transmitter.
    fn lay_stage(&mut self, name: String, manner: Manner) -> LinkId {
        let id = self.lay(name, Service::Instant, Time::ZERO, Limit::Unlimited);
        self.links[id as usize].manner = manner;
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
        link.manner = Manner::Managed(way.queue.clone(), Box::new(port));
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

    fn route_of(
        &mut self,
        flow: u32,
        plan: &FlowPlan,
        forward: &[Passage],
        reverse: &[Passage],
    ) -> Route {
        let pair = self.chain.pair_of(flow).unwrap_or(flow);
        let course = Course {
            left: pair,
            right: pair,
            reverse: plan.reverse,
            from_hop: plan.from_hop,
            to_hop: plan.to_hop,
        };
        let far = (plan.extra_delay > Time::ZERO).then_some((flow, plan.extra_delay));
        self.route(course, forward, reverse, far)
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
        acks.extend(self.gate(sender.0, sender.1));
        data.extend(self.inside(receiver.0, receiver.1));
        acks.extend(self.inside(sender.0, sender.1));
        Route { data, acks }
    }

    /// The way from a host's interface to its TCP, where that takes time.
    fn inside(&mut self, number: u32, side: Side) -> Option<LinkId> {
        let (interrupts, sack_cost) = (self.chain.interrupts, self.chain.sack_cost);
        if interrupts.is_none() && sack_cost == Time::ZERO {
            return None;
        }
        let seed = self.seed;
        let manner = |host| {
            Manner::Host(Box::new(HostConfig {
                interrupts,
                sack_cost,
                random: stream(seed, "interrupts", u64::from(host)),
            }))
        };
        Some(self.stage("host", number, side, manner))
    }

    /// Where the acknowledgements of a host's data are gathered, if they are.
    fn gate(&mut self, number: u32, side: Side) -> Option<LinkId> {
        let manner = self.chain.gathering.clone()?;
        Some(self.stage("gather", number, side, |_| manner))
    }

    /// A stage before a host that is laid when first asked for, and shared from then on.
    fn stage(
        &mut self,
        what: &'static str,
        number: u32,
        side: Side,
        manner: impl FnOnce(LinkId) -> Manner,
    ) -> LinkId {
        let key = (what, number, side);
        if let Some(stage) = self.stages.get(&key) {
            return *stage;
        }
        let name = format!("{what}-{}-{number}", side_name(side));
        let stage = self.lay(name, Service::Instant, Time::ZERO, Limit::Unlimited);
        self.links[stage as usize].manner = manner(stage);
        self.stages.insert(key, stage);
        stage
    }

    fn host(&mut self, number: u32, side: Side) -> Host {
        if let Some(host) = self.hosts.get(&(number, side)) {
            return host.clone();
        }
        let name = format!("{}-{number}", side_name(side));
        let host = self.lay_host(&name, side);
        self.hosts.insert((number, side), host.clone());
        host
    }

    fn lay_host(&mut self, name: &str, side: Side) -> Host {
        let chain = self.chain;
        let mut host = Host::default();
        if let Some(rate) = chain.nic_rate {
            host.up.push(self.lay(
                format!("nic-{name}"),
                Service::Line(rate),
                Time::ZERO,
                Limit::Unlimited,
            ));
            self.decides(host.up[0], false, true);
        }
        let here = chain.access_at == Side::Both || chain.access_at == side;
        if here && (chain.access_rate.is_some() || chain.access_delay.is_some()) {
            let delay = chain.access_delay.unwrap_or(Time::ZERO);
            let service = chain.access_rate.map_or(Service::Instant, Service::Line);
            host.up
                .push(self.lay(format!("up-{name}"), service, delay, Limit::Unlimited));
            if host.up.len() == 1 {
                self.decides(host.up[0], false, true);
            }
            host.down
                .push(self.lay(format!("down-{name}"), service, delay, Limit::Unlimited));
            self.decides(host.down[0], true, true);
        }
        host
    }
}
