//! Properties of every algorithm in the catalog under any signals.

use flowstart_control::catalog::{AVOIDANCES, Recipe, STARTUPS};
use flowstart_control::signals::{
    Ack, Delivery, Established, Feedback, Idle, Loss, Marked, PathInfo, PathMemory, PeerGap,
    RateSample, Recovered, Sent, Timeout,
};
use flowstart_control::{Controller, Convention, Duration, Family, Instant, Rate, Window};
use proptest::prelude::*;

const MSS: u32 = 1460;

/// Variants and options that the defaults of a stack do not reach.
const VARIANTS: &[(&str, &str)] = &[
    ("slow-start:growth=per-byte", "reno:growth=per-ack"),
    (
        "slow-start:growth=abc,limit=unlimited,ssthresh=20",
        "reno:base=cwnd",
    ),
    ("slow-start:growth_gate=cwnd-limited", "cubic"),
    ("hystart:growth_gate=linux", "cubic"),
    ("limited-slow-start:growth_gate=ratelimited", "vegas"),
    ("copa-slow-start:growth_gate=ratelimited", "bbr"),
    (
        "limited-slow-start:max_ssthresh=8",
        "reno:base=window,precise=false",
    ),
    ("limited-slow-start:variant=ns2,max_ssthresh=8", "cubic"),
    (
        "limited-slow-start:variant=linux,max_ssthresh=7",
        "cubic:variant=2008",
    ),
    (
        "limited-slow-start:variant=rfc,arithmetic=exact,max_ssthresh=1",
        "none",
    ),
    (
        "jump-start:max_d=40,flag=excess",
        "cubic:friendly=false,beta=0.05",
    ),
    (
        "jump-start:cap_rate=500kbps,target_time=1s,iw_refinement=yes",
        "reno",
    ),
    ("hystart:variant=2011,low_window=2,tick=0s", "reno"),
    ("hystart:variant=linux-5.6,low_window=1,paced=true", "cubic"),
    (
        "hystart:variant=linux-2.6.29,low_window=1",
        "cubic:variant=2008",
    ),
    (
        "hystart:variant=linux-3.19,low_window=1,detect=train",
        "cubic:c=1000",
    ),
    ("hystart:variant=picoquic", "cubic"),
    ("bbr-startup:version=quiche", "bbr"),
    ("bbr-startup:version=google-quiche,option=BBQ6", "bbr"),
    ("bbr-startup:version=google-quiche,option=BB2S", "cubic"),
    ("bbr-startup", "bbr:version=quiche"),
    (
        "hystart-plus-plus:n_rtt_sample=1,css_rounds=1,low_cwnd=2",
        "cubic",
    ),
    (
        "hystart-plus-plus:variant=linux-cubic,n_rtt_sample=2",
        "cubic",
    ),
    ("vegas-slow-start:variant=paper", "vegas:variant=paper"),
    (
        "vegas-slow-start:variant=linux,gamma=0",
        "vegas:variant=linux",
    ),
    ("packet-pair-start:variant=ns2", "reno"),
    ("packet-pair-start:variant=robust,acks=2", "none"),
    (
        "adaptive-start:response=estimate,u_max=last-ten,ssthresh=5",
        "cubic",
    ),
    ("delay-based-slow-start:tau0=1ms,samples=1", "vegas"),
    ("smooth-start:ssthresh=30,depth=4", "cubic"),
    (
        "slow-start:ssthresh=10",
        "westwood:variant=westwood,filter=fixed",
    ),
    ("jump-start", "westwood:variant=plus"),
    ("adaptive-start", "westwood:variant=westwood,tau=1ms"),
    ("limited-slow-start", "high-speed:variant=ns2,low_window=2"),
    ("hystart", "bic:low_window=2,fast_convergence=false"),
    ("search:variant=neqo,exit=drain", "cubic"),
    ("search:variant=initial-rtt", "reno"),
    ("search:variant=freebsd32,extra_bins=1", "reno"),
    ("search:variant=freebsd40", "cubic"),
    ("search:variant=linux40", "westwood"),
    (
        "search:variant=linux30,exit=roll-back,speed=rapid-start",
        "reno",
    ),
    (
        "search:interpolation=forward,extra_bins=1,reset=false,exit=short-drain",
        "vegas",
    ),
    ("rapid-start:threshold=quicly,k=11/18,beta=0.1", "bic"),
    ("rapid-start:pacing=false,ssthresh=30,w_max=1", "westwood"),
    ("rapid-start:version=draft00", "reno"),
    ("rapid-start:version=quicly", "cubic"),
    ("hystart-plus-plus:speed=rapid-start,n_rtt_sample=1", "reno"),
    ("paced-gradual:low=0s,high=400ms,pacing=false", "vegas"),
    ("suss:least_rtt=0s,low_window=2,suss_max=10", "cubic"),
    ("bbr-startup:version=v3", "bbr"),
    ("bbr-startup:version=v3,plateau=max", "cubic"),
    ("bbr-startup", "bbr:version=v3"),
    ("bbr-startup:version=v3-linux", "bbr"),
    ("bbr-startup:version=v3-linux,plateau=sample", "cubic"),
    ("bbr-startup:version=v3", "bbr:version=v3-linux"),
    ("slow-start", "bbr:version=v3-linux"),
    ("hystart", "bbr:version=v3"),
    ("careful-resume:floor=iw,pipesize=example", "cubic"),
    (
        "careful-resume:max_jump=40,ssthresh=20,beta=0.7",
        "westwood",
    ),
    ("paced-initial-window:iw=40,spread=0.5", "reno"),
    ("quicly-jumpstart:jump_mode=rfc9959,max_packets=50", "cubic"),
    ("quicly-jumpstart:ssthresh=15,beta=0.7", "vegas"),
    ("quicly-jumpstart:rapid_start=true", "cubic"),
    ("quicly-jumpstart:default_packets=100,max_packets=0", "reno"),
    ("stateful-tcp:factor=1,response=standard", "cubic"),
    ("circuit-start:sample=least,response=none", "vegas"),
    ("circuit-start:percentile=50,burst_rate=2Mbps", "cubic"),
    ("halfback:threshold=20000", "cubic"),
    ("paced-chirping:delayed_acks=leave,lowest_gap=1us", "cubic"),
    ("paced-chirping:form=pc2018,chirps=9", "cubic"),
    ("paced-chirping:form=pc2018,gap=1us,geometry=1", "reno"),
    ("paced-chirping:form=pc-split,gain=10,geometry=3", "vegas"),
    (
        "copa-slow-start:variant=generic,loss_rate=0,beta=0.1,ssthresh=30",
        "cubic",
    ),
    (
        "copa-slow-start:standing=1,delay=latest,pacing=false",
        "vegas",
    ),
    ("slow-start", "prague:rtt_transition=0,rtt_target=400ms"),
    ("hystart", "prague:alpha_init=0,rate_offset=0"),
    (
        "copa-slow-start:variant=generic,loss_rate=0.01,delta=10",
        "reno",
    ),
    ("copa-slow-start:delay=standing,delta=0.5", "cubic"),
    ("pcc-start:variant=nsdi18,ssthresh=30", "cubic"),
    (
        "pcc-start:variant=nsdi18,utility=allegro-rtt,loss_allowance=0",
        "bbr",
    ),
    ("pcc-start:rate0=1Gbps,utility=allegro", "vegas"),
    ("c4-initial:variant=after-04", "cubic"),
    ("c4-initial:variant=after-04,ssthresh=30", "bbr"),
    ("c4-initial:ssthresh=30", "vegas"),
    ("paced-start:epsilon=0,longest=4,ssthresh=30", "cubic"),
    ("gauge:ssthresh=30,rest=8", "bbr"),
    (
        "gauge:blind_rate=1Gbps,noise=0s,losses=0,memory=true",
        "cubic",
    ),
    ("gauge:without=repair", "vegas"),
    (
        "swift-start:ack_spacing=per-segment,policy=early,after=estimate",
        "cubic",
    ),
];

/// Delivery in an acknowledgement, implausible values included.
#[derive(Clone, Copy, Debug)]
struct Delivered {
    /// Bytes delivered since the packet left, and in so many microseconds; none gives no sample.
    sample: Option<(u64, u64)>,
    app_limited: bool,
    lost: u64,
    repairing: bool,
}

fn delivered() -> impl Strategy<Value = Delivered> {
    let sample = proptest::option::weighted(0.9, (0u64..10_000_000, 1u64..500_000));
    let lost = prop_oneof![4 => Just(0), 1 => 0u64..100_000];
    (sample, any::<bool>(), lost, any::<bool>()).prop_map(
        |(sample, app_limited, lost, repairing)| Delivered {
            sample,
            app_limited,
            lost,
            repairing,
        },
    )
}

/// Something that a transport may report.
#[derive(Clone, Debug)]
enum Event {
    Sent {
        segments: u64,
        short: u32,
    },
    Ack {
        segments: u64,
        marked: u32,
        rtt_ms: Option<u64>,
        cwnd_limited: bool,
        delivery: Delivered,
    },
    RecoveryAck {
        segments: u64,
        rtt_ms: Option<u64>,
        delivery: Delivered,
    },
    Loss,
    Marked,
    Recovered {
        retransmitted: u64,
    },
    Timeout {
        repeated: bool,
    },
    Idle {
        restart_window: f64,
    },
    PeerGap {
        gap_us: u64,
        rtt_ms: Option<u64>,
    },
    Feedback {
        change: Option<f64>,
        rtt_ms: Option<u64>,
        cwnd_limited: bool,
    },
}

fn event() -> impl Strategy<Value = Event> {
    let rtt = || proptest::option::weighted(0.9, 1u64..400);
    let marked = prop_oneof![4 => Just(0), 1 => 0u32..40];
    prop_oneof![
        6 => (1u64..40, 0u32..MSS).prop_map(|(segments, short)| Event::Sent { segments, short }),
        20 => (1u64..30, marked, rtt(), proptest::bool::weighted(0.8), delivered()).prop_map(
            |(segments, marked, rtt_ms, cwnd_limited, delivery)| Event::Ack {
                segments,
                marked,
                rtt_ms,
                cwnd_limited,
                delivery,
            }
        ),
        4 => (0u64..30, rtt(), delivered()).prop_map(
            |(segments, rtt_ms, delivery)| Event::RecoveryAck { segments, rtt_ms, delivery }
        ),
        1 => Just(Event::Loss),
        1 => Just(Event::Marked),
        1 => (0u64..200).prop_map(|retransmitted| Event::Recovered { retransmitted }),
        1 => any::<bool>().prop_map(|repeated| Event::Timeout { repeated }),
        1 => (1.0f64..20.0).prop_map(|restart_window| Event::Idle { restart_window }),
        1 => (0u64..50_000, rtt()).prop_map(|(gap_us, rtt_ms)| Event::PeerGap { gap_us, rtt_ms }),
        4 => (proptest::option::weighted(0.9, -1e9..1e9), rtt(), any::<bool>()).prop_map(
            |(change, rtt_ms, cwnd_limited)| Event::Feedback { change, rtt_ms, cwnd_limited }
        ),
    ]
}

/// A handshake as it may turn out.
fn handshake() -> impl Strategy<Value = Established> {
    let window = prop_oneof![Just(u64::MAX), 1u64..10_000_000];
    let queued = prop_oneof![Just(u64::MAX), 1u64..10_000_000];
    let rtt = proptest::option::weighted(0.9, 0u64..1_000_000_000);
    (1u32..=10, rtt, window, queued, any::<bool>()).prop_map(
        |(iw, rtt, peer_window, queued, counts_marks)| Established {
            initial_window: f64::from(iw),
            rtt: rtt.map(Duration),
            queued,
            peer_window,
            counts_marks,
            ..Established::at(Instant::from_millis(100))
        },
    )
}

/// What a transport may know of the path besides.
fn known() -> impl Strategy<Value = PathInfo> {
    let rate = || proptest::option::of((0u64..20_000_000_000).prop_map(Rate));
    let measured = (0u64..3_000_000, 0u64..2_000_000_000, any::<bool>());
    let memory = (
        1.0f64..2_000.0,
        2.0f64..2_000.0,
        1u64..400,
        0u64..100,
        measured,
    );
    let memory = memory.prop_map(|(cwnd, ssthresh, srtt, rttvar, measured)| PathMemory {
        cwnd,
        ssthresh,
        srtt: Duration::from_millis(srtt),
        rttvar: Duration::from_millis(rttvar),
        min_rtt: Duration::from_millis(srtt),
        delivered: measured.0,
        rate: Rate(measured.1),
        in_use: measured.2,
    });
    (rate(), rate(), proptest::option::of(memory)).prop_map(|(approved, interface_rate, memory)| {
        PathInfo {
            approved,
            exact_rtt: None,
            interface_rate,
            memory,
        }
    })
}

/// A transport's view of one flow.
struct Flow {
    c: Controller,
    w: Window,
    now: Instant,
    una: u64,
    nxt: u64,
}

impl Flow {
    fn ack(&self, acked: u64, rtt_ms: Option<u64>, limited: bool, d: Delivered) -> Ack {
        let in_flight = self.nxt - self.una + acked;
        let sample = d.sample.map(|(delivered, micros)| RateSample {
            prior_delivered: self.una.saturating_sub(delivered),
            sent: self.now.saturating_sub(Duration::from_micros(micros)),
            delivered: delivered.min(self.una),
            interval: Duration::from_micros(micros),
            send_interval: Duration::from_micros(micros / 2),
            ack_interval: Duration::from_micros(micros),
            app_limited: d.app_limited,
            tx_in_flight: in_flight,
            lost: d.lost,
        });
        Ack {
            now: self.now,
            acked,
            delivered: acked,
            credit: acked,
            delivered_total: self.una,
            rtt: rtt_ms.map(Duration::from_millis),
            srtt: Duration::from_millis(rtt_ms.unwrap_or(0)),
            una: self.una,
            nxt: self.nxt,
            flight: self.nxt - self.una,
            cwnd_limited: limited,
            queued: u64::MAX,
            peer_window: u64::MAX,
            marked: 0,
            delivery: Some(Delivery {
                total: self.una,
                newly: acked,
                lost: d.lost,
                in_flight_before: in_flight,
                repairing: d.repairing,
                sample,
            }),
        }
    }

    /// Acknowledges so many segments as are out.
    fn advance(&mut self, segments: u64) -> u64 {
        let acked = (segments * u64::from(MSS)).min(self.nxt - self.una);
        self.una += acked;
        acked
    }

    fn step(&mut self, event: &Event) {
        self.now += Duration::from_micros(700);
        let now = self.now;
        let flight = self.nxt - self.una;
        let usable = self.w.cwnd;
        match *event {
            Event::Sent { segments, short } => {
                for number in 0..segments {
                    let bytes = if number + 1 == segments {
                        MSS - short
                    } else {
                        MSS
                    };
                    let seq = self.nxt;
                    self.nxt += u64::from(bytes);
                    let flight = self.nxt - self.una;
                    let sent = Sent {
                        now,
                        bytes,
                        seq,
                        retransmission: false,
                        flight,
                    };
                    self.c.on_sent(&mut self.w, &sent);
                }
            }
            Event::Ack {
                segments,
                marked,
                rtt_ms,
                cwnd_limited,
                delivery,
            } => {
                let acked = self.advance(segments);
                let ack = Ack {
                    marked,
                    ..self.ack(acked, rtt_ms, cwnd_limited, delivery)
                };
                self.c.on_ack(&mut self.w, &ack);
            }
            Event::RecoveryAck {
                segments,
                rtt_ms,
                delivery,
            } => {
                let acked = self.advance(segments);
                let ack = self.ack(acked, rtt_ms, true, delivery);
                self.c.on_recovery_ack(&mut self.w, &ack);
            }
            Event::Loss => {
                let before = self.w.cwnd;
                let flight = flight.min(self.w.cwnd_bytes());
                let loss = Loss {
                    now,
                    flight,
                    usable: usable.min(before),
                };
                self.c.on_loss(&mut self.w, &loss);
                assert!(self.w.cwnd <= before.max(2.0), "a loss raised {before}");
            }
            Event::Marked => {
                let before = self.w.cwnd;
                let marked = Marked {
                    now,
                    flight: flight.min(self.w.cwnd_bytes()),
                    usable: usable.min(before),
                };
                self.c.on_marked(&mut self.w, &marked);
                assert!(self.w.cwnd <= before.max(2.0), "a mark raised {before}");
            }
            Event::Recovered { retransmitted } => {
                let retransmitted = retransmitted * u64::from(MSS);
                self.c.on_recovered(
                    &mut self.w,
                    &Recovered {
                        now,
                        retransmitted,
                        flight,
                    },
                );
            }
            Event::Timeout { repeated } => {
                self.c.on_timeout(
                    &mut self.w,
                    &Timeout {
                        now,
                        flight,
                        usable,
                        repeated,
                    },
                );
            }
            Event::PeerGap { gap_us, rtt_ms } => {
                let gap = PeerGap {
                    now,
                    gap: Duration::from_micros(gap_us),
                    rtt: rtt_ms.map(Duration::from_millis),
                    nxt: self.nxt,
                    peer_window: u64::MAX,
                };
                self.c.on_peer_gap(&mut self.w, &gap);
            }
            Event::Feedback {
                change,
                rtt_ms,
                cwnd_limited,
            } => {
                let feedback = Feedback {
                    now,
                    change,
                    rtt: rtt_ms.map(Duration::from_millis),
                    wire: MSS + 60,
                    cwnd_limited,
                };
                self.c.on_feedback(&mut self.w, &feedback);
            }
            Event::Idle { restart_window } => {
                let idle = Duration::from_secs(2);
                self.now += idle;
                self.c.on_idle(
                    &mut self.w,
                    &Idle {
                        now: self.now,
                        idle,
                        restart_window,
                    },
                );
            }
        }
    }
}

/// The rules that hold after each event.
fn check(flow: &Flow, before: &Window, event: &Event, recipe: &Recipe, owned: bool) {
    let (w, convention) = (&flow.w, recipe.convention());
    assert!(
        w.cwnd.is_finite() && w.cwnd >= 1.0,
        "cwnd {} after {event:?}",
        w.cwnd
    );
    assert!(w.ssthresh >= 1.0, "ssthresh {} after {event:?}", w.ssthresh);
    assert_ne!(
        w.pacing,
        Some(Rate(0)),
        "a pacing rate of zero sends nothing"
    );
    let may_grow = match event {
        // Whoever owns the window answers in recovery too.
        _ if owned || flow.c.owns_cwnd() => true,
        // Acknowledgements of the jump lift the window that its loss left.
        Event::RecoveryAck { .. } if recipe.startup_name() == "quicly-jumpstart" => true,
        // The window meters chirps, and so is never what holds one back; marks change nothing
        // meanwhile.
        Event::Ack { .. } | Event::RecoveryAck { .. }
            if recipe.startup_name() == "paced-chirping" =>
        {
            true
        }
        // And here trains.
        Event::Ack { .. } if recipe.startup_name() == "paced-start" => true,
        // A gate in the place of the stack's judges by the flight.
        Event::Ack { .. } if recipe.startup_spec().contains("growth_gate=") => true,
        Event::RecoveryAck { .. } => false,
        // A startup with a memory may begin anew, with less than it had.
        Event::Idle { .. } => false,
        Event::Feedback { cwnd_limited, .. } => *cwnd_limited,
        Event::Ack {
            cwnd_limited: false,
            ..
        } => convention.family != Family::Rfc,
        _ => true,
    };
    assert!(
        may_grow || w.cwnd <= before.cwnd,
        "{} to {} on {event:?}",
        before.cwnd,
        w.cwnd
    );
}

/// Plays the events; returns the windows.
fn play(recipe: &Recipe, e: &Established, known: &PathInfo, events: &[Event]) -> Vec<f64> {
    let mut flow = Flow {
        c: recipe.build(),
        w: Window::new(MSS),
        now: e.now,
        una: 0,
        nxt: 0,
    };
    flow.c.on_known(known);
    flow.c.on_established(&mut flow.w, e);
    let mut windows = vec![flow.w.cwnd];
    for event in events {
        let (before, exit) = (flow.w, flow.c.exit().copied());
        let owned = flow.c.owns_cwnd();
        flow.step(event);
        check(&flow, &before, event, recipe, owned);
        if exit.is_some() {
            assert_eq!(flow.c.exit().copied(), exit, "an exit is recorded once");
        }
        windows.push(flow.w.cwnd);
    }
    windows
}

fn recipes() -> Vec<Recipe> {
    let conventions = [Convention::RFC, Convention::NS2, Convention::LINUX];
    let names = STARTUPS
        .iter()
        .flat_map(|s| AVOIDANCES.iter().map(|a| (s.name, a.name)));
    let pairs: Vec<(&str, &str)> = names.chain(VARIANTS.iter().copied()).collect();
    conventions
        .iter()
        .flat_map(|c| pairs.iter().map(|(s, a)| Recipe::parse(s, a, *c).unwrap()))
        .collect()
}

/// Whatever fails is printed whole; no file of seeds next to the tests is needed.
fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_combination_keeps_a_sane_window(
        e in handshake(),
        known in known(),
        events in proptest::collection::vec(event(), 1..120),
    ) {
        for recipe in recipes() {
            play(&recipe, &e, &known, &events);
        }
    }

    #[test]
    fn the_same_events_give_the_same_windows(
        e in handshake(),
        known in known(),
        events in proptest::collection::vec(event(), 1..120),
        index in any::<prop::sample::Index>(),
    ) {
        let recipe = index.get(&recipes()).clone();
        let bits = |windows: Vec<f64>| windows.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        prop_assert_eq!(
            bits(play(&recipe, &e, &known, &events)),
            bits(play(&recipe, &e, &known, &events))
        );
    }
}
