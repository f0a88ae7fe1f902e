//! quinn's own congestion control and pacer, and the preset that simulates them.

use flowstart_quinn::quinn::lab;

const STACK: &str = "quinn";
const RECEIVER: &str = "quinn";
const TRACED: usize = 1;

include!("../../live/tests/shared/native.rs");

/// With a flight of 44 kB whose first datagram is lost, quinn needs a round trip more: of what it sends
/// behind its probe, the simulator sends more at once.
#[test]
fn handshakes_agree_with_the_stack_as_the_page_says() {
    let pairs = agreement::handshakes::pairs(STACK, lab::run_native).unwrap();
    let (page, current) = agreement::handshakes::page(STACK, &pairs).unwrap();
    assert!(
        page == current,
        "docs/reference/native.md is stale:\n{current}"
    );
    let differing = agreement::differing(&pairs, 0.01);
    assert!(
        agreement::within(&pairs, 0.01) * 100 >= pairs.len() * 90,
        "{differing}"
    );
}
