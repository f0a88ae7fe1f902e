//! What a path of one bottleneck may have beyond its line, queue and delay, read and checked: the
//! stages before and behind the line, and how acknowledgements are aggregated.

use super::checks::distribution;
use crate::spec::{out_of_range, PathSpec, RequestError};
use flowstart_control::{Amount, Time};
use flowstart_network::distribution::{Distribution, Measure};
use flowstart_network::impairments::Impairments;
use flowstart_network::link::{AckAggregation, PolicerConfig, Ripple};

/// Reads what a path says of its stages.
pub(super) fn impairments(path: &PathSpec, packet: u32) -> Result<Impairments, RequestError> {
    let jitter = |field, given: &Option<String>| {
        let read = |text| distribution(field, Measure::Time, text);
        given.as_deref().map(read).transpose()
    };
    let jitter = [
        jitter("path.jitter", &path.jitter)?,
        jitter("path.reverse_jitter", &path.reverse_jitter)?,
    ];
    Ok(Impairments {
        policer: policer(path, packet)?,
        access: path.aggregation.as_deref().map(access).transpose()?,
        jitter,
        jitter_holds: path.jitter_every,
        reordering: path.reordering(),
        ripple: ripple(path)?,
    })
}

fn policer(path: &PathSpec, packet: u32) -> Result<Option<PolicerConfig>, RequestError> {
    const BURST: &str = "path.policer_burst";
    let Some(limit) = path.policer_rate else {
        return Ok(None);
    };
    let Some(burst) = path.policer_burst else {
        let problem = "missing; a policer needs one, such as `100kB`";
        return Err(RequestError::new(BURST, problem));
    };
    let bytes = match burst {
        Amount::Bytes(bytes) => bytes,
        Amount::Packets(packets) => packets.saturating_mul(packet.into()),
        Amount::Bdp(x) => (limit.bytes_in(path.rtt.unwrap_or(Time::ZERO)) as f64 * x) as u64,
    };
    if bytes < u64::from(packet) {
        let right = format!("at least one packet, `{packet}B`,");
        return Err(out_of_range(BURST, burst, &right));
    }
    Ok(Some(PolicerConfig {
        rate: limit,
        burst: bytes,
    }))
}

/// How a station comes to its medium.
fn access(text: &str) -> Result<Distribution, RequestError> {
    const FIELD: &str = "path.aggregation";
    let distribution = distribution(FIELD, Measure::Time, text)?;
    if distribution.mean() < 1e-4 {
        return Err(out_of_range(FIELD, text, "a mean of at least 100us"));
    }
    Ok(distribution)
}

fn ripple(path: &PathSpec) -> Result<Option<Ripple>, RequestError> {
    let Some(swing) = path.ripple else {
        return Ok(None);
    };
    let Some(period) = path.ripple_period else {
        let problem = "missing; a ripple needs one, such as `2s`";
        return Err(RequestError::new("path.ripple_period", problem));
    };
    Ok(Some(Ripple { swing, period }))
}

/// How acknowledgements are aggregated on the last stage of their way.
pub(super) fn ack_aggregation(path: &PathSpec) -> Option<AckAggregation> {
    path.ack_batch.map(|period| AckAggregation {
        period,
        thinning: path.ack_thinning(),
    })
}
