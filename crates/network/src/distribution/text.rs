//! Distributions as people write them: `exponential:mean=0.5s`, `pareto2:mean=4,shape=1.2`.
//!
//! The parameters are those that web models are published with. A bare value is a constant.

use super::sampling::Distribution;
use flowstart_control::{Duration, hint};
use std::fmt;

/// What a variable counts, and so the unit in which its values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A time, in seconds.
    Time,
    /// Packets, or things: whole numbers from one on.
    Count,
}

/// What is wrong with a distribution: one line that names the parameter, the
/// value and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistributionError(String);

impl DistributionError {
    /// The same, which is about what is called so.
    fn at(self, place: &str) -> DistributionError {
        DistributionError(format!("{place}: {}", self.0))
    }
}

impl fmt::Display for DistributionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DistributionError {}

fn out_of_range(value: impl fmt::Display, right: &str) -> DistributionError {
    DistributionError(format!("`{value}` is out of range; {right} is needed"))
}

fn unknown(name: &str, known: &[&str]) -> DistributionError {
    let hint = hint(name, known);
    DistributionError(format!("`{name}` is unknown; {hint}"))
}

/// The families with what gives them size, any one of these, and what gives them shape.
const FAMILIES: [(&str, &[&str], Option<&str>); 7] = [
    ("uniform", &["mean", "most"], None),
    ("exponential", &["mean"], None),
    ("pareto", &["mean", "scale"], Some("shape")),
    ("pareto2", &["mean", "scale"], Some("shape")),
    ("weibull", &["mean", "scale"], Some("shape")),
    ("lognormal", &["mean", "median", "mu"], Some("sigma")),
    ("normal", &["mean"], Some("sd")),
];
/// The names of the distributions.
pub const NAMES: [&str; 8] = [
    "constant",
    "uniform",
    "exponential",
    "pareto",
    "pareto2",
    "weibull",
    "lognormal",
    "normal",
];
/// Beyond these a value is a slip of the pen.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
const MOST: f64 = 1e9;
const SHAPES: (f64, f64) = (0.1, 100.0);

impl Distribution {
    /// Reads a distribution from its text.
    pub fn parse(measure: Measure, text: &str) -> Result<Distribution, DistributionError> {
        let text = text.trim();
        if text.is_empty() || text.starts_with(|c: char| !c.is_ascii_alphabetic()) {
            return value(measure, text).map(Distribution::Constant);
        }
        let (name, given) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim();
        if name == "constant" {
            return value(measure, given.trim()).map(Distribution::Constant);
        }
        let Some((name, sizes, shape)) = FAMILIES.into_iter().find(|family| family.0 == name)
        else {
            return Err(unknown(name, &NAMES));
        };
        let reader = Reader {
            measure,
            name,
            sizes,
            shape,
        };
        reader.read(given)
    }
}

/// A value of a variable: not negative, not beyond reason.
fn value(measure: Measure, text: &str) -> Result<f64, DistributionError> {
    match measure {
        Measure::Time => {
            let time: Duration = text.parse().map_err(|_| {
                let problem = format!(
                    "`{text}` is not a time with a unit, such as `64ms`, or a distribution, such \
                     as `exponential:mean=0.5s`"
                );
                DistributionError(problem)
            })?;
            if time > LONGEST {
                return Err(out_of_range(time, &format!("0s to {LONGEST}")));
            }
            Ok(time.secs())
        }
        Measure::Count => {
            let number = text.strip_suffix("pkt").unwrap_or(text).trim_end();
            let number: f64 = number.parse().map_err(|_| {
                let problem = format!(
                    "`{text}` is not a number, such as `5`, or a distribution, such as \
                     `pareto2:mean=4,shape=1.5`"
                );
                DistributionError(problem)
            })?;
            if (0.0..=MOST).contains(&number) {
                return Ok(number);
            }
            Err(out_of_range(text, "0 to 1 000 000 000"))
        }
    }
}

/// Reads the parameters of one family.
struct Reader {
    measure: Measure,
    name: &'static str,
    sizes: &'static [&'static str],
    shape: Option<&'static str>,
}

impl Reader {
    fn read(&self, given: &str) -> Result<Distribution, DistributionError> {
        let (mut size, mut shape) = (None, None);
        for item in given.split(',').map(str::trim).filter(|i| !i.is_empty()) {
            let Some((name, text)) = item.split_once('=') else {
                let problem = format!("`{item}` is not of the form `name=value`");
                return Err(self.wrong(&problem));
            };
            let (name, text) = (name.trim(), text.trim());
            if Some(name) == self.shape {
                once(&mut shape, self.form(name, text)?).ok_or_else(|| self.twice(name))?;
            } else if let Some(name) = self.sizes.iter().find(|s| **s == name) {
                let value = self.size(name, text)?;
                once(&mut size, (*name, value)).ok_or_else(|| self.twice(name))?;
            } else {
                let known = [self.sizes, self.shape.as_slice()].concat();
                return Err(unknown(name, &known).at(self.name));
            }
        }
        let size = size.ok_or_else(|| self.lacks(&self.sizes.join("` or `")))?;
        if let (Some(name), None) = (self.shape, shape) {
            return Err(self.lacks(name));
        }
        self.distribution(size, shape.unwrap_or(1.0))
    }

    fn distribution(
        &self,
        (by, size): (&str, f64),
        shape: f64,
    ) -> Result<Distribution, DistributionError> {
        let tail = shape - 1.0;
        if by == "mean" && self.name.starts_with("pareto") && tail <= 0.0 {
            let problem =
                format!("a `shape` of `{shape}` has no mean; one above 1, or `scale`, is needed");
            return Err(self.wrong(&problem));
        }
        let from_mean = by == "mean";
        Ok(match self.name {
            "uniform" => Distribution::Uniform {
                most: if from_mean { 2.0 * size } else { size },
            },
            "exponential" => Distribution::Exponential { mean: size },
            "pareto" => Distribution::Pareto {
                scale: if from_mean { size * tail / shape } else { size },
                shape,
            },
            "pareto2" => Distribution::Pareto2 {
                scale: if from_mean { size * tail } else { size },
                shape,
            },
            "weibull" => Distribution::Weibull {
                scale: if from_mean {
                    size / libm::tgamma(1.0 + 1.0 / shape)
                } else {
                    size
                },
                shape,
            },
            "normal" => Distribution::Normal {
                mean: size,
                sd: shape,
            },
            _ => Distribution::Lognormal {
                mu: match by {
                    "mu" => size,
                    "median" => libm::log(size),
                    _ => libm::log(size) - shape * shape / 2.0,
                },
                sigma: shape,
            },
        })
    }

    /// A mean, a scale, or whatever else has the variable's unit; or a logarithm of it.
    fn size(&self, name: &str, text: &str) -> Result<f64, DistributionError> {
        let at = format!("{}.{name}", self.name);
        if name == "mu" {
            let mu = text.parse::<f64>().ok().filter(|mu| mu.abs() <= 20.0);
            return mu.ok_or_else(|| out_of_range(text, "a logarithm of -20 to 20").at(&at));
        }
        let size = value(self.measure, text).map_err(|problem| problem.at(&at))?;
        if size > 0.0 {
            return Ok(size);
        }
        Err(out_of_range(text, "a positive one").at(&at))
    }

    fn form(&self, name: &str, text: &str) -> Result<f64, DistributionError> {
        if name == "sd" {
            return self.size(name, text);
        }
        let number = text.parse().ok();
        let number = number.filter(|x| (SHAPES.0..=SHAPES.1).contains(x));
        let right = format!("a number of {} to {}", SHAPES.0, SHAPES.1);
        number.ok_or_else(|| out_of_range(text, &right).at(&format!("{}.{name}", self.name)))
    }

    fn wrong(&self, problem: &str) -> DistributionError {
        DistributionError(problem.into()).at(self.name)
    }

    fn twice(&self, name: &str) -> DistributionError {
        let problem = match self.sizes.contains(&name) && self.sizes.len() > 1 {
            true => format!("one of `{}` is needed, not two", self.sizes.join("`, `")),
            false => format!("`{name}` is given twice"),
        };
        self.wrong(&problem)
    }

    fn lacks(&self, what: &str) -> DistributionError {
        let size = match self.measure {
            Measure::Time => "0.5s",
            Measure::Count => "4",
        };
        let shape = match self.shape {
            Some("sd") => format!(",sd={size}"),
            Some(shape) => format!(",{shape}=1.2"),
            None => String::new(),
        };
        let example = format!("{}:{}={size}{shape}", self.name, self.sizes[0]);
        self.wrong(&format!("`{what}` is missing; needed, such as `{example}`"))
    }
}

/// Fills a place that is empty.
fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    let free = place.is_none();
    *place = Some(value);
    free.then_some(())
}
