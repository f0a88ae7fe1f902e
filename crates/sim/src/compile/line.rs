//! The lines of a path, read and checked: their mean rates, how these vary, and what is lost.

use super::files::Files;
use crate::spec::{BurstLength, PathSpec, Probability, RateStep, RequestError, out_of_range};
use flowstart_control::Rate;
use flowstart_network::link::Bursts;
use flowstart_network::variation::{Opportunities, Step, VariationPlan, VariationSpec, mean_of};
use std::sync::Arc;

/// The forward line: its mean rate, and how that varies.
pub(super) fn forward_line(
    path: &PathSpec,
    files: &mut Files,
) -> Result<(Rate, Option<VariationPlan>), RequestError> {
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
        return files.trace("path.rate_trace", file).map(trace);
    }
    if !path.rate_steps.is_empty() {
        return steps(&path.rate_steps);
    }
    let missing = "missing; a path needs one, such as `5Mbps`";
    let mean = path
        .rate
        .ok_or_else(|| RequestError::new("path.rate", missing))?;
    let variation = path.rate_variation.as_deref().map(VariationSpec::parse);
    let variation = variation.transpose().map_err(|e| {
        let problem = e.to_string();
        RequestError::new("path.rate_variation", problem)
    })?;
    Ok((mean, variation.map(VariationPlan::Drawn)))
}

/// The reverse line, which has the forward one's mean rate where it is not given.
pub(super) fn reverse_line(
    path: &PathSpec,
    forward: Rate,
    files: &mut Files,
) -> Result<(Rate, Option<VariationPlan>), RequestError> {
    match (path.reverse_rate, &path.reverse_rate_trace) {
        (Some(_), Some(_)) => {
            let problem = "contradicts `path.reverse_rate`; leave one of the two out";
            Err(RequestError::new("path.reverse_rate_trace", problem))
        }
        (Some(given), None) => Ok((given, None)),
        (None, Some(file)) => files.trace("path.reverse_rate_trace", file).map(trace),
        (None, None) => Ok((forward, None)),
    }
}

fn trace(trace: Arc<Opportunities>) -> (Rate, Option<VariationPlan>) {
    (trace.mean(), Some(VariationPlan::Trace(trace)))
}

fn steps(given: &[RateStep]) -> Result<(Rate, Option<VariationPlan>), RequestError> {
    let steps = given.iter().map(|step| Step {
        rate: step.rate,
        lasts: step.lasts,
    });
    let steps: Arc<[Step]> = steps.collect();
    if steps.iter().all(|step| step.rate == Rate(0)) {
        let problem = "no rate is above `0bps`; one at least is needed";
        return Err(RequestError::new("path.rate_steps", problem));
    }
    Ok((mean_of(&steps), Some(VariationPlan::Steps(steps))))
}

/// How long bursts of so much loss are, where it comes in bursts; `way` is `` or `reverse_`.
pub(super) fn loss_burst(
    way: &str,
    loss: Probability,
    burst: Option<BurstLength>,
) -> Result<Option<f64>, RequestError> {
    let Some(BurstLength(length)) = burst else {
        return Ok(None);
    };
    let most = Bursts::most(length);
    if loss.0 > most {
        let right = format!("at most {most:.3} in bursts of {length} packets");
        return Err(out_of_range(&format!("path.{way}loss"), loss, &right));
    }
    Ok(Some(length))
}
