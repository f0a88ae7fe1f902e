//! Notes how the module is built, for `flowstart --version`.
//!
//! The commit comes from the environment (`FLOWSTART_COMMIT`), which a build of a wheel sets, or
//! from the checkout. A source archive has neither, and only the version identifies
//! it. Nothing here is a time or a path, so that the same sources make the same module.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FLOWSTART_COMMIT");
    let asked = |name: &str| env::var(name).unwrap_or_default();
    let rust = said(&asked("RUSTC"), &["--version"]).unwrap_or_default();
    println!(
        "cargo::rustc-env=FLOWSTART_RUST={}",
        rust.trim_start_matches("rustc ")
    );
    let profile = match asked("PROFILE").as_str() {
        "debug" => "development".to_string(),
        profile => profile.to_string(),
    };
    let optimized = asked("OPT_LEVEL");
    println!("cargo::rustc-env=FLOWSTART_PROFILE={profile} profile (opt-level {optimized})");
    println!("cargo::rustc-env=FLOWSTART_TARGET={}", asked("TARGET"));
    let given = env::var("FLOWSTART_COMMIT")
        .ok()
        .filter(|commit| !commit.is_empty());
    if let Some(commit) = given.or_else(commit) {
        println!("cargo::rustc-env=FLOWSTART_COMMIT={commit}");
    }
}

/// The commit of the checkout, and `+` where tracked files have been changed.
fn commit() -> Option<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    // In a source archive that lies within another checkout the commit would be that one's.
    said(
        "git",
        &[
            "-C",
            root,
            "ls-files",
            "--error-unmatch",
            "crates/python/build.rs",
        ],
    )?;
    let log = format!("{root}/.git/logs/HEAD"); // has a new line with each commit
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    let commit = said("git", &["-C", root, "rev-parse", "--short=12", "HEAD"])?;
    let changed = said(
        "git",
        &["-C", root, "status", "--porcelain", "--untracked-files=no"],
    )?;
    Some(format!(
        "{commit}{}",
        if changed.is_empty() { "" } else { "+" }
    ))
}

/// Output of a command that succeeds.
fn said(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
