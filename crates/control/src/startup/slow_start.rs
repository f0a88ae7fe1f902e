//! Slow start.

use super::LossResponse;
use super::Startup;
use crate::catalog::{Certainty, Entry};
use crate::params::{ParamSpec, Params, Unit};
use crate::signals::{Ack, Established, Loss, Timeout};
use crate::{Convention, InitialWindow, Reason, Segments, Window};

/// The catalog entry.
pub const ENTRY: Entry<dyn Startup> = Entry {
    name: "slow-start",
    title: "Slow start",
    source: "RFC 5681 §3.1",
    year: 2009,
    summary: "Doubles the window every round trip until a loss or the threshold.",
    params: &[GROWTH, LIMIT, IW, SSTHRESH],
    needs: &[],
    certainty: Certainty::Text,
    build: |params, convention| {
        Ok(Box::new(SlowStart {
            growth: Growth::read(params, convention),
            opening: Opening::read(params, convention),
        }))
    },
};

/// How the window grows on an ACK.
pub(crate) const GROWTH: ParamSpec = ParamSpec {
    name: "growth",
    unit: Unit::Choice(&["per-ack", "per-byte", "abc", "packets"]),
    default: "by stack: per-ack under ns2, abc under rfc, packets under linux",
    meaning: "per-ack: one segment for each ACK; per-byte: what the ACK covers, at most one \
              segment (RFC 5681 eq. 2); abc: at most `limit` segments (RFC 3465), one after a \
              timeout; packets: every packet the ACK reports (Linux)",
};

/// ABC's L.
pub(crate) const LIMIT: ParamSpec = ParamSpec {
    name: "limit",
    unit: Unit::Segments,
    default: "2",
    meaning: "growth=abc: the most that one ACK may add, RFC 3465's L",
};

/// The first window.
pub(crate) const IW: ParamSpec = ParamSpec {
    name: "iw",
    unit: Unit::InitialWindow,
    default: "by stack: its initial-window rule",
    meaning: "the first window; after a lost SYN at most what the stack's rule allows",
};

/// The first threshold.
pub(crate) const SSTHRESH: ParamSpec = ParamSpec {
    name: "ssthresh",
    unit: Unit::Segments,
    default: "by stack: the peer's window under ns2, otherwise unlimited",
    meaning: "the slow-start threshold before anything is known of the path",
};

/// The opening of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    iw: Option<InitialWindow>,
    ssthresh: Option<Segments>,
    convention: Convention,
}

impl Opening {
    pub(crate) fn read(params: &Params, convention: Convention) -> Opening {
        Opening {
            iw: params.initial_window_given("iw"),
            ssthresh: params.segments_given("ssthresh"),
            convention,
        }
    }

    pub(crate) fn open(&self, w: &mut Window, e: &Established) {
        w.cwnd = match self.iw {
            Some(iw) if e.rtt.is_some() => iw.segments(w.mss),
            Some(iw) => iw.segments(w.mss).min(e.initial_window),
            None => e.initial_window,
        };
        w.ssthresh = match self.ssthresh {
            Some(ssthresh) => ssthresh,
            None if self.convention == Convention::Ns2 => peer_window(w, e.peer_window),
            None => f64::INFINITY,
        };
    }
}

pub(crate) fn peer_window(w: &Window, bytes: u64) -> Segments {
    if bytes == u64::MAX {
        f64::INFINITY
    } else {
        w.segments(bytes)
    }
}

/// How slow start grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    policy: Policy,
    after_timeout: bool,
}

#[derive(Clone, Copy, Debug)]
enum Policy {
    PerAck,
    Abc(Segments),
    Packets,
}

impl Growth {
    pub(crate) fn read(params: &Params, convention: Convention) -> Growth {
        let by_stack = match convention {
            Convention::Rfc => "abc",
            Convention::Ns2 => "per-ack",
            Convention::Linux => "packets",
        };
        let policy = match params.choice_given("growth").unwrap_or(by_stack) {
            "per-ack" => Policy::PerAck,
            "per-byte" => Policy::Abc(1.0),
            "abc" => Policy::Abc(params.segments("limit")),
            _ => Policy::Packets,
        };
        Growth {
            policy,
            after_timeout: false,
        }
    }

    pub(crate) fn grow(&mut self, w: &mut Window, a: &Ack) {
        if !a.cwnd_limited {
            return;
        }
        w.cwnd += match self.policy {
            Policy::PerAck => 1.0,
            Policy::Abc(limit) => {
                w.segments(a.acked)
                    .min(if self.after_timeout { 1.0 } else { limit })
            }
            Policy::Packets => w.segments(a.delivered).ceil(),
        };
    }
}

struct SlowStart {
    growth: Growth,
    opening: Opening,
}

impl Startup for SlowStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.opening.open(w, e);
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) -> Option<Reason> {
        self.growth.grow(w, a);
        None
    }

    fn on_loss(&mut self, _w: &mut Window, _l: &Loss) -> LossResponse {
        self.growth.after_timeout = false;
        LossResponse::Standard
    }

    fn on_timeout(&mut self, _w: &mut Window, _t: &Timeout) {
        self.growth.after_timeout = true;
    }
}
