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
mod tests;
