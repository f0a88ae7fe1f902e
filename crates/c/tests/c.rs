//! The header is current, and the example in C runs with it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// Writes the header where `WRITE_HEADER` is set.
#[test]
fn the_header_is_that_of_the_functions() {
    let mut written = Vec::new();
    cbindgen::generate(CRATE).unwrap().write(&mut written);
    let header = Path::new(CRATE).join("include/flowstart.h");
    if env::var_os("WRITE_HEADER").is_some() {
        fs::write(&header, &written).unwrap();
    }
    assert!(
        fs::read(&header).unwrap() == written,
        "WRITE_HEADER=1 cargo test -p flowstart-c"
    );
}

/// The static library, next to this test.
fn library() -> PathBuf {
    let folder = env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("libflowstart_c") && name.ends_with(".a")
    };
    let newest = |path: &PathBuf| fs::metadata(path).unwrap().modified().unwrap();
    files.filter(is_ours).max_by_key(newest).unwrap()
}

#[test]
fn the_example_in_c_prints_windows_before_and_after_growth_and_loss() {
    let program = env::temp_dir().join(format!("flowstart-c-{}", std::process::id()));
    let built = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(Path::new(CRATE).join("include"))
        .arg(Path::new(CRATE).join("examples/slow_start.c"))
        .arg(library())
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program)
        .status();
    assert!(built.unwrap().success());
    let ran = Command::new(&program).output().unwrap();
    fs::remove_file(&program).unwrap();
    let printed = String::from_utf8(ran.stdout).unwrap();
    let expected = "14600\n29200\n20440 1\nstartup `hystrat`: unknown; did you mean `hystart`?\n";
    assert_eq!((ran.status.code(), &*printed), (Some(0), expected));
}
