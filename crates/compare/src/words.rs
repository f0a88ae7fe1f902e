//! Names with parameters as people write them: `limited-slow-start:max_ssthresh=100`.

use flowstart_sim::RequestError;
use serde_json::Value;

/// Splits a list at its commas. Several parameters stay with their algorithm:
/// `a,b:x=1,y=2,c` is `a`, `b:x=1,y=2` and `c`.
pub fn split(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for piece in text.split(',').map(str::trim) {
        let is_parameter = piece
            .split_once('=')
            .is_some_and(|(name, _)| !name.contains(':'));
        match pieces.last_mut().filter(|_| is_parameter) {
            Some(last) => {
                last.push(',');
                last.push_str(piece);
            }
            None if piece.is_empty() => {}
            None => pieces.push(piece.to_owned()),
        }
    }
    pieces
}

/// The pieces between commas of `listed`, a part of a field's `text`. None of them may be empty.
pub(crate) fn pieces<'a>(
    field: &str,
    text: &str,
    listed: &'a str,
) -> Result<Vec<&'a str>, RequestError> {
    let found: Vec<&str> = listed.split(',').map(str::trim).collect();
    if found.len() > 1 && found.contains(&"") {
        let problem = format!("`{text}`: empty at a comma; leave the comma out");
        return Err(RequestError::new(field, problem));
    }
    Ok(found
        .into_iter()
        .filter(|piece| !piece.is_empty())
        .collect())
}

/// `value:name=value,...` as fields, of which the text has all names but that of the `first`.
///
/// # Errors
///
/// A piece is not written so, or a name is given twice; the error is about `field`.
pub(crate) fn table(
    field: &str,
    first: &str,
    text: &str,
) -> Result<Vec<(String, String)>, RequestError> {
    let (value, rest) = text.split_once(':').unwrap_or((text, ""));
    let refused = |why: String| RequestError::new(field, format!("`{text}`: {why}"));
    let mut fields = vec![(first.to_owned(), value.trim().to_owned())];
    for piece in pieces(field, text, rest)? {
        let (name, value) = piece
            .split_once('=')
            .ok_or_else(|| refused(format!("`{piece}` should be written name=value")))?;
        let (name, value) = (name.trim(), value.trim());
        if fields.iter().any(|(known, _)| known == name) {
            return Err(refused(format!("`{name}` is given twice")));
        }
        fields.push((name.to_owned(), value.to_owned()));
    }
    Ok(fields)
}

/// Fields as one word, the first value ahead.
pub(crate) fn word(first: &str, fields: &[(String, Value)]) -> String {
    let rest = pairs(fields).join(",");
    let parts = [first, &rest];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(":")
}

/// Fields as `name=value`.
pub(crate) fn pairs(fields: &[(String, Value)]) -> Vec<String> {
    let pair = |(name, value): &(String, Value)| format!("{name}={}", text(value));
    fields.iter().map(pair).collect()
}

/// A value in the writing of a scenario's file.
pub(crate) fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Where the name of a file of Python ends in `FILE.py:CLASS`.
fn file_end(name: &str) -> Option<usize> {
    let ends = name
        .match_indices(".py")
        .map(|(at, found)| at + found.len());
    let is_end = |end: &usize| {
        let (file, rest) = name.split_at(*end);
        !file.contains(',') && (rest.is_empty() || rest.starts_with(':'))
    };
    ends.filter(is_end).last()
}

/// Whether this names a startup in a file of Python.
pub(crate) fn is_python(name: &str) -> bool {
    file_end(name).is_some()
}

/// A startup's name without the folders of its file.
pub(crate) fn short(name: &str) -> &str {
    let file = file_end(name).map_or("", |end| &name[..end]);
    file.rfind(['/', '\\']).map_or(name, |at| &name[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Refusal;

    #[test]
    fn parameters_stay_with_their_algorithm() {
        assert_eq!(split("a, b:x=1,y=2,,c"), ["a", "b:x=1,y=2", "c"]);
        assert!(split(",").is_empty());
    }

    #[test]
    fn a_table_has_each_field_once() {
        let fields = table("stack", "preset", "linux: iw=3 ,ack=2").unwrap();
        let values = fields.iter().skip(1);
        let values: Vec<_> = values
            .map(|(name, value)| (name.clone(), value.as_str().into()))
            .collect();
        assert_eq!(word(&fields[0].1, &values), "linux:iw=3,ack=2");
        let refused = |text| Refusal::from(table("stack", "preset", text).unwrap_err()).to_string();
        assert_eq!(
            refused("linux:iw=3,iw=4"),
            "--stack: `linux:iw=3,iw=4`: `iw` is given twice"
        );
        assert!(refused("linux:preset=quic").contains("given twice"));
        assert!(refused("linux:iw").contains("name=value"));
        assert!(refused("linux:a=1,,b=2").contains("comma"));
    }

    #[test]
    fn a_startup_in_python_is_known_by_its_file() {
        assert!(is_python("./mine.py:Mine") && is_python("mine.py"));
        assert!(!is_python("hystart") && !is_python("a,mine.py") && !is_python("mine.pyc"));
        assert_eq!(short("/a/b/mine.py:Mine"), "mine.py:Mine");
        assert_eq!(short("hystart"), "hystart");
    }
}
