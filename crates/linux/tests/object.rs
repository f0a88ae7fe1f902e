//! The compiled BPF programs are those of their sources.

use std::path::Path;
use std::process::Command;

/// The compiler that the object was made with; another may make another, which has to be as good.
const COMPILER: &str = "clang version 14.0.6";

#[test]
fn each_object_is_what_its_source_compiles_to() {
    let Ok(version) = Command::new("clang").arg("--version").output() else {
        eprintln!("skipped: there is no clang");
        return;
    };
    if !Path::new("/usr/include/bpf/bpf_helpers.h").exists() {
        eprintln!("skipped: there are no headers of libbpf");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf");
    let made = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let built = Command::new("sh")
        .arg(folder.join("build.sh"))
        .arg(made)
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    if !String::from_utf8_lossy(&version.stdout).contains(COMPILER) {
        return;
    }
    for name in [
        "flowstart.bpf.o",
        "collect.bpf.o",
        "startups/startups.bpf.o",
    ] {
        let [made, kept] = [made, &folder].map(|f| std::fs::read(f.join(name)).unwrap());
        assert!(made == kept, "run crates/linux/bpf/build.sh");
    }
}
