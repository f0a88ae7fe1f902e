//! What a recorded figure allows, and which figures are known to lie outside of it.

use super::cases::text;
use serde::Deserialize;
use std::collections::BTreeSet;

/// A recorded figure: the median of several runs, the minimum and the maximum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

/// How far ours may be from it: a share of it, or so much where that is more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    pub share: f64,
    pub floor: f64,
}

impl Tolerance {
    pub(super) fn allows(self, found: f64, recorded: f64) -> bool {
        (found - recorded).abs() <= self.spare(recorded)
    }

    fn spare(self, recorded: f64) -> f64 {
        (self.share * recorded.abs()).max(self.floor)
    }
}

impl Figure {
    /// Among the kernel's own runs, or within the tolerance of the median. Where nothing would be
    /// within the tolerance of both the minimum and the maximum, the runs have two modes, and
    /// either is next to the median.
    pub(super) fn agrees(&self, found: f64, tolerance: Tolerance) -> bool {
        let two_modes = self.most - self.least > 2.0 * tolerance.spare(self.median);
        let modes = [self.least, self.most].into_iter().filter(|_| two_modes);
        let mut near = modes.chain([self.median]);
        (self.least..=self.most).contains(&found)
            || near.any(|recorded| tolerance.allows(found, recorded))
    }
}

/// Figures that do not agree for one reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Misses {
    #[allow(
        dead_code,
        reason = "for those who read the file, and for docs/reference/fidelity.md"
    )]
    cause: String,
    /// `case: figure`.
    figures: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    misses: Vec<Misses>,
}

/// All that `misses.toml` lists.
pub(super) fn listed() -> Vec<String> {
    let file: File = toml::from_str(&text("misses.toml")).unwrap();
    let listed: Vec<String> = file.misses.into_iter().flat_map(|m| m.figures).collect();
    let once: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(once.len(), listed.len(), "a figure is listed twice");
    listed
}

/// The case of a line such as `case: figure`.
pub(super) fn case_of(line: &str) -> &str {
    line.split_once(": ").expect("`case: figure`").0
}

/// The figures of these cases that miss, `case: figure = ours, recorded`, are those that
/// `misses.toml` lists for them: what is not listed fails, and so does what agrees after all.
pub(super) fn assert_listed(cases: &[&str], found: &[String]) {
    let figure = |line: &String| line.split(" = ").next().unwrap().to_string();
    let listed: Vec<String> = listed()
        .into_iter()
        .filter(|line| cases.contains(&case_of(line)))
        .collect();
    let wrong: Vec<&String> = found
        .iter()
        .filter(|f| !listed.contains(&figure(f)))
        .collect();
    let agree: Vec<&String> = listed
        .iter()
        .filter(|line| !found.iter().any(|f| figure(f) == **line))
        .collect();
    assert!(
        wrong.is_empty() && agree.is_empty(),
        "these miss: {wrong:#?}\nthese agree now, so misses.toml is not to list them: {agree:#?}"
    );
}
