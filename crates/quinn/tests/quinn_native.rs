//! quinn's own congestion control and pacer, and the preset that simulates them.

use flowstart_quinn::quinn::lab;

const STACK: &str = "quinn";
const RECEIVER: &str = "quinn";
const TRACED: usize = 1;

include!("../../live/tests/shared/native.rs");

#[test]
fn handshakes_agree_with_the_stack_as_the_page_says() {
    let pairs = agreement::handshakes::pairs(STACK, lab::run_native).unwrap();
    let (page, current) = agreement::handshakes::page(STACK, &pairs).unwrap();
    assert!(
        page == current,
        "docs/reference/native.md is stale:\n{current}"
    );
    assert_eq!(agreement::differing(&pairs, 0.01), "");
}
