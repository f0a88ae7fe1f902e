//! s2n-quic's own congestion control and pacer, and the preset that simulates them.
#![cfg(feature = "lab")]

use flowstart_control::Reason;
use flowstart_live::lab::{Clock, Native, Outcome, agreement};
use flowstart_s2n::lab::{self, NATIVE};
use flowstart_sim::{ExternalSender, RequestError};

const STACK: &str = "s2n";

type Run = fn(&Native, ExternalSender, Clock) -> Result<Outcome, RequestError>;

fn native(options: &str, size: &str) -> Outcome {
    let native = Native::parse(options, &NATIVE).unwrap();
    let flow = agreement::example(STACK, size)
        .unwrap()
        .external_sender()
        .unwrap();
    lab::run_native(&native, flow, Clock::Virtual).unwrap()
}

/// Native and simulated transfers under CUBIC: BBR is not simulated as the stack has it. Without packet
/// numbers that the stack skips at random, as the preset has none.
fn pairs(receiver: &str, paths: &[agreement::GridPath]) -> Vec<agreement::Pair> {
    let run = lab::run_without_skips;
    agreement::pairs((STACK, receiver), &NATIVE[..1], paths, run).unwrap()
}

#[track_caller]
fn assert_95_percent_agree(pairs: &[agreement::Pair]) {
    let near = agreement::within(pairs, 0.01);
    let differing = agreement::differing(pairs, 0.01);
    assert!(near * 100 >= pairs.len() * 95, "{differing}");
}

#[test]
fn the_page_has_the_agreement_on_the_grid() {
    let pairs = pairs("none", &agreement::PATHS);
    let (page, current) = agreement::page(STACK, &pairs).unwrap();
    assert!(
        page == current,
        "docs/reference/native.md is stale:\n{current}"
    );
    assert_95_percent_agree(&pairs);
}

#[test]
fn the_page_has_the_agreement_with_shipped_windows() {
    let (grid, limited) = (
        pairs(STACK, &agreement::PATHS),
        pairs(STACK, &agreement::OF_WINDOWS),
    );
    let (page, current) = agreement::page_of_shipped(STACK, 0.01, [&grid, &limited]).unwrap();
    assert!(
        page == current,
        "docs/reference/native.md is stale:\n{current}"
    );
    assert_95_percent_agree(&grid);
    assert_eq!(agreement::differing(&limited, 0.01), "");
}

#[test]
fn with_its_random_packet_numbers_the_stack_agrees_in_as_many_transfers_as_with_itself() {
    // With four other sequences of random numbers the stack agrees with itself in 56 to 62 of 64.
    for receiver in ["none", STACK] {
        let (control, paths) = (&NATIVE[..1], &agreement::PATHS);
        let pairs = agreement::pairs((STACK, receiver), control, paths, lab::run_native).unwrap();
        let differing = agreement::differing(&pairs, 0.01);
        assert!(agreement::within(&pairs, 0.01) >= 56, "{differing}");
    }
}

#[test]
fn before_the_first_skipped_packet_number_a_transfer_is_the_same_without_skips() {
    let flow = agreement::example(STACK, "15kB").unwrap();
    let native = Native::parse("", &NATIVE).unwrap();
    let of = |run: Run| {
        let outcome = run(&native, flow.external_sender().unwrap(), Clock::Virtual).unwrap();
        (outcome.fct, outcome.max_cwnd, outcome.packets_sent)
    };
    let ordinary = of(lab::run_native);
    assert!(ordinary.1 > 10.0 && ordinary.1 < 100.0, "{ordinary:?}");
    assert_eq!(of(lab::run_without_skips), ordinary);
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
    assert!(agreement::within(&pairs, 0.01) >= 56, "{differing}");
}
