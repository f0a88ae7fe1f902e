//! What is quoted of others' text, in a message of one line.

/// More than this is cut off, in characters.
const LONGEST: usize = 1900;

/// `text` as one line that a terminal can show: control characters escaped, and no longer than a
/// screen holds.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(LONGEST));
    let mut length = 0;
    for c in text.chars() {
        let escaped = match c.is_control() {
            true => c.escape_default().to_string(),
            false => c.to_string(),
        };
        length += escaped.chars().count();
        if length > LONGEST {
            line.push('…');
            break;
        }
        line.push_str(&escaped);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, one_line};

    #[test]
    fn control_characters_are_escaped_and_others_stay() {
        assert_eq!(
            one_line("é\u{1b}[2J\n\u{9b}`x`"),
            "é\\u{1b}[2J\\n\\u{9b}`x`"
        );
    }

    #[test]
    fn what_is_longer_than_a_screen_is_cut() {
        let line = one_line(&"x".repeat(5000));
        assert_eq!(line.chars().count(), LONGEST + 1);
        assert!(line.ends_with("x…"));
        let line = one_line(&"\0".repeat(5000));
        assert!((LONGEST - 10..=LONGEST + 1).contains(&line.chars().count()));
        assert!(line.ends_with("\\u{0}…"));
    }
}
