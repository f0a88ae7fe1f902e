//! The parts that every packet passes: the event queue, a link, the ledger of what is out, and one
//! step of a controller.

// The macros of Criterion make functions without comments.
#![allow(missing_docs)]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use flowstart_control::signals::{Ack, Established};
use flowstart_control::{Convention, Duration, Instant, Rate, Window, catalog};
use flowstart_network::link::{Link, LinkConfig, LinkKind, Losses, Service, Shared};
use flowstart_network::moment::Moment;
use flowstart_network::queue::{BufferAccounting, DropTail, Limit};
use flowstart_sim::engine::EventQueue;
use flowstart_transport::{ByteRange, SentPackets, Tracking};
use flowstart_wire::Packet;
use std::hint::black_box;

const STEPS: u64 = 1000;
const MSS: u64 = 1460;

fn at(time: u64) -> Moment {
    Moment {
        time: Instant(time),
        cause: Instant(time),
    }
}

fn event_queue(c: &mut Criterion) {
    let mut group = c.benchmark_group("event queue, the next delivery");
    group.throughput(Throughput::Elements(STEPS));
    for links in [2, 400, 40_000] {
        let mut queue = EventQueue::new(links as usize);
        (0..links).for_each(|i| queue.set_link(i as u32, at(i * 7919 % (links * 10))));
        group.bench_function(format!("{links} links"), |b| {
            b.iter(|| {
                for i in 0..STEPS {
                    let due = queue.peek(|_| true).expect("every link delivers");
                    let next = at(due.moment.time.0 + i * 31 % (links * 20));
                    queue.set_link(due.event, next);
                }
            });
        });
    }
}

fn packet() -> Packet {
    Packet::data(0, 1500, 0, MSS as u32)
}

fn link(c: &mut Criterion) {
    let mut group = c.benchmark_group("link");
    group.throughput(Throughput::Elements(STEPS));
    let queue = DropTail {
        limit: Limit::Packets(1000),
        reading: BufferAccounting::Linux,
    };
    let config = LinkConfig {
        name: "bench".into(),
        service: Service::Line(Rate(1_000_000_000)),
        variation: None,
        delay: Duration::from_millis(1),
        queue,
        losses: Losses::default(),
        shaper: None,
        shared: Shared::default(),
    };
    let mut link = Link::new(config, LinkKind::DropTail);
    let mut now = 0;
    group.bench_function("accept and deliver", |b| {
        b.iter(|| {
            for _ in 0..STEPS {
                now += 12_000;
                black_box(link.send(&packet(), at(now)));
                black_box(link.deliver(at(now)));
            }
        });
    });
}

/// A window of which every other segment is SACKed, then repaired hole by hole.
fn ledger(c: &mut Criterion) {
    let mut group = c.benchmark_group("ledger");
    group.throughput(Throughput::Elements(STEPS));
    let segment = |n: u64| ByteRange {
        start: n * MSS,
        end: (n + 1) * MSS,
    };
    let sent = || {
        let mut ledger = SentPackets::new(Tracking::Positions, false);
        (0..2 * STEPS).for_each(|n| {
            ledger.send(segment(n), 0, Instant::ZERO);
        });
        ledger
    };
    group.bench_function("SACK every other segment, repair every hole", |b| {
        b.iter_batched_ref(
            sent,
            |ledger| {
                for n in 0..STEPS {
                    let ByteRange { start, end } = segment(2 * n + 1);
                    black_box(ledger.acknowledge(0, std::iter::once((start, end)), Instant(n)));
                }
                ledger.mark_lost(0, 2 * STEPS * MSS);
                while let Some((start, end)) = ledger.first_lost() {
                    let plan = ByteRange { start, end };
                    ledger.repair(plan, Instant::ZERO);
                    ledger.send(plan, 0, Instant::ZERO);
                    black_box(ledger.in_flight());
                }
            },
            BatchSize::SmallInput,
        );
    });
}

fn controller(c: &mut Criterion) {
    let mut group = c.benchmark_group("controller, one acknowledgement");
    group.throughput(Throughput::Elements(STEPS));
    for (startup, cc) in [("slow-start", "reno"), ("hystart", "cubic")] {
        group.bench_function(format!("{startup} and {cc}"), |b| {
            b.iter_batched_ref(
                || {
                    let made = catalog::controller(startup, cc, Convention::RFC);
                    let mut controller = made.expect("both are in the catalog");
                    let mut window = Window::new(MSS as u32);
                    controller.on_established(&mut window, &Established::at(Instant::ZERO));
                    (controller, window)
                },
                |(controller, window)| {
                    for n in 0..STEPS {
                        let ack = Ack {
                            una: n * MSS,
                            nxt: (n + 10) * MSS,
                            rtt: Some(Duration::from_millis(50)),
                            ..Ack::of(Instant(n * 12_000), MSS)
                        };
                        controller.on_ack(window, &ack);
                    }
                },
                BatchSize::SmallInput,
            );
        });
    }
}

criterion_group!(parts, event_queue, link, ledger, controller);
criterion_main!(parts);
