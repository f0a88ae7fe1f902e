//! Distributions as people write them: `exponential:mean=0.5s`, `pareto2:mean=4,shape=1.2`.
//!
//! The parameters are those that web models are published with. A bare value is a constant.

use crate::network::random::open_share;
use crate::request::{out_of_range, unknown, RequestError};
use flowstart_control::Time;
use rand_pcg::Pcg64Mcg;
use std::f64::consts::TAU;

/// What a variable counts, and so the unit in which its values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Seconds.
    Time,
    /// Packets, or things: whole numbers from one on.
    Count,
}

/// A distribution, ready to be drawn from; in seconds or in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Always the same.
    Constant(f64),
    /// most · U.
    Uniform {
        /// The largest value; the least is zero.
        most: f64,
    },
    /// −mean · ln U.
    Exponential {
        /// The mean.
        mean: f64,
    },
    /// scale · U^(−1/shape): Pareto's first kind, from `scale` on.
    Pareto {
        /// The least value.
        scale: f64,
        /// The tail's exponent.
        shape: f64,
    },
    /// scale · (U^(−1/shape) − 1): Pareto's second kind, or Lomax's, from zero on.
    Pareto2 {
        /// The spread.
        scale: f64,
        /// The tail's exponent.
        shape: f64,
    },
    /// scale · (−ln U)^(1/shape).
    Weibull {
        /// The 63rd percentile.
        scale: f64,
        /// Below one for a tail heavier than the exponential's.
        shape: f64,
    },
    /// exp(N(mu, sigma)).
    Lognormal {
        /// The logarithm of the median.
        mu: f64,
        /// The logarithm's standard deviation.
        sigma: f64,
    },
}

/// The laws with what gives them size, any one of these, and what gives them shape.
const LAWS: [(&str, &[&str], Option<&str>); 6] = [
    ("uniform", &["mean", "most"], None),
    ("exponential", &["mean"], None),
    ("pareto", &["mean", "scale"], Some("shape")),
    ("pareto2", &["mean", "scale"], Some("shape")),
    ("weibull", &["mean", "scale"], Some("shape")),
    ("lognormal", &["mean", "median", "mu"], Some("sigma")),
];
/// The names of the distributions.
pub const NAMES: [&str; 7] = [
    "constant",
    "uniform",
    "exponential",
    "pareto",
    "pareto2",
    "weibull",
    "lognormal",
];
/// Beyond these a value is a slip of the pen.
const LONGEST: Time = Time::from_secs(24 * 3600);
const MOST: f64 = 1e9;
const SHAPES: (f64, f64) = (0.1, 100.0);

impl Law {
    /// Reads a distribution; `field` is where it is written.
    pub fn parse(field: &str, measure: Measure, text: &str) -> Result<Law, RequestError> {
        let text = text.trim();
        if text.is_empty() || text.starts_with(|c: char| !c.is_ascii_alphabetic()) {
            return value(field, measure, text).map(Law::Constant);
        }
        let (name, given) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim();
        if name == "constant" {
            return value(field, measure, given.trim()).map(Law::Constant);
        }
        let Some((name, sizes, shape)) = LAWS.into_iter().find(|law| law.0 == name) else {
            return Err(unknown(field, name, &NAMES));
        };
        let reader = Reader {
            field,
            measure,
            name,
            sizes,
            shape,
        };
        reader.read(given)
    }

    /// The value that is exceeded with probability `u`, which is above 0 and below 1.
    /// `second` is a second draw where one is not enough.
    fn at(&self, u: f64, second: impl FnOnce() -> f64) -> f64 {
        match *self {
            Law::Constant(value) => value,
            Law::Uniform { most } => most * u,
            Law::Exponential { mean } => -mean * libm::log(u),
            Law::Pareto { scale, shape } => scale * libm::pow(u, -1.0 / shape),
            Law::Pareto2 { scale, shape } => scale * (libm::pow(u, -1.0 / shape) - 1.0),
            Law::Weibull { scale, shape } => scale * libm::pow(-libm::log(u), 1.0 / shape),
            Law::Lognormal { mu, sigma } => {
                // Box and Muller's transform.
                let normal = libm::sqrt(-2.0 * libm::log(u)) * libm::cos(TAU * second());
                libm::exp(mu + sigma * normal)
            }
        }
    }

    /// A draw.
    fn draw(&self, rng: &mut Pcg64Mcg) -> f64 {
        match self {
            Law::Constant(value) => *value,
            law => {
                let u = open_share(rng);
                law.at(u, || open_share(rng))
            }
        }
    }

    /// A draw as a time, to the nanosecond.
    pub fn time(&self, rng: &mut Pcg64Mcg) -> Time {
        Time::from_secs_f64(self.draw(rng))
    }

    /// A draw as a number of things: rounded up, at least one.
    pub fn count(&self, rng: &mut Pcg64Mcg) -> u64 {
        self.draw(rng).ceil().max(1.0) as u64
    }

    /// The mean; infinite for tails that have none.
    pub fn mean(&self) -> f64 {
        match *self {
            Law::Constant(value) => value,
            Law::Uniform { most } => most / 2.0,
            Law::Exponential { mean } => mean,
            Law::Pareto { shape, .. } | Law::Pareto2 { shape, .. } if shape <= 1.0 => f64::INFINITY,
            Law::Pareto { scale, shape } => scale * shape / (shape - 1.0),
            Law::Pareto2 { scale, shape } => scale / (shape - 1.0),
            Law::Weibull { scale, shape } => scale * libm::tgamma(1.0 + 1.0 / shape),
            Law::Lognormal { mu, sigma } => libm::exp(mu + sigma * sigma / 2.0),
        }
    }
}

/// A value of a variable: not negative, not beyond reason.
fn value(field: &str, measure: Measure, text: &str) -> Result<f64, RequestError> {
    match measure {
        Measure::Time => {
            let time: Time = text.parse().map_err(|_| {
                let problem = format!(
                    "`{text}` is not a time with a unit, such as `64ms`, or a distribution, such \
                     as `exponential:mean=0.5s`"
                );
                RequestError::new(field, problem)
            })?;
            if time > LONGEST {
                return Err(out_of_range(field, time, &format!("0s to {LONGEST}")));
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
                RequestError::new(field, problem)
            })?;
            if (0.0..=MOST).contains(&number) {
                return Ok(number);
            }
            Err(out_of_range(field, text, "0 to 1 000 000 000"))
        }
    }
}

/// Reads the parameters of one law.
struct Reader<'a> {
    field: &'a str,
    measure: Measure,
    name: &'static str,
    sizes: &'static [&'static str],
    shape: Option<&'static str>,
}

impl Reader<'_> {
    fn read(&self, given: &str) -> Result<Law, RequestError> {
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
                return Err(unknown(&self.at(), name, &known));
            }
        }
        let size = size.ok_or_else(|| self.lacks(&self.sizes.join("` or `")))?;
        if let (Some(name), None) = (self.shape, shape) {
            return Err(self.lacks(name));
        }
        self.law(size, shape.unwrap_or(1.0))
    }

    fn law(&self, (by, size): (&str, f64), shape: f64) -> Result<Law, RequestError> {
        let tail = shape - 1.0;
        if by == "mean" && self.name.starts_with("pareto") && tail <= 0.0 {
            let problem =
                format!("a `shape` of `{shape}` has no mean; one above 1, or `scale`, is needed");
            return Err(self.wrong(&problem));
        }
        let from_mean = by == "mean";
        Ok(match self.name {
            "uniform" => Law::Uniform {
                most: if from_mean { 2.0 * size } else { size },
            },
            "exponential" => Law::Exponential { mean: size },
            "pareto" => Law::Pareto {
                scale: if from_mean { size * tail / shape } else { size },
                shape,
            },
            "pareto2" => Law::Pareto2 {
                scale: if from_mean { size * tail } else { size },
                shape,
            },
            "weibull" => Law::Weibull {
                scale: if from_mean {
                    size / libm::tgamma(1.0 + 1.0 / shape)
                } else {
                    size
                },
                shape,
            },
            _ => Law::Lognormal {
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
    fn size(&self, name: &str, text: &str) -> Result<f64, RequestError> {
        let field = format!("{}.{name}", self.at());
        if name == "mu" {
            let mu = text.parse::<f64>().ok().filter(|mu| mu.abs() <= 20.0);
            return mu.ok_or_else(|| out_of_range(&field, text, "a logarithm of -20 to 20"));
        }
        let size = value(&field, self.measure, text)?;
        if size > 0.0 {
            return Ok(size);
        }
        Err(out_of_range(&field, text, "a positive one"))
    }

    fn form(&self, name: &str, text: &str) -> Result<f64, RequestError> {
        let number = text.parse().ok();
        let number = number.filter(|x| (SHAPES.0..=SHAPES.1).contains(x));
        let right = format!("a number of {} to {}", SHAPES.0, SHAPES.1);
        number.ok_or_else(|| out_of_range(&format!("{}.{name}", self.at()), text, &right))
    }

    fn at(&self) -> String {
        format!("{}: {}", self.field, self.name)
    }

    fn wrong(&self, problem: &str) -> RequestError {
        RequestError::new(self.at(), problem)
    }

    fn twice(&self, name: &str) -> RequestError {
        let problem = match self.sizes.contains(&name) && self.sizes.len() > 1 {
            true => format!("one of `{}` is needed, not two", self.sizes.join("`, `")),
            false => format!("`{name}` is given twice"),
        };
        self.wrong(&problem)
    }

    fn lacks(&self, what: &str) -> RequestError {
        let size = match self.measure {
            Measure::Time => "0.5s",
            Measure::Count => "4",
        };
        let shape = self.shape.map_or(String::new(), |s| format!(",{s}=1.2"));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::random::stream;

    fn law(text: &str) -> Law {
        Law::parse("size", Measure::Count, text).unwrap()
    }

    fn quantiles(law: Law) -> [f64; 4] {
        [0.5, 0.1, 0.01, 0.001].map(|u| law.at(u, || unreachable!()))
    }

    #[track_caller]
    fn close<const N: usize>(got: [f64; N], expected: [f64; N], relative: f64) {
        for (got, expected) in got.into_iter().zip(expected) {
            assert!((got / expected - 1.0).abs() < relative, "{got} {expected}");
        }
    }

    #[test]
    fn a_pareto_of_the_second_kind_has_its_scale_from_mean_and_shape() {
        for (mean, shape, expected) in [
            (4, 1.2, 0.8),
            (4, 1.5, 2.0),
            (10, 1.5, 5.0),
            (400, 1.2, 80.0),
            (12, 1.2, 2.4),
        ] {
            let Law::Pareto2 { scale, .. } = law(&format!("pareto2:mean={mean},shape={shape}"))
            else {
                panic!("another law");
            };
            close([scale], [expected], 1e-12);
        }
    }

    #[test]
    fn quantiles_are_the_published_ones() {
        let web = law("pareto2:mean=4,shape=1.2");
        close(
            quantiles(web),
            [0.62544, 4.65034, 36.33271, 252.18221],
            1e-5,
        );
        let pages = law("pareto2:mean=4,shape=1.5");
        close(quantiles(pages), [1.17480, 7.28318, 41.08869, 198.0], 1e-5);
        let large = law("pareto2:mean=400,shape=1.2");
        close(quantiles(large), [62.544, 465.034, 3633.27, 25218.2], 1e-5);
        let pause = law("exponential:mean=500");
        close(quantiles(pause), [346.57, 1151.29, 2302.59, 3453.88], 2e-5);
    }

    /// The probability of a draw above `x`: where the quantile passes it.
    fn beyond(law: Law, x: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if law.at(middle, || unreachable!()) > x {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    #[test]
    fn rounding_up_leaves_the_published_shares_and_means() {
        let (web, pages) = (
            law("pareto2:mean=4,shape=1.2"),
            law("pareto2:mean=4,shape=1.5"),
        );
        let small = [1.0 - beyond(web, 1.0), 1.0 - beyond(pages, 1.0)];
        close(small, [0.62210, 0.45567], 1e-5);
        close([beyond(web, 3.0)], [0.15416], 1e-4);
        let many = law("pareto2:mean=10,shape=1.5");
        for (law, expected) in [(web, 4.6104), (pages, 4.5605), (many, 10.5249)] {
            let Law::Pareto2 { scale, shape } = law else {
                panic!("another law")
            };
            const EXACT: u32 = 3000;
            let exact: f64 = (0..EXACT).map(|k| beyond(law, f64::from(k))).sum();
            // What lies beyond is the integral from the middle of the last step on.
            let from = 1.0 + (f64::from(EXACT) - 0.5) / scale;
            let tail = scale / (shape - 1.0) * from.powf(1.0 - shape);
            close([exact + tail], [expected], 2e-5);
        }
    }

    #[test]
    fn draws_have_the_mean_that_the_law_says() {
        for text in [
            "uniform:mean=3",
            "uniform:most=6",
            "exponential:mean=3",
            "pareto:mean=3,shape=4",
            "pareto2:mean=3,shape=4",
            "weibull:mean=3,shape=0.7",
            "weibull:scale=3,shape=2",
            "lognormal:mean=3,sigma=0.8",
            "lognormal:median=3,sigma=0.5",
            "lognormal:mu=1,sigma=0.5",
            "7",
        ] {
            let law = law(text);
            let mut rng = stream(1, "test", 0);
            let mean = (0..400_000).map(|_| law.draw(&mut rng)).sum::<f64>() / 400_000.0;
            assert!(
                (mean / law.mean() - 1.0).abs() < 0.01,
                "{text}: {mean} {}",
                law.mean()
            );
        }
        assert!((law("weibull:mean=3,shape=0.7").mean() - 3.0).abs() < 1e-12);
        assert!((law("lognormal:mean=3,sigma=0.8").mean() - 3.0).abs() < 1e-12);
        assert_eq!(law("pareto:scale=1,shape=1").mean(), f64::INFINITY);
    }

    #[test]
    fn counts_are_rounded_up_and_at_least_one() {
        let mut rng = stream(1, "test", 0);
        assert_eq!(law("constant:0").count(&mut rng), 1);
        assert_eq!(law("4.2").count(&mut rng), 5);
        assert_eq!(law("constant: 4pkt").count(&mut rng), 4);
    }

    #[test]
    fn complaints_name_the_law_and_what_would_be_right() {
        let count = |text: &str| {
            Law::parse("size", Measure::Count, text)
                .unwrap_err()
                .to_string()
        };
        let time = |text: &str| {
            Law::parse("pause", Measure::Time, text)
                .unwrap_err()
                .to_string()
        };
        let cases = [
            (
                count("paretto:mean=4"),
                "size: `paretto` is unknown; did you mean `pareto`?",
            ),
            (
                count("many"),
                "size: `many` is unknown; known are constant, uniform, exponential, pareto, \
                 pareto2, weibull, lognormal",
            ),
            (
                count("-1"),
                "size: `-1` is out of range; 0 to 1 000 000 000 is needed",
            ),
            (
                count(""),
                "size: `` is not a number, such as `5`, or a distribution, such as \
                 `pareto2:mean=4,shape=1.5`",
            ),
            (
                count("pareto2:mean=4"),
                "size: pareto2: `shape` is missing; needed, such as `pareto2:mean=4,shape=1.2`",
            ),
            (
                count("lognormal"),
                "size: lognormal: `mean` or `median` or `mu` is missing; needed, such as \
                 `lognormal:mean=4,sigma=1.2`",
            ),
            (
                count("pareto2:mean=4,shpe=1.2"),
                "size: pareto2: `shpe` is unknown; did you mean `shape`?",
            ),
            (
                count("pareto2:mean=4,scale=2,shape=1.2"),
                "size: pareto2: one of `mean`, `scale` is needed, not two",
            ),
            (
                count("pareto:mean=4,shape=2,shape=3"),
                "size: pareto: `shape` is given twice",
            ),
            (
                count("pareto:mean=4,shape=1"),
                "size: pareto: a `shape` of `1` has no mean; one above 1, or `scale`, is needed",
            ),
            (
                count("weibull:scale=1,shape=NaN"),
                "size: weibull.shape: `NaN` is out of range; a number of 0.1 to 100 is needed",
            ),
            (
                count("lognormal:mu=99,sigma=1"),
                "size: lognormal.mu: `99` is out of range; a logarithm of -20 to 20 is needed",
            ),
            (
                count("exponential:4"),
                "size: exponential: `4` is not of the form `name=value`",
            ),
            (
                count("exponential:mean=0"),
                "size: exponential.mean: `0` is out of range; a positive one is needed",
            ),
            (
                time("5"),
                "pause: `5` is not a time with a unit, such as `64ms`, or a distribution, such as \
                 `exponential:mean=0.5s`",
            ),
            (
                time("exponential:mean=2e9s"),
                "pause: exponential.mean: `2000000000s` is out of range; 0s to 86400s is needed",
            ),
        ];
        for (got, expected) in cases {
            assert_eq!(got, expected);
        }
    }
}
