//! One `web` entry of a scenario, worked out: the sessions' variables, and the routes of their data.

use crate::flow_plan::FlowPlan;
use crate::spec::{Direction, PauseFrom};
use flowstart_control::Instant;
use flowstart_network::distribution::Distribution;
use flowstart_network::graph::FlowEndpoints;

/// Sessions of one kind.
pub struct WebEntry {
    /// How many.
    pub sessions: u32,
    /// When the first begins.
    pub start: Instant,
    /// From one session's beginning to the next one's.
    pub interval: Distribution,
    /// Pages of a session.
    pub pages: Distribution,
    /// From page to page.
    pub page_pause: Distribution,
    /// From when that is counted.
    pub page_pause_from: PauseFrom,
    /// Objects of a page.
    pub objects: Distribution,
    /// From request to request within a page.
    pub object_pause: Distribution,
    /// Packets of an object.
    pub size: Distribution,
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
    /// What a packet of theirs carries, in bytes.
    pub mss: u32,
    /// First and last hop that they use.
    pub hops: (u32, u32),
    /// The number of its first route among those of all entries.
    pub first_route: u32,
    /// Which hosts on the chain its own are.
    pub hosts: Hosts,
}

/// Which hosts on the chain the entry's are.
#[derive(Clone, Copy)]
pub struct Hosts {
    /// Pairs of hosts that everybody shares, where their number is given.
    pub shared: Option<u32>,
    /// The first that belongs to no other.
    pub free: u32,
}

/// A route that data of an entry may take.
#[derive(Clone, Copy, Debug)]
pub struct WebRoute {
    /// The host that answers, among the entry's servers.
    pub server: u32,
    /// The host that reads, among its clients.
    pub client: u32,
    /// The server is on the right.
    pub reverse: bool,
    /// From client to server.
    pub request: bool,
}

impl WebEntry {
    /// How many objects its sessions are to request on average.
    pub fn expected_objects(&self) -> f64 {
        f64::from(self.sessions) * self.pages.mean().max(1.0) * self.objects.mean().max(1.0)
    }

    fn both_directions(&self) -> bool {
        self.direction == Direction::Alternate
    }

    /// How many routes its data may take.
    pub fn routes(&self) -> usize {
        let directions = if self.both_directions() { 2 } else { 1 };
        self.servers as usize * self.clients as usize * 2 * directions
    }

    /// The number of a route among those of all entries, which [`endpoints`](Self::endpoints)
    /// has in this order.
    pub fn number_of(&self, route: WebRoute) -> u32 {
        let pair = route.server * self.clients + route.client;
        let second = self.both_directions() && route.reverse;
        let directions = if self.both_directions() { 2 } else { 1 };
        let n = pair * directions + u32::from(second);
        self.first_route + 2 * n + u32::from(route.request)
    }

    /// The endpoints of data on each of the entry's routes.
    pub fn endpoints(&self) -> impl Iterator<Item = FlowEndpoints> + '_ {
        let directions: &[bool] = match self.direction {
            Direction::Forward => &[false],
            Direction::Reverse => &[true],
            Direction::Alternate => &[false, true],
        };
        (0..self.servers).flat_map(move |server| {
            (0..self.clients).flat_map(move |client| {
                directions.iter().flat_map(move |&reverse| {
                    [false, true].map(|request| {
                        self.endpoints_of(WebRoute {
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

    fn endpoints_of(&self, route: WebRoute) -> FlowEndpoints {
        let server = self.hosts.host(route.server);
        let client = self.hosts.host(route.client);
        let (left, right) = if route.reverse {
            (client, server)
        } else {
            (server, client)
        };
        FlowEndpoints {
            left,
            right,
            reverse: route.reverse != route.request,
            from_hop: self.hops.0,
            to_hop: self.hops.1,
        }
    }

    /// What a connection on this route is to be like, but for its size and its beginning.
    pub fn plan(&self, route: WebRoute) -> FlowPlan {
        let endpoints = self.endpoints_of(route);
        let template = if route.request {
            &self.request
        } else {
            &self.response
        };
        FlowPlan {
            reverse: endpoints.reverse,
            hosts: self.hosts.memory(endpoints),
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
    fn memory(self, endpoints: FlowEndpoints) -> u32 {
        const SIDE: u32 = 1 << 16;
        if self.shared.is_some() && endpoints.left == endpoints.right {
            return endpoints.left;
        }
        SIDE + endpoints
            .left
            .wrapping_mul(SIDE)
            .wrapping_add(endpoints.right)
    }
}
