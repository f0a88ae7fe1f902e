//! Files from which others are made.

use crate::target::{Kind, Target};
use std::fs;
use std::path::{Path, PathBuf};

/// The seeds of a target: the files in its folder below `corpus` and those that it names, and texts of the catalog.
pub fn of(target: &Target) -> Vec<Vec<u8>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target.name);
    let mut files = files_in(&own, "");
    let mut texts = Vec::new();
    if let Kind::File {
        more, of_catalog, ..
    } = target.kind
    {
        texts = of_catalog();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (folder, ending) in more {
            files.extend(files_in(&root.join(folder), ending));
        }
    }
    let files = files.iter().filter_map(|file| fs::read(file).ok());
    files
        .chain(texts.into_iter().map(String::into_bytes))
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
    fn the_seeds_of_scenarios_are_scenarios_of_every_preset() {
        let target = crate::target("conservation").unwrap();
        let seeds: Vec<_> = of(target).into_iter().map(String::from_utf8).collect();
        for preset in flowstart_transport::stack::all_presets() {
            let line = format!("preset = \"{}\"\n", preset.name);
            let named = |seed: &&Result<String, _>| seed.as_ref().is_ok_and(|s| s.contains(&line));
            assert!(seeds.iter().any(|seed| named(&seed)), "{line}");
        }
    }

    #[test]
    fn every_target_that_takes_a_file_has_one_to_begin_with() {
        for target in crate::TARGETS {
            let needs = matches!(target.kind, Kind::File { .. });
            assert!(!needs || !of(target).is_empty(), "{}", target.name);
        }
    }
}
