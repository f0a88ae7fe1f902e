//! s2n-quic's own congestion control and pacer, and the preset that simulates them.
#![cfg(feature = "lab")]

use flowstart_control::Reason;
use flowstart_live::lab::{Clock, Native, Outcome, agreement};
use flowstart_s2n::lab::{self, NATIVE};

const STACK: &str = "s2n";

fn native(options: &str, size: &str) -> Outcome {
    let native = Native::parse(options, &NATIVE).unwrap();
    let flow = agreement::example(STACK, size)
        .unwrap()
        .external_sender()
        .unwrap();
    lab::run_native(&native, flow, Clock::Virtual).unwrap()
}

/// Native and simulated transfers under CUBIC: BBR is not simulated as the stack has it.
fn pairs(receiver: &str, paths: &[agreement::GridPath]) -> Vec<agreement::Pair> {
    agreement::pairs((STACK, receiver), &NATIVE[..1], paths, lab::run_native).unwrap()
}

#[test]
fn the_page_says_how_far_the_preset_agrees_with_the_stack_on_the_grid() {
    let pairs = pairs("none", &agreement::PATHS);
    let (page, current) = agreement::page(STACK, &pairs).unwrap();
    assert!(
        page == current,
        "docs/reference/native.md is stale:\n{current}"
    );
}

#[test]
fn the_page_says_how_far_the_preset_agrees_with_shipped_windows() {
    // On the grid the others differ by packet numbers that s2n-quic skips, as without windows (the page
    // has the causes). With other random numbers it agrees with itself in 56 to 62 of 64.
    let (grid, limited) = (
        pairs(STACK, &agreement::PATHS),
        pairs(STACK, &agreement::OF_WINDOWS),
    );
    let (page, current) = agreement::page_of_shipped(STACK, 0.01, [&grid, &limited]).unwrap();
    assert!(
        page == current,
        "docs/reference/native.md is stale:\n{current}"
    );
    assert_eq!(agreement::differing(&limited, 0.01), "");
}

#[test]
fn a_larger_initial_window_saves_round_trips() {
    let (usual, large) = (native("", "100kB"), native("iw=43170", "100kB"));
    assert!(large.fct.unwrap() < usual.fct.unwrap());
}

#[test]
fn slow_start_ends_with_the_first_loss_or_a_rise_of_the_delay() {
    let outcome = native("", "1MB");
    let exit = outcome.exit.unwrap();
    assert!(matches!(exit.reason, Reason::Loss | Reason::Delay));
    assert!(exit.cwnd > 16.0 && exit.cwnd <= outcome.max_cwnd);
    assert!(native("", "15kB").exit.is_none());
}

#[test]
fn every_control_of_the_stack_completes_a_transfer() {
    for control in NATIVE {
        let outcome = native(&format!("cc={}", control.name), "1MB");
        assert!(outcome.fct.is_some(), "{}", control.name);
        assert!(outcome.packets_sent > 690, "{}", control.name);
    }
}

#[test]
fn real_time_and_unknown_controls_are_refused() {
    let refused = Native::parse("cc=newreno", &NATIVE)
        .unwrap_err()
        .to_string();
    assert_eq!(refused, "native: cc `newreno`: one of cubic, bbr");
    let native = Native::parse("", &NATIVE).unwrap();
    let flow = agreement::example(STACK, "15kB")
        .unwrap()
        .external_sender()
        .unwrap();
    let refused = lab::run_native(&native, flow, Clock::Real).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "clock: `real`: s2n runs in virtual time"
    );
}

#[test]
fn handshakes_agree_with_the_stack_as_the_page_says() {
    let pairs = agreement::handshakes::pairs(STACK, lab::run_native).unwrap();
    let (page, current) = agreement::handshakes::page(STACK, &pairs).unwrap();
    assert!(
        page == current,
        "docs/reference/native.md is stale:\n{current}"
    );
    // The page has the causes of the others.
    let differing = agreement::differing(&pairs, 0.01);
    assert!(agreement::within(&pairs, 0.01) >= 48, "{differing}");
}
