//! The network of a run: links, routes, and routers that decide on rate requests.

use super::clock::Clock;
use crate::compile::Prepared;
use crate::flow_plan::FlowKind;
use crate::record::recorder::HopQueue;
use flowstart_control::entry::Need;
use flowstart_control::{Instant, Rate};
use flowstart_network::graph::{LinkId, Network, QuickStartRouter, Route};
use flowstart_network::link::{Link, Verdict};
use flowstart_network::quick_start::Router;
use flowstart_network::random::stream;
use flowstart_wire::{Body, Packet};

/// What a link has done with a packet that came to it.
#[derive(Clone, Copy)]
pub(super) struct Offer {
    pub(super) is_dropped: bool,
    /// The queue has events, or the link is recorded.
    pub(super) has_news: bool,
}

impl Offer {
    /// Whether the packet is on its way, and there is nothing else to account for.
    #[inline(always)]
    pub(super) fn is_plain(self) -> bool {
        !(self.is_dropped | self.has_news)
    }
}

/// Links and routes of a run.
pub(super) struct RunNetwork {
    pub(super) links: Vec<Link>,
    routes: Vec<Route>,
    /// The routes of what web sessions send.
    web_routes: Vec<u32>,
    bottleneck: [LinkId; 2],
    /// The line of each hop, forward and reverse.
    pub(super) lines: [Vec<LinkId>; 2],
    /// Routers that decide on rate requests, by their output link; none where no flow has requests.
    routers: Vec<Option<Router>>,
}

impl RunNetwork {
    /// The network that was built for a scenario.
    pub(super) fn new(prepared: &Prepared, network: Network) -> RunNetwork {
        RunNetwork {
            routers: routers(prepared, &network.quick_start_routers, &network.links),
            links: network.links,
            routes: network.routes,
            web_routes: network.other_routes,
            bottleneck: network.bottleneck,
            lines: network.lines,
        }
    }

    /// The route with this number.
    #[inline]
    pub(super) fn route(&self, number: u32) -> &Route {
        &self.routes[number as usize]
    }

    /// The number of the route of a session's data, by its number among those of sessions.
    pub(super) fn web_route(&self, number: u32) -> u32 {
        self.web_routes[number as usize]
    }

    /// Whether routers decide on rate requests.
    pub(super) fn has_routers(&self) -> bool {
        !self.routers.is_empty()
    }

    /// The rate of the first link of a route that has one.
    pub(super) fn interface_rate(&self, route: u32) -> Option<Rate> {
        let links = self.route(route).data.iter();
        links
            .map(|link| &self.links[*link as usize])
            .find_map(|link| link.config().service.line())
    }

    /// A packet comes to a link.
    #[inline(always)]
    pub(super) fn offer(&mut self, link: LinkId, packet: &mut Packet, clock: &mut Clock) -> Offer {
        let now = clock.moment();
        if self.has_routers() {
            self.ask_router(link, packet, now.time);
        }
        let state = &mut self.links[link as usize];
        let verdict = state.send(packet, now);
        if verdict == Verdict::First {
            clock.set_delivery(link, state.next_delivery());
        }
        Offer {
            is_dropped: verdict == Verdict::Dropped,
            has_news: state.has_news(),
        }
    }

    /// A packet comes to a link. Where a router decides on rate requests there, it decides.
    #[cold]
    fn ask_router(&mut self, link: LinkId, packet: &mut Packet, now: Instant) {
        let Some(router) = &mut self.routers[link as usize] else {
            return;
        };
        router.observe(now, self.links[link as usize].busy_until());
        if let Body::Syn(syn) = &mut packet.body
            && let Some(request) = &mut syn.request
        {
            *request = router.on_request(*request, now);
        }
    }

    /// The links of all hops, each once: on loopback both directions have one.
    pub(super) fn hop_links(&self) -> Vec<LinkId> {
        let mut links = self.lines.concat();
        links.sort_unstable();
        links.dedup();
        links
    }

    /// The hop's queue that a link has, if it has one.
    pub(super) fn hop_queue(&self, link: LinkId) -> Option<HopQueue> {
        let hop_of = |direction: usize| {
            let hop = self.lines[direction]
                .iter()
                .position(|line| *line == link)?;
            Some((direction, hop))
        };
        let (direction, hop) = hop_of(0).or_else(|| hop_of(1))?;
        Some(HopQueue {
            hop: hop as u8,
            direction: direction as u8,
            is_bottleneck: self.bottleneck.contains(&link),
        })
    }

    /// Bytes that packets in links take.
    pub(super) fn bytes_held(&self) -> usize {
        self.links.iter().map(Link::bytes_held).sum()
    }

    /// The flows of which links still hold data packets, in order, and how many.
    pub(super) fn data_in_links(&self) -> Vec<(u32, u64)> {
        let packets = self.links.iter().flat_map(Link::in_network);
        let data = packets.filter(|packet| packet.is_data());
        let mut flows: Vec<u32> = data.map(|packet| packet.flow).collect();
        flows.sort_unstable();
        let of_each = flows.chunk_by(|a, b| a == b);
        of_each.map(|of| (of[0], of.len() as u64)).collect()
    }
}

/// The routers of all links, where a flow's startup needs them.
fn routers(
    prepared: &Prepared,
    deciding: &[QuickStartRouter],
    links: &[Link],
) -> Vec<Option<Router>> {
    let asks = |kind: &FlowKind| kind.recipe.needs().contains(&Need::Routers);
    if !prepared.kinds.iter().any(asks) {
        return Vec::new();
    }
    let mut routers: Vec<_> = links.iter().map(|_| None).collect();
    for router in deciding {
        let link = router.link as usize;
        let nonces = stream(prepared.seed, "nonces", u64::from(router.link));
        let line = links[link].config().service.line();
        routers[link] = line.map(|rate| Router::new(router.policy, rate, router.forwards, nonces));
    }
    routers
}
