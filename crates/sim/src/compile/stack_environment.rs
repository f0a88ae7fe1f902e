//! What a stack's preset, and a few fields next to it, mean for the path around the endpoints:
//! for the hosts that they run on, and for routers where the path does not name them.

use crate::spec::{RequestError, StackSpec, out_of_range};
use flowstart_control::Duration;
use flowstart_network::host::{Host, HostSpec};
use flowstart_network::link::{StagePlan, host};
use flowstart_network::queue::BufferAccounting;
use flowstart_network::quick_start::Policy;
use flowstart_transport::stack::Stack;

/// The environment of a stack's endpoints.
#[derive(Clone, Debug, PartialEq)]
pub struct StackEnvironment {
    /// How a buffer of N packets is read.
    pub buffer_accounting: BufferAccounting,
    /// How routers decide on requests for a rate.
    pub quick_start: Policy,
    /// From one interrupt of a host to the next, at least and at most; `None` where hosts see
    /// every packet at once.
    pub interrupts: Option<(Duration, Duration)>,
    /// What it takes a host to read one SACK block.
    pub sack_cost: Duration,
    /// The hosts that send data, and those that receive it.
    pub hosts: [Host; 2],
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
            hosts: [Host::IDEAL; 2],
        }
    }

    /// The way from a host's interface to its TCP, where that takes time.
    pub(super) fn inside(&self) -> Option<StagePlan> {
        let takes_time = self.interrupts.is_some() || self.sack_cost > Duration::ZERO;
        takes_time.then(|| host(self.interrupts, self.sack_cost))
    }
}

impl StackSpec {
    /// The environment of the endpoints of `stack`, with every override applied.
    pub(super) fn environment(&self, stack: &Stack) -> Result<StackEnvironment, RequestError> {
        let mut around = StackEnvironment::preset(stack.preset);
        if let Some(codes) = self.rate_codes {
            around.quick_start.codes = codes;
        }
        around.interrupts = self.interrupts()?;
        around.sack_cost = self.sack_cost.unwrap_or(around.sack_cost);
        around.hosts = self.hosts(stack.numbers_packets())?;
        Ok(around)
    }

    /// The hosts of senders and receivers, which have sockets for `datagrams` or for a stream: the
    /// buffer of a stream never overflows, as its peer may send only what it has room for.
    fn hosts(&self, datagrams: bool) -> Result<[Host; 2], RequestError> {
        let receiver = match &self.receiver_host {
            Some(_) => ("stack.receiver_host", &self.receiver_host),
            None => ("stack.host", &self.host),
        };
        let mut hosts = [Host::IDEAL; 2];
        for (host, (field, spec)) in hosts.iter_mut().zip([("stack.host", &self.host), receiver]) {
            let Some(spec) = spec else { continue };
            let refused = |problem: String| RequestError::new(field, problem);
            let spec = HostSpec::parse(spec).map_err(|e| refused(e.to_string()))?;
            if !datagrams && spec.gives_receive_buffer() {
                let problem = "`receive_buffer` changes nothing: only datagrams are lost at a \
                               socket, those of stacks that number packets (stack.recovery)";
                return Err(refused(problem.into()));
            }
            *host = spec.host();
            host.receive_buffer *= u32::from(datagrams);
        }
        Ok(hosts)
    }

    /// The fields of these, and not of the endpoints alone.
    pub(super) const AROUND: [&str; 6] = [
        "interrupt_min",
        "interrupt_max",
        "sack_cost",
        "host",
        "receiver_host",
        "rate_codes",
    ];

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
