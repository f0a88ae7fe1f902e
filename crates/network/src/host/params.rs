//! Hosts by name: `tokio`, `linux-server:receive_batch=10,cpu_packet=3us`.

use super::presets::HOSTS;
use super::{Costs, Host};
use flowstart_control::entry::{self, Description, Selected};
use flowstart_control::params::{AlgorithmKind, Params, SpecError};
use flowstart_control::{Convention, Duration, params};

/// What the catalog of hosts has.
const KIND: AlgorithmKind = AlgorithmKind("host");

/// Convention for entries: hosts follow no stack.
const CONVENTION: Convention = Convention::RFC;

params! {
    /// What a specification sets in a preset.
    pub(super) struct HostParams {
        /// datagrams that leave together (GSO)
        #[usual("by host")]
        #[within(1..=64)]
        send_batch: Option<u32>,
        /// whether the pacer spaces out the datagrams of a batch
        #[usual("by host")]
        paced_batch: Option<bool>,
        /// packets that a sender hands over before the host does other work, 0 for all
        #[usual("by host")]
        #[within(0..=100_000)]
        per_wake: Option<u32>,
        /// packets that a pacer without bucket makes up for after a late wake
        #[usual("by host")]
        #[within(0..=100_000)]
        credit: Option<u32>,
        /// timers expire at multiples of this time
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        timer: Option<Duration>,
        /// mean lateness of a wake beyond the timer's step
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        late: Option<Duration>,
        /// distribution of the lateness
        #[usual("by host")]
        late_law: Option<LateLaw>,
        /// time for which the interface gathers frames, from the first
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        coalesce: Option<Duration>,
        /// frames after which the interface does not wait longer, 0 for any number
        #[usual("by host")]
        #[within(0..=100_000)]
        frames: Option<u32>,
        /// packets that are read together, with one acknowledgement decision
        #[usual("by host")]
        #[within(1..=100_000)]
        receive_batch: Option<u32>,
        /// datagrams that the socket holds unread, 0 for any number
        #[usual("by host")]
        #[within(0..=100_000_000)]
        receive_buffer: Option<u32>,
        /// processor time per data packet
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        cpu_packet: Option<Duration>,
        /// processor time per batch, in addition
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        cpu_batch: Option<Duration>,
        /// processor time per packet without data
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        cpu_ack: Option<Duration>,
        /// processor time per 1000 bytes of data packets, in addition
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        cpu_kb: Option<Duration>,
        /// processor time of a server's signature, before its first packet leaves
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        sign: Option<Duration>,
        /// processor time of a client's verification, behind the arrival of that packet
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        verify: Option<Duration>,
    }

    /// Distribution of the lateness of a wake.
    pub enum LateLaw {
        /// Every wake has the mean.
        Constant = "constant",
        /// Exponential.
        Exponential = "exponential",
        /// Uniform from zero to twice the mean.
        Uniform = "uniform",
    }
}

/// No property of a host takes longer.
const LONGEST: Duration = Duration::from_secs(1);

/// A preset with what is given in place of its values.
pub(super) fn over(preset: &Host, params: &Params) -> Result<Box<Host>, SpecError> {
    let given = HostParams::read(params)?;
    let costs = preset.costs;
    Ok(Box::new(Host {
        send_batch: given.send_batch.unwrap_or(preset.send_batch),
        paced_batch: given.paced_batch.unwrap_or(preset.paced_batch),
        per_wake: given.per_wake.unwrap_or(preset.per_wake),
        credit: given.credit.unwrap_or(preset.credit),
        timer: given.timer.unwrap_or(preset.timer),
        late: given.late.unwrap_or(preset.late),
        late_law: given.late_law.unwrap_or(preset.late_law),
        coalesce: given.coalesce.unwrap_or(preset.coalesce),
        frames: given.frames.unwrap_or(preset.frames),
        receive_batch: given.receive_batch.unwrap_or(preset.receive_batch),
        receive_buffer: given.receive_buffer.unwrap_or(preset.receive_buffer),
        costs: Costs {
            packet: given.cpu_packet.unwrap_or(costs.packet),
            batch: given.cpu_batch.unwrap_or(costs.batch),
            ack: given.cpu_ack.unwrap_or(costs.ack),
            kilobyte: given.cpu_kb.unwrap_or(costs.kilobyte),
            sign: given.sign.unwrap_or(costs.sign),
            verify: given.verify.unwrap_or(costs.verify),
        },
    }))
}

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
