//! Reno: one segment more per round trip, half as much after a loss.
//!
//! RFC 5681 (M. Allman, V. Paxson, E. Blanton, September 2009) §3.1 and §3.2, after
//! Jacobson's "Congestion Avoidance and Control" (1988). Past the slow-start threshold
//! the sender probes for bandwidth by adding about one segment per round trip; when a
//! loss shows that the path is full it halves the window and begins again. The sawtooth
//! that results is what every later congestion control is compared with.
//!
//! Two details differ among implementations. *Growth*: RFC 5681 counts the bytes that
//! are acknowledged and adds a segment when a whole window has been; the older
//! approximation, eq. 3, adds `1/cwnd` on each ACK and so grows slower when the receiver
//! delays its ACKs. *Decrease*: the RFC halves what was in flight; ns-2 halves the
//! usable window; Linux halves the congestion window, and so does QUIC (RFC 9002 §7.3.2),
//! which counts it in bytes and not in whole packets. quicly keeps 0.7 of it from the second loss on.

use super::{Avoidance, Maker, copies, pico};
use crate::entry::{Certainty, Entry};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Loss, Timeout};
use crate::variants::CountAfterLoss;
use crate::{Convention, Family, Instant, Segments, Window, params};

/// Entry of `reno` in the catalog of congestion controls.
pub const ENTRY: Entry<Maker> = Entry {
    name: "reno",
    title: "Reno congestion control",
    source: "4.3BSD-Reno, 1990; RFC 5681 §3.1-3.2",
    year: 1990,
    opened: "text: RFC 5681 and RFC 3465",
    compared: "increase, decrease, timeout, idle time",
    summary: "Adds one segment per round trip and halves the window on loss.",
    params: Settings::PARAMS,
    needs: &[],
    certainty: Certainty::Text,
    build: |params, convention| {
        let settings = Settings::read(params)?;
        Ok(copies(Reno {
            growth: Increase::given(settings.growth, convention),
            decrease: Decrease::read(params, &settings, convention)?,
        }))
    },
};

params! {
    /// What other avoidances have too.
    pub struct Settings {
        /// per-ack: 1/cwnd segments for each ACK (RFC 5681 eq. 3); counting: one segment when a
        /// whole window has been acknowledged (RFC 5681 §3.1, RFC 3465)
        #[usual("by stack: per-ack under ns2, otherwise counting")]
        growth: Option<Growth>,
        /// what a loss halves: flight, the data outstanding (RFC 5681 eq. 4); window, the usable
        /// window min(cwnd, peer's) (ns-2); cwnd, the congestion window in whole packets (Linux);
        /// cwnd-bytes, the congestion window (RFC 9002 section 7.3.2)
        #[usual(
            "by stack: flight under rfc, window under ns2, cwnd under linux, cwnd-bytes under \
             quic"
        )]
        base: Option<Base>,
        /// base=window: whether half of an odd window keeps its fraction (ns-2 precisionReduce_)
        precise: bool = "true",
    }

    pub enum Growth { PerAck = "per-ack", Counting = "counting" }
    pub enum Base {
        Flight = "flight",
        Window = "window",
        Cwnd = "cwnd",
        CwndBytes = "cwnd-bytes",
    }
}

/// The growth rule with its counter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Increase {
    PerAck,
    Counting(Counter),
}

/// Segments acknowledged since the last increase, RFC 5681's `bytes_acked`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counter {
    acked: Segments,
    /// Segments acknowledged before the last reduction.
    before: Segments,
    after_loss: CountAfterLoss,
}

impl Increase {
    /// As given, or as the stack has it.
    pub(crate) fn given(growth: Option<Growth>, convention: Convention) -> Increase {
        let by_stack = match convention.family {
            Family::Ns2 => Growth::PerAck,
            _ => Growth::Counting,
        };
        match growth.unwrap_or(by_stack) {
            Growth::PerAck => Increase::PerAck,
            Growth::Counting => Increase::counting(convention),
        }
    }

    fn counting(convention: Convention) -> Increase {
        Increase::Counting(Counter {
            after_loss: convention.count_after_loss,
            ..Counter::default()
        })
    }

    /// One segment per round trip in which the window was used.
    pub(crate) fn grow(&mut self, w: &mut Window, a: &Ack) {
        if !a.cwnd_limited {
            return;
        }
        match self {
            // RFC 5681 eq. 3, in segments and real numbers as ns-2 has it.
            Increase::PerAck => w.cwnd += 1.0 / w.cwnd,
            // RFC 5681 §3.1: one segment per window acknowledged, at most one per ACK.
            Increase::Counting(counter) => {
                counter.acked += w.segments(a.credit);
                if counter.acked >= w.cwnd {
                    counter.acked -= w.cwnd;
                    w.cwnd += 1.0;
                }
            }
        }
    }

    /// What was counted towards the next segment belonged to another window.
    pub(crate) fn forget(&mut self) {
        if let Increase::Counting(counter) = self
            && counter.after_loss != CountAfterLoss::Continues
        {
            counter.acked = 0.0;
        }
    }

    /// The window comes down, and the count restarts.
    pub(crate) fn reduce(&mut self) {
        if let Increase::Counting(counter) = self {
            counter.before = counter.acked;
            if counter.after_loss != CountAfterLoss::Continues {
                counter.acked = 0.0;
            }
        }
    }

    /// After a reduction to this window.
    fn reduced_to(&mut self, w: &Window) {
        if let Increase::Counting(counter) = self
            && counter.after_loss == CountAfterLoss::HalfWindow
        {
            counter.acked = w.cwnd / 2.0;
        }
    }

    /// The last reduction was spurious.
    pub(crate) fn undo(&mut self) {
        if let Increase::Counting(counter) = self
            && counter.after_loss != CountAfterLoss::StaysReset
        {
            counter.acked = counter.before;
        }
    }
}

impl Base {
    /// As given, or as the stack has it.
    pub(crate) fn given(base: Option<Base>, convention: Convention) -> Base {
        base.unwrap_or(match convention.family {
            Family::Ns2 => Base::Window,
            Family::Linux => Base::Cwnd,
            Family::Quic => Base::CwndBytes,
            Family::Rfc => Base::Flight,
        })
    }

    /// Size of what a loss reduces, in segments.
    pub(crate) fn segments(self, w: &Window, flight: u64, usable: Segments) -> Segments {
        match self {
            Base::Flight => w.segments(flight),
            Base::Window => usable,
            Base::Cwnd | Base::CwndBytes => w.cwnd,
        }
    }
}

/// The multiplicative decrease, which `none` shares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decrease {
    base: Base,
    precise: bool,
    /// quicly's shares of the window, of which the second is not a half (`lib/cc-reno.c`).
    quicly: bool,
}

impl Decrease {
    /// By the parameters `base` and `precise`.
    pub(crate) fn read(
        params: &Params,
        settings: &Settings,
        convention: Convention,
    ) -> Result<Decrease, SpecError> {
        let base = Base::given(settings.base, convention);
        let window = matches!(base, Base::Window);
        params.effective(&Settings::precise, window, "`base=window`")?;
        Ok(Decrease {
            base,
            precise: settings.precise,
            quicly: convention.reduces_as_quicly,
        })
    }

    /// Decrease of this base with the default of `precise`.
    pub(crate) fn of(base: Base) -> Decrease {
        Decrease {
            base,
            precise: true,
            quicly: false,
        }
    }

    /// The threshold and the window after a loss.
    fn half(&self, w: &Window, flight: u64, usable: Segments) -> (Segments, Segments) {
        let base = self.base.segments(w, flight, usable);
        match self.base {
            // RFC 5681 eq. 4; RFC 9002 §7.3.2 with kMinimumWindow.
            Base::Flight | Base::CwndBytes => {
                let share = if self.quicly { pico::share(w) } else { 0.5 };
                ((base * share).max(2.0), (base * share).max(2.0))
            }
            // ns-2 keeps the threshold as an integer but not the window.
            Base::Window => {
                let half = if self.precise {
                    base / 2.0
                } else {
                    (base.trunc() / 2.0).trunc()
                };
                (half.trunc().max(2.0), half.max(1.0))
            }
            // Linux counts whole packets.
            Base::Cwnd => {
                let half = (base.trunc() / 2.0).trunc().max(2.0);
                (half, half)
            }
        }
    }

    /// RFC 5681 §3.2, without the inflation of the window during recovery, which is the
    /// transport's.
    pub(crate) fn on_loss(&self, w: &mut Window, l: &Loss) {
        (w.ssthresh, w.cwnd) = self.half(w, l.flight, l.usable);
    }

    /// RFC 5681 §3.1: the threshold is lowered once per segment that times out, however
    /// often it does; ns-2 lowers it each time. The window restarts from one segment.
    pub(crate) fn on_timeout(&self, w: &mut Window, t: &Timeout) {
        if !t.repeated || self.base == Base::Window {
            (w.ssthresh, _) = self.half(w, t.flight, t.usable);
        }
        w.cwnd = 1.0;
    }
}

/// Reno.
#[derive(Clone)]
pub(super) struct Reno {
    growth: Increase,
    decrease: Decrease,
}

impl Reno {
    /// Reno with the rules of Linux.
    pub(super) fn linux() -> Reno {
        Reno {
            growth: Increase::counting(Convention::LINUX),
            decrease: Decrease::of(Base::Cwnd),
        }
    }
}

impl Avoidance for Reno {
    fn on_start(&mut self, _w: &mut Window, _now: Instant) {
        self.growth.forget();
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        self.growth.grow(w, a);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        self.decrease.on_loss(w, l);
        self.growth.reduce();
        self.growth.reduced_to(w);
    }

    fn counts_for_startup(&self) -> bool {
        matches!(self.growth, Increase::Counting(counter) if counter.after_loss == CountAfterLoss::HalfWindow)
    }

    /// Of quiche: a packet for each packet, however short (`on_packet_acked`).
    fn startup_credit(&mut self, w: &Window, a: &Ack) -> u64 {
        a.credit.next_multiple_of(w.mss.into())
    }

    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        self.decrease.on_timeout(w, t);
        match t.repeated {
            true => self.growth.forget(),
            false => self.growth.reduce(),
        }
    }

    fn on_spurious(&mut self, _w: &mut Window) {
        self.growth.undo();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Controller, catalog};

    fn avoiding(spec: &str, convention: Convention, cwnd: f64) -> (Controller, Window) {
        let c = catalog::controller("slow-start", spec, convention).unwrap();
        let mut w = Window::new(1460);
        (w.cwnd, w.ssthresh) = (cwnd, cwnd);
        (c, w)
    }

    fn acks(c: &mut Controller, w: &mut Window, count: u64, segments: u64) {
        for _ in 0..count {
            c.on_ack(w, &Ack::of(Instant::ZERO, segments * 1460));
        }
    }

    #[test]
    fn ten_acks_at_ten_segments() {
        let (mut c, mut w) = avoiding("reno:growth=per-ack", Convention::RFC, 10.0);
        acks(&mut c, &mut w, 10, 1);
        assert!(
            (w.cwnd * 1460.0 - 15_999.63).abs() < 0.005,
            "{}",
            w.cwnd * 1460.0
        );
        let (mut c, mut w) = avoiding("reno", Convention::RFC, 10.0);
        acks(&mut c, &mut w, 9, 1);
        assert_eq!(w.cwnd_bytes(), 14_600);
        acks(&mut c, &mut w, 1, 1);
        assert_eq!(w.cwnd_bytes(), 16_060);
    }

    #[test]
    fn counting_does_not_mind_delayed_acks() {
        let (mut c, mut w) = avoiding("reno", Convention::RFC, 10.0);
        acks(&mut c, &mut w, 5, 2);
        assert_eq!(w.cwnd, 11.0);
    }

    #[test]
    fn ns2_adds_the_reciprocal_in_its_own_rounding() {
        let (mut c, mut w) = avoiding("reno", Convention::NS2, 3.0);
        acks(&mut c, &mut w, 1, 1);
        assert_eq!(w.cwnd, 3.0 + 1.0 / 3.0);
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let (mut c, mut w) = avoiding("reno:growth=per-ack", Convention::RFC, 10.0);
        c.on_ack(
            &mut w,
            &Ack {
                cwnd_limited: false,
                ..Ack::of(Instant::ZERO, 1460)
            },
        );
        assert_eq!(w.cwnd, 10.0);
    }

    /// Threshold and window after a loss in a window of `cwnd`, the peer's being 335.
    fn halved(spec: &str, convention: Convention, cwnd: f64, flight: u64) -> (f64, f64) {
        let (mut c, mut w) = avoiding(spec, convention, cwnd);
        let usable = cwnd.min(335.0);
        c.on_loss(
            &mut w,
            &Loss {
                now: Instant::ZERO,
                flight: flight * 1460,
                usable,
            },
        );
        (w.ssthresh, w.cwnd)
    }

    #[test]
    fn what_a_loss_halves() {
        assert_eq!(halved("reno", Convention::RFC, 40.0, 25), (12.5, 12.5));
        assert_eq!(halved("reno", Convention::RFC, 40.0, 3), (2.0, 2.0));
        assert_eq!(halved("reno", Convention::NS2, 335.0, 1), (167.0, 167.5));
        assert_eq!(halved("reno", Convention::NS2, 500.0, 1), (167.0, 167.5));
        assert_eq!(halved("reno", Convention::NS2, 1.5, 1), (2.0, 1.0));
        assert_eq!(
            halved("reno:precise=false", Convention::NS2, 335.7, 1),
            (167.0, 167.0)
        );
        assert_eq!(halved("reno", Convention::LINUX, 669.0, 1), (334.0, 334.0));
        assert_eq!(halved("reno", Convention::QUIC, 669.0, 1), (334.5, 334.5));
        assert_eq!(halved("reno", Convention::QUIC, 2.5, 1), (2.0, 2.0));
        assert_eq!(
            halved("reno:base=flight", Convention::LINUX, 669.0, 10),
            (5.0, 5.0)
        );
    }

    fn timed_out(convention: Convention, repeated: bool) -> (f64, f64) {
        let (mut c, mut w) = avoiding("reno", convention, 40.0);
        let timeout = Timeout {
            now: Instant::ZERO,
            flight: 20 * 1460,
            usable: 20.0,
            repeated,
        };
        c.on_timeout(&mut w, &timeout);
        (w.ssthresh, w.cwnd)
    }

    #[test]
    fn a_timeout_lowers_the_threshold_once() {
        assert_eq!(timed_out(Convention::RFC, false), (10.0, 1.0));
        assert_eq!(timed_out(Convention::RFC, true), (40.0, 1.0));
        assert_eq!(timed_out(Convention::NS2, true), (10.0, 1.0));
    }

    #[test]
    fn a_loss_forgets_what_was_counted() {
        let (mut c, mut w) = avoiding("reno", Convention::RFC, 10.0);
        acks(&mut c, &mut w, 9, 1);
        c.on_loss(
            &mut w,
            &Loss {
                now: Instant::ZERO,
                flight: 10 * 1460,
                usable: 10.0,
            },
        );
        acks(&mut c, &mut w, 4, 1);
        assert_eq!(w.cwnd, 5.0);
        acks(&mut c, &mut w, 1, 1);
        assert_eq!(w.cwnd, 6.0);
    }

    #[test]
    fn under_quiche_a_short_packet_lets_slow_start_grow_like_a_full_one() {
        let quiche = Convention {
            count_after_loss: CountAfterLoss::HalfWindow,
            ..Convention::QUIC
        };
        for (convention, grown) in [(Convention::QUIC, 10.1), (quiche, 11.0)] {
            let (mut c, mut w) = avoiding("reno", convention, 10.0);
            w.ssthresh = f64::INFINITY;
            c.on_ack(&mut w, &Ack::of(Instant::ZERO, 146));
            assert_eq!(w.cwnd, grown);
        }
    }

    /// RFC 5681's `bytes_acked` counts on; Linux resets `snd_cwnd_cnt` for good.
    #[test]
    fn a_spurious_loss_gives_back_what_was_counted_except_under_linux() {
        for (convention, missing) in [(Convention::RFC, 1), (Convention::LINUX, 10)] {
            let (mut c, mut w) = avoiding("reno", convention, 10.0);
            acks(&mut c, &mut w, 9, 1);
            let before = w;
            c.on_loss(
                &mut w,
                &Loss {
                    now: Instant::ZERO,
                    flight: 10 * 1460,
                    usable: 10.0,
                },
            );
            w = before;
            c.on_spurious(&mut w);
            acks(&mut c, &mut w, missing - 1, 1);
            assert_eq!(w.cwnd, 10.0);
            acks(&mut c, &mut w, 1, 1);
            assert_eq!(w.cwnd, 11.0);
        }
    }
}
