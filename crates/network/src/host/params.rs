//! Parameters that change a preset.

use super::properties::{Costs, Host, LateLaw};
use flowstart_control::params::{Params, SpecError};
use flowstart_control::{Duration, params};

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
        /// processor time of a server's signature, before its certificate leaves
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        sign: Option<Duration>,
        /// processor time of a client's verification, once it has the certificate
        #[usual("by host")]
        #[check(|time| time <= LONGEST, "a time from 0s to 1s")]
        verify: Option<Duration>,
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
