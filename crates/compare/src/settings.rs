//! What a page was started with: which options a state may have, and which files may be used.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The rate of a host's interface in comparisons where the path gives none. A path without lines
/// before the bottleneck would otherwise give its rate, which senders do not have.
pub const INTERFACE: &str = "1Gbps";

/// The type of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A text.
    Text,
    /// A whole number.
    Number,
    /// True or false.
    Switch,
    /// Texts.
    List,
}

/// An option of `flowstart compare` that a state may have.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateOption {
    /// Its name without dashes at the front: `reverse-rate`.
    pub flag: String,
    /// The type of its value.
    pub kind: Kind,
    /// The smallest number that it may be.
    pub least: Option<i64>,
    /// Whether its value is the name of a file.
    pub names_file: bool,
}

impl StateOption {
    /// Its name with `_` for `-`: `reverse_rate`.
    pub fn name(&self) -> String {
        self.flag.replace('-', "_")
    }
}

/// What a page was started with.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What a state may have.
    pub options: Vec<StateOption>,
    /// Startups in Python that may take part.
    #[serde(default)]
    pub custom: Vec<String>,
    /// Files that options may name.
    #[serde(default)]
    pub files: Vec<String>,
    /// Fields of the paths that are known by name.
    pub paths: BTreeMap<String, Map<String, Value>>,
}
