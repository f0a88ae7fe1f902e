//! What limited transfers with small buffers, against the kernel's `tcp_info` (tests/data/linux/README.md).

use super::limit_cases::{LimitCase, limit_cases};

/// Shares may differ by so much.
const MARGIN: f64 = 0.05;

/// Settings of cases with a larger difference in one of the two shares.
fn misses(cases: &[LimitCase]) -> Vec<String> {
    let is_near = |case: &&LimitCase| {
        let recorded = case.shares.expect("every case is recorded");
        let pairs = recorded.into_iter().zip(case.simulated());
        pairs
            .into_iter()
            .all(|(kernel, ours)| (kernel - ours).abs() <= MARGIN)
    };
    let far = cases.iter().filter(|case| !is_near(case));
    far.map(|case| case.setting.join(",")).collect()
}

#[test]
fn a_receive_window_limits_for_as_long_as_in_the_kernel() {
    let (_, windows): (Vec<_>, Vec<_>) = limit_cases()
        .into_iter()
        .partition(|case| case.setting[3].is_empty());
    assert_eq!(windows.len(), 10);
    assert_eq!(misses(&windows), Vec::<String>::new());
}

#[test]
fn a_send_buffer_limits_for_as_long_as_in_the_kernel() {
    let buffers = limit_cases().into_iter();
    let buffers: Vec<_> = buffers.filter(|case| case.setting[3].is_empty()).collect();
    assert_eq!((buffers.len(), misses(&buffers)), (10, vec![]));
}
