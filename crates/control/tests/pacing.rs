//! The pace of a startup ends with it.

use flowstart_control::catalog::{STARTUPS, controller};
use flowstart_control::entry::Need;
use flowstart_control::signals::{Ack, Established, PathInfo, PathMemory, PeerGap, Sent};
use flowstart_control::{Controller, Convention, Duration, Instant, Rate, Window};

const MSS: u64 = 1460;
const RTT: Duration = Duration::from_millis(100);
/// More than any of the thresholds below takes.
const ROUNDS: u64 = 12;

/// A flow without packet loss, with all signals that a startup can use.
struct Flow {
    c: Controller,
    w: Window,
    una: u64,
    nxt: u64,
    now: Instant,
}

impl Flow {
    fn open(startup: &str, convention: Convention) -> Flow {
        let mut c = controller(startup, "reno", convention).unwrap();
        let rate = Rate::from_bps(10_000_000);
        c.on_known(&PathInfo {
            approved: Some(rate),
            exact_rtt: Some(RTT),
            interface_rate: Some(rate),
            memory: Some(PathMemory {
                cwnd: 80.0,
                ssthresh: f64::INFINITY,
                srtt: RTT,
                rttvar: Duration::from_millis(1),
                min_rtt: RTT,
                delivered: 80 * MSS,
                rate,
                in_use: false,
            }),
        });
        let mut w = Window::new(MSS as u32);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(RTT),
            ..Established::at(Instant::ZERO + RTT)
        };
        c.on_established(&mut w, &e);
        Flow {
            c,
            w,
            una: 0,
            nxt: 0,
            now: Instant::ZERO + RTT,
        }
    }

    /// Sends what the window allows, but no more than so many segments.
    fn send(&mut self, most: u64) {
        for _ in 0..most {
            if self.nxt + MSS > self.una + self.w.cwnd_bytes() {
                return;
            }
            let sent = Sent {
                now: self.now,
                bytes: MSS as u32,
                seq: self.nxt,
                retransmission: false,
                flight: self.nxt + MSS - self.una,
            };
            self.nxt += MSS;
            self.c.on_sent(&mut self.w, &sent);
        }
    }

    /// Acknowledges all that is out, so many segments at once.
    fn acknowledge(&mut self, at_once: u64) {
        self.now += RTT;
        let end = self.nxt;
        while self.una < end {
            let acked = at_once.saturating_mul(MSS).min(end - self.una);
            self.una += acked;
            let gap = PeerGap {
                now: self.now,
                gap: Duration::from_millis(1),
                rtt: Some(RTT),
                nxt: self.nxt,
                peer_window: u64::MAX,
            };
            self.c.on_peer_gap(&mut self.w, &gap);
            let ack = Ack {
                una: self.una,
                nxt: self.nxt,
                delivered_total: self.una,
                rtt: Some(RTT),
                flight: self.nxt - self.una,
                queued: u64::MAX,
                ..Ack::of(self.now, acked)
            };
            self.c.on_ack(&mut self.w, &ack);
            self.now += Duration::from_micros(10);
        }
    }
}

/// The threshold may be reached at the handshake, in the first flight or later, one ACK may be
/// for the whole flight, and the application may have less to send than the window lets out.
#[test]
fn no_startup_leaves_a_pace_to_the_avoidance() {
    let paced = STARTUPS.iter().filter(|e| e.needs.contains(&Need::Pacing));
    let mut left = Vec::new();
    for entry in paced.filter(|e| e.name != "bbr-startup") {
        assert!(
            entry.params.iter().any(|p| p.name == "ssthresh"),
            "{} paces and is to be ended by a threshold here: its parameters are those of \
             with_slow_start!, `ssthresh` among them",
            entry.name
        );
        for convention in [Convention::RFC, Convention::NS2, Convention::LINUX] {
            for ssthresh in [5, 20, 40, 200] {
                for at_once in [1, 2, u64::MAX] {
                    for most in [3, u64::MAX] {
                        let spec = format!("{}:ssthresh={ssthresh}", entry.name);
                        let mut flow = Flow::open(&spec, convention);
                        for _ in 0..ROUNDS {
                            flow.send(most);
                            flow.acknowledge(at_once);
                        }
                        flow.send(1);
                        let over = flow.c.exit().is_some() && !flow.w.in_slow_start();
                        if over && flow.w.pacing.is_some() {
                            let case = (convention, at_once, most);
                            left.push(format!("{spec} {case:?} {:?}", flow.w));
                        }
                    }
                }
            }
        }
    }
    assert!(
        left.is_empty(),
        "over, but `w.pacing` is still set; `cancel`, and every way out, is to make it None:\n{}",
        left.join("\n")
    );
}
