use super::{Distribution, Measure};
use crate::random::stream;

fn distribution(text: &str) -> Distribution {
    Distribution::parse(Measure::Count, text).unwrap()
}

fn quantiles(distribution: Distribution) -> [f64; 4] {
    [0.5, 0.1, 0.01, 0.001].map(|u| distribution.at(u, || unreachable!()))
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
        let Distribution::Pareto2 { scale, .. } =
            distribution(&format!("pareto2:mean={mean},shape={shape}"))
        else {
            panic!("another distribution");
        };
        close([scale], [expected], 1e-12);
    }
}

#[test]
fn quantiles_are_the_published_ones() {
    let web = distribution("pareto2:mean=4,shape=1.2");
    close(
        quantiles(web),
        [0.62544, 4.65034, 36.33271, 252.18221],
        1e-5,
    );
    let pages = distribution("pareto2:mean=4,shape=1.5");
    close(quantiles(pages), [1.17480, 7.28318, 41.08869, 198.0], 1e-5);
    let large = distribution("pareto2:mean=400,shape=1.2");
    close(quantiles(large), [62.544, 465.034, 3633.27, 25218.2], 1e-5);
    let pause = distribution("exponential:mean=500");
    close(quantiles(pause), [346.57, 1151.29, 2302.59, 3453.88], 2e-5);
}

/// The probability of a draw above `x`: where the quantile passes it.
fn beyond(distribution: Distribution, x: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if distribution.at(middle, || unreachable!()) > x {
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
        distribution("pareto2:mean=4,shape=1.2"),
        distribution("pareto2:mean=4,shape=1.5"),
    );
    let small = [1.0 - beyond(web, 1.0), 1.0 - beyond(pages, 1.0)];
    close(small, [0.62210, 0.45567], 1e-5);
    close([beyond(web, 3.0)], [0.15416], 1e-4);
    let many = distribution("pareto2:mean=10,shape=1.5");
    for (distribution, expected) in [(web, 4.6104), (pages, 4.5605), (many, 10.5249)] {
        let Distribution::Pareto2 { scale, shape } = distribution else {
            panic!("another distribution")
        };
        const EXACT: u32 = 3000;
        let exact: f64 = (0..EXACT).map(|k| beyond(distribution, f64::from(k))).sum();
        // What lies beyond is the integral from the middle of the last step on.
        let from = 1.0 + (f64::from(EXACT) - 0.5) / scale;
        let tail = scale / (shape - 1.0) * libm::pow(from, 1.0 - shape);
        close([exact + tail], [expected], 2e-5);
    }
}

#[test]
fn draws_have_the_mean_of_the_law() {
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
        "normal:mean=3,sd=0.5",
        "normal:mean=1,sd=3",
        "7",
    ] {
        let distribution = distribution(text);
        let mut rng = stream(1, "test", 0);
        let mean = (0..400_000)
            .map(|_| distribution.draw(&mut rng))
            .sum::<f64>()
            / 400_000.0;
        assert!(
            (mean / distribution.mean() - 1.0).abs() < 0.01,
            "{text}: {mean} {}",
            distribution.mean()
        );
    }
    assert!((distribution("weibull:mean=3,shape=0.7").mean() - 3.0).abs() < 1e-12);
    assert!((distribution("lognormal:mean=3,sigma=0.8").mean() - 3.0).abs() < 1e-12);
    assert_eq!(distribution("pareto:scale=1,shape=1").mean(), f64::INFINITY);
}

#[test]
fn counts_are_rounded_up_and_at_least_one() {
    let mut rng = stream(1, "test", 0);
    assert_eq!(distribution("constant:0").count(&mut rng), 1);
    assert_eq!(distribution("4.2").count(&mut rng), 5);
    assert_eq!(distribution("constant: 4pkt").count(&mut rng), 4);
}

#[test]
fn complaints_name_the_law_and_what_would_be_right() {
    let count = |text: &str| {
        Distribution::parse(Measure::Count, text)
            .unwrap_err()
            .to_string()
    };
    let time = |text: &str| {
        Distribution::parse(Measure::Time, text)
            .unwrap_err()
            .to_string()
    };
    let cases = [
        (
            count("paretto:mean=4"),
            "`paretto` is unknown; did you mean `pareto`?",
        ),
        (
            count("many"),
            "`many` is unknown; known are constant, uniform, exponential, pareto, \
             pareto2, weibull, lognormal, normal",
        ),
        (
            count("-1"),
            "`-1` is out of range; 0 to 1 000 000 000 is needed",
        ),
        (
            count(""),
            "`` is not a number, such as `5`, or a distribution, such as \
             `pareto2:mean=4,shape=1.5`",
        ),
        (
            count("pareto2:mean=4"),
            "pareto2: `shape` is missing; needed, such as `pareto2:mean=4,shape=1.2`",
        ),
        (
            count("lognormal"),
            "lognormal: `mean` or `median` or `mu` is missing; needed, such as \
             `lognormal:mean=4,sigma=1.2`",
        ),
        (
            time("normal:mean=4ms"),
            "normal: `sd` is missing; needed, such as `normal:mean=0.5s,sd=0.5s`",
        ),
        (
            time("normal:mean=4ms,sd=1"),
            "normal.sd: `1` is not a time with a unit, such as `64ms`, or a distribution, such \
             as `exponential:mean=0.5s`",
        ),
        (
            count("pareto2:mean=4,shpe=1.2"),
            "pareto2: `shpe` is unknown; did you mean `shape`?",
        ),
        (
            count("pareto2:mean=4,scale=2,shape=1.2"),
            "pareto2: one of `mean`, `scale` is needed, not two",
        ),
        (
            count("pareto:mean=4,shape=2,shape=3"),
            "pareto: `shape` is given twice",
        ),
        (
            count("pareto:mean=4,shape=1"),
            "pareto: a `shape` of `1` has no mean; one above 1, or `scale`, is needed",
        ),
        (
            count("weibull:scale=1,shape=NaN"),
            "weibull.shape: `NaN` is out of range; a number of 0.1 to 100 is needed",
        ),
        (
            count("lognormal:mu=99,sigma=1"),
            "lognormal.mu: `99` is out of range; a logarithm of -20 to 20 is needed",
        ),
        (
            count("exponential:4"),
            "exponential: `4` is not of the form `name=value`",
        ),
        (
            count("exponential:mean=0"),
            "exponential.mean: `0` is out of range; a positive one is needed",
        ),
        (
            time("5"),
            "`5` is not a time with a unit, such as `64ms`, or a distribution, such as \
             `exponential:mean=0.5s`",
        ),
        (
            time("exponential:mean=2e9s"),
            "exponential.mean: `2000000000s` is out of range; 0s to 86400s is needed",
        ),
    ];
    for (got, expected) in cases {
        assert_eq!(got, expected);
    }
}

#[test]
fn normal_draws_are_as_netem_has_them() {
    let distribution = Distribution::parse(Measure::Time, "normal:mean=30ms,sd=20ms").unwrap();
    let mut rng = stream(1, "test", 0);
    let mut draws: Vec<f64> = (0..100_000).map(|_| distribution.draw(&mut rng)).collect();
    draws.sort_by(f64::total_cmp);
    let at = |share: f64| draws[(share * draws.len() as f64) as usize];
    // Φ(−1.5) = 6.7 % of the values are below zero; Φ(1) = 84.1 % below 50 ms.
    assert_eq!((at(0.0), at(0.06)), (0.0, 0.0));
    assert!(at(0.08) > 0.0);
    close([at(0.5), at(0.8413)], [0.030, 0.050], 1e-2);
}
