//! What a path of one bottleneck may have beyond its line, queue and delay, read and checked: the
//! stages before and behind the line, and how acknowledgements are aggregated.

use super::checks::distribution;
use crate::spec::{out_of_range, PathSpec, RequestError};
use flowstart_control::{Amount, Duration};
use flowstart_network::distribution::{Distribution, Measure};
use flowstart_network::link::{
    self, frame_aggregation, varying_delay, DelayConfig, Ripple, StagePlan,
};

/// What forward packets pass before the line.
pub(super) fn before(path: &PathSpec, packet: u32) -> Result<Vec<StagePlan>, RequestError> {
    Ok(policer(path, packet)?.into_iter().collect())
}

/// What packets pass behind the line, forward and reverse.
pub(super) fn behind(path: &PathSpec) -> Result<[Vec<StagePlan>; 2], RequestError> {
    let medium = path.aggregation.as_deref().map(access).transpose()?;
    let jitter = |field, given: &Option<String>| {
        let read = |text| distribution(field, Measure::Time, text);
        given.as_deref().map(read).transpose()
    };
    let delay = |jitter: Option<Distribution>, ripple: Option<Ripple>| {
        let config = DelayConfig {
            jitter,
            holds: path.jitter_every,
            reordering: path.reordering(),
            ripple,
        };
        (jitter.is_some() || ripple.is_some()).then(|| varying_delay(config))
    };
    let (forward, reverse) = (
        jitter("path.jitter", &path.jitter)?,
        jitter("path.reverse_jitter", &path.reverse_jitter)?,
    );
    let delays = [delay(forward, ripple(path)?), delay(reverse, None)];
    Ok(delays.map(|delay| medium.clone().into_iter().chain(delay).collect()))
}

fn policer(path: &PathSpec, packet: u32) -> Result<Option<StagePlan>, RequestError> {
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
        Amount::Bdp(x) => (limit.bytes_in(path.rtt.unwrap_or(Duration::ZERO)) as f64 * x) as u64,
    };
    if bytes < u64::from(packet) {
        let right = format!("at least one packet, `{packet}B`,");
        return Err(out_of_range(BURST, burst, &right));
    }
    Ok(Some(link::policer(limit, bytes)))
}

/// How a station comes to its medium.
fn access(text: &str) -> Result<StagePlan, RequestError> {
    const FIELD: &str = "path.aggregation";
    let distribution = distribution(FIELD, Measure::Time, text)?;
    if distribution.mean() < 1e-4 {
        return Err(out_of_range(FIELD, text, "a mean of at least 100us"));
    }
    Ok(frame_aggregation(distribution))
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
pub(super) fn ack_aggregation(path: &PathSpec) -> Option<StagePlan> {
    let period = path.ack_batch?;
    Some(link::ack_aggregation(period, path.ack_thinning()))
}
