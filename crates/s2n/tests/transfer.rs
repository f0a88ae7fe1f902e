//! The example, as a user runs it.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Tests' own executable is in `deps`, next to which Cargo has built the examples.
fn transfer(arguments: &[&str]) -> Output {
    let test = std::env::current_exe().expect("a test is a file");
    let built = test.parent().and_then(|deps| deps.parent());
    let example: PathBuf = built
        .expect("it is in a directory")
        .join("examples/transfer");
    let ran = Command::new(example).args(arguments).output();
    ran.expect("Cargo builds examples for tests")
}

#[test]
fn the_example_sends_everything_and_says_what_the_startup_did() {
    for startup in ["slow-start", "careful-resume", "jump-start", "bbr-startup"] {
        let output = transfer(&[startup, "cubic", "300000"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{startup}: {errors}");
        assert!(
            said.starts_with("300000 bytes; startup "),
            "{startup}: {said}"
        );
    }
}

#[test]
fn a_startup_that_quic_cannot_give_is_refused_by_name() {
    let output = transfer(&["quick-start"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        errors,
        "transfer: startup `quick-start`: needs routers that take part, which QUIC lacks\n"
    );
}
