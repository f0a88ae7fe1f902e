//! Fields of requests, from JSON of any kind to values of a type.

use crate::Refusal;
use crate::refusal::suggest;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Letters of a text that a person gives.
pub(crate) const LONGEST: usize = 300;
const LATEST_S: f64 = 1e6;

/// The fields of a request; null is as if a field were not there.
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// Reads a request that may have the `known` fields.
    pub(crate) fn read(request: &[u8], known: &[&str]) -> Result<Fields, Refusal> {
        let Value::Object(fields) = document(request)? else {
            let known = known.join(", ");
            return Err(Refusal::new(format!(
                "a JSON object with {known} is needed"
            )));
        };
        match fields.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(Fields(
                fields.into_iter().filter(|(_, v)| !v.is_null()).collect(),
            )),
            Some(name) => {
                let near = suggest(name, known);
                Err(Refusal::new(format!("`{}` is unknown{near}", cut(name))))
            }
        }
    }

    /// A field of any type; null where it is not there.
    pub(crate) fn get(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or(&Value::Null)
    }

    /// A text, which has to be there.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Refusal> {
        let right = format!("a text of at most {LONGEST} letters is needed");
        match self.get(name) {
            Value::Null => Err(Refusal::new(format!("{name}: missing; {right}"))),
            Value::String(text) if text.chars().count() <= LONGEST => Ok(text),
            other => Err(wrong(name, other, right)),
        }
    }

    /// A whole number in a range.
    pub(crate) fn whole(
        &self,
        name: &str,
        usual: u32,
        range: RangeInclusive<u32>,
    ) -> Result<u32, Refusal> {
        let Some(value) = self.0.get(name) else {
            return Ok(usual);
        };
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (least, most) = (range.start(), range.end());
                let right = format!("a whole number from {least} to {most} is needed");
                wrong(name, value, right)
            })
    }

    /// A time in seconds.
    pub(crate) fn seconds(&self, name: &str) -> Result<Option<f64>, Refusal> {
        let Some(value) = self.0.get(name) else {
            return Ok(None);
        };
        let found = value
            .as_f64()
            .filter(|time| (0.0..=LATEST_S).contains(time));
        let right = format!("seconds from 0 to {LATEST_S} are needed");
        found.map(Some).ok_or_else(|| wrong(name, value, right))
    }
}

/// The fields of a request that may have the `known` ones, as JSON; none of them is null.
///
/// # Errors
///
/// It is no object of JSON, or another field is in it.
pub fn request_fields(request: &[u8], known: &[&str]) -> Result<String, Refusal> {
    let fields = Fields::read(request, known)?;
    Ok(Value::Object(fields.0).to_string())
}

/// The JSON of a request.
fn document(request: &[u8]) -> Result<Value, Refusal> {
    serde_json::from_slice(request).map_err(|error| {
        let why = error.to_string();
        let why = match why.starts_with("recursion limit") {
            true => "it is nested too deeply",
            false => &why,
        };
        Refusal::new(format!("the request is not JSON: {why}"))
    })
}

fn wrong(name: &str, value: &Value, right: impl Display) -> Refusal {
    Refusal::new(format!("{name}: `{}`: {right}", shown(value)))
}

/// A value of JSON in a message.
pub(crate) fn shown(value: &Value) -> String {
    cut(&value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned))
}

/// A text of others in a message, with an end.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(request: &str) -> String {
        let fields = Fields::read(request.as_bytes(), &["given", "most"]);
        let number = fields.and_then(|fields| fields.whole("most", 3, 1..=5));
        number.unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_request_is_refused_with_the_reason() {
        assert!(refused("rate=5").starts_with("the request is not JSON: "));
        assert!(refused(&"[".repeat(10_000)).ends_with("it is nested too deeply"));
        assert_eq!(refused("[]"), "a JSON object with given, most is needed");
        assert_eq!(
            refused(r#"{"mots": 1}"#),
            "`mots` is unknown; did you mean `most`?"
        );
    }

    #[test]
    fn a_number_out_of_its_range_is_refused_and_null_is_absent() {
        assert_eq!(
            refused(r#"{"most": 6}"#),
            "most: `6`: a whole number from 1 to 5 is needed"
        );
        let fields = Fields::read(br#"{"most": null}"#, &["most"]).unwrap();
        assert_eq!(fields.whole("most", 3, 1..=5).unwrap(), 3);
        assert!(fields.get("most").is_null());
    }
}
