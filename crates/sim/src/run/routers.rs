//! The routers that decide on rate requests.

use crate::compile::Prepared;
use crate::flow_plan::FlowKind;
use flowstart_control::entry::Need;
use flowstart_network::graph::QuickStartRouter;
use flowstart_network::link::Link;
use flowstart_network::quick_start::Router;
use flowstart_network::random::stream;

/// The routers of all links, where a flow's startup needs them.
pub(super) fn routers(
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
