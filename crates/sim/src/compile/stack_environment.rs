//! What a stack's preset, and a few fields next to it, mean for the path around the endpoints:
//! for the hosts that they run on, and for routers where the path does not name them.

use crate::spec::{RequestError, StackSpec, out_of_range};
use flowstart_control::Duration;
use flowstart_network::host::{Host, HostSpec};
use flowstart_network::link::{StagePlan, host};
use flowstart_network::queue::BufferAccounting;
use flowstart_network::quick_start::Policy;

/// The environment of a stack's endpoints.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StackEnvironment {
    /// How a buffer of N packets is read.
    pub buffer_accounting: BufferAccounting,
    /// How routers decide on requests for a rate.
    pub quick_start: Policy,
    /// From one interrupt of a host to the next, at least and at most; `None` where hosts see
    /// every packet at once.
    pub interrupts: Option<(Duration, Duration)>,
    /// What it takes a host to read one SACK block.
    pub sack_cost: Duration,
}

impl StackEnvironment {
    /// Those of a preset: simulators for which buffers and routers are ns-2's, and all others.
    fn preset(name: &str) -> StackEnvironment {
        let (buffer_accounting, quick_start) = match name {
            "ns2" => (BufferAccounting::Ns2, Policy::NS2),
            _ => (BufferAccounting::Linux, Policy::RFC),
        };
        StackEnvironment {
            buffer_accounting,
            quick_start,
            interrupts: None,
            sack_cost: Duration::ZERO,
        }
    }

    /// The way from a host's interface to its TCP, where that takes time.
    pub(super) fn inside(&self) -> Option<StagePlan> {
        let takes_time = self.interrupts.is_some() || self.sack_cost > Duration::ZERO;
        takes_time.then(|| host(self.interrupts, self.sack_cost))
    }
}

impl StackSpec {
    /// The environment of endpoints of `preset`, with every override applied.
    pub(super) fn environment(&self, preset: &str) -> Result<StackEnvironment, RequestError> {
        let mut around = StackEnvironment::preset(preset);
        if let Some(codes) = self.rate_codes {
            around.quick_start.codes = codes;
        }
        around.interrupts = self.interrupts()?;
        around.sack_cost = self.sack_cost.unwrap_or(around.sack_cost);
        Ok(around)
    }

    /// The hosts of senders and receivers: `usual` but for those that are given. Their sockets are for
    /// `datagrams` or for a stream, which never overflows, as its peer sends only what it has room for.
    pub(super) fn hosts(
        &self,
        usual: [Host; 2],
        datagrams: bool,
    ) -> Result<[Host; 2], RequestError> {
        let mut hosts = usual;
        for (field, spec, first) in [
            ("stack.host", &self.host, 0),
            ("stack.receiver_host", &self.receiver_host, 1),
        ] {
            let Some(spec) = spec else { continue };
            let refused = |problem: String| RequestError::new(field, problem);
            let spec = HostSpec::parse(spec).map_err(|e| refused(e.to_string()))?;
            if !datagrams && spec.gives_receive_buffer() {
                let problem = "`receive_buffer` changes nothing: only datagrams are lost at a \
                               socket, those of stacks that number packets (stack.recovery)";
                return Err(refused(problem.into()));
            }
            hosts[first..].fill(spec.host());
        }
        Ok(hosts)
    }

    /// The fields of these, and not of the endpoints alone.
    pub(super) const AROUND: [&str; 4] =
        ["interrupt_min", "interrupt_max", "sack_cost", "rate_codes"];

    fn interrupts(&self) -> Result<Option<(Duration, Duration)>, RequestError> {
        const USUAL: (Duration, Duration) = (Duration::from_micros(60), Duration::from_micros(100));
        if self.interrupt_min.is_none() && self.interrupt_max.is_none() {
            return Ok(None);
        }
        let most = self.interrupt_max.unwrap_or(USUAL.1);
        let least = self.interrupt_min.unwrap_or(USUAL.0.min(most));
        if least > most {
            let right = format!("at least `{least}` (stack.interrupt_min)");
            return Err(out_of_range("stack.interrupt_max", most, &right));
        }
        Ok(Some((least, most)))
    }
}
