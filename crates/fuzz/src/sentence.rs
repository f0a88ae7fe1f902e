//! What a refusal looks like.

/// No refusal is longer than this, in characters: what it quotes of a file is cut.
const LONGEST: usize = 2000;

/// Panics unless `text` is one line that a terminal can show.
pub fn assert_sentence(text: &str) {
    assert!(!text.trim().is_empty(), "a refusal says nothing");
    let hidden = text.chars().find(|c| c.is_control());
    assert!(hidden.is_none(), "a refusal has {hidden:?}: {text:?}");
    let length = text.chars().count();
    assert!(length <= LONGEST, "a refusal has {length} characters");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a refusal has")]
    fn a_refusal_with_an_escape_sequence_is_none() {
        assert_sentence("line 1: `\u{1b}[2J` is not a number");
    }

    #[test]
    fn a_line_of_words_is_one() {
        assert_sentence("line 1: `x` is not a number");
    }
}
