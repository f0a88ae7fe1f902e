//! The rules of startups in the kernel (`bpf/startups/*.h`) are those of `crates/control`: fed with the
//! same acknowledgements, both have the same window after each, and end at the same.

use flowstart_control::catalog::Recipe;
use flowstart_control::signals::{Ack, Established, Loss, Recovered, Sent};
use flowstart_control::{Controller, Convention, Duration, Instant, Window};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

const MSS: u32 = 1448;
/// Series of acknowledgements; each has other round-trip times.
const SERIES: u64 = 300;
const ACKS: usize = 1500;

/// The rules as a program of this host; `None`, said aloud, where there is no C compiler.
fn compiled(name: &str) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf/startups/rules.c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("rules-{name}"));
    let built = Command::new("cc")
        .args([
            "-O1",
            "-Wall",
            "-Werror",
            "-fsanitize=undefined",
            "-fno-sanitize-recover=all",
        ])
        .arg(source)
        .arg("-o")
        .arg(&program)
        .output();
    let Ok(built) = built else {
        eprintln!("skipped: there is no C compiler");
        return None;
    };
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    Some(program)
}

/// What the program prints for these lines.
fn printed(program: &Path, startup: &str, lines: &str) -> String {
    let mut run = Command::new(program)
        .arg(startup)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = run.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // It ends with the startup, and reads no more.
        scope.spawn(move || input.write_all(lines.as_bytes()));
        run.wait_with_output().unwrap()
    });
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// A path on which a series of acknowledgements comes. Beyond what it holds they come at its rate, and in
/// two of three series later, with jitter that differs between series.
struct Series {
    random: Random,
    base_us: u64,
    jitter_us: u64,
    /// Of a segment at the bottleneck.
    segment_us: u64,
    shows_queue: bool,
    una: u64,
    now_us: u64,
}

impl Series {
    fn new(seed: u64) -> Series {
        let mut random = Random(seed);
        Series {
            base_us: 1_000 + random.below(200_000),
            jitter_us: 1 + random.below(8_000),
            segment_us: 1 + random.below(1_000),
            shows_queue: random.below(3) > 0,
            una: 0,
            now_us: 50_000,
            random,
        }
    }

    fn next(&mut self, cwnd: u64) -> Ack {
        let mss = u64::from(MSS);
        let acked = 1 + self.random.below(12);
        let full_us = cwnd * self.segment_us;
        let queue_us = full_us.saturating_sub(self.base_us) * u64::from(self.shows_queue);
        let rtt = self.base_us + queue_us + self.random.below(self.jitter_us);
        self.una += acked * mss;
        self.now_us += acked * (rtt / cwnd).max(self.segment_us);
        let delivered = acked * mss;
        Ack {
            now: Instant::from_nanos(1_000 * self.now_us),
            acked: delivered,
            delivered,
            credit: delivered,
            delivered_total: self.una,
            rtt: (self.random.below(20) > 0).then(|| Duration::from_micros(rtt)),
            srtt: Duration::from_micros(self.base_us),
            una: self.una,
            nxt: self.una + cwnd * mss,
            flight: cwnd * mss,
            cwnd_limited: self.random.below(30) > 0,
            queued: u64::MAX,
            peer_window: u64::MAX,
            marked: 0,
            delivery: None,
        }
    }
}

fn opened(startup: &str, queued: u64, peer_window: u64) -> (Controller, Window) {
    let recipe = Recipe::parse(startup, "cubic", Convention::LINUX).unwrap();
    let (mut controller, mut window) = (recipe.build(), Window::new(MSS));
    let established = Established {
        initial_window: 10.0,
        rtt: Some(Duration::from_millis(50)),
        queued,
        peer_window,
        ..Established::at(Instant::from_millis(50))
    };
    controller.on_established(&mut window, &established);
    (controller, window)
}

/// What has left before an acknowledgement, beyond the first `sent` bytes.
fn segments(ack: &Ack, sent: u64) -> Sent {
    Sent {
        now: ack.now,
        bytes: (ack.nxt - sent) as u32,
        seq: sent,
        retransmission: false,
        flight: ack.flight,
    }
}

/// The lines of a series, and what the Rust rule makes of each: the window, and whether it is over.
fn expected(startup: &str, seed: u64) -> (String, String, bool) {
    let (mut controller, mut window) = opened(startup, u64::MAX, u64::MAX);
    let mut series = Series::new(seed);
    let (mut lines, mut after, mut sent) = (String::new(), String::new(), 0);
    for _ in 0..ACKS {
        let ack = series.next(window.cwnd_segments());
        if ack.nxt > sent {
            controller.on_sent(&mut window, &segments(&ack, sent));
            sent = ack.nxt;
        }
        controller.on_ack(&mut window, &ack);
        let over = controller.exit().is_some();
        let rtt = ack.rtt.map_or(u32::MAX, |rtt| (rtt.nanos() / 1_000) as u32);
        // Sequence numbers wrap.
        let (una, nxt) = (ack.una as u32, ack.nxt as u32);
        let (acked, limited) = (ack.acked / u64::from(MSS), u8::from(ack.cwnd_limited));
        let (flight, now) = (ack.flight / u64::from(MSS), ack.now.nanos());
        writeln!(lines, "{una} {nxt} {flight} {acked} {rtt} {limited} {now}").unwrap();
        writeln!(after, "{} {}", window.cwnd_segments(), u8::from(over)).unwrap();
        if over {
            return (lines, after, true);
        }
    }
    (lines, after, false)
}

/// Both have the same window after each acknowledgement, and end at the same.
fn compare(startup: &str) {
    let Some(program) = compiled(startup) else {
        return;
    };
    let mut ended = 0;
    for seed in 0..SERIES {
        let (lines, after, over) = expected(startup, seed);
        assert_eq!(printed(&program, startup, &lines), after, "seed {seed}");
        ended += u64::from(over);
    }
    // Both happen, so that both are compared.
    assert!(
        (SERIES / 10..SERIES).contains(&ended),
        "{ended} of {SERIES} ended"
    );
}

#[test]
fn hystart_plus_plus_has_the_window_and_the_end_of_the_rust_rule_at_every_acknowledgement() {
    compare("hystart-plus-plus");
}

#[test]
fn search_has_the_window_and_the_end_of_the_rust_rule_at_every_acknowledgement() {
    compare("search");
}

/// What the Rust rule makes of a flight of which so many segments leave, and are sent again.
fn jump(queued: u64, peer_window: u64, sent: u64, again: u64) -> String {
    let (mut controller, mut window) = opened("jump-start", queued, peer_window);
    let (flight, mss) = (window.cwnd_segments(), u64::from(MSS));
    let now = Instant::from_millis(60);
    for segment in 0..sent {
        let left = Sent {
            now,
            bytes: MSS,
            seq: segment * mss,
            retransmission: false,
            flight: (segment + 1) * mss,
        };
        controller.on_sent(&mut window, &left);
    }
    let loss = Loss {
        now,
        flight: sent * mss,
        usable: window.cwnd,
    };
    controller.on_loss(&mut window, &loss);
    let recovered = Recovered {
        now,
        retransmitted: again * mss,
        flight: 0,
    };
    controller.on_recovered(&mut window, &recovered);
    format!("{flight} {}\n", window.cwnd_segments())
}

#[test]
fn jump_start_has_the_flight_of_the_rust_rule_and_its_window_after_a_recovery() {
    let Some(program) = compiled("jump-start") else {
        return;
    };
    let mut random = Random(1);
    let (mut lines, mut after) = (String::new(), String::new());
    for _ in 0..SERIES {
        let (queued, peer_window) = (1 + random.below(3_000_000), 1 + random.below(20_000_000));
        let flight = queued
            .div_ceil(MSS.into())
            .min(peer_window / u64::from(MSS));
        let sent = 1 + random.below(flight.max(1));
        let again = random.below(sent + 1);
        writeln!(lines, "{queued} {peer_window} {sent} {again}").unwrap();
        after += &jump(queued, peer_window, sent, again);
    }
    assert_eq!(printed(&program, "jump-start", &lines), after);
}

/// A client's connections have consecutive ports; the bounds are four standard errors.
#[test]
fn the_choice_takes_its_share_of_a_clients_connections_and_another_one_with_each_seed() {
    let Some(program) = compiled("choice") else {
        return;
    };
    let ports = 10_000..50_000_u32;
    let chosen = |seed: u32| -> Vec<bool> {
        let lines: String = ports
            .clone()
            .map(|port| format!("{seed} {port}\n"))
            .collect();
        let hashes = printed(&program, "choice", &lines);
        let is_chosen = |hash: &str| hash.parse::<u32>().unwrap() < u32::MAX / 10;
        hashes.lines().map(is_chosen).collect()
    };
    let (first, other) = (chosen(1), chosen(2));
    let count = first.iter().filter(|chosen| **chosen).count();
    assert!(
        (3_760..=4_240).contains(&count),
        "{count} of {}",
        first.len()
    );
    let both = first.iter().zip(&other).filter(|(a, b)| **a && **b).count();
    assert!((320..=480).contains(&both), "{both} under both seeds");
}
