//! Trains of packets that leave less than 0.1 ms apart, next to those that were counted in the
//! captures of QUIC Steps (tumi8/quic-pacing-paper at 7c2161c, CC BY 4.0): about 40 Mbit/s, 40 ms.

use super::{outcome, sent};

/// Shares and quantiles of the lengths of trains, weighted by packets.
struct Trains {
    up_to_5: f64,
    median: usize,
    p95: usize,
    max: usize,
}

impl Trains {
    fn of(times: &[u64]) -> Trains {
        let trains = times.chunk_by(|a, b| b - a <= 100).map(<[u64]>::len);
        let mut lengths: Vec<usize> = trains.flat_map(|n| vec![n; n]).collect();
        lengths.sort_unstable();
        let short = lengths.iter().filter(|n| **n <= 5).count();
        let quantile = |percent: usize| lengths[percent * (lengths.len() - 1) / 100];
        Trains {
            up_to_5: short as f64 / lengths.len() as f64,
            median: quantile(50),
            p95: quantile(95),
            max: lengths[lengths.len() - 1],
        }
    }
}

/// Trains of a whole transfer of 15 s, and of its first 400 ms.
fn trains(stack: &str, flow: &str) -> [Trains; 2] {
    let outcome = outcome(&format!(
        r#"
        path = {{ rate = "40Mbps", rtt = "40ms", buffer = "1bdp", nic_rate = "1Gbps" }}
        stack = {{ {stack} }}
        flows = [{{ {flow} }}]
        duration = "15s"
        "#
    ));
    let times = sent(&outcome);
    let early: Vec<u64> = times
        .iter()
        .copied()
        .filter(|at| at - times[0] < 400_000)
        .collect();
    [Trains::of(&times), Trains::of(&early)]
}

/// A run of the captures, and how it is simulated.
struct Case {
    stack: &'static str,
    flow: &'static str,
    /// Share in trains of up to 5, median, p95 and maximum of the whole run; share of the first 400
    /// ms: published, where known, and simulated.
    published: (f64, usize, Option<(usize, usize)>, Option<f64>),
    simulated: (f64, usize, usize, usize, f64),
}

/// The table of docs/guides/hosts.md.
const CASES: [Case; 5] = [
    // tcp+tls cubic
    Case {
        stack: r#"preset = "linux", host = "linux-server""#,
        flow: r#"startup = "hystart""#,
        published: (1.00, 3, Some((3, 8)), Some(0.93)),
        simulated: (1.00, 3, 4, 10, 0.99),
    },
    // picoquic bbr
    Case {
        stack: r#"preset = "picoquic", host = "ideal:late=100us,coalesce=50us""#,
        flow: r#"startup = "bbr-startup", cc = "bbr""#,
        published: (1.00, 1, Some((1, 21)), Some(0.83)),
        simulated: (0.99, 3, 4, 9, 0.72),
    },
    // picoquic cubic
    Case {
        stack: r#"preset = "picoquic", host = "ideal:late=100us,coalesce=50us,send_batch=10""#,
        flow: r#"startup = "slow-start""#,
        published: (0.60, 1, Some((17, 29)), Some(0.72)),
        simulated: (1.00, 2, 2, 11, 0.99),
    },
    // quiche cubic GSO
    Case {
        stack: r#"preset = "quiche", pacing = "rfc9002", host = "linux-server:send_batch=10""#,
        flow: r#"startup = "hystart-plus-plus""#,
        published: (0.90, 3, Some((10, 48)), Some(0.18)),
        simulated: (0.95, 1, 4, 21, 0.66),
    },
    // quiche cubic fq without GSO
    Case {
        stack: r#"preset = "quiche", pacing = "rfc9002", host = "linux-server:send_batch=1,credit=0,late=10us""#,
        flow: r#"startup = "hystart-plus-plus""#,
        published: (1.00, 1, None, None),
        simulated: (1.00, 1, 1, 11, 0.99),
    },
];

#[test]
fn trains_are_those_of_the_page() {
    for case in &CASES {
        let [whole, early] = trains(case.stack, case.flow);
        let hundredths = |share: f64| (share * 100.0).round() / 100.0;
        let simulated = (
            hundredths(whole.up_to_5),
            whole.median,
            whole.p95,
            whole.max,
            hundredths(early.up_to_5),
        );
        assert_eq!(simulated, case.simulated, "{}", case.stack);
    }
}

#[test]
fn kernel_tcp_and_paced_datagrams_have_the_published_trains() {
    for case in [&CASES[0], &CASES[4]] {
        let [whole, early] = trains(case.stack, case.flow);
        let (share, median, quantiles, at_first) = case.published;
        assert!((whole.up_to_5 - share).abs() < 0.01 && whole.median == median);
        let Some((p95, max)) = quantiles else {
            continue;
        };
        assert!(whole.p95.abs_diff(p95) <= 1 && whole.max.abs_diff(max) <= 2);
        assert!(at_first.is_some_and(|share| (early.up_to_5 - share).abs() < 0.1));
    }
}

#[test]
fn the_page_has_every_host_and_these_trains() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/hosts.md");
    let page = std::fs::read_to_string(page).unwrap();
    for host in flowstart_network::host::describe() {
        assert!(
            page.contains(&format!("| `{}` |", host.name)),
            "{}",
            host.name
        );
        for param in host.params {
            assert!(
                page.contains(&format!("`{}`", param.name)),
                "{}",
                param.name
            );
        }
    }
    for case in &CASES {
        let (share, median, p95, max, early) = case.simulated;
        let cells = [
            format!(", {share:.2} |"),
            format!(", {median} |"),
            format!(", {p95} |"),
            format!(", {max} |"),
            format!(", {early:.2} |"),
        ];
        let has = |line: &str| cells.iter().all(|cell| line.contains(cell));
        assert!(page.lines().any(has), "{cells:?}");
    }
}
