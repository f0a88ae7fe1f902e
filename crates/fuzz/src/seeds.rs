//! Files from which others are made.

use crate::target::{Kind, Target};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a target: those in its folder below `corpus`, and those that it names.
pub fn of(target: &Target) -> Vec<Vec<u8>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target.name);
    let mut files = files_in(&own, "");
    if let Kind::File { more, .. } = target.kind {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (folder, ending) in more {
            files.extend(files_in(&root.join(folder), ending));
        }
    }
    files
        .iter()
        .filter_map(|file| fs::read(file).ok())
        .collect()
}

/// In order of their names, so that the same bytes always make the same file.
fn files_in(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_that_takes_a_file_has_one_to_begin_with() {
        for target in crate::TARGETS {
            let needs = matches!(target.kind, Kind::File { .. });
            assert!(!needs || !of(target).is_empty(), "{}", target.name);
        }
    }
}
