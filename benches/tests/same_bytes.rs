//! Results are those of `tests/data/same-bytes/hashes.txt`, to the last bit, in the build that
//! `cargo test` makes. `make same-bytes` compares other builds, and other processors.

use flowstart_benches::same_bytes::{lines, read};
use std::path::Path;

#[test]
fn results_are_the_recorded_ones_with_one_thread_and_with_eight() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // A scenario names a file of a varying rate from there.
    std::env::set_current_dir(root).unwrap();
    let folder = Path::new("tests/data/same-bytes");
    let cases = read(&std::fs::read_to_string(folder.join("scenarios.jsonl")).unwrap()).unwrap();
    let recorded = std::fs::read_to_string(folder.join("hashes.txt")).unwrap();
    let recorded: Vec<_> = recorded.lines().collect();
    for workers in [1, 8] {
        let found = lines(&cases, workers).unwrap();
        assert_eq!(found.len(), recorded.len());
        let different = found.iter().zip(&recorded).find(|(now, then)| now != then);
        assert_eq!(different, None, "with {workers} threads, the first");
    }
}
