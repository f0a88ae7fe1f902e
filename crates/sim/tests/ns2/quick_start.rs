//! Quick-Start against slow start: Table I of the Quick-Start paper as ns-2 gives it, other
//! sizes of transfers, and one of ns-2's validation tests.

use super::{csv, field};
use flowstart_sim::{Scenario, run};

/// A transfer of so many packets, SYN to last acknowledgement, in seconds; and what was sent
/// again.
fn transfer(rate: &str, delay_ms: u64, packets: u64, stack: &str, startup: &str) -> (f64, u64) {
    let rate = rate.replace("kb", "kbps").replace("Mb", "Mbps");
    let text = format!(
        r#"
        [path]
        rate = "{rate}"
        rtt = "{}ms"
        buffer = "150pkt"
        access_rate = "1Gbps"
        access_delay = "1ms"
        quick_start = {{ threshold = "90%", allocation = "90%" }}
        [stack]
        preset = "ns2"
        window = "10000pkt"
        coarse_pacing = true
        rto_min = "1s"
        {stack}
        [[flows]]
        startup = "{startup}"
        size = "{packets}pkt"
        "#,
        2 * delay_ms
    );
    let scenario = Scenario::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(&scenario).unwrap();
    let flow = outcome.flows.row(0);
    (flow.duration_s.unwrap(), flow.packets_retransmitted)
}

/// As the table was made, with a minimum timeout of one second and pacing by ns-2's coarse
/// clock: slow start with three packets, Quick-Start with ns-2's default of
/// two, and a request of 20 MB/s whatever the size.
fn both(rate: &str, delay_ms: u64, packets: u64) -> [(f64, u64); 2] {
    [
        transfer(rate, delay_ms, packets, "iw = \"3\"", "slow-start"),
        transfer(
            rate,
            delay_ms,
            packets,
            "iw = \"2\"",
            "quick-start:request=163.84Mbps,sizing=fixed",
        ),
    ]
}

fn improvement(slow: f64, quick: f64) -> f64 {
    100.0 * (slow - quick) / slow
}

#[test]
fn table_1_of_the_quick_start_paper() {
    let rows = csv("quick_start_table1.csv");
    assert_eq!(rows.len(), 27);
    for row in rows {
        let (rate, delay): (&str, u64) = (&row[0], field(&row, 1));
        let [(slow, _), (quick, _)] = both(rate, delay, 120);
        let theirs: [f64; 2] = [field(&row, 2), field(&row, 3)];
        for (ours, theirs) in [slow, quick].iter().zip(theirs) {
            assert!((ours - theirs).abs() < 2e-6, "{row:?}: {ours} s");
        }
        let published: f64 = field(&row, 5);
        let ours = improvement(slow, quick);
        assert!((ours - published).abs() <= 0.3, "{row:?}: {ours:.2} %");
    }
}

#[test]
fn transfers_of_other_sizes() {
    let mut failed = Vec::new();
    for row in csv("quick_start_sizes.csv") {
        let (rate, delay): (&str, u64) = (&row[0], field(&row, 1));
        let ours = both(rate, delay, field(&row, 2));
        for ((time, again), column) in ours.iter().zip([3, 4]) {
            let theirs: f64 = field(&row, column);
            let theirs_again: u64 = field(&row, if column == 3 { 7 } else { 10 });
            if (time - theirs).abs() > 2e-6 || *again != theirs_again {
                failed.push(format!("{row:?}: {time} s, {again} again"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
