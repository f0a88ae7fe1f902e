//! A path, from its fields in a scenario to a chain in plain values.

use super::files::Files;
use super::impairments::{ack_aggregation, before, behind, delay_queue, policer, shaper};
use super::line::{forward_line, loss_burst, reverse_line};
use super::stack_environment::StackEnvironment;
use crate::spec::{DelayAt, HopSpec, PathSpec, QuickStartSpec, RequestError, Side, out_of_range};
use flowstart_control::{Amount, Duration, Rate};
use flowstart_network::chain::{Access, Chain, Hop, HopDirection, Hosts};
use flowstart_network::queue::{BufferAccounting, Limit, QueueSpec};
use flowstart_network::quick_start::Policy;

/// The chain of a path, whose data packets have `packet` bytes. Queues of which
/// no discipline is given have `usual`.
pub(super) fn chain(
    path: &PathSpec,
    packet: u32,
    around: &StackEnvironment,
    usual: QueueSpec,
    files: &mut Files,
) -> Result<Chain, RequestError> {
    path.check("path")?;
    refuse_what_does_nothing(path)?;
    let reading = path.buffer_accounting.unwrap_or(around.buffer_accounting);
    let reader = Reader {
        path,
        packet,
        reading,
        usual,
    };
    let hops = match path.hops.is_empty() {
        true => vec![reader.single(files)?],
        false => reader.routers()?,
    };
    Ok(Chain {
        hops,
        hosts: hosts(path, around),
        router_pps: path.router_pps,
        before: before(path, packet)?,
        behind: behind(path)?,
        delay_queue: delay_queue(path)?,
        reading,
        packet,
        quick_start: quick_start(path.quick_start.as_ref(), around.quick_start),
    })
}

/// Reads the hops of a path.
struct Reader<'a> {
    path: &'a PathSpec,
    packet: u32,
    reading: BufferAccounting,
    usual: QueueSpec,
}

impl Reader<'_> {
    /// The hop of a path of one bottleneck.
    fn single(&self, files: &mut Files) -> Result<Hop, RequestError> {
        let path = self.path;
        let (forward, varies) = forward_line(path, files)?;
        let missing = "missing; a path needs one, such as `64ms`";
        let rtt = path
            .rtt
            .ok_or_else(|| RequestError::new("path.rtt", missing))?;
        let (reverse, reverse_varies) = reverse_line(path, forward, files)?;
        let shaper = shaper(path, self.packet)?;
        let shaped = shaper.map_or(forward, |shaper| shaper.rate.min(forward));
        let sized = |field, given, rate| self.limit(field, given, rate, rtt);
        let reverse_buffer = path.reverse_buffer.or(path.buffer);
        let forward_queue = queue("path.queue", path.queue.as_deref(), &self.usual)?;
        let own = path.reverse_queue.as_deref();
        let reverse_queue = queue("path.reverse_queue", own, &forward_queue)?;
        let forward = HopDirection {
            rate: forward,
            limit: sized("path.buffer", path.buffer, shaped)?,
            queue: forward_queue,
            loss: path.loss().0,
            loss_burst: loss_burst("", path.loss(), path.loss_burst)?,
            variation: varies,
            shaper,
            policer: policer(path, self.packet)?,
        };
        let reverse = match path.delay_at {
            Some(DelayAt::Loopback) => forward.clone(),
            _ => HopDirection {
                rate: reverse,
                limit: sized("path.reverse_buffer", reverse_buffer, reverse)?,
                queue: reverse_queue,
                loss: path.reverse_loss().0,
                loss_burst: loss_burst("reverse_", path.reverse_loss(), path.reverse_loss_burst)?,
                variation: reverse_varies,
                shaper: None,
                policer: None,
            },
        };
        Ok(Hop {
            delay: rtt.over(2),
            knows_quick_start: true,
            forward,
            reverse,
        })
    }

    /// The hops of a chain of routers.
    fn routers(&self) -> Result<Vec<Hop>, RequestError> {
        let path = self.path;
        let rtt = path.hops.iter().map(|h| h.delay).sum::<Duration>().times(2);
        let hops = path.hops.iter().enumerate();
        hops.map(|(i, spec)| self.hop(i, spec, rtt)).collect()
    }

    /// One of them; `rtt` is that of the whole chain.
    fn hop(&self, i: usize, spec: &HopSpec, rtt: Duration) -> Result<Hop, RequestError> {
        let path = self.path;
        let field = |name: &str| format!("path.hops[{i}].{name}");
        let rate = spec.rate;
        let buffer = spec.buffer.or(path.buffer);
        let limit = self.limit(&field("buffer"), buffer, rate, rtt)?;
        let (name, given) = match &spec.queue {
            Some(own) => (field("queue"), Some(own)),
            None => ("path.queue".into(), path.queue.as_ref()),
        };
        let queue = queue(&name, given.map(String::as_str), &self.usual)?;
        let direction = |loss| HopDirection {
            rate,
            limit,
            queue: queue.clone(),
            loss,
            loss_burst: None,
            variation: None,
            shaper: None,
            policer: None,
        };
        Ok(Hop {
            delay: spec.delay,
            knows_quick_start: spec.quick_start.unwrap_or(true),
            forward: direction(spec.loss().0),
            reverse: direction(0.0),
        })
    }

    /// A buffer in the units of a queue; 1 BDP, or [`LEAST_ASSUMED`], where none is given.
    fn limit(
        &self,
        field: &str,
        given: Option<Amount>,
        rate: Rate,
        rtt: Duration,
    ) -> Result<Limit, RequestError> {
        // Under ns-2's reading a buffer of one refuses everything.
        let least = if self.reading == BufferAccounting::Ns2 {
            2
        } else {
            1
        };
        let Some(amount) = given else {
            let bdp = rate.bytes_in(rtt) / u64::from(self.packet);
            return Ok(Limit::Packets(bdp.max(LEAST_ASSUMED)));
        };
        match amount {
            Amount::Packets(n) if n >= least => Ok(Limit::Packets(n)),
            Amount::Packets(_) if least == 2 => {
                let right = "at least `2pkt`, one of which is the packet in transmission,";
                Err(out_of_range(field, amount, right))
            }
            Amount::Packets(_) => Err(out_of_range(field, amount, "at least `1pkt`")),
            Amount::Bytes(n) if n >= u64::from(self.packet) => Ok(Limit::Bytes(n)),
            Amount::Bytes(_) => {
                let right = format!("at least one packet, `{}B`,", self.packet);
                Err(out_of_range(field, amount, &right))
            }
            // A product below one packet still leaves room for one.
            Amount::Bdp(x) if x > 0.0 && x <= 1e6 => {
                let bytes = rate.bytes_in(rtt) as f64 * x;
                Ok(Limit::Packets(
                    ((bytes / f64::from(self.packet)) as u64).max(least),
                ))
            }
            Amount::Bdp(_) => Err(out_of_range(field, amount, "above 0 to `1000000bdp`")),
        }
    }
}

/// A buffer that is not given holds 1 BDP, but no fewer packets than a router's interface does
/// as it comes: Cisco IOS queues 40 for output (`hold-queue 40 out`). Where the product is a few
/// packets, as between neighbouring hosts, it does not determine the buffers there.
const LEAST_ASSUMED: u64 = 40;

/// Refuses a field that means nothing next to the others. A `false` requests nothing.
fn refuse_what_does_nothing(path: &PathSpec) -> Result<(), RequestError> {
    let mut idle = PathSpec::idle(path).into_iter();
    let asks = |field| path.given(field).is_some_and(|value| value != false);
    let refused = idle.find(|(field, _)| asks(field));
    refused.map_or(Ok(()), |(field, otherwise)| {
        Err(RequestError::new(format!("path.{field}"), otherwise))
    })
}

/// A queue discipline, the usual one where none is given.
fn queue(field: &str, spec: Option<&str>, usual: &QueueSpec) -> Result<QueueSpec, RequestError> {
    let Some(spec) = spec else {
        return Ok(usual.clone());
    };
    QueueSpec::parse(spec).map_err(|e| RequestError::new(field, e.to_string()))
}

/// What the hosts of a path have.
fn hosts(path: &PathSpec, around: &StackEnvironment) -> Hosts {
    Hosts {
        shared: path.hosts,
        access: access(path),
        nic_rate: path.nic_rate,
        ack_aggregation: ack_aggregation(path),
        inside: around.inside(),
    }
}

/// The access links, if there are any.
fn access(path: &PathSpec) -> Option<Access> {
    let exist = path.access_rate.is_some() || path.access_delay.is_some();
    exist.then(|| Access {
        rate: path.access_rate,
        delay: path.access_delay(),
        at: match path.access_at() {
            Side::Both => [true, true],
            Side::Left => [true, false],
            Side::Right => [false, true],
        },
    })
}

/// How the routers of a path decide on rate requests: as usual unless another rule is
/// given.
fn quick_start(spec: Option<&QuickStartSpec>, usual: Policy) -> Policy {
    let Some(spec) = spec else { return usual };
    Policy {
        admission: spec.admission.unwrap_or(usual.admission),
        threshold: spec.threshold.map_or(usual.threshold, |share| share.0),
        allocation: spec.allocation.map_or(usual.allocation, |share| share.0),
        state_delay: spec.state_delay.unwrap_or(usual.state_delay),
        max_rate: spec.max_rate.unwrap_or(usual.max_rate),
        codes: usual.codes,
    }
}
