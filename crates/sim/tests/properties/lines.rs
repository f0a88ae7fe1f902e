//! Lines that are binned while a run continues, against the whole trace of the same run.

use super::{json, scenario};
use flowstart_control::Instant;
use flowstart_sim::record::journeys::{JourneysRequest, Load, MOST_JOURNEYS};
use flowstart_sim::record::lines::{BinnedLine, BinnedPoints, FlowLines, Lines, LinesRequest};
use flowstart_sim::record::trace::{Event, FlowSamples, Trace};
use flowstart_sim::{Outcome, Prepared, Scenario};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What bins are to hold: least, greatest and last of the values that a line takes in them.
#[derive(Default)]
struct Expected {
    before: Option<f64>,
    bins: BTreeMap<u32, Vec<f64>>,
}

/// The part of the time that is looked at.
struct Span {
    from: u64,
    to: u64,
    width: u64,
}

impl Span {
    fn of(lines: &Lines, request: &LinesRequest) -> Span {
        Span {
            from: request.from.0,
            to: request.to.map_or(u64::MAX, |to| to.0),
            width: lines.bins().width(),
        }
    }

    fn bin(&self, time: u64) -> Option<u32> {
        let within = time >= self.from && time < self.to;
        within.then(|| ((time - self.from) / self.width) as u32)
    }

    /// What steps at these times come to.
    fn expect(&self, steps: impl Iterator<Item = (u64, f64)>) -> Expected {
        let mut expected = Expected::default();
        let mut now = f64::NAN;
        for (time, value) in steps.filter(|step| step.0 < self.to) {
            if value.to_bits() == now.to_bits() || value == now {
                continue;
            }
            now = value;
            match self.bin(time) {
                Some(bin) => expected.bins.entry(bin).or_default().push(value),
                None => expected.before = Some(value),
            }
        }
        expected
    }
}

fn same(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

fn compare(line: &BinnedLine, expected: &Expected, name: &str) -> Result<(), TestCaseError> {
    let before = expected.before.unwrap_or(f64::NAN);
    prop_assert!(same(line.before(), before), "{}: {} before", name, before);
    let numbers: Vec<u32> = line.bins().iter().map(|bin| bin.number).collect();
    let expected_numbers: Vec<u32> = expected.bins.keys().copied().collect();
    prop_assert_eq!(numbers, expected_numbers, "bins of {}", name);
    for (bin, values) in line.bins().iter().zip(expected.bins.values()) {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let found = (bin.least, bin.greatest);
        prop_assert_eq!(found, (least, greatest), "{} in {}", name, bin.number);
        let last = values[values.len() - 1];
        prop_assert!(
            same(bin.last, last),
            "{}: last {} of {values:?}",
            name,
            bin.last
        );
        let place = |wanted: f64| values.iter().position(|value| *value == wanted);
        if least < greatest {
            prop_assert_eq!(bin.least_first, place(least) < place(greatest), "{}", name);
        }
    }
    Ok(())
}

/// A picture of a line with a pixel for each bin covers what the line covers.
fn compare_drawn(line: &BinnedLine, columns: u32) -> Result<(), TestCaseError> {
    let drawn = line.drawn();
    prop_assert!(drawn.bins.is_sorted());
    prop_assert!(
        drawn
            .bins
            .last()
            .is_none_or(|last| u32::from(*last) < columns)
    );
    let mut at = usize::from(!line.before().is_nan());
    let mut from = line.before();
    for bin in line.bins() {
        let mut covered = vec![from as f32];
        while drawn
            .bins
            .get(at)
            .is_some_and(|number| u32::from(*number) == bin.number)
        {
            covered.push(drawn.values[at]);
            at += 1;
        }
        let least = covered.iter().copied().fold(f32::INFINITY, f32::min);
        let greatest = covered.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        prop_assert_eq!(least, (from.min(bin.least)) as f32);
        prop_assert_eq!(greatest, (from.max(bin.greatest)) as f32);
        prop_assert!(same(
            f64::from(covered[covered.len() - 1]),
            f64::from(bin.last as f32)
        ));
        from = bin.last;
    }
    prop_assert_eq!(at, drawn.bins.len());
    Ok(())
}

fn compare_points(
    points: &BinnedPoints,
    events: &[(u32, f64)],
    most: usize,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(points.total(), events.len() as u64);
    let drawn = points.drawn();
    prop_assert!(drawn.bins.len() <= most);
    let found: Vec<(u32, f32)> = drawn
        .bins
        .iter()
        .map(|bin| u32::from(*bin))
        .zip(drawn.values)
        .collect();
    let height = points.height() as f32;
    for (bin, value) in events {
        let near = |point: &(u32, f32)| point.0 == *bin && (point.1 - *value as f32).abs() < height;
        prop_assert!(found.iter().any(near), "no point for {} in {}", value, bin);
    }
    for (bin, value) in found {
        let is = |event: &(u32, f64)| event.0 == bin && event.1 as f32 == value;
        prop_assert!(events.iter().any(is), "{} in {} never was", value, bin);
    }
    Ok(())
}

/// What a direction of the bottleneck holds over time.
fn queue(trace: &Trace, direction: u8) -> Vec<(u64, f64)> {
    let (offers, departures) = (&trace.queue_samples, &trace.queue_departures);
    let mine = |of: &[u8], hop: &[u8]| -> Vec<usize> {
        let is_mine = |i: &usize| of[*i] == direction && hop[*i] == trace.bottleneck_hop;
        (0..of.len()).filter(is_mine).collect()
    };
    let left: Vec<u64> = mine(&departures.direction, &departures.hop)
        .iter()
        .map(|i| departures.time_ns[*i])
        .collect();
    let (mut steps, mut accepted, mut next) = (Vec::new(), 0u64, 0u64);
    let mut depart_until = |until: u64, accepted: u64, steps: &mut Vec<(u64, f64)>| {
        while next < until.min(left.len() as u64) {
            next += 1;
            let held = accepted.saturating_sub(next);
            steps.push((left[next as usize - 1], held as f64));
        }
    };
    for i in mine(&offers.direction, &offers.hop) {
        let now = accepted + u64::from(!offers.dropped[i]);
        depart_until(now.saturating_sub(offers.packets[i]), accepted, &mut steps);
        accepted = now;
        steps.push((offers.time_ns[i], offers.packets[i] as f64));
    }
    depart_until(u64::MAX, accepted, &mut steps);
    let mut last = 0;
    for step in &mut steps {
        last = step.0.max(last);
        step.0 = last;
    }
    steps
}

fn compare_flow(
    found: &FlowLines,
    whole: &Outcome,
    span: &Span,
    columns: u32,
) -> Result<(), TestCaseError> {
    let trace = whole.trace.as_ref().unwrap();
    let samples = &trace.flow_samples;
    let mine: Vec<usize> = (0..samples.flow.len())
        .filter(|i| samples.flow[*i] == found.flow)
        .collect();
    let of = |events: &[Event]| -> Vec<usize> {
        let wanted: Vec<u8> = events.iter().map(|event| *event as u8).collect();
        mine.iter()
            .copied()
            .filter(|i| wanted.contains(&samples.event[*i]))
            .collect()
    };
    let at_sender = of(&[
        Event::Send,
        Event::Retransmit,
        Event::Ack,
        Event::Timeout,
        Event::Syn,
        Event::Open,
    ]);
    let steps = |value: &dyn Fn(&FlowSamples, usize) -> f64| {
        let steps = at_sender
            .iter()
            .map(|i| (samples.time_ns[*i], value(samples, *i)));
        span.expect(steps.collect::<Vec<_>>().into_iter())
    };
    let [cwnd, flight, sent, acked, pacing, _, held] = &found.lines;
    compare(cwnd, &steps(&|s, i| s.cwnd[i]), "cwnd")?;
    compare(flight, &steps(&|s, i| s.flight_bytes[i] as f64), "flight")?;
    compare(pacing, &steps(&|s, i| s.pacing_bps[i]), "pacing")?;
    let direction = u8::from(whole.flows.row(found.flow).direction == "reverse");
    let expected = span.expect(queue(trace, direction).into_iter());
    compare(held, &expected, "queue")?;
    for line in [sent, acked] {
        prop_assert!(
            line.bins().is_sorted_by(|a, b| a.last <= b.least),
            "it never falls"
        );
    }
    for line in &found.lines {
        compare_drawn(line, columns)?;
    }
    let points = |event: Event| -> Vec<(u32, f64)> {
        let mine = of(&[event]).into_iter();
        let value = |i: usize| match event {
            Event::Timeout => samples.cwnd[i],
            _ => samples.seq_bytes[i] as f64,
        };
        mine.filter_map(|i| Some((span.bin(samples.time_ns[i])?, value(i))))
            .collect()
    };
    let kinds = [Event::Retransmit, Event::Drop, Event::Mark, Event::Timeout];
    for (found, event) in found.events.iter().zip(kinds) {
        compare_points(found, &points(event), 2 * columns as usize)?;
    }
    Ok(())
}

/// The part of a run from one share of it to another, or all.
fn window() -> impl Strategy<Value = Option<(f64, f64)>> {
    let share = || 0.0..1.0;
    prop::option::of(
        (share(), share()).prop_filter("something", |(a, b): &(f64, f64)| (a - b).abs() > 1e-3),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::default() })]
    #[test]
    fn binned_lines_are_those_of_the_whole_trace(
        text in scenario(),
        columns in 1u32..300,
        window in window(),
    ) {
        let Ok(asked) = Scenario::from_toml(&text) else { return Err(TestCaseError::reject("refused")) };
        let prepared = Prepared::new(&asked);
        prop_assume!(prepared.is_ok());
        let mut prepared = prepared.unwrap();
        prop_assume!(!asked.flows.is_empty());
        // Long outages make nothing but timeouts.
        let mut events = 0;
        let whole = prepared.run_while(|| { events += 1; events < 200_000 });
        prop_assume!(events < 200_000);
        let listed = asked.flows.iter().map(|flow| flow.count.unwrap_or(1)).sum();
        let at = |share: f64| Instant::from_secs_f64(whole.simulated_s * share);
        let request = LinesRequest {
            flows: (0..listed).collect(),
            columns,
            from: window.map_or(Instant::ZERO, |(a, b)| at(a.min(b))),
            to: window.map(|(a, b)| at(a.max(b))),
        };
        prop_assume!(request.to.is_none_or(|to| to > request.from));
        prepared.record_lines(request.clone()).unwrap();
        let mut again = prepared.run();
        let mut lines = again.lines.take().unwrap();
        if window.is_none() {
            let mut plain = whole.clone();
            plain.trace = None;
            prop_assert_eq!(json(&again), json(&plain), "recording changes nothing");
        }
        let span = Span::of(&lines, &request);
        let wide = 4 * columns;
        for flow in &lines.flows {
            prop_assert!(flow.lines.iter().all(|line| line.bins().len() <= wide as usize));
            compare_flow(flow, &whole, &span, wide)?;
        }
        Lines::align(&mut [&mut lines]);
        let span = Span::of(&lines, &request);
        for flow in &lines.flows {
            compare_flow(flow, &whole, &span, columns)?;
        }
    }

    #[test]
    fn packets_that_are_followed_are_those_that_are_counted(text in scenario()) {
        let Ok(asked) = Scenario::from_toml(&text) else { return Err(TestCaseError::reject("refused")) };
        let prepared = Prepared::new(&asked);
        prop_assume!(prepared.is_ok());
        let mut prepared = prepared.unwrap();
        prop_assume!(!asked.flows.is_empty());
        prepared.record_journeys(JourneysRequest { flow: 0, most: MOST_JOURNEYS }).unwrap();
        let mut events = 0;
        let outcome = prepared.run_while(|| { events += 1; events < 200_000 });
        let found = outcome.journeys.as_ref().unwrap();
        prop_assume!(events < 200_000 && !found.cut);
        let row = outcome.flows.row(0);
        let is_data = |load| matches!(load, Load::Data | Load::Again);
        let data = || found.packets.iter().filter(|way| is_data(way.load));
        prop_assert_eq!(data().count() as u64, row.packets_sent);
        prop_assert_eq!(data().filter(|way| way.dropped.is_some()).count() as u64, row.packets_dropped);
        prop_assert_eq!(data().filter(|way| way.received.is_some()).count() as u64, row.packets_arrived);
        for way in &found.packets {
            let times = [Some(way.sent), way.queued, way.left, way.received];
            let times: Vec<Instant> = times.into_iter().flatten().collect();
            prop_assert!(times.is_sorted(), "{:?}", way);
        }
    }
}
