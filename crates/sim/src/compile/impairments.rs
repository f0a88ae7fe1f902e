//! What a path of one bottleneck may have beyond its line, queue and delay, read and checked: the
//! stages before and behind the line, and how acknowledgements are aggregated.

use super::checks::{distribution, holding, out_of_range, rate, time};
use crate::spec::{PathSpec, RequestError};
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
    let reordering = path.reordering.unwrap_or(false);
    for (field, given) in [
        ("path.jitter_every", path.jitter_every.is_some()),
        ("path.reordering", reordering),
    ] {
        if given && jitter == [None; 2] {
            let problem = "there is no jitter; give `path.jitter` or `path.reverse_jitter`";
            return Err(RequestError::new(field, problem));
        }
    }
    let every = path.jitter_every;
    let jitter_holds = every.map(|every| holding("path.jitter_every", every));
    Ok(Impairments {
        policer: policer(path, packet)?,
        access: path.aggregation.as_deref().map(access).transpose()?,
        jitter,
        jitter_holds: jitter_holds.transpose()?,
        reordering,
        ripple: ripple(path)?,
    })
}

fn policer(path: &PathSpec, packet: u32) -> Result<Option<PolicerConfig>, RequestError> {
    const BURST: &str = "path.policer_burst";
    let (Some(limit), Some(burst)) = (path.policer_rate, path.policer_burst) else {
        return match (path.policer_rate, path.policer_burst) {
            (Some(_), None) => {
                let problem = "missing; a policer needs one, such as `100kB`";
                Err(RequestError::new(BURST, problem))
            }
            (None, Some(_)) => {
                let problem = "there is no policer; give `path.policer_rate`";
                Err(RequestError::new(BURST, problem))
            }
            _ => Ok(None),
        };
    };
    let limit = rate("path.policer_rate", limit)?;
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
    const PERIOD: &str = "path.ripple_period";
    match (path.ripple, path.ripple_period) {
        (None, None) => Ok(None),
        (Some(_), None) => {
            let problem = "missing; a ripple needs one, such as `2s`";
            Err(RequestError::new(PERIOD, problem))
        }
        (None, Some(_)) => {
            let problem = "there is no ripple; give `path.ripple`";
            Err(RequestError::new(PERIOD, problem))
        }
        (Some(_), Some(Time::ZERO)) => Err(out_of_range(PERIOD, Time::ZERO, "above 0s to 600s")),
        (Some(swing), Some(period)) => Ok(Some(Ripple {
            swing: time("path.ripple", swing)?,
            period: time(PERIOD, period)?,
        })),
    }
}

/// How acknowledgements are aggregated on the last stage of their way.
pub(super) fn ack_aggregation(path: &PathSpec) -> Result<Option<AckAggregation>, RequestError> {
    let thinning = path.ack_thinning.unwrap_or(false);
    let Some(period) = path.ack_batch else {
        if thinning {
            let problem = "there are no batches to thin out; give `path.ack_batch`";
            return Err(RequestError::new("path.ack_thinning", problem));
        }
        return Ok(None);
    };
    if period == Time::ZERO {
        return Err(out_of_range("path.ack_batch", period, "above 0s to 600s"));
    }
    let period = time("path.ack_batch", period)?;
    Ok(Some(AckAggregation { period, thinning }))
}
