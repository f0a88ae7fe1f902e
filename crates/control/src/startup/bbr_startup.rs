//! BBR Startup and Drain: double the rate each round trip until it no longer arrives.
//!
//! BBR (N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh, V. Jacobson, "BBR: Congestion-Based
//! Congestion Control", ACM Queue 14(5), 2016; Linux since 4.9, which is v1;
//! draft-ietf-ccwg-bbr-06, July 2026, which is v3; and v3 as Google's kernel has it) does not wait
//! for a loss or a delay. It measures the rate at which data is delivered and paces by it. In Startup
//! the pacing rate is so far above the rate measured that it doubles each round trip. When three
//! consecutive rounds have not brought a quarter more, the bottleneck is found, and the last round's
//! excess is in its queue: up to one bandwidth-delay product in v3, nearly two in v1. Drain then
//! sends below the rate until that is gone.
//!
//! Every ACK gives a sample of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation):
//! what was delivered between the sending of a packet and its acknowledgement, over the longer
//! of the times that its sending and its acknowledging took. Samples in which the application
//! had nothing to send do not count towards a plateau.
//!
//! With [`crate::avoidance::bbr`] as its avoidance this is BBR as published. Any other
//! avoidance takes over after Drain, unpaced, with a window of what the path holds.
//!
//! | | v1 | v3 | v3-linux |
//! | --- | --- | --- | --- |
//! | pacing gain in Startup | 2/ln 2 = 2.885 | 4 ln 2 = 2.77 | 710/256 = 2.7734 |
//! | window gain in Startup | 2.885 | 2 | 2 |
//! | pacing gain in Drain | 1/2.885 | 0.5 | 88/256 = 0.34375 |
//! | growth may be shown by | the largest rate, where a round begins | the sample where a round begins | any sample; rounds without it count as they begin |
//! | Startup ends for losses | never | six ranges and 2 % in a round of recovery | six ACKs that mark losses in a loss round, and lost > 5/256 of what was in flight when the packet of the ACK that ends it left |
//! | Drain ends | when the path holds what is in flight | or after three rounds | when the path holds it |
//! | first rate | without the margin (under linux with it) | without the margin | with the margin of 1 % |
//! | the window grows in any case | till ten segments are delivered | till the initial window is delivered | below two initial windows |
//! | may leave together | a millisecond's worth | a millisecond's worth | and 64 kB, halved for each 512 us of the minimum RTT |
//! | recovery | first round: what is delivered is sent | the window is what it was | the same |
//! | losses that were none | the plateau is looked for anew | where they ended Startup, it continues | Startup's end stays, bounds and window are back |
//!
//! v1's constants are those that later code quotes. Of v3, the editor's copy of draft-ietf-ccwg-bbr of 3 August 2026 (commit 4ce5e87) and
//! `net/ipv4/tcp_bbr.c` of google/bbr, branch v3, commit 001a430b, were read.
//!
//! `version=quinn` is another model, that of quinn-proto 0.11.19 (`model/bbr_quinn.rs`): a window of
//! 240 000 bytes that grows by what is acknowledged, no rate, and ProbeRTT behind the first ACK. With
//! `bbr:version=quinn` it continues as that stack's BBR. noq-proto 1.4.0 has v3, and its first rate
//! is that of a round trip of 1 ms, whatever the handshake took.
//!
//! Two more are Google's QUIC code and its translation to Rust, which is the `bbr2` of quiche
//! (`model/bbr/quiche.rs`). Both start at a window in a round trip, without a gain, and judge a round
//! where it ends:
//!
//! | | quiche | google-quiche |
//! | --- | --- | --- |
//! | read | cloudflare/quiche at e97798e, `recovery/gcongestion/bbr2` | google/quiche at f44fa9f, `bbr2_*.cc` |
//! | pacing gain in Startup, in Drain | 2.773, 1/2.885 | 2.885, 1/2.885 |
//! | window gain | 2, below two initial windows without a limit | the same |
//! | a plateau | three rounds without a quarter more of the largest rate; rounds that the application limited do not count | the same; they count, but do not end it |
//! | Startup ends for losses | eight loss events and 1.5 % of the flight lost, in a round without growth | the same, 2 % |
//! | Drain ends | when the path holds what is in flight | the same |
//! | measurement of the minimum RTT | not before Startup is over | the same |
//!
//! quiche 0.30.0 itself in virtual time (stack `quiche-native:cc=bbr`) and
//! `version=quiche` under `--stack quic`, over 20 Mbit/s with a buffer of one BDP:
//!
//! | RTT | size | time, quiche | here | exit cwnd, quiche | here | lost, quiche | here |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | 60 ms | 100 kB | 299 ms | 309 ms | – | – | 0 | 0 |
//! | 60 ms | 1 MB | 755 ms | 752 ms | – | – | 4 | 6 |
//! | 60 ms | 5 MB | 2.375 s | 2.379 s | 203 | 204 | 6 | 12 |
//! | 100 ms | 100 kB | 496 ms | 510 ms | – | – | 0 | 0 |
//! | 100 ms | 1 MB | 976 ms | 984 ms | – | – | 0 | 0 |
//! | 100 ms | 5 MB | 2.647 s | 2.653 s | 337 | 338 | 9 | 15 |
//!
//! quiche sends some of the first window unpaced, which is the difference at 100 kB (`pacer.rs`,
//! `INITIAL_UNPACED_BURST`). The preset `quiche` has the loss recovery of quiche's CUBIC and Reno, which its BBR
//! does not use.
//!
//! `option` has google/quiche's options for Startup by their tags: `1RTT` and `2RTT` (rounds of a
//! plateau), `BBQ1` (pacing gain 2.773, Drain 0.5), `BBQ2` (window gain 2.885), `BBQ6` (the pacing gain
//! follows the growth of the last round, 1.25 at least), `B206` (two loss events), `B207` and `BB2S` (one or two
//! rounds with a standing queue of 0.75 BDP), `B2NE` (losses end it while the rate grows). cloudflare/quiche sets
//! `decrease_startup_pacing_at_end_of_round`, the flag of `BBQ6`, and never changes the gain, so
//! it has no effect there.
//!
//! # State
//!
//! The model ([`crate::model::bbr`]): the largest delivery rate of ten rounds (v3: of two cycles), the
//! minimum RTT of ten seconds, the round under way, the rate that a plateau is measured by,
//! and what comes in bursts. All of it goes to the avoidance, if that is BBR.
//!
//! # Deviations
//!
//! - Linux's v3 also leaves Startup after two rounds in which half of what is delivered is marked by
//!   ECN, on routes of data centres that say so and with round trips of up to 5 ms. That needs a
//!   count of marks; here it does not.
//! - Losses that a timer finds count with the next ACK here; in Linux's v3 they do not count towards
//!   the six.
//! - Linux judges whether Drain is over by what will be in flight when the next packet may leave;
//!   here it is what is in flight now. Its fast path for application-limited flows and its
//!   special case for tail loss probes are left out.
//! - What a receiver without SACK would change is left out.
//! - After a timeout everything counts as lost here, so that the window is one segment. QUICHE's Startup
//!   does not respond to a timeout.
//! - In both QUICHEs the acknowledgement of the first data packet sets the first rate; here the
//!   handshake's round trip does. Their least window, the initial one in cloudflare/quiche, is left out, and so
//!   are `B205`, `BBQ7` to `BBQ9`, `BSAO` and the options for later phases.
//!
//! # Contested
//!
//! - draft-06 judges the sample of the ACK that begins a round, where one noisy sample can start
//!   the count anew; v1 and older drafts judge the largest rate, and Linux's v3 takes the sample of
//!   any ACK for growth. `plateau` chooses.
//! - "In fast recovery for at least one full round": judged at the end of the first round that
//!   began in recovery, against the maximum flight in it. An ACK that shows losses
//!   counts as one range.
//! - The draft's text on leaving for losses sets `full_bw_reached` only, its test cases
//!   `full_bw_now` too; in v3 both, in v3-linux the former, as its code does.
//! - The draft goes back to Startup where the losses that ended it were none, Linux does not. Where
//!   Drain was over by then, Startup is repeated under the avoidance, and the exit that was recorded
//!   stays.
//! - Linux holds gains in 256ths (v1: 739/256, 88/256) and applies the pacing margin to the first
//!   rate; v1 has it so under the linux stack, and the round figures elsewhere; v3-linux always.
//! - Without a round trip from the handshake the rate is reckoned with 1 ms; when one is
//!   measured, it is reckoned again, as in Linux; the draft does not specify it.

use super::{Congestion, Maker, Reduction, Repaired, Response, Startup, bbr_quinn, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::Model;
use crate::model::bbr::{Bbr, PlateauRate, Source, StartupOption};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established, Idle, Recovered};
use crate::slow_start::{self, SlowStart};
use crate::{Convention, Reason, Window, joined, params};

/// Entry of `bbr-startup` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "bbr-startup",
    title: "BBR Startup and Drain",
    source: "Cardwell, Cheng, Gunn, Hassas Yeganeh, Jacobson: BBR: Congestion-Based Congestion \
             Control, ACM Queue 14(5), 2016; Linux tcp_bbr.c; draft-ietf-ccwg-bbr-06; google/bbr, \
             branch v3; cloudflare/quiche; google/quiche",
    year: 2016,
    opened: "text: draft-ietf-ccwg-bbr, editor's copy of 3 August 2026; code: google/bbr branch v3, tcp_bbr.c 001a430b; quinn-proto 0.11.19, congestion/bbr; cloudflare/quiche e97798e, gcongestion/bbr2; google/quiche f44fa9f, bbr2_*; v1's constants as later code quotes them",
    compared: "gains, first rate, plateau, loss exit, drain, window",
    summary: "Doubles the pacing rate every round trip until the delivery rate has not grown by \
              a quarter for three, then drains the queue this has built.",
    params: joined![Settings::PARAMS, &[slow_start::Settings::iw.spec]],
    needs: &[Need::Pacing],
    certainty: Certainty::Code,
    build,
};

params! {
    pub struct Settings {
        /// v1: as in Linux since 4.9; v3: draft-ietf-ccwg-bbr-06; v3-linux: as in google/bbr,
        /// branch v3; quinn: quinn-proto 0.11.19, which sets a window only; quiche, google-quiche:
        /// cloudflare/quiche at e97798e, google/quiche at f44fa9f
        #[usual("by stack: quinn under quinn, v3 under noq, otherwise v1")]
        version: Option<Source>,
        /// what has to grow by a quarter in a round: the largest rate measured, the sample of the
        /// ACK that begins it, or that of any ACK in it
        #[usual("by version: max in v1, sample in v3, every-sample in v3-linux")]
        plateau: Option<PlateauRate>,
        /// an option of google/quiche for Startup, by its tag
        #[usual("none")]
        option: Option<StartupOption>,
    }
}

fn build(params: &Params, convention: Convention) -> Result<Box<Maker>, SpecError> {
    let settings = Settings::read(params)?;
    let source = settings.version.unwrap_or(convention.bbr);
    let google = source == Source::GoogleQuiche;
    params.effective(&Settings::option, google, "`version=google-quiche`")?;
    let plateau = !matches!(
        source,
        Source::Quinn | Source::Quiche | Source::GoogleQuiche
    );
    params.effective(
        &Settings::plateau,
        plateau,
        "`version=v1`, `v3` or `v3-linux`",
    )?;
    let Some(model) = Bbr::of(source, convention, settings.plateau, settings.option) else {
        let iw = slow_start::Settings::read(params)?.iw;
        return Ok(copies(bbr_quinn::BbrQuinnStartup::new(iw.is_some())));
    };
    Ok(copies(BbrStartup {
        model: Some(Box::new(model)),
    }))
}

/// Startup and Drain; the model is gone once it has been handed over.
#[derive(Clone)]
struct BbrStartup {
    model: Option<Box<Bbr>>,
}

impl Startup for BbrStartup {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        w.ssthresh = f64::INFINITY;
        if let Some(model) = &mut self.model {
            model.on_established(w, e);
            model.write_pacing(w);
        }
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, _slow_start: &mut SlowStart) -> Option<Reason> {
        self.model.as_mut()?.on_ack(w, a)
    }

    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        let Some(model) = &mut self.model else {
            return Response::STANDARD;
        };
        match c {
            Congestion::Timeout(_) => model.on_timeout(w),
            _ => model.on_loss(w),
        }
        Response::continues(Reduction::Done)
    }

    fn on_recovered(&mut self, _w: &mut Window, _r: &Recovered) -> Repaired {
        if let Some(model) = &mut self.model {
            model.on_recovered();
        }
        Repaired::Continues
    }

    /// In Drain it has ended already, unless what ended it is taken back.
    fn on_spurious(&mut self, w: &mut Window) -> bool {
        self.model.as_mut().is_some_and(|model| {
            model.on_spurious(w);
            model.is_filling()
        })
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, i: &Idle) -> bool {
        if let Some(model) = &mut self.model {
            model.on_idle(w, i.now);
        }
        false
    }

    fn wants_delivery(&self) -> bool {
        true
    }

    fn owns_cwnd(&self) -> bool {
        self.model.is_some()
    }

    fn export_model(&mut self) -> Option<Box<dyn Model>> {
        self.model.take().map(|model| model as Box<dyn Model>)
    }

    fn in_charge(&self, _w: &Window) -> bool {
        self.model.as_ref().is_some_and(|model| model.is_starting())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::{Delivery, Loss, RateSample, Timeout};
    use crate::testing::RTT;
    use crate::{Controller, Duration, Instant, Rate, catalog};

    const MSS: u64 = 1460;

    /// A connection whose ACKs each begin a round, on a path of 100 ms.
    struct Flow {
        c: Controller,
        w: Window,
        now: Instant,
        total: u64,
        rounds: u64,
    }

    /// What a round brings.
    #[derive(Clone, Copy)]
    struct Round {
        mbps: f64,
        app_limited: bool,
        acked: u64,
        flight: u64,
        lost: u64,
    }

    /// A rate that is delivered while much is in flight.
    fn at(mbps: f64) -> Round {
        Round {
            mbps,
            app_limited: false,
            acked: 10,
            flight: 100_000,
            lost: 0,
        }
    }

    impl Flow {
        fn of(
            startup: &str,
            avoidance: &str,
            convention: Convention,
            rtt: Option<Duration>,
        ) -> Flow {
            let mut c = catalog::controller(startup, avoidance, convention).unwrap();
            let mut w = Window::new(MSS as u32);
            let e = Established {
                initial_window: 10.0,
                rtt,
                header: 0,
                ..Established::at(Instant::ZERO + RTT)
            };
            c.on_established(&mut w, &e);
            Flow {
                c,
                w,
                now: Instant::ZERO + RTT,
                total: 0,
                rounds: 0,
            }
        }

        fn new(startup: &str, avoidance: &str) -> Flow {
            Flow::of(startup, avoidance, Convention::RFC, Some(RTT))
        }

        fn ack(&mut self, r: Round, repairing: bool) -> Ack {
            self.now += RTT;
            self.rounds += 1;
            let prior_delivered = self.total;
            self.total += r.acked * MSS;
            let delivered = (r.mbps * 12_500.0) as u64;
            Ack {
                rtt: Some(RTT),
                delivered_total: self.total,
                flight: r.flight * MSS,
                delivery: Some(Delivery {
                    total: self.total,
                    newly: r.acked * MSS,
                    lost: r.lost * MSS,
                    in_flight_before: (r.flight + r.acked) * MSS,
                    repairing,
                    sample: Some(RateSample {
                        prior_delivered,
                        delivered,
                        interval: RTT,
                        app_limited: r.app_limited,
                        tx_in_flight: 200 * MSS,
                        lost: 0,
                        ..RateSample::default()
                    }),
                }),
                ..Ack::of(self.now, r.acked * MSS)
            }
        }

        fn round(&mut self, r: Round) -> Option<Reason> {
            let ack = self.ack(r, false);
            self.c.on_ack(&mut self.w, &ack);
            self.c.exit().map(|exit| exit.reason)
        }

        fn recovery_round(&mut self, r: Round) -> Option<Reason> {
            let ack = self.ack(r, false);
            self.c.on_recovery_ack(&mut self.w, &ack);
            self.c.exit().map(|exit| exit.reason)
        }

        fn lose(&mut self) {
            let loss = Loss {
                now: self.now,
                flight: self.w.cwnd_bytes(),
                usable: self.w.cwnd,
            };
            self.c.on_loss(&mut self.w, &loss);
        }

        /// A round of recovery in which six ACKs show losses.
        fn end_by_losses(&mut self) -> Option<Reason> {
            self.round(at(10.0));
            self.lose();
            self.recovery_round(at(20.0));
            let mut within = |lost, prior| {
                let mut ack = self.ack(Round { lost, ..at(40.0) }, false);
                if let Some(sample) = ack.delivery.as_mut().and_then(|d| d.sample.as_mut()) {
                    sample.prior_delivered = prior;
                    sample.lost = 6 * MSS;
                }
                self.c.on_recovery_ack(&mut self.w, &ack);
            };
            (0..6).for_each(|_| within(1, 0));
            within(0, u64::MAX);
            self.c.exit().map(|exit| exit.reason)
        }

        fn pacing_mbps(&self) -> f64 {
            self.w.pacing.unwrap().bps() as f64 / 1e6
        }

        /// Startup on a path of so many megabits per second, until it has ended.
        fn fill(&mut self, mbps: f64) {
            while self.round(at(mbps)).is_none() {}
        }
    }

    /// V1
    #[test]
    fn the_first_rate_is_the_gain_times_the_window_in_a_round_trip() {
        let rate = |spec, rtt| {
            let flow = Flow::of(spec, "bbr", Convention::RFC, rtt);
            flow.w.pacing.unwrap()
        };
        let rtt = Some(Duration::from_millis(50));
        assert_eq!(rate("bbr-startup:version=v3", rtt), Rate(8 * 808_840));
        assert_eq!(rate("bbr-startup", rtt), Rate(8 * 842_420));
        let nominal = rate("bbr-startup:version=v3", None);
        assert_eq!(nominal, Rate(323_536_000));
        // With headers on the wire, and as the kernel reckons: 3.237 Mbit/s were recorded for
        // ten segments of 1448 bytes in 102.27 ms.
        let kernel = catalog::controller("bbr-startup", "bbr", Convention::LINUX);
        let mut w = Window::new(1448);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(Duration::from_micros(102_268)),
            header: 52,
            ..Established::at(Instant::ZERO + RTT)
        };
        kernel.unwrap().on_established(&mut w, &e);
        let payload = w.pacing.unwrap().bps() * 1448 / 1500;
        assert_eq!(payload / 1000, 3237);
    }

    /// V3
    #[test]
    fn rounds_in_which_the_application_was_the_limit_do_not_count() {
        let mut flow = Flow::new("bbr-startup", "bbr");
        let limited = |mbps| Round {
            app_limited: true,
            ..at(mbps)
        };
        for r in [at(10.0), at(20.0), limited(5.0), limited(6.0), limited(5.0)] {
            assert_eq!(flow.round(r), None);
        }
        let exits = [20.0, 20.0, 20.0].map(|mbps| flow.round(at(mbps)));
        assert_eq!(exits, [None, None, Some(Reason::FullPipe)]);
    }

    /// V4
    #[test]
    fn gains_times_the_rate_with_a_margin_of_a_percent() {
        let rates = |spec| {
            let mut flow = Flow::new(spec, "bbr");
            flow.round(at(100.0));
            let startup = flow.pacing_mbps();
            flow.fill(100.0);
            [startup, flow.pacing_mbps()].map(|mbps| (mbps * 100.0).round() / 100.0)
        };
        assert_eq!(rates("bbr-startup:version=v3"), [274.23, 49.5]);
        // 288.5 and 34.66 before the margin.
        assert_eq!(rates("bbr-startup"), [285.62, 34.32]);
    }

    /// V1 of Linux's v3
    #[test]
    fn linux_v3_drains_at_a_third_of_the_rate() {
        let mut flow = Flow::new("bbr-startup:version=v3-linux", "bbr");
        flow.round(at(100.0));
        let startup = flow.pacing_mbps();
        flow.fill(100.0);
        let rates = [startup, flow.pacing_mbps()].map(|mbps| (mbps * 100.0).round() / 100.0);
        assert_eq!(rates, [274.57, 34.03]);
    }

    #[test]
    fn without_a_round_trip_from_the_handshake_the_first_that_is_measured_gives_the_rate() {
        let spec = "bbr-startup:version=v3-linux";
        let mut flow = Flow::of(spec, "bbr", Convention::LINUX, None);
        let nominal = flow.w.pacing.unwrap();
        flow.w.cwnd = 10.0;
        flow.round(at(1.0));
        let measured = Flow::of(spec, "bbr", Convention::LINUX, Some(RTT));
        assert_eq!(flow.w.pacing, measured.w.pacing);
        assert!(nominal > measured.w.pacing.unwrap());
    }

    #[test]
    fn the_rate_is_never_lowered_before_the_pipe_is_full() {
        let mut flow = Flow::new("bbr-startup", "bbr");
        flow.round(at(80.0));
        let before = flow.pacing_mbps();
        flow.round(at(10.0));
        assert_eq!(flow.pacing_mbps(), before);
    }

    /// V6
    #[test]
    fn until_the_initial_window_is_delivered_nothing_caps_the_window() {
        let mut flow = Flow::new("bbr-startup:version=v3", "bbr");
        // Twice this rate for 100 ms are six segments.
        let few = Round {
            acked: 2,
            ..at(3.0 * MSS as f64 / 12_500.0)
        };
        flow.round(few);
        assert_eq!(flow.w.cwnd, 12.0);
    }

    /// V8 of Linux's v3: the model would allow six segments.
    #[test]
    fn linux_v3_grows_in_any_case_up_to_twice_the_first_window() {
        let window = |version: &str| {
            let mut flow = Flow::new(&format!("bbr-startup:version={version}"), "bbr");
            let few = |acked| Round {
                acked,
                ..at(3.0 * MSS as f64 / 12_500.0)
            };
            flow.round(few(12));
            flow.w.cwnd = 12.0;
            flow.round(few(2));
            flow.w.cwnd
        };
        assert_eq!(window("v3-linux"), 14.0);
        assert_eq!(window("v3"), 12.0);
    }

    #[test]
    fn the_drafts_first_window_is_the_stacks() {
        let window = |version: &str| {
            let spec = format!("bbr-startup:iw=30,version={version}");
            let mut flow = Flow::new(&spec, "bbr");
            let few = Round {
                acked: 25,
                ..at(3.0 * MSS as f64 / 12_500.0)
            };
            flow.round(few);
            flow.w.cwnd
        };
        assert_eq!(window("v3"), 55.0);
        assert_eq!(window("v1"), 30.0, "the kernel's ten are delivered");
    }

    #[test]
    fn a_loss_that_ended_startup_and_was_none_is_no_exit_in_the_draft() {
        let exits = |version: &str| {
            let mut flow = Flow::new(&format!("bbr-startup:version={version}"), "bbr");
            flow.end_by_losses();
            assert_eq!(flow.c.exit().map(|exit| exit.reason), Some(Reason::Loss));
            flow.c.on_spurious(&mut flow.w);
            let starts = flow.c.parts().0.in_charge(&flow.w);
            for _ in 0..5 {
                flow.round(at(40.0));
            }
            let few = Round {
                flight: 10,
                ..at(40.0)
            };
            flow.round(few);
            flow.round(few);
            (starts, flow.c.exit().map(|exit| exit.reason))
        };
        assert_eq!(exits("v3"), (true, Some(Reason::FullPipe)));
        assert_eq!(exits("v3-linux"), (true, Some(Reason::Loss)));
    }

    /// V7
    #[test]
    fn v3_drains_for_three_rounds_at_most() {
        let mut flow = Flow::new("bbr-startup:version=v3", "bbr");
        flow.fill(100.0);
        for _ in 0..3 {
            flow.round(at(100.0));
            assert_eq!(flow.pacing_mbps(), 49.5);
        }
        flow.round(at(100.0));
        assert!((flow.pacing_mbps() - 0.9 * 99.0).abs() < 1e-3);
    }

    #[test]
    fn drain_ends_when_the_path_holds_what_is_in_flight() {
        for spec in ["bbr-startup", "bbr-startup:version=v3"] {
            let mut flow = Flow::new(spec, "bbr");
            flow.fill(100.0);
            let drain = flow.pacing_mbps();
            let few = Round {
                flight: 800,
                ..at(100.0)
            };
            flow.round(few);
            assert!(flow.pacing_mbps() > 1.4 * drain, "{spec}");
        }
    }

    #[test]
    fn another_avoidance_gets_what_the_path_holds_and_no_pacing() {
        let mut flow = Flow::new("bbr-startup", "reno");
        (0..200).for_each(|_| {
            flow.round(at(100.0));
        });
        assert!(flow.w.pacing.is_some(), "much is in flight, so it drains");
        let few = Round {
            flight: 800,
            ..at(100.0)
        };
        flow.round(few);
        // 856.2 segments, and room for three quanta.
        assert!((850.0..900.0).contains(&flow.w.cwnd), "{}", flow.w.cwnd);
        assert_eq!((flow.w.pacing, flow.w.ssthresh), (None, flow.w.cwnd));
        assert!(!flow.c.owns_cwnd());
        let before = flow.w.cwnd;
        flow.lose();
        assert!(flow.w.cwnd < 0.6 * before);
    }

    #[test]
    fn v1_sends_what_is_delivered_in_the_first_round_of_recovery_and_then_is_as_before() {
        let mut flow = Flow::new("bbr-startup", "bbr");
        (0..3).for_each(|_| {
            flow.round(at(100.0));
        });
        let before = flow.w.cwnd;
        flow.lose();
        assert_eq!((flow.w.cwnd, flow.c.exit()), (before, None));
        // The ACK that found the loss does not begin a round of its own.
        let mut ack = flow.ack(
            Round {
                flight: 20,
                acked: 3,
                lost: 1,
                ..at(100.0)
            },
            false,
        );
        if let Some(sample) = ack.delivery.as_mut().and_then(|d| d.sample.as_mut()) {
            sample.prior_delivered = 0;
        }
        flow.c.on_recovery_ack(&mut flow.w, &ack);
        assert_eq!(flow.w.cwnd, 23.0);
        let recovered = Recovered {
            now: flow.now,
            retransmitted: MSS,
            flight: 0,
        };
        flow.c.on_recovered(&mut flow.w, &recovered);
        flow.round(at(100.0));
        assert_eq!(flow.w.cwnd, before + 10.0);
    }

    #[test]
    fn v3_leaves_startup_for_losses_v1_does_not() {
        let reason = |spec| Flow::new(spec, "bbr").end_by_losses();
        assert_eq!(reason("bbr-startup:version=v3"), Some(Reason::Loss));
        assert_eq!(reason("bbr-startup:version=v3-linux"), Some(Reason::Loss));
        assert_eq!(reason("bbr-startup"), None);
    }

    #[test]
    fn a_timeout_leaves_one_segment_and_when_all_is_repaired_the_window_is_back() {
        let mut flow = Flow::new("bbr-startup", "bbr");
        (0..3).for_each(|_| {
            flow.round(at(100.0));
        });
        let before = flow.w.cwnd;
        let timeout = Timeout {
            now: flow.now,
            flight: 40 * MSS,
            usable: before,
            repeated: false,
        };
        flow.c.on_timeout(&mut flow.w, &timeout);
        assert_eq!((flow.w.cwnd, flow.c.exit()), (1.0, None));
        let few = Round {
            acked: 1,
            flight: 0,
            ..at(1.0)
        };
        let ack = flow.ack(few, true);
        flow.c.on_ack(&mut flow.w, &ack);
        assert_eq!(flow.w.cwnd, 4.0);
        flow.round(few);
        assert_eq!(flow.w.cwnd, before + 1.0);
    }

    #[test]
    fn after_another_startup_bbr_takes_over_at_the_first_loss() {
        let mut flow = Flow::new("slow-start", "bbr");
        (0..3).for_each(|_| {
            flow.round(at(100.0));
        });
        assert_eq!((flow.w.cwnd, flow.w.pacing), (16.0, None));
        flow.lose();
        assert_eq!(flow.c.exit().map(|e| e.reason), Some(Reason::Loss));
        flow.recovery_round(at(100.0));
        assert!((flow.pacing_mbps() - 34.32).abs() < 0.01);
    }

    #[test]
    fn the_least_round_trip_is_looked_for_every_ten_seconds_with_four_segments() {
        let mut flow = Flow::new("bbr-startup", "bbr");
        let few = Round {
            flight: 800,
            ..at(100.0)
        };
        (0..20).for_each(|_| {
            flow.round(few);
        });
        let before = flow.w.cwnd;
        let late = |flow: &mut Flow, rtt: u64, flight: u64| {
            let mut ack = flow.ack(Round { flight, ..few }, false);
            ack.rtt = Some(Duration::from_millis(rtt));
            flow.c.on_ack(&mut flow.w, &ack);
            flow.w.cwnd
        };
        let dips = (0..110).position(|_| late(&mut flow, 120, 800) == 4.0);
        assert_eq!(dips, Some(100));
        let held = (0..10)
            .take_while(|_| late(&mut flow, 100, 3) == 4.0)
            .count();
        assert!((2..5).contains(&held), "{held}");
        assert!(flow.w.cwnd >= before);
    }

    #[test]
    fn a_startup_that_lasts_is_interrupted_to_look_for_the_round_trip_and_goes_on() {
        let mut flow = Flow::new("bbr-startup", "bbr");
        let limited = |flight| Round {
            app_limited: true,
            flight,
            ..at(10.0)
        };
        let step = |flow: &mut Flow, flight| {
            let mut ack = flow.ack(limited(flight), false);
            ack.rtt = Some(Duration::from_millis(130));
            flow.c.on_ack(&mut flow.w, &ack);
        };
        while flow.w.cwnd != 4.0 {
            step(&mut flow, 800);
            assert!(flow.now < Instant::from_secs(12));
        }
        assert!(flow.now > Instant::from_secs(10));
        for _ in 0..5 {
            step(&mut flow, 3);
        }
        assert!(flow.w.cwnd > 4.0);
        assert_eq!(flow.c.exit(), None);
        let before = flow.pacing_mbps();
        flow.round(at(40.0));
        assert!(flow.pacing_mbps() > 2.0 * before);
    }

    /// Rounds of growth to 100 Mbit/s, then until Startup ends, and the pace before that.
    fn quiche_fills(spec: &str) -> (usize, f64) {
        let mut flow = Flow::new(spec, "bbr");
        for mbps in [10.0, 20.0, 40.0, 80.0, 100.0] {
            assert_eq!(flow.round(at(mbps)), None);
        }
        let pace = flow.pacing_mbps();
        let rounds = (1..9).find(|_| flow.round(at(100.0)) == Some(Reason::FullPipe));
        (rounds.unwrap(), (100.0 * pace).round() / 100.0)
    }

    #[test]
    fn quiche_starts_at_a_window_a_round_trip_and_ends_after_three_flat_rounds() {
        for (spec, gain) in [("quiche", 2.773), ("google-quiche", 2.885)] {
            let spec = format!("bbr-startup:version={spec}");
            assert_eq!(Flow::new(&spec, "bbr").pacing_mbps(), 1.168);
            assert_eq!(quiche_fills(&spec), (3, 100.0 * gain));
        }
    }

    #[test]
    fn options_of_google_quiche_change_rounds_and_gain() {
        let filled = |option| quiche_fills(&format!("bbr-startup:version=google-quiche,{option}"));
        assert_eq!(filled("option=1RTT"), (1, 288.5));
        assert_eq!(filled("option=2RTT"), (2, 288.5));
        assert_eq!(filled("option=BBQ1"), (3, 277.3));
        // The last round grew by a quarter: 1.25 and a quarter of what is above.
        assert_eq!(filled("option=BBQ6"), (3, 165.88));
    }

    #[test]
    fn an_option_needs_google_quiche() {
        for version in ["v3", "quiche"] {
            let spec = format!("bbr-startup:version={version},option=BBQ1");
            let refused = catalog::controller(&spec, "bbr", Convention::RFC).err();
            assert!(
                refused
                    .unwrap()
                    .to_string()
                    .contains("`version=google-quiche`")
            );
        }
    }

    #[test]
    fn the_avoidance_may_be_of_another_version() {
        // v1 probes at five quarters once in eight rounds, v3 not for two seconds at least.
        let fastest = |startup, avoidance| {
            let mut flow = Flow::new(startup, avoidance);
            flow.fill(100.0);
            let few = Round {
                flight: 800,
                ..at(100.0)
            };
            let rates = (0..12).map(|_| {
                flow.round(few);
                flow.pacing_mbps()
            });
            rates.fold(0.0, f64::max)
        };
        for startup in ["bbr-startup", "bbr-startup:version=v3"] {
            assert_eq!(fastest(startup, "bbr:version=v1"), 123.75, "{startup}");
            assert_eq!(fastest(startup, "bbr:version=v3"), 99.0, "{startup}");
        }
        assert_eq!(fastest("bbr-startup", "bbr"), 123.75);
        assert_eq!(fastest("bbr-startup:version=v3", "bbr"), 99.0);
    }
}
