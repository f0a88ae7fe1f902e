//! How the kernel's own congestion controls begin: their windows over time, and how slow start ended.
//!
//! The kernel is read every millisecond (`TCP_INFO`), so a window is up to so much older than its row.

use crate::info::{CWR, Counters, INFINITE_SSTHRESH, Info, LOSS, bbr_pacing_gain};
use flowstart_control::{Exit, Instant, Reason, Segments};
use flowstart_live::Sample;
use std::io;
use std::os::fd::OwnedFd;

/// BBR's gain in STARTUP, in 256ths (`bbr_high_gain`). Before the first acknowledgement it is another.
const BBR_HIGH_GAIN: u32 = 739;

/// The window of one connection over time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    is_bbr: bool,
    /// BBR has been seen in STARTUP.
    begun: bool,
    last: Info,
    exit: Option<Exit>,
    trace: Vec<Sample>,
    max_cwnd: u32,
}

impl Watch {
    /// Of a connection under this congestion control.
    pub(crate) fn new(control: &str) -> Watch {
        Watch {
            is_bbr: control == "bbr",
            ..Watch::default()
        }
    }

    /// Reads the kernel.
    pub(crate) fn look(&mut self, socket: &OwnedFd, now: Instant) -> io::Result<Info> {
        let info = Info::of(socket)?;
        let gain = self.is_bbr.then(|| bbr_pacing_gain(socket)).flatten();
        self.see(info, gain, now);
        Ok(info)
    }

    fn see(&mut self, info: Info, gain: Option<u32>, now: Instant) {
        if self.exit.is_none() {
            self.exit = match self.is_bbr {
                true => self.bbr_exit(gain, now),
                false => self.exit(&info, now),
            };
        }
        self.max_cwnd = self.max_cwnd.max(info.cwnd);
        if info != self.last || self.trace.is_empty() {
            self.trace.push(Sample {
                at: now,
                cwnd: info.cwnd.into(),
                ssthresh: threshold(info.ssthresh),
                flight: info.flight(),
                srtt: info.srtt,
            });
        }
        self.last = info;
    }

    /// Slow start has ended where there is a threshold. HyStart's report of it comes later
    /// ([`conclude`](Self::conclude)).
    fn exit(&self, info: &Info, now: Instant) -> Option<Exit> {
        let was_open = self.last.ssthresh >= INFINITE_SSTHRESH;
        if info.ssthresh >= INFINITE_SSTHRESH || !was_open && self.last != Info::default() {
            return None;
        }
        let reason = match info.ca_state {
            LOSS => Reason::Timeout,
            CWR => Reason::Ecn,
            _ => Reason::Loss,
        };
        Some(self.left(reason, now))
    }

    fn bbr_exit(&mut self, gain: Option<u32>, now: Instant) -> Option<Exit> {
        let high = gain == Some(BBR_HIGH_GAIN);
        self.begun |= high;
        let left = self.begun && !high;
        left.then(|| self.left(Reason::FullPipe, now))
    }

    fn left(&self, reason: Reason, at: Instant) -> Exit {
        Exit {
            reason,
            at,
            cwnd: self.last.cwnd.into(),
            flight: self.last.flight(),
        }
    }

    /// The connection is over. HyStart counts how often it has ended slow start, and at which window.
    pub(crate) fn conclude(&mut self, counters: &Counters) {
        let by = [
            (Reason::AckTrain, "TCPHystartTrain"),
            (Reason::Delay, "TCPHystartDelay"),
        ];
        for (reason, name) in by {
            if counters.get(&format!("{name}Detect")) > 0
                && let Some(exit) = &mut self.exit
            {
                exit.reason = reason;
                exit.cwnd = counters.get(&format!("{name}Cwnd")) as Segments;
            }
        }
    }

    /// How slow start ended; `None` where it lasted.
    pub(crate) fn exit_found(&self) -> Option<Exit> {
        self.exit
    }

    /// The largest window.
    pub(crate) fn max_cwnd(&self) -> Segments {
        self.max_cwnd.into()
    }

    /// What the window did.
    pub(crate) fn trace(self) -> Vec<Sample> {
        self.trace
    }
}

fn threshold(ssthresh: u32) -> Segments {
    match ssthresh {
        INFINITE_SSTHRESH.. => f64::INFINITY,
        known => known.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(cwnd: u32, ssthresh: u32, ca_state: u8) -> Info {
        Info {
            cwnd,
            ssthresh,
            ca_state,
            ..Info::default()
        }
    }

    fn seen(rows: &[Info]) -> Watch {
        let mut watch = Watch::new("cubic");
        for (ms, row) in rows.iter().enumerate() {
            watch.see(*row, None, Instant::from_millis(ms as u64));
        }
        watch
    }

    #[test]
    fn slow_start_ends_when_there_is_a_threshold_with_the_window_before() {
        let open = INFINITE_SSTHRESH;
        let watch = seen(&[info(10, open, 0), info(88, open, 0), info(60, 61, 3)]);
        let exit = watch.exit_found().unwrap();
        assert_eq!((exit.reason, exit.cwnd), (Reason::Loss, 88.0));
        assert_eq!(exit.at, Instant::from_millis(2));
        assert_eq!(watch.max_cwnd(), 88.0);
        let timeout = seen(&[info(10, open, 0), info(1, 5, LOSS)]);
        assert_eq!(timeout.exit_found().unwrap().reason, Reason::Timeout);
    }

    #[test]
    fn the_counters_show_why_and_where_hystart_ended_slow_start() {
        let open = INFINITE_SSTHRESH;
        let mut watch = seen(&[info(10, open, 0), info(90, 88, 0)]);
        let text = "TcpExt: TCPHystartDelayDetect TCPHystartDelayCwnd\nTcpExt: 1 88\n";
        watch.conclude(&Counters::read(text));
        let exit = watch.exit_found().unwrap();
        assert_eq!((exit.reason, exit.cwnd), (Reason::Delay, 88.0));
    }

    #[test]
    fn bbr_has_left_startup_when_its_gain_is_another() {
        let mut watch = Watch::new("bbr");
        let open = INFINITE_SSTHRESH;
        for (gain, cwnd) in [(256, 10), (739, 20), (739, 84), (88, 90)] {
            watch.see(info(cwnd, open, 0), Some(gain), Instant::ZERO);
        }
        let exit = watch.exit_found().unwrap();
        assert_eq!((exit.reason, exit.cwnd), (Reason::FullPipe, 84.0));
    }
}
