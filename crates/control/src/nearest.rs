//! The known name that an unknown one means, for error messages.

/// Names that mean one of ours, however differently they are spelt.
const MEANT: &[(&str, &str)] = &[("none", "keep")];

/// The candidate that `name` means: the same in another spelling, one that has it as a word, or the
/// closest that is close enough.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let spelt = plain(name);
    let is = |c: &&str| plain(c) == spelt || MEANT.contains(&(&spelt, &plain(c)));
    let has = |c: &&str| plain(c).split('-').any(|word| word == spelt);
    let mut known = candidates.iter().copied();
    let found = known.clone().find(is).or_else(|| known.find(has));
    found.or_else(|| closest(name, &candidates))
}

/// The end of a message about an unknown name: the nearest known one, or all of them.
pub fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", known.join(", ")),
    }
}

/// In the spelling of the catalog: `HyStart++` as `hystart-plus-plus`.
fn plain(name: &str) -> String {
    let name = name.to_lowercase().replace('+', "-plus");
    name.trim_start_matches('-').replace('_', "-")
}

fn closest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .map(|c| (strsim::damerau_levenshtein(name, c), *c))
        .filter(|(distance, c)| *distance <= 2.max(c.len() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_name_means_ours_in_another_spelling_before_one_that_looks_like_it() {
        let startups = ["hystart", "bbr-startup", "hystart-plus-plus"];
        assert_eq!(nearest("HyStart++", startups), Some("hystart-plus-plus"));
        assert_eq!(nearest("bbr", startups), Some("bbr-startup"));
        assert_eq!(nearest("hystrat", startups), Some("hystart"));
        assert_eq!(nearest("nothing-like-it", startups), None);
        assert_eq!(nearest("none", ["one", "keep", "linux"]), Some("keep"));
        assert_eq!(nearest("--cc", ["--ack", "--cc"]), Some("--cc"));
        assert_eq!(nearest("", ["--ack", "a"]), Some("a"));
    }
}
