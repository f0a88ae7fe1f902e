//! The kernel's values of a connection and of a host.

use crate::namespace::Host;
use crate::sys;
use flowstart_control::Duration;
use flowstart_live::links::BusyTimes;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;

/// `TCP_INFINITE_SSTHRESH`.
pub(crate) const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// A connection's state, as `TCP_INFO` has it (include/uapi/linux/tcp.h). Windows and counts are of
/// segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Info {
    /// `tcpi_ca_state`.
    pub ca_state: u8,
    /// `tcpi_snd_mss`, bytes.
    pub mss: u32,
    /// `tcpi_unacked`.
    pub unacked: u32,
    /// `tcpi_sacked`.
    pub sacked: u32,
    /// `tcpi_lost`.
    pub lost: u32,
    /// `tcpi_retrans`.
    pub retrans: u32,
    /// `tcpi_rtt`.
    pub srtt: Duration,
    /// `tcpi_snd_ssthresh`.
    pub ssthresh: u32,
    /// `tcpi_snd_cwnd`.
    pub cwnd: u32,
    /// `tcpi_total_retrans`.
    pub total_retrans: u32,
    /// `tcpi_notsent_bytes`.
    pub notsent: u32,
    /// `tcpi_data_segs_out`.
    pub data_segs_out: u32,
}

/// A window that slides down for a mark.
pub(crate) const CWR: u8 = 2;
/// A timeout.
pub(crate) const LOSS: u8 = 4;

impl Info {
    /// Of this socket, now.
    pub(crate) fn of(socket: &OwnedFd) -> io::Result<Info> {
        sys::tcp_option(socket, libc::TCP_INFO).map(|said| Info::read(&said))
    }

    /// Zeros are what an older kernel does not say.
    fn read(said: &[u8]) -> Info {
        let word = |at: usize| match said.get(at..at + 4) {
            Some(&[a, b, c, d]) => u32::from_ne_bytes([a, b, c, d]),
            _ => 0,
        };
        Info {
            ca_state: said.get(1).copied().unwrap_or(0),
            mss: word(16),
            unacked: word(24),
            sacked: word(28),
            lost: word(32),
            retrans: word(36),
            srtt: Duration::from_micros(word(68).into()),
            ssthresh: word(76),
            cwnd: word(80),
            total_retrans: word(100),
            notsent: word(144),
            data_segs_out: word(156),
        }
    }

    /// Whether all that was written is acknowledged.
    pub(crate) fn is_drained(&self) -> bool {
        self.unacked == 0 && self.notsent == 0
    }

    /// `tcp_packets_in_flight`, in bytes.
    pub(crate) fn flight(&self) -> u64 {
        let gone = self.sacked + self.lost;
        let segments = (self.unacked + self.retrans).saturating_sub(gone);
        u64::from(segments) * u64::from(self.mss)
    }
}

/// For how long a socket was busy, and limited by what; `None` where the kernel does not count it.
pub(crate) fn busy_times(socket: &OwnedFd) -> io::Result<Option<BusyTimes>> {
    let said = sys::tcp_option(socket, libc::TCP_INFO)?;
    let micros = |at: usize| {
        let bytes = said.get(at..at + 8)?.try_into().ok()?;
        Some(Duration::from_micros(u64::from_ne_bytes(bytes)))
    };
    let times = || {
        Some(BusyTimes {
            busy: micros(168)?,
            rwnd_limited: micros(176)?,
            sndbuf_limited: micros(184)?,
        })
    };
    Ok(times())
}

/// `tcp_bbr_info`'s gain of the pacing rate, in 256ths; `None` where the congestion control is another.
pub(crate) fn bbr_pacing_gain(socket: &OwnedFd) -> Option<u32> {
    let said = sys::tcp_option(socket, libc::TCP_CC_INFO).ok()?;
    let gain = said.get(12..16)?;
    Some(u32::from_ne_bytes(gain.try_into().ok()?))
}

/// Counters of a host: `TcpExt` and its neighbours of `/proc/net/netstat`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters(HashMap<String, u64>);

impl Counters {
    /// Those of this host, now.
    pub(crate) fn of(host: &Host) -> io::Result<Counters> {
        host.run(|| fs::read_to_string("/proc/thread-self/net/netstat"))
            .map(|text| Counters::read(&text))
    }

    pub(crate) fn read(text: &str) -> Counters {
        let mut found = HashMap::new();
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.chunks_exact(2) {
            let names = pair[0].split_whitespace().skip(1);
            let values = pair[1].split_whitespace().skip(1);
            found.extend(
                names
                    .zip(values)
                    .filter_map(|(name, value)| Some((name.to_string(), value.parse().ok()?))),
            );
        }
        Counters(found)
    }

    /// The counter of this name; zero where the kernel has none.
    pub(crate) fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_older_kernel_does_not_say_is_zero() {
        let mut said = vec![0; 84];
        said[80..84].copy_from_slice(&10_u32.to_ne_bytes());
        let info = Info::read(&said);
        assert_eq!((info.cwnd, info.data_segs_out), (10, 0));
        assert_eq!(Info::read(&[]), Info::default());
    }

    #[test]
    fn in_flight_is_what_is_out_and_neither_arrived_nor_lost() {
        let info = Info {
            mss: 1448,
            unacked: 20,
            sacked: 5,
            lost: 3,
            retrans: 2,
            ..Info::default()
        };
        assert_eq!(info.flight(), 14 * 1448);
    }

    #[test]
    fn counters_are_read_by_name() {
        let text = "TcpExt: SyncookiesSent TCPHystartTrainDetect\nTcpExt: 0 3\nIpExt: InCEPkts\nIpExt: 7\n";
        let counters = Counters::read(text);
        assert_eq!(counters.get("TCPHystartTrainDetect"), 3);
        assert_eq!(counters.get("InCEPkts"), 7);
        assert_eq!(counters.get("NoSuchCounter"), 0);
    }
}
