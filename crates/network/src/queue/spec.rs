//! Queue disciplines by name: `red:th_min=5,th_max=15`.

use super::discipline::{Discipline, KIND, Maker, Port};
use super::{QUEUES, xcp};
use flowstart_control::Convention;
use flowstart_control::entry::{self, Description, Selected};
use flowstart_control::params::SpecError;
use std::fmt;

/// A discipline with its parameters, read and found sound.
#[derive(Clone, Debug)]
pub struct QueueSpec(Selected<Maker>);

/// Convention for entries: queues follow no stack.
const CONVENTION: Convention = Convention::RFC;

impl QueueSpec {
    /// Reads a specification such as `red:th_min=5`.
    pub fn parse(spec: &str) -> Result<QueueSpec, SpecError> {
        entry::read(KIND, QUEUES, spec, CONVENTION).map(QueueSpec)
    }

    /// Discipline of XCP's routers, with its defaults.
    pub fn xcp() -> QueueSpec {
        QueueSpec::parse(xcp::ENTRY.name).expect("it is in the catalog")
    }

    /// A fresh discipline for a link.
    pub fn discipline(&self, port: &Port) -> Option<Box<dyn Discipline>> {
        (self.0.built)(port)
    }
}

impl Default for QueueSpec {
    fn default() -> QueueSpec {
        QueueSpec::parse("drop-tail").expect("it is in the catalog")
    }
}

impl fmt::Display for QueueSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.params.fmt(f)
    }
}

/// Describes every queue discipline for help and pages.
pub fn describe() -> Vec<Description> {
    let describe = |entry| entry::describe_one(KIND, entry);
    QUEUES.iter().map(describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::params::Params;

    fn complaint(spec: &str) -> String {
        QueueSpec::parse(spec).unwrap_err().to_string()
    }

    #[test]
    fn names_are_the_public_ones() {
        let names: Vec<_> = QUEUES.iter().map(|entry| entry.name).collect();
        assert_eq!(
            names,
            [
                "drop-tail",
                "marked-first",
                "red",
                "choke",
                "codel",
                "fq-codel",
                "pie",
                "xcp",
                "dualpi2"
            ]
        );
    }

    #[test]
    fn a_specification_writes_only_what_was_given() {
        let spec = QueueSpec::parse(" red : th_max=15, th_min=5pkt ").unwrap();
        assert_eq!(spec.to_string(), "red:th_min=5,th_max=15");
        assert_eq!(QueueSpec::default().to_string(), "drop-tail");
    }

    #[test]
    fn every_default_is_a_value_or_an_explanation() {
        for entry in QUEUES {
            for param in entry.params {
                let text = format!("{}={}", param.name, param.default);
                let value = Params::parse(KIND, entry.name, entry.params, &text);
                assert_ne!(value.is_ok(), param.default.starts_with("by "), "{text}");
            }
            assert!(!entry.source.is_empty() && entry.summary.ends_with('.'));
        }
    }

    #[test]
    fn values_that_do_not_go_together_are_refused() {
        for (spec, expected) in [
            (
                "red:th_min=5,th_max=5",
                "queue `red`: parameter `th_max`: `5` is not above `th_min`",
            ),
            (
                "red:th_max=15",
                "queue `red`: parameter `th_max`: `15` is not of use without `th_min`",
            ),
            (
                "red:q_w=0",
                "queue `red`: parameter `q_w`: `0` is not above 0: the average would never move",
            ),
            (
                "choke:candidates=1.5",
                "queue `choke`: parameter `candidates`: `1.5` is not a whole number from 1 to \
                 1000000",
            ),
            (
                "codel:interval=0s",
                "queue `codel`: parameter `interval`: `0s` is not above 0s",
            ),
            (
                "red:mark_p=0.5",
                "queue `red`: parameter `mark_p`: `0.5` is not of use without `ecn=true`",
            ),
            (
                "dualpi2:range=1ms",
                "queue `dualpi2`: parameter `range` has no effect here; it needs `preset=rfc9332`",
            ),
            (
                "dualpi2:coupling_factor=0.5",
                "queue `dualpi2`: parameter `coupling_factor`: `0.5` is not a number from 1 to 255",
            ),
            (
                "dualpi2:tupdate=0s",
                "queue `dualpi2`: parameter `tupdate`: `0s` is not at least 1us",
            ),
            (
                "pie:t_update=0s",
                "queue `pie`: parameter `t_update`: `0s` is not at least 1us",
            ),
        ] {
            assert_eq!(complaint(spec), expected);
        }
    }
}
