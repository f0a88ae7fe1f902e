//! Transfers with random paths, agents, windows and forced drops, the SYN's included, against
//! ns-2 packet for packet.
//!
//! `misses.toml` has the number that were run next to ns-2.35, and lists those that do not agree to
//! the end. `random.csv.gz` holds the first hundred and those listed, as ns-2 sent them. Where ns-2
//! (`ns`) is installed
//!
//!     cargo test --release -p flowstart-sim --test ns2 -- --ignored --nocapture random
//!
//! runs it next to us for all of them, or `NS2_TRANSFERS` of them, and writes what it did to
//! the file that `NS2_RECORDING` names. Where a tie parts the two, they agree to the end once the
//! rate is some millionths more: that too is tried.

use super::{Record, TOLERANCE_US, data, ours_of};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flowstart_sim::{Scenario, run};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::Command;

/// One transfer: the input of ns-2 and of the simulator.
#[derive(Clone, Debug)]
struct Transfer {
    agent: &'static str,
    opening: &'static str,
    payload: u64,
    iw: u64,
    window: u64,
    /// Zero for an acknowledgement per packet.
    delayed_ack_ms: u64,
    packets: u64,
    rate_bps: u64,
    delay_us: u64,
    limit: u64,
    access_bps: u64,
    access_us: u64,
    /// Positions among the flow's packets at the bottleneck; the SYN is number 0.
    drops: Vec<u64>,
}

const AGENTS: [&str; 4] = ["tahoe", "reno", "newreno", "sack"];
const OPENINGS: [&str; 4] = ["syn", "syn", "none", "delayed-syn"];

/// A packet sent or dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    time_us: f64,
    dropped: bool,
    packet: u64,
}

/// An event of ours in a line of ns-2's trace.
fn event(line: &str) -> Option<Event> {
    let fields: Vec<&str> = line.split(' ').collect();
    let dropped = match (fields[0], fields[2]) {
        ("+", "0") => false,
        ("d", "1") => true,
        _ => return None,
    };
    Some(Event {
        time_us: fields[1].parse::<f64>().unwrap() * 1e6,
        dropped,
        packet: fields[10].parse().unwrap(),
    })
}

/// SplitMix64 (G. Steele, D. Lea, C. Flood, 2014).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `least` to `most`, both included.
    fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    /// The same, each power of two as likely as any other.
    fn over_decades(&mut self, least: u64, most: u64) -> u64 {
        let share = self.next() as f64 / u64::MAX as f64;
        let (least, most) = (least as f64, most as f64);
        (least * libm::pow(most / least, share)) as u64
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[(self.next() % choices.len() as u64) as usize]
    }
}

impl Transfer {
    fn draw(number: u64) -> Transfer {
        let mut draws = Draws(number);
        let packets = draws.over_decades(1, 150);
        let rate_bps = draws.over_decades(300_000, 20_000_000);
        Transfer {
            agent: draws.one_of(&AGENTS),
            opening: draws.one_of(&OPENINGS),
            payload: draws.one_of(&[536, 1000, 1460]),
            iw: draws.within(1, 10),
            window: draws.over_decades(4, 200),
            delayed_ack_ms: draws.one_of(&[0, 0, 100, 200]),
            packets,
            rate_bps,
            delay_us: draws.over_decades(1_000, 150_000),
            limit: draws.over_decades(5, 100),
            access_bps: rate_bps * draws.within(2, 20) + draws.within(0, 99_999),
            access_us: draws.within(100, 5_000),
            drops: forced_drops(&mut draws, packets),
        }
    }

    fn ns2_arguments(&self) -> Vec<String> {
        let seconds = |us: u64| format!("{us}e-6");
        let mut arguments = vec![
            self.agent.to_string(),
            self.opening.to_string(),
            self.payload.to_string(),
            self.iw.to_string(),
            self.window.to_string(),
            format!("{}e-3", self.delayed_ack_ms),
            self.packets.to_string(),
            self.rate_bps.to_string(),
            seconds(self.delay_us),
            self.limit.to_string(),
            self.access_bps.to_string(),
            seconds(self.access_us),
        ];
        arguments.extend(self.drops.iter().map(u64::to_string));
        arguments
    }

    fn scenario(&self) -> Scenario {
        let recovery = match self.agent {
            "sack" => "ns2-sack",
            agent => agent,
        };
        let ack = match self.delayed_ack_ms {
            0 => "ack = \"every\"".to_string(),
            ms => {
                let syn_too = self.opening == "delayed-syn";
                format!("ack = \"delayed\", ack_timer = \"{ms}ms\", delays_syn_ack = {syn_too}")
            }
        };
        let text = format!(
            r#"
            trace = true
            path = {{ rate = "{}bps", rtt = "{}us", buffer = "{}pkt", access_rate = "{}bps", access_delay = "{}us", reverse_buffer = "1000000pkt" }}
            stack = {{ preset = "ns2", mss = "{}B", iw = "{}", window = "{}pkt", recovery = "{recovery}", {ack} }}
            flows = [{{ size = "{}pkt", forced_drops = {:?}, handshake = {} }}]
            "#,
            self.rate_bps,
            2 * self.delay_us,
            self.limit,
            self.access_bps,
            self.access_us,
            self.payload,
            self.iw,
            self.window,
            self.packets,
            self.drops,
            self.opening != "none",
        );
        Scenario::from_toml(&text).unwrap_or_else(|e| panic!("{e}"))
    }

    fn ours(&self) -> Ours {
        let outcome = run(&self.scenario()).unwrap();
        let first = u64::from(self.opening != "none");
        let records = ours_of(&outcome, 0, self.payload, first).into_iter();
        let told = records.filter(|r: &Record| r.what == "send" || r.what == "drop");
        let event = |r: Record| Event {
            time_us: r.time_us,
            dropped: r.what == "drop",
            packet: r.number,
        };
        let trace = outcome.trace.unwrap();
        let (offers, departures) = (&trace.queue_samples, &trace.queue_departures);
        Ours {
            events: in_order(told.map(event)),
            arrivals_ns: forward(&offers.time_ns, &offers.direction),
            departures_ns: forward(&departures.time_ns, &departures.direction),
        }
    }

    /// A round trip in which nothing waits.
    fn round_trip_ns(&self) -> u64 {
        let largest = 8 * (self.payload + 40) * 1_000_000_000;
        let transmissions = 2 * largest / self.rate_bps + 4 * largest / self.access_bps;
        2_000 * (self.delay_us + 2 * self.access_us) + transmissions
    }

    /// What ns-2 sends, if it is installed.
    fn ns2(&self) -> Option<Vec<Event>> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ns2/transfer.tcl");
        let output = Command::new("ns")
            .arg(script)
            .args(self.ns2_arguments())
            .output()
            .ok()?;
        assert!(output.status.success(), "{self:?}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        Some(in_order(text.lines().filter_map(event)))
    }
}

/// A quarter of the transfers lose their SYN, once or more often.
fn forced_drops(draws: &mut Draws, packets: u64) -> Vec<u64> {
    let mut drops = BTreeSet::new();
    let syns = match draws.within(0, 15) {
        0 | 1 => 1,
        2 => 2,
        3 => 3,
        _ => 0,
    };
    drops.extend(0..syns);
    let count = draws.within(0, 8);
    for _ in 0..count {
        let first = draws.within(syns + 1, syns + 1 + packets);
        let run = if draws.chance(30) {
            draws.within(1, 5)
        } else {
            0
        };
        drops.extend(first..=first + run);
    }
    drops.into_iter().collect()
}

/// Times of the forward direction.
fn forward(times: &[u64], direction: &[u8]) -> Vec<u64> {
    let both = times.iter().zip(direction);
    both.filter(|(_, d)| **d == 0).map(|(t, _)| *t).collect()
}

/// The order of what happens within a microsecond is free.
fn in_order(events: impl Iterator<Item = Event>) -> Vec<Event> {
    let mut events: Vec<Event> = events.collect();
    events.sort_by_key(|e| (e.time_us.round() as u64, e.dropped, e.packet));
    events
}

/// What a transfer of ours did.
struct Ours {
    events: Vec<Event>,
    /// When packets came to the bottleneck.
    arrivals_ns: Vec<u64>,
    /// When they left its queue to be transmitted.
    departures_ns: Vec<u64>,
}

/// How a transfer of ours compares with ns-2's.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Agrees,
    /// Up to an instant at which two things happen at once, whose order decides.
    Tie(Tie),
    /// From such an event on.
    Differs(usize),
}

/// Ours orders what happens at one time by its causes; ns-2 adds up times in floating point, where
/// the last bit decides.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tie {
    /// A packet comes to a full queue as another leaves it.
    Queue,
    /// A packet comes to the receiver as the timer expires that delays an acknowledgement.
    DelayedAck,
}

/// Sums of times that were rounded to nanoseconds differ by less.
const ROUNDED_NS: u64 = 4;

impl Ours {
    fn compare(&self, theirs: &[Event], transfer: &Transfer) -> Comparison {
        let same = |(a, b): &(&Event, &Event)| {
            let together = (a.time_us - b.time_us).abs() <= TOLERANCE_US;
            together && a.dropped == b.dropped && a.packet == b.packet
        };
        let agree = self.events.iter().zip(theirs).take_while(same).count();
        if agree == self.events.len() && agree == theirs.len() {
            return Comparison::Agrees;
        }
        let differing = [self.events.get(agree), theirs.get(agree)];
        let first = |a: &&Event, b: &&Event| a.time_us.total_cmp(&b.time_us);
        let tie = differing
            .into_iter()
            .flatten()
            .min_by(first)
            .and_then(|event| {
                let queue = event.dropped && self.meets_a_departure(event);
                let timer = self
                    .meets_the_timer(event, transfer)
                    .then_some(Tie::DelayedAck);
                queue.then_some(Tie::Queue).or(timer)
            });
        tie.map_or(Comparison::Differs(agree), Comparison::Tie)
    }

    /// Whether the packet that was dropped came at the very time at which another left.
    fn meets_a_departure(&self, dropped: &Event) -> bool {
        let here = |t: &&u64| (**t as f64 / 1e3 - dropped.time_us).abs() <= TOLERANCE_US;
        let mut arrivals = self.arrivals_ns.iter().filter(here);
        arrivals.any(|at| self.departs_at(*at))
    }

    fn departs_at(&self, at_ns: u64) -> bool {
        self.departures_ns
            .iter()
            .any(|t| t.abs_diff(at_ns) <= ROUNDED_NS)
    }

    /// Whether of the packets that left in the two round trips before the event one was behind
    /// another by as much as an acknowledgement may wait: an acknowledgement more, or one less that
    /// waits, shows a round trip later. Behind the bottleneck nothing waits, so they came to the
    /// receiver as far apart as they left its queue.
    fn meets_the_timer(&self, event: &Event, transfer: &Transfer) -> bool {
        let wait_ns = 1_000_000 * transfer.delayed_ack_ms;
        let at_ns = (event.time_us * 1e3) as u64;
        let from_ns = at_ns.saturating_sub(2 * transfer.round_trip_ns());
        let recent = self
            .departures_ns
            .iter()
            .filter(|t| (from_ns..at_ns).contains(*t));
        let mut before = recent.map(|t| t.saturating_sub(wait_ns));
        wait_ns > 0 && before.any(|t| self.departs_at(t))
    }
}

/// How many transfers agree, and which of the others do up to what.
#[derive(Debug, Default)]
struct Tally {
    agree: u64,
    queue_ties: Vec<u64>,
    timer_ties: Vec<u64>,
    differ: Vec<u64>,
}

impl Tally {
    /// What `misses.toml` is to list.
    fn misses(&self) -> BTreeSet<(u64, String)> {
        let named = |numbers: &[u64], what: &str| -> Vec<(u64, String)> {
            let name = |n: &u64| (*n, format!("random {n}: {what}"));
            numbers.iter().map(name).collect()
        };
        let queue = named(&self.queue_ties, "queue");
        let timer = named(&self.timer_ties, "delayed acknowledgement");
        let differ = named(&self.differ, "packets");
        queue.into_iter().chain(timer).chain(differ).collect()
    }

    fn count(&mut self, number: u64, transfer: &Transfer, theirs: &[Event]) {
        let ours = transfer.ours();
        match ours.compare(theirs, transfer) {
            Comparison::Agrees => self.agree += 1,
            Comparison::Tie(Tie::Queue) => self.queue_ties.push(number),
            Comparison::Tie(Tie::DelayedAck) => self.timer_ties.push(number),
            Comparison::Differs(at) => {
                self.differ.push(number);
                let (ours, theirs) = (ours.events.get(at), theirs.get(at));
                eprintln!("{number}, event {at}: ns-2 has {theirs:?}, we have {ours:?}");
                eprintln!("    ns {}", transfer.ns2_arguments().join(" "));
            }
        }
    }
}

/// A number given in the environment.
fn given(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} is a number, not `{text}`")),
    )
}

/// What a recording has of one transfer: the input of ns-2, and a line for each event.
fn record(number: u64, transfer: &Transfer, events: &[Event]) -> String {
    let mut lines = format!("transfer,{number},{}\n", transfer.ns2_arguments().join(" "));
    for event in events {
        let what = if event.dropped { "drop" } else { "send" };
        lines += &format!("{what},{:.0},{}\n", event.time_us, event.packet);
    }
    lines
}

/// The transfers of the recording kept here.
fn recorded() -> Vec<(u64, Vec<Event>)> {
    let file = File::open(data("random.csv.gz")).expect("the recording is kept here");
    let mut transfers: Vec<(u64, Vec<Event>)> = Vec::new();
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        let line = line.unwrap();
        let fields: Vec<&str> = line.split(',').collect();
        let number = fields[1].parse().unwrap();
        if fields[0] == "transfer" {
            let told = Transfer::draw(number).ns2_arguments().join(" ");
            assert_eq!(fields[2], told, "the recording is of other transfers");
            transfers.push((number, Vec::new()));
        } else if let Some((_, events)) = transfers.last_mut() {
            events.push(Event {
                time_us: number as f64,
                dropped: fields[0] == "drop",
                packet: fields[2].parse().unwrap(),
            });
        }
    }
    transfers
}

#[test]
fn random_transfers_agree_with_their_recording() {
    let mut tally = Tally::default();
    let recorded = recorded();
    for (number, theirs) in &recorded {
        tally.count(*number, &Transfer::draw(*number), theirs);
    }
    let file = Listed::read();
    let known = file.up_to(file.transfers);
    assert_eq!(tally.agree as usize, recorded.len() - known.len());
    assert_eq!(tally.misses(), known);
}

/// So many are recorded whether they agree or not.
const RECORDED_FROM_THE_FIRST: u64 = 100;

/// `misses.toml`, which docs/reference/fidelity.md is written from as well.
#[derive(Deserialize)]
struct Listed {
    /// How many were run next to ns-2.
    transfers: u64,
    misses: Vec<Misses>,
}

#[derive(Deserialize)]
struct Misses {
    figures: Vec<String>,
}

impl Listed {
    fn read() -> Listed {
        let text = std::fs::read_to_string(data("misses.toml")).expect("the list is kept here");
        toml::from_str(&text).unwrap()
    }

    fn up_to(&self, transfers: u64) -> BTreeSet<(u64, String)> {
        let numbered = |line: &String| {
            let (name, _) = line.split_once(':').unwrap();
            let number = name.strip_prefix("random ").unwrap().parse().unwrap();
            (number, line.clone())
        };
        let lines = self.misses.iter().flat_map(|entry| &entry.figures);
        lines
            .map(numbered)
            .filter(|(n, _)| *n <= transfers)
            .collect()
    }
}

/// Whether ours and ns-2's agree where nothing but the rate is another, by up to three millionths.
fn agrees_beside(number: u64) -> bool {
    let drawn = Transfer::draw(number);
    (1..=3).any(|millionths| {
        let beside = Transfer {
            rate_bps: drawn.rate_bps + millionths * (drawn.rate_bps / 1_000_000).max(1),
            ..drawn.clone()
        };
        let theirs = beside.ns2().expect("ns-2 has run before");
        beside.ours().compare(&theirs, &beside) == Comparison::Agrees
    })
}

#[test]
#[ignore = "needs ns-2"]
fn random_transfers_agree_with_ns2_itself() {
    let mut tally = Tally::default();
    let mut recording = String::new();
    let listed = Listed::read();
    let transfers = given("NS2_TRANSFERS").unwrap_or(listed.transfers);
    for number in 1..=transfers {
        let transfer = Transfer::draw(number);
        let Some(theirs) = transfer.ns2() else {
            eprintln!("skipped: ns-2 (`ns`) is not installed");
            return;
        };
        let agreed = tally.agree;
        tally.count(number, &transfer, &theirs);
        if number <= RECORDED_FROM_THE_FIRST || tally.agree == agreed {
            recording += &record(number, &transfer, &theirs);
        }
    }
    eprintln!("{tally:?}");
    for number in tally.queue_ties.iter().chain(&tally.timer_ties) {
        assert!(agrees_beside(*number), "{number} is not a tie");
    }
    if let Ok(path) = std::env::var("NS2_RECORDING") {
        let mut file = GzEncoder::new(File::create(path).unwrap(), Compression::best());
        file.write_all(recording.as_bytes()).unwrap();
    }
    assert_eq!(tally.misses(), listed.up_to(transfers));
}
