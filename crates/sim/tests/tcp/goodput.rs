//! How much is delivered within a time, on a path where it can be worked out: 100 Mbit/s and 100 ms,
//! packets of 1500 bytes with 1448 of payload, a window that doubles from ten packets and is at most
//! one and a half bandwidth-delay products. Time counts from the first data.

use crate::rfc_scenario;
use flowstart_sim::record::goodput::GoodputRow;
use flowstart_sim::run;

fn scenario(rate: &str, window: u32, fields: &str, flow: &str) -> String {
    format!(
        r#"
        {fields}
        path = {{ rate = "{rate}", rtt = "100ms", buffer = "20000pkt" }}
        stack = {{ mss = "1448B", header = "52B", iw = "10", window = "{window}pkt", ack = "every" }}
        flows = [{{ handshake = false, {flow} }}]
        "#
    )
}

fn rows(text: &str) -> Vec<GoodputRow> {
    let scenario = rfc_scenario(text).unwrap_or_else(|e| panic!("{e}"));
    run(&scenario).unwrap_or_else(|e| panic!("{e}")).goodputs
}

fn endless(fields: &str) -> Vec<GoodputRow> {
    let fields = format!("duration = \"16s\"\n{fields}");
    rows(&scenario("100Mbps", 1250, &fields, ""))
}

/// Rates in Mbit/s.
fn rates(rows: &[GoodputRow]) -> Vec<f64> {
    let rate = |row: &GoodputRow| row.goodput_bps.map_or(f64::NAN, |rate| rate / 1e6);
    rows.iter().map(rate).collect()
}

fn close(found: &[f64], expected: &[f64], margin: f64) {
    let pairs = found.iter().zip(expected);
    let differ = |(found, expected): (&f64, &f64)| (found - expected).abs() > margin;
    let same = found.len() == expected.len() && !pairs.clone().any(differ);
    assert!(same, "{found:?} for {expected:?}");
}

#[test]
fn the_time_to_the_first_bytes_is_that_of_doubling_rounds() {
    let row = endless("within = [\"10s\"]").remove(0);
    let times = [row.to_100kb_s, row.to_1mb_s, row.to_10mb_s].map(|time| 1e3 * time.unwrap());
    close(&times, &[255.0, 658.0, 1427.0], 1.0);
}

#[test]
fn the_goodput_within_a_time_grows_to_the_payload_of_the_link() {
    let within = "within = [\"300ms\", \"500ms\", \"1s\", \"2s\", \"5s\", \"10s\"]";
    let rows = endless(within);
    close(&rates(&rows), &[2.7, 7.2, 38.8, 67.6, 85.0, 90.8], 0.1);
    assert!((rows[5].goodput_share.unwrap() - 0.908).abs() < 0.001);
}

#[test]
fn the_goodput_of_a_gigabit_link_is_that_of_twenty_milliseconds() {
    let within =
        "duration = \"11s\"\nwithin = [\"300ms\", \"500ms\", \"1s\", \"2s\", \"5s\", \"10s\"]";
    let text = scenario("1Gbps", 2500, within, "").replace("100ms", "20ms");
    close(
        &rates(&rows(&text)),
        &[516.0, 696.0, 831.0, 898.0, 938.0, 952.0],
        1.0,
    );
}

#[test]
fn speed_tests_report_different_rates_of_the_same_run() {
    let tests = r#"speed_tests = ["iperf3", "iperf3:omit=1s", "ndt7", "ookla", "librespeed"]"#;
    close(
        &rates(&endless(tests)),
        &[90.8, 96.5, 91.2, 96.5, 102.3],
        0.1,
    );
}

#[test]
fn cloudflare_reports_the_downloads_of_the_largest_size_below_a_second() {
    // 100 kB, 1 MB and 10 MB have 2.6, 11.3 and 54.2 Mbit/s; 10 MB take more than a second.
    let found = endless(r#"speed_tests = ["cloudflare"]"#);
    close(&rates(&found), &[54.2], 0.1);
}

#[test]
fn a_run_that_ends_before_the_time_has_no_goodput() {
    let fields = "duration = \"3s\"\nwithin = [\"1s\", \"3s\"]";
    let rows = rows(&scenario("100Mbps", 1250, fields, "start = \"1s\""));
    assert!(rows[0].goodput_bps.is_some());
    assert_eq!((rows[1].within_bytes, rows[1].goodput_bps), (None, None));
}

#[test]
fn a_flow_that_ends_before_the_time_has_delivered_its_size() {
    let rows = rows(&scenario(
        "100Mbps",
        1250,
        "within = [\"2s\"]",
        "size = \"150kB\"",
    ));
    assert_eq!(rows[0].within_bytes, Some(150_000));
    assert_eq!(rows[0].goodput_bps, Some(600e3));
    assert!(rows[0].to_100kb_s.is_some());
    assert_eq!(rows[0].to_1mb_s, None);
}

#[test]
fn what_is_measured_changes_nothing_of_the_run() {
    let text = |fields: &str| {
        let text = scenario("10Mbps", 1250, fields, "size = \"3MB\"");
        let scenario = rfc_scenario(&text.replace("20000pkt", "40pkt")).unwrap();
        serde_json::to_string(&run(&scenario).unwrap().flows).unwrap()
    };
    assert_eq!(
        text("within = [\"1s\"]\nspeed_tests = [\"ndt7\"]"),
        text("")
    );
}

#[test]
fn a_time_or_a_test_that_is_none_is_refused_by_its_field() {
    let refused = |fields: &str| {
        let text = scenario("10Mbps", 1250, fields, "size = \"3MB\"");
        let scenario = rfc_scenario(&text).and_then(|scenario| run(&scenario));
        scenario.expect_err("it is refused").to_string()
    };
    assert!(refused("within = [\"1s\", \"0s\"]").starts_with("within[1]: `0s`"));
    assert!(refused("within = [\"1s\", \"1000ms\"]").starts_with("within[1]: `1s` is given twice"));
    let longer = refused("duration = \"1s\"\nwithin = [\"2s\"]");
    assert_eq!(
        longer,
        "within[0]: `2s` is longer than the run's `duration`, 1s"
    );
    assert!(refused("speed_tests = [\"fast\"]").contains("`fast` is not a speed test"));
}
