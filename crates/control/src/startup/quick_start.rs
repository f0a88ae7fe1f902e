//! Quick-Start: request a rate of every router on the path, and start at it.
//!
//! RFC 4782 (S. Floyd, M. Allman, A. Jain, P. Sarolahti, "Quick-Start for TCP and IP", January
//! 2007, Experimental). A sender cannot know how fast it may begin; the routers do. The SYN carries
//! the wish for a rate in an IP option. Each router that has as much to spare leaves it or lowers
//! it, the receiver returns what is left, and if all routers took part the sender has a window of
//! `rate * RTT` at once, paced over the first round trip. With the first ACK of that data the
//! window becomes what was used of it, and limited slow start continues. A refusal costs nothing. A
//! loss in the first flight means that the approval was wrong: the sender falls back to where it
//! would have been without it.
//!
//! Rates are coded in four bits, `40 kbit/s * 2^N`, so the largest is 1.31 Gbit/s.
//!
//! # State
//!
//! The approved rate; whether the flight leaves, is watched for loss or was lost; how far it
//! goes.
//!
//! # Contested
//!
//! - After a loss ns-2 leaves the threshold alone; the RFC allows half of what was delivered.
//! - ns-2 rounds the request down to a code where the RFC allows rounding up.
//! - ns-2.35 ignores a window no larger than the initial one; `min_window=2` is the rule that
//!   one published table needs.
//! - A second request within a connection is not made.

use super::{Assisted, Congestion, Maker, Reduction, Repaired, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established, PathInfo, Recovered, Sent, Syn};
use crate::slow_start::SlowStart;
use crate::{
    Convention, Duration, Family, Rate, Reason, Segments, Window, params, with_slow_start,
};

/// Entry of `quick-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "quick-start",
    title: "Quick-Start",
    source: "RFC 4782 §4; ns-2 QSAgent",
    year: 2007,
    opened: "text: RFC 4782 §2-4.9, 8, 9.7, App. A, D, E; code: ns-2.35 QSAgent and TcpAgent",
    compared: "request, approval, window and pace, loss after it, routers' four algorithms",
    summary: "Requests a rate of all routers on the path with the SYN, and starts at the approved \
              rate, paced.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing, Need::Peer, Need::Routers],
    certainty: Certainty::Text,
    build: |params, convention| Ok(copies(QuickStart::new(params, convention)?)),
};

params! {
    /// Parameters; those of slow start apply after the first flight.
    pub struct Settings {
        /// the requested rate, headers included; as given, the largest code
        request: Rate = "1.31072Gbps",
        /// whether no more is requested than carries what is queued within qs_rtt, or always the
        /// whole request (ns-2's qs_request_mode_ 1 and 0)
        sizing: Sizing = "data",
        /// no more is requested than carries what is queued within this time
        #[usual("by stack: 50ms under ns2, otherwise 100ms")]
        #[check(|time| time > Duration::ZERO, "a time above zero")]
        qs_rtt: Option<Duration>,
        /// with fewer segments queued nothing is requested
        #[usual("by sizing: 4 under data, 0 under fixed")]
        qs_thresh: Option<Segments>,
        /// an approved window smaller than this is not used
        #[usual("by initial window: more than that")]
        min_window: Option<Segments>,
        /// how the first flight is paced: at the approved rate, or the window over one round trip
        /// as the stack's clock shows it
        #[usual("by stack: window under ns2, otherwise rate")]
        pacing: Option<Pacing>,
        /// after an approval slow start is limited above this window (RFC 3742)
        #[usual("by stack: unlimited under ns2, otherwise 100")]
        #[check(|window| window >= 1.0, "at least 1")]
        max_ssthresh: Option<Segments>,
        /// the threshold after a loss of the first flight: half of what was delivered of it, or as
        /// it was
        #[usual("by stack: ns2 under ns2, otherwise rfc")]
        loss: Option<LossRule>,
    }

    pub enum Sizing { Data = "data", Fixed = "fixed" }
    pub enum Pacing { Rate = "rate", Window = "window" }
    pub enum LossRule { Rfc = "rfc", Ns2 = "ns2" }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Qs {
    /// Quick-Start is not used, or is over.
    Off,
    /// The first flight is being paced.
    Approved,
    /// It is out; its losses still count as its own.
    Watch,
    /// A loss of the first flight is being repaired.
    Recovery,
}

/// State of Quick-Start on one connection.
#[derive(Clone)]
struct QuickStart {
    request: Rate,
    qs_rtt: Duration,
    qs_thresh: Segments,
    sized: bool,
    min_window: Option<Segments>,
    at_rate: bool,
    max_ssthresh: Segments,
    rfc_loss: bool,
    round_up: bool,
    known: PathInfo,
    qs: Qs,
    /// An approval was used: slow start is limited from then on.
    used: bool,
    /// The pace of the flight is still set.
    paced: bool,
    initial: Segments,
    /// The flight ends before this byte.
    end: u64,
    delivered: u64,
}

impl QuickStart {
    fn new(params: &Params, convention: Convention) -> Result<QuickStart, SpecError> {
        let settings = Settings::read(params)?;
        let ns2 = convention.family == Family::Ns2;
        let sized = settings.sizing == Sizing::Data;
        params.effective(&Settings::qs_rtt, sized, "`sizing=data`")?;
        let qs_rtt = Duration::from_millis(if ns2 { 50 } else { 100 });
        let qs_thresh = if sized { 4.0 } else { 0.0 };
        let max_ssthresh = if ns2 { f64::INFINITY } else { 100.0 };
        let (pacing, loss) = match ns2 {
            true => (Pacing::Window, LossRule::Ns2),
            false => (Pacing::Rate, LossRule::Rfc),
        };
        Ok(QuickStart {
            request: settings.request,
            qs_rtt: settings.qs_rtt.unwrap_or(qs_rtt),
            qs_thresh: settings.qs_thresh.unwrap_or(qs_thresh),
            sized,
            min_window: settings.min_window,
            at_rate: settings.pacing.unwrap_or(pacing) == Pacing::Rate,
            max_ssthresh: settings.max_ssthresh.unwrap_or(max_ssthresh),
            rfc_loss: settings.loss.unwrap_or(loss) == LossRule::Rfc,
            round_up: !ns2,
            known: PathInfo::default(),
            qs: Qs::Off,
            used: false,
            paced: false,
            initial: 1.0,
            end: 0,
            delivered: 0,
        })
    }

    /// §4.4: the window that the approved rate fills, where it is worth using.
    fn begin(&mut self, w: &mut Window, rate: Rate, exact: Duration, rounded: Duration) {
        let window = (rate.bytes_in(exact) / u64::from(w.wire())) as Segments;
        let used = match self.min_window {
            None => window > self.initial,
            Some(least) => window >= least.max(1.0),
        };
        if !used {
            return;
        }
        w.cwnd = window;
        w.pacing = match self.at_rate {
            true => Some(rate).filter(|rate| rate.bps() > 0),
            false => w.rate_over(window, rounded),
        };
        (self.qs, self.used, self.paced) = (Qs::Approved, true, true);
    }

    /// RFC 3742 above `max_ssthresh`, which is obligatory after an approval (§4.4).
    fn grow(&self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) {
        if !self.used || w.cwnd <= self.max_ssthresh {
            return slow_start.grow(w, a);
        }
        let k = (w.cwnd / (0.5 * self.max_ssthresh)).floor();
        slow_start.grow_by(w, a, 1.0 / k);
    }

    /// The first ACK of the flight: its window is what was used of it.
    fn hand_over(&mut self, w: &mut Window) {
        let sent = self.end.div_ceil(u64::from(w.mss)) as Segments;
        w.cwnd = w.cwnd.min(sent.max(self.initial));
        if self.at_rate {
            self.stop_pacing(w);
        }
        self.qs = Qs::Watch;
    }

    fn stop_pacing(&mut self, w: &mut Window) {
        if std::mem::take(&mut self.paced) {
            w.pacing = None;
        }
    }

    /// §4.6: a threshold of half of what was delivered of the flight, so many bytes.
    fn threshold(&self, w: &mut Window, delivered: u64) {
        if self.rfc_loss {
            w.ssthresh = (w.segments(delivered) / 2.0).floor().max(2.0);
        }
    }
}

impl Startup for QuickStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.initial = w.cwnd;
        if let (Some(rate), Some(rtt)) = (self.known.approved, e.rtt) {
            let exact = self.known.exact_rtt.unwrap_or(rtt);
            self.begin(w, rate, exact, rtt);
        }
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        if self.qs == Qs::Approved {
            self.end = self.end.max(s.seq + u64::from(s.bytes));
        } else {
            // ns-2 sends nothing before the timer that paced the flight has run out.
            self.stop_pacing(w);
        }
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.delivered = a.delivered_total;
        let first = self.qs == Qs::Approved;
        if first {
            self.hand_over(w);
        }
        if self.qs == Qs::Watch && a.una >= self.end {
            self.qs = Qs::Off;
        }
        self.grow(w, a, slow_start);
        first.then_some(Reason::Router)
    }

    fn on_recovery_ack(&mut self, _w: &mut Window, a: &Ack) {
        self.delivered = a.delivered_total;
    }

    /// §4.6: back to the initial window and slow start.
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        let flown = matches!(self.qs, Qs::Approved | Qs::Watch);
        if c.is_timeout() || !flown {
            self.qs = Qs::Off;
            self.stop_pacing(w);
            return Response::STANDARD;
        }
        self.qs = Qs::Recovery;
        self.stop_pacing(w);
        w.cwnd = w.cwnd.min(self.initial);
        self.threshold(w, self.delivered);
        Response::ends(Reduction::Done)
    }

    /// Now it is known what of the flight was delivered.
    fn on_recovered(&mut self, w: &mut Window, r: &Recovered) -> Repaired {
        if self.qs == Qs::Recovery {
            self.qs = Qs::Off;
            self.threshold(w, self.end.saturating_sub(r.retransmitted));
        }
        Repaired::Continues
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }

    /// While the flight leaves it is this startup's, whatever the threshold is.
    fn in_charge(&self, w: &Window) -> bool {
        self.qs == Qs::Approved || w.in_slow_start()
    }
}

impl Assisted for QuickStart {
    fn on_known(&mut self, k: &PathInfo) {
        self.known = *k;
    }

    /// §4.1: as much as can be used, and nothing where slow start is as quick.
    fn rate_request(&self, s: &Syn) -> Option<Rate> {
        let segments = s.queued.div_ceil(u64::from(s.mss.max(1)));
        if (segments as f64) < self.qs_thresh {
            return None;
        }
        let wire = u64::from(s.mss + s.header);
        let useful = Rate::of(segments.saturating_mul(wire), self.qs_rtt);
        let want = if self.sized {
            self.request.min(useful)
        } else {
            self.request
        };
        let code = if self.round_up {
            s.codes.encode_up(want)
        } else {
            s.codes.encode_down(want)
        };
        (code > 0).then(|| s.codes.decode(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::{Loss, Timeout};
    use crate::testing::with_reno;
    use crate::{Controller, Instant, RateCodes};

    const MSS: u64 = 1460;
    const CODES: RateCodes = RateCodes::Powers;
    /// 5000 bytes per second.
    const UNIT: u64 = 8;

    fn approved(
        spec: &str,
        convention: Convention,
        code: u8,
        rtt: Duration,
    ) -> (Controller, Window) {
        let mut c = with_reno(&ENTRY, spec, convention).unwrap();
        let mut w = Window::new(MSS as u32);
        let known = PathInfo {
            approved: (code > 0).then(|| CODES.decode(code)),
            ..PathInfo::default()
        };
        c.on_known(&known);
        let e = Established {
            initial_window: 3.0,
            rtt: Some(rtt),
            ..Established::at(Instant::ZERO + rtt)
        };
        c.on_established(&mut w, &e);
        (c, w)
    }

    #[test]
    fn the_window_that_a_rate_fills() {
        for (code, ms, window) in [
            (7, 112, 47.0),
            (11, 112, 764.0),
            (3, 200, 5.0),
            (8, 50, 42.0),
            (1, 100, 3.0),
            (3, 100, 3.0),
            (14, 180, 9_830.0),
            (15, 200, 21_845.0),
            (0, 100, 3.0),
        ] {
            let (_, w) = approved("", Convention::RFC, code, Duration::from_millis(ms));
            assert_eq!(w.cwnd, window, "code {code}, {ms} ms");
            assert_eq!(w.pacing.is_some(), window > 3.0);
        }
        let (_, w) = approved("", Convention::RFC, 7, Duration::from_millis(112));
        assert_eq!(
            w.pacing.unwrap().time_for(1_500),
            Duration::from_nanos(2_343_750)
        );
        let (_, w) = approved("", Convention::NS2, 7, Duration::from_millis(110));
        assert_eq!(
            w.pacing,
            Some(Rate::of(46 * 1_500, Duration::from_millis(110)))
        );
    }

    #[test]
    fn a_window_below_the_initial_one_is_used_only_where_asked_for() {
        let rtt = Duration::from_millis(100);
        assert_eq!(
            approved("min_window=2", Convention::NS2, 3, rtt).1.cwnd,
            2.0
        );
        assert_eq!(
            approved("min_window=3", Convention::NS2, 3, rtt).1.cwnd,
            3.0
        );
    }

    fn send(c: &mut Controller, w: &mut Window, segments: u64) {
        for number in 0..segments {
            let sent = Sent {
                now: Instant::ZERO,
                bytes: MSS as u32,
                seq: number * MSS,
                retransmission: false,
                flight: (number + 1) * MSS,
            };
            c.on_sent(w, &sent);
        }
    }

    #[test]
    fn the_first_ack_cuts_the_window_to_what_was_used() {
        let cut = |sent: u64| {
            let (mut c, mut w) = approved("", Convention::NS2, 11, Duration::from_millis(112));
            assert_eq!(w.cwnd, 764.0);
            send(&mut c, &mut w, sent);
            c.on_ack(&mut w, &Ack::of(Instant::from_millis(224), MSS));
            assert_eq!(c.exit().unwrap().reason, Reason::Router);
            w.cwnd
        };
        assert_eq!(cut(400), 401.0);
        assert_eq!(cut(764), 765.0);
        assert_eq!(cut(2), 4.0);
    }

    #[test]
    fn pacing_ends_with_the_first_ack_or_under_ns2_with_the_next_segment() {
        let after_an_ack_of = |segments, convention| {
            let (mut c, mut w) = approved("", convention, 11, Duration::from_millis(112));
            send(&mut c, &mut w, 100);
            let ack = Ack {
                una: segments * MSS,
                ..Ack::of(Instant::from_millis(224), segments * MSS)
            };
            c.on_ack(&mut w, &ack);
            let at_the_ack = w.pacing.is_some();
            send(&mut c, &mut w, 1);
            (at_the_ack, w.pacing.is_some())
        };
        for segments in [1, 100] {
            assert_eq!(after_an_ack_of(segments, Convention::RFC), (false, false));
            assert_eq!(after_an_ack_of(segments, Convention::NS2), (true, false));
        }
    }

    #[test]
    fn slow_start_is_limited_after_an_approval() {
        let (mut c, mut w) = approved("", Convention::RFC, 11, Duration::from_millis(112));
        send(&mut c, &mut w, 764);
        c.on_ack(&mut w, &Ack::of(Instant::from_millis(224), MSS));
        assert_eq!(w.cwnd, 764.0 + 1.0 / 15.0);
        let (mut c, mut w) = approved("", Convention::RFC, 0, Duration::from_millis(112));
        w.cwnd = 764.0;
        c.on_ack(&mut w, &Ack::of(Instant::from_millis(224), MSS));
        assert_eq!(w.cwnd, 765.0);
    }

    fn lost(convention: Convention) -> [(f64, f64); 2] {
        let (mut c, mut w) = approved("", convention, 7, Duration::from_millis(112));
        send(&mut c, &mut w, 47);
        let (now, flight) = (Instant::from_millis(230), 37 * MSS);
        let ack = Ack {
            nxt: 47 * MSS,
            ..Ack::of(now, 10 * MSS)
        };
        c.on_ack(&mut w, &ack);
        let usable = w.cwnd;
        c.on_loss(
            &mut w,
            &Loss {
                now,
                flight,
                usable,
            },
        );
        let at_once = (w.cwnd, w.ssthresh);
        let retransmitted = 7 * MSS;
        let recovered = Recovered {
            now,
            retransmitted,
            flight: 0,
        };
        c.on_recovered(&mut w, &recovered);
        [at_once, (w.cwnd, w.ssthresh)]
    }

    #[test]
    fn a_loss_leads_back_to_the_initial_window() {
        assert_eq!(lost(Convention::RFC), [(3.0, 5.0), (3.0, 20.0)]);
        assert_eq!(lost(Convention::NS2), [(3.0, f64::INFINITY); 2]);
    }

    #[test]
    fn a_timeout_ends_it() {
        let (mut c, mut w) = approved("", Convention::RFC, 7, Duration::from_millis(112));
        send(&mut c, &mut w, 47);
        let timeout = Timeout {
            now: Instant::from_secs(1),
            flight: 47 * MSS,
            usable: 47.0,
            repeated: false,
        };
        c.on_timeout(&mut w, &timeout);
        assert_eq!((w.cwnd, w.ssthresh, w.pacing), (1.0, 23.5, None));
    }

    #[test]
    fn no_more_is_asked_for_than_can_be_used() {
        let request = |spec: &str, convention, segments: u64| {
            let mut c = with_reno(&ENTRY, spec, convention).unwrap();
            c.rate_request(&Syn {
                queued: segments * MSS,
                mss: MSS as u32,
                header: 40,
                codes: CODES,
            })
        };
        assert_eq!(request("", Convention::NS2, 3), None);
        // A request that does not follow from the data needs none, unless that is wanted.
        assert_eq!(
            request("sizing=fixed,request=8.192Mbps", Convention::NS2, 3),
            Some(Rate(640_000 * UNIT))
        );
        let asked = request("sizing=fixed,qs_thresh=4", Convention::NS2, 3);
        assert_eq!(asked, None);
        // 120 packets in 50 ms are 3.6 MB/s; the code below is 2.56 MB/s, the one above 5.12.
        assert_eq!(
            request("", Convention::NS2, 120),
            Some(Rate(2_560_000 * UNIT))
        );
        assert_eq!(
            request("qs_rtt=50ms", Convention::RFC, 120),
            Some(Rate(5_120_000 * UNIT))
        );
        assert_eq!(
            request("request=8.192Mbps", Convention::NS2, 400),
            Some(Rate(640_000 * UNIT))
        );
        assert_eq!(
            request("", Convention::RFC, u64::MAX / MSS),
            Some(CODES.decode(15))
        );
        assert_eq!(request("request=79kbps", Convention::NS2, 400), None);
    }

    #[test]
    fn times_and_limits_are_above_zero() {
        let complaint = |spec: &str| {
            let error = with_reno(&ENTRY, spec, Convention::RFC).err().unwrap();
            error.to_string()
        };
        assert!(complaint("qs_rtt=0s").ends_with("`0s` is not a time above zero"));
        assert!(complaint("max_ssthresh=0").ends_with("`0` is not at least 1"));
    }
}
