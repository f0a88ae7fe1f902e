//! What a path of one bottleneck may have beyond its line, queue and delay, read and checked: the
//! stages before and behind the line, and how acknowledgements are aggregated.

use super::checks::distribution;
use crate::spec::{DelayAt, PathSpec, RequestError, out_of_range};
use flowstart_control::{Amount, Duration, Rate};
use flowstart_network::chain::DelayQueue;
use flowstart_network::distribution::{Distribution, Measure};
use flowstart_network::link::{
    self, DelayConfig, Ripple, Shaper, Skip, StagePlan, frame_aggregation, varying_delay,
};

/// What forward packets pass before the line.
pub(super) fn before(path: &PathSpec, packet: u32) -> Result<Vec<StagePlan>, RequestError> {
    let policer = policer(path, packet)?;
    let stage = policer.map(|policer| link::policer(policer.rate, policer.burst));
    Ok(stage.into_iter().collect())
}

/// What packets pass behind the line, forward and reverse.
pub(super) fn behind(path: &PathSpec) -> Result<[Vec<StagePlan>; 2], RequestError> {
    let medium = path.aggregation.as_deref().map(access).transpose()?;
    let forward = match path.delay_at {
        Some(_) => None,
        None => jitter("path.jitter", &path.jitter)?,
    };
    let reverse = jitter("path.reverse_jitter", &path.reverse_jitter)?;
    let delay = |jitter: Option<Distribution>, ripple: Option<Ripple>| {
        let varies = jitter.is_some() || ripple.is_some();
        varies.then(|| varying_delay(delay(path, jitter, ripple)))
    };
    let delays = [delay(forward, ripple(path)?), delay(reverse, None)];
    Ok(delays.map(|delay| medium.clone().into_iter().chain(delay).collect()))
}

/// The queue that delays packets before the line, if there is one.
pub(super) fn delay_queue(path: &PathSpec) -> Result<Option<DelayQueue>, RequestError> {
    let Some(at) = path.delay_at else {
        return Ok(None);
    };
    let mut config = delay(path, jitter("path.jitter", &path.jitter)?, None);
    config.skip = path.delay_skip.map(|share| Skip {
        share: share.0,
        gap: path.delay_skip_gap(),
        correlation: path.delay_skip_correlation().0,
    });
    Ok(Some(DelayQueue {
        loopback: at == DelayAt::Loopback,
        config,
        limit: path.delay_limit,
        limit_with_queue: path.delay_limit_with_queue(),
    }))
}

fn jitter(field: &str, given: &Option<String>) -> Result<Option<Distribution>, RequestError> {
    let read = |text| distribution(field, Measure::Time, text);
    given.as_deref().map(read).transpose()
}

fn delay(path: &PathSpec, jitter: Option<Distribution>, ripple: Option<Ripple>) -> DelayConfig {
    DelayConfig {
        base: Duration::ZERO,
        jitter,
        holds: path.jitter_every,
        reordering: path.reordering(),
        ripple,
        skip: None,
    }
}

/// Rate and burst of the policer before the line, if there is one.
pub(super) fn policer(path: &PathSpec, packet: u32) -> Result<Option<Shaper>, RequestError> {
    let bucket = bucket(
        path,
        packet,
        "policer",
        path.policer_rate,
        path.policer_burst,
    )?;
    Ok(bucket.map(|(rate, burst)| Shaper { rate, burst }))
}

/// The shaper before the line, if there is one.
pub(super) fn shaper(path: &PathSpec, packet: u32) -> Result<Option<Shaper>, RequestError> {
    let bucket = bucket(path, packet, "shaper", path.shaper_rate, path.shaper_burst)?;
    Ok(bucket.map(|(rate, burst)| Shaper { rate, burst }))
}

/// Rate and bytes of a bucket of tokens, if there is one.
fn bucket(
    path: &PathSpec,
    packet: u32,
    kind: &str,
    rate: Option<Rate>,
    burst: Option<Amount>,
) -> Result<Option<(Rate, u64)>, RequestError> {
    let field = format!("path.{kind}_burst");
    let Some(rate) = rate else {
        return Ok(None);
    };
    let Some(burst) = burst else {
        let problem = format!("missing; a {kind} needs one, such as `100kB`");
        return Err(RequestError::new(field, problem));
    };
    let bytes = match burst {
        Amount::Bytes(bytes) => bytes,
        Amount::Packets(packets) => packets.saturating_mul(packet.into()),
        Amount::Bdp(x) => (rate.bytes_in(path.rtt.unwrap_or(Duration::ZERO)) as f64 * x) as u64,
    };
    if bytes < u64::from(packet) {
        let right = format!("at least one packet, `{packet}B`,");
        return Err(out_of_range(&field, burst, &right));
    }
    Ok(Some((rate, bytes)))
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
