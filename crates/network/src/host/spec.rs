//! Hosts by name: `tokio`, `linux-server:receive_batch=10,cpu_packet=3us`.

use super::params::HostParams;
use super::presets::HOSTS;
use super::properties::Host;
use flowstart_control::Convention;
use flowstart_control::entry::{self, Description, Selected};
use flowstart_control::params::{AlgorithmKind, SpecError};

/// What the catalog of hosts has.
const KIND: AlgorithmKind = AlgorithmKind("host");

/// Convention for entries: hosts follow no stack.
const CONVENTION: Convention = Convention::RFC;

/// A host with its parameters, read and checked.
#[derive(Clone, Debug)]
pub struct HostSpec(Selected<Host>);

impl HostSpec {
    /// Reads a specification such as `tokio:timer=1ms`.
    pub fn parse(spec: &str) -> Result<HostSpec, SpecError> {
        entry::read(KIND, HOSTS, spec, CONVENTION).map(HostSpec)
    }

    /// Its properties.
    pub fn host(&self) -> Host {
        *self.0.built
    }

    /// Whether a buffer of datagrams is given, which is not only the preset's.
    pub fn gives_receive_buffer(&self) -> bool {
        let given = HostParams::read(&self.0.params);
        given.is_ok_and(|given| given.receive_buffer.is_some_and(|packets| packets > 0))
    }
}

/// Describes every host for help and pages.
pub fn describe() -> Vec<Description> {
    let describe = |entry| entry::describe_one(KIND, entry);
    HOSTS.iter().map(describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Duration;

    #[test]
    fn a_specification_changes_what_it_gives_of_a_preset() {
        let host = |text| HostSpec::parse(text).unwrap().host();
        let given = host("tokio:late=0s,cpu_packet=3us");
        assert_eq!(given.late, Duration::ZERO);
        assert_eq!(given.costs.packet, Duration::from_micros(3));
        assert_eq!(given.timer, host("tokio").timer);
        assert_eq!(host("ideal"), Host::IDEAL);
    }

    #[test]
    fn what_is_wrong_is_one_line_with_what_would_be_right() {
        let complaint = |text| HostSpec::parse(text).unwrap_err().to_string();
        for (text, expected) in [
            ("tokyo", "host `tokyo`: unknown; did you mean `tokio`?"),
            (
                "tokio:send_batch=0",
                "host `tokio`: parameter `send_batch`: `0` is not a whole number from 1 to 64",
            ),
            (
                "tokio:timer=5s",
                "host `tokio`: parameter `timer`: `5s` is not a time from 0s to 1s",
            ),
            (
                "ideal:late_law=normal",
                "host `ideal`: parameter `late_law`: `normal` is not one of `constant`, \
                 `exponential`, `uniform`",
            ),
        ] {
            assert_eq!(complaint(text), expected);
        }
    }
}
