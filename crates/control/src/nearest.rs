//! The nearest known name to a misspelt one, for error messages.

/// The candidate closest to `name`, if any is close enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(name, c), c))
        .filter(|(distance, c)| *distance <= 2.max(c.len() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, c)| c)
}
