//! What a path of one bottleneck may have beyond its line, queue and delay, read from its
//! description: how the rate varies, and the stages before and behind the line.

use super::link::{AggregateConfig, DelayConfig, Manner, PolicerConfig, Ripple};
use super::random::stream;
use super::variation::{mean_of, Opportunities, Plan, Step, VariationSpec};
use crate::distribution::{Law, Measure};
use crate::request::{out_of_range, rate, time, RequestError};
use crate::scenario::{BurstLength, PathSpec, Probability, RateStep};
use flowstart_control::{Amount, Rate, Time};
use std::sync::Arc;

/// Stages of a path, read and found sound.
#[derive(Clone, Debug, Default)]
pub(super) struct Ingredients {
    policer: Option<PolicerConfig>,
    /// From one access to a shared medium to the next.
    access: Option<Law>,
    /// Forward and reverse.
    jitter: [Option<Law>; 2],
    jitter_holds: Option<Time>,
    reordering: bool,
    ripple: Option<Ripple>,
}

impl Ingredients {
    /// Reads what a path says of its stages.
    pub(super) fn read(path: &PathSpec, packet: u32) -> Result<Ingredients, RequestError> {
        let jitter = |field, law: &Option<String>| {
            let law = law.as_deref().map(|l| Law::parse(field, Measure::Time, l));
            law.transpose()
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
        Ok(Ingredients {
            policer: policer(path, packet)?,
            access: path.aggregation.as_deref().map(access).transpose()?,
            jitter,
            jitter_holds: jitter_holds.transpose()?,
            reordering,
            ripple: ripple(path)?,
        })
    }

    /// The stages that packets pass before the line of a direction, 0 forward and 1 reverse,
    /// each with its name.
    pub(super) fn before(&self, direction: usize) -> Option<(String, Manner)> {
        let policer = self.policer.filter(|_| direction == 0)?;
        Some(("policer".into(), Manner::Policed(policer)))
    }

    /// And those behind it.
    pub(super) fn behind(&self, direction: usize, seed: u64) -> Vec<(String, Manner)> {
        let way = ["forward", "reverse"][direction];
        let random = |purpose| stream(seed, purpose, direction as u64);
        let medium = self.access.map(|every| {
            let random = random("aggregation");
            Manner::Aggregated(Box::new(AggregateConfig { every, random }))
        });
        let ripple = self.ripple.filter(|_| direction == 0);
        let delay = DelayConfig {
            jitter: self.jitter[direction],
            holds: self.jitter_holds,
            reordering: self.reordering,
            ripple,
            random: random("jitter"),
        };
        let varies = delay.jitter.is_some() || ripple.is_some();
        let delay = varies.then(|| Manner::Delayed(Box::new(delay)));
        let medium = medium.map(|manner| (format!("aggregation-{way}"), manner));
        let delay = delay.map(|manner| (format!("delay-{way}"), manner));
        medium.into_iter().chain(delay).collect()
    }
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
fn access(text: &str) -> Result<Law, RequestError> {
    const FIELD: &str = "path.aggregation";
    let law = Law::parse(FIELD, Measure::Time, text)?;
    if law.mean() < 1e-4 {
        return Err(out_of_range(FIELD, text, "a mean of at least 100us"));
    }
    Ok(law)
}

/// For how long a rate or a delay holds: a shorter time would cost more to follow than packets.
fn holding(field: &str, given: Time) -> Result<Time, RequestError> {
    match given >= Time::from_millis(1) {
        true => time(field, given),
        false => Err(out_of_range(field, given, "1ms to 600s")),
    }
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

/// The forward line: its mean rate, and how that varies.
pub(super) fn forward_line(path: &PathSpec) -> Result<(Rate, Option<Plan>), RequestError> {
    let contradicts = |field: &str, other: &str| {
        let problem = format!("contradicts `{other}`; leave one of the two out");
        Err(RequestError::new(field, problem))
    };
    let given = [
        ("path.rate", path.rate.is_some()),
        ("path.rate_trace", path.rate_trace.is_some()),
        ("path.rate_steps", !path.rate_steps.is_empty()),
    ];
    let mut given = given.iter().filter(|(_, given)| *given);
    match (given.next(), given.next()) {
        (Some((first, _)), Some((second, _))) => return contradicts(second, first),
        (Some((only, _)), None) if path.rate_variation.is_some() && *only != "path.rate" => {
            return contradicts("path.rate_variation", only);
        }
        _ => {}
    }
    if let Some(file) = &path.rate_trace {
        return trace("path.rate_trace", file);
    }
    if !path.rate_steps.is_empty() {
        return steps(&path.rate_steps);
    }
    let missing = "missing; a path needs one, such as `5Mbps`";
    let mean = path
        .rate
        .ok_or_else(|| RequestError::new("path.rate", missing))?;
    let mean = rate("path.rate", mean)?;
    let variation = path.rate_variation.as_deref().map(VariationSpec::parse);
    let variation = variation.transpose().map_err(|e| {
        let problem = e.to_string();
        RequestError::new("path.rate_variation", problem)
    })?;
    Ok((mean, variation.map(Plan::Drawn)))
}

/// The reverse line, which has the forward one's mean rate where nothing is said of it.
pub(super) fn reverse_line(
    path: &PathSpec,
    forward: Rate,
) -> Result<(Rate, Option<Plan>), RequestError> {
    match (path.reverse_rate, &path.reverse_rate_trace) {
        (Some(_), Some(_)) => {
            let problem = "contradicts `path.reverse_rate`; leave one of the two out";
            Err(RequestError::new("path.reverse_rate_trace", problem))
        }
        (Some(given), None) => Ok((rate("path.reverse_rate", given)?, None)),
        (None, Some(file)) => trace("path.reverse_rate_trace", file),
        (None, None) => Ok((forward, None)),
    }
}

fn trace(field: &str, file: &str) -> Result<(Rate, Option<Plan>), RequestError> {
    let wrong = |problem: String| RequestError::new(field, format!("`{file}` {problem}"));
    let text = std::fs::read_to_string(file).map_err(|error| {
        wrong(match error.kind() {
            std::io::ErrorKind::NotFound => "does not exist".into(),
            std::io::ErrorKind::InvalidData => "is not a text file".into(),
            _ => format!("cannot be read: {error}"),
        })
    })?;
    let trace = Opportunities::parse(&text).map_err(wrong)?;
    Ok((trace.mean(), Some(Plan::Trace(Arc::new(trace)))))
}

fn steps(given: &[RateStep]) -> Result<(Rate, Option<Plan>), RequestError> {
    let step = |(i, step): (usize, &RateStep)| {
        let field = |name: &str| format!("path.rate_steps[{i}].{name}");
        let lasts = holding(&field("lasts"), step.lasts)?;
        let rate = match step.rate {
            Rate(0) => Rate(0),
            given => rate(&field("rate"), given)?,
        };
        Ok(Step { rate, lasts })
    };
    let steps = given.iter().enumerate().map(step);
    let steps = steps.collect::<Result<Arc<[Step]>, _>>()?;
    if steps.iter().all(|step| step.rate == Rate(0)) {
        let problem = "no rate is above `0bps`; one at least is needed";
        return Err(RequestError::new("path.rate_steps", problem));
    }
    Ok((mean_of(&steps), Some(Plan::Steps(steps))))
}

/// How long bursts of loss are, which there must be; `way` is `` or `reverse_`.
pub(super) fn loss_burst(
    way: &str,
    loss: Option<Probability>,
    burst: Option<BurstLength>,
) -> Result<Option<f64>, RequestError> {
    let Some(BurstLength(length)) = burst else {
        return Ok(None);
    };
    let share = loss.map_or(0.0, |loss| loss.0);
    if share == 0.0 {
        let problem = format!("there is no loss to come in bursts; give `path.{way}loss`");
        return Err(RequestError::new(format!("path.{way}loss_burst"), problem));
    }
    let most = super::link::Bursts::most(length);
    if share > most {
        let right = format!("at most {most:.3} in bursts of {length} packets");
        return Err(out_of_range(&format!("path.{way}loss"), share, &right));
    }
    Ok(Some(length))
}
