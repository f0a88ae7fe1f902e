// The tests of a stack with its own congestion control and pacer, and of the preset that simulates
// them. Each stack includes them after its module `lab`, its name, and how many transfers differ by
// more than 5 % for a cause that the page names.

use flowstart_live::lab::{agreement, Clock, Native, Outcome};
use lab::NATIVE;

fn native(options: &str, size: &str) -> Outcome {
    let native = Native::parse(options, &NATIVE).unwrap();
    let flow = agreement::example(STACK, size).unwrap().external_sender().unwrap();
    lab::run_native(&native, flow, Clock::Virtual).unwrap()
}

#[test]
fn the_preset_agrees_with_the_stack_on_the_grid_as_the_page_says() {
    let pairs = agreement::pairs((STACK, "none"), &NATIVE, &agreement::PATHS, lab::run_native).unwrap();
    let (page, current) = agreement::page(STACK, &pairs).unwrap();
    assert!(
        page == current,
        "docs/reference/native.md is stale:
{current}"
    );
    let near = agreement::within(&pairs, 0.01);
    assert!(near * 100 >= pairs.len() * 95, "{near}");
    assert_eq!(agreement::within(&pairs, 0.05) + TRACED, pairs.len());
}

#[test]
fn the_preset_agrees_with_the_stack_with_its_shipped_windows_as_the_page_says() {
    let pairs = |paths: &[agreement::GridPath]| {
        agreement::pairs((STACK, RECEIVER), &NATIVE, paths, lab::run_native).unwrap()
    };
    let (grid, limited) = (pairs(&agreement::PATHS), pairs(&agreement::OF_WINDOWS));
    let (page, current) = agreement::page_of_shipped(STACK, 0.01, [&grid, &limited]).unwrap();
    assert!(
        page == current,
        "docs/reference/native.md is stale:
{current}"
    );
    let differing = agreement::differing(&grid, 0.01);
    assert!(agreement::within(&grid, 0.01) * 100 >= grid.len() * 95, "{differing}");
    assert_eq!(agreement::differing(&limited, 0.01), "");
}

#[test]
fn a_larger_initial_window_saves_round_trips() {
    let (usual, large) = (native("", "100kB"), native("iw=43170", "100kB"));
    assert!(large.fct.unwrap() < usual.fct.unwrap());
}

#[test]
fn slow_start_ends_with_the_first_loss() {
    let outcome = native("cc=newreno", "1MB");
    assert!(outcome.packets_lost > 0);
    assert!(outcome.exit.unwrap().cwnd > 100.0);
    assert!(native("cc=newreno", "15kB").exit.is_none());
}

#[test]
fn every_control_of_the_stack_completes_a_transfer() {
    for control in NATIVE {
        let outcome = native(&format!("cc={}", control.name), "1MB");
        assert!(outcome.fct.is_some(), "{}", control.name);
    }
}
