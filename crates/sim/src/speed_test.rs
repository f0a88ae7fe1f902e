//! The rates that speed tests report, evaluated from one flow's deliveries.

use flowstart_control::Duration;
use std::fmt;
use std::str::FromStr;

/// How long iperf3, ndt7 and Ookla's test measure by default.
const TEN_SECONDS: Duration = Duration::from_secs(10);
/// Ookla divides its test into so many slices. (Its page "How does the test work", HTTP engine.)
const SLICES: u64 = 20;
/// Of its slices the download test drops the fastest tenth and the slowest three tenths.
const FASTEST: usize = 2;
const SLOWEST: usize = 6;
/// LibreSpeed measures downloads for so long, of which it drops the beginning. (librespeed 04cdce6)
const LIBRESPEED: Duration = Duration::from_secs(15);
const LIBRESPEED_DROPPED: Duration = Duration::from_millis(1500);
/// What LibreSpeed adds for headers.
const LIBRESPEED_FACTOR: f64 = 1.06;
/// Downloads of Cloudflare's test, with their numbers. (cloudflare/speedtest b387f42)
pub(crate) const DOWNLOADS: [(u64, usize); 6] = [
    (100_000, 10),
    (1_000_000, 8),
    (10_000_000, 6),
    (25_000_000, 4),
    (100_000_000, 3),
    (250_000_000, 2),
];
/// Shorter downloads do not count.
const SHORTEST_DOWNLOAD_S: f64 = 0.01;
/// A size that takes longer is the last.
const LONGEST_DOWNLOAD_S: f64 = 1.0;
/// The percentile of downloads that Cloudflare's test reports.
const REPORTED: f64 = 0.9;

/// A speed test's convention: what it counts, and from when on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeedTest {
    /// iperf3's receiver over 10 s, which begin `omit` after the first data (`-O`).
    Iperf3 {
        /// What it leaves out.
        omit: Duration,
    },
    /// ndt7's download over 10 s from the first byte that arrives, the startup included.
    Ndt7,
    /// Ookla's download with one connection, the HTTP engine of its public description.
    Ookla,
    /// Cloudflare's downloads, as if each had a new connection.
    Cloudflare,
    /// LibreSpeed's download with one stream.
    LibreSpeed,
}

/// A moment from which a duration counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The flow opens: the SYN leaves.
    Opened,
    /// The first data leaves.
    FirstSent,
    /// The first data is delivered.
    FirstDelivered,
}

/// A moment at which the bytes that were delivered are needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub(crate) from: Origin,
    pub(crate) after: Duration,
}

impl SpeedTest {
    /// How long it takes from the first data on.
    pub fn lasts(self) -> Duration {
        match self {
            SpeedTest::Iperf3 { omit } => omit + TEN_SECONDS,
            SpeedTest::LibreSpeed => LIBRESPEED,
            SpeedTest::Ndt7 | SpeedTest::Ookla | SpeedTest::Cloudflare => TEN_SECONDS,
        }
    }

    /// The time over which it measures.
    pub(crate) fn measures(self) -> Duration {
        match self {
            SpeedTest::LibreSpeed => LIBRESPEED.saturating_sub(LIBRESPEED_DROPPED),
            _ => TEN_SECONDS,
        }
    }

    /// When it needs the bytes that were delivered, in order.
    pub(crate) fn cuts(self) -> Vec<Cut> {
        let sent = |after| Cut {
            from: Origin::FirstSent,
            after,
        };
        match self {
            SpeedTest::Iperf3 { omit } => vec![sent(omit), sent(omit + TEN_SECONDS)],
            SpeedTest::LibreSpeed => vec![sent(LIBRESPEED_DROPPED), sent(LIBRESPEED)],
            SpeedTest::Ndt7 => vec![Cut {
                from: Origin::FirstDelivered,
                after: TEN_SECONDS,
            }],
            SpeedTest::Ookla => (0..=SLICES)
                .map(|slice| sent(TEN_SECONDS.times(slice).over(SLICES)))
                .collect(),
            SpeedTest::Cloudflare => vec![sent(TEN_SECONDS)],
        }
    }

    /// The rate in bits per second. `delivered` are the bytes at its cuts; `downloads` are the
    /// times from a request to the end of each size of [`DOWNLOADS`], where it was delivered.
    pub(crate) fn rate(self, delivered: &[u64], downloads: &[Option<f64>]) -> Option<f64> {
        let measures = self.measures().secs();
        let whole = delivered.last()? - delivered.first()?;
        match self {
            SpeedTest::Iperf3 { .. } => Some(8.0 * whole as f64 / measures),
            SpeedTest::LibreSpeed => Some(LIBRESPEED_FACTOR * 8.0 * whole as f64 / measures),
            SpeedTest::Ndt7 => Some(8.0 * *delivered.first()? as f64 / measures),
            SpeedTest::Ookla => Some(ookla(delivered)),
            SpeedTest::Cloudflare => cloudflare(downloads),
        }
    }
}

/// The mean rate of the slices that Ookla's test keeps.
fn ookla(delivered: &[u64]) -> f64 {
    let mut slices: Vec<u64> = delivered.windows(2).map(|ends| ends[1] - ends[0]).collect();
    slices.sort_unstable();
    let kept = &slices[SLOWEST..slices.len() - FASTEST];
    let slice_s = TEN_SECONDS.secs() / SLICES as f64;
    8.0 * kept.iter().sum::<u64>() as f64 / (kept.len() as f64 * slice_s)
}

/// The 90th percentile of the rates of Cloudflare's downloads.
fn cloudflare(times_s: &[Option<f64>]) -> Option<f64> {
    let mut rates: Vec<f64> = Vec::new();
    for ((bytes, count), time_s) in DOWNLOADS.iter().zip(times_s) {
        let Some(time_s) = *time_s else { break };
        if time_s >= SHORTEST_DOWNLOAD_S {
            rates.extend(vec![8.0 * *bytes as f64 / time_s; *count]);
        }
        if time_s > LONGEST_DOWNLOAD_S {
            break;
        }
    }
    rates.sort_by(f64::total_cmp);
    let place = REPORTED * rates.len().checked_sub(1)? as f64;
    let (low, high) = (rates[place.floor() as usize], rates[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

impl fmt::Display for SpeedTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpeedTest::Iperf3 {
                omit: Duration::ZERO,
            } => f.write_str("iperf3"),
            SpeedTest::Iperf3 { omit } => write!(f, "iperf3:omit={omit}"),
            SpeedTest::Ndt7 => f.write_str("ndt7"),
            SpeedTest::Ookla => f.write_str("ookla"),
            SpeedTest::Cloudflare => f.write_str("cloudflare"),
            SpeedTest::LibreSpeed => f.write_str("librespeed"),
        }
    }
}

impl FromStr for SpeedTest {
    type Err = String;

    fn from_str(text: &str) -> Result<SpeedTest, String> {
        let refused = || {
            format!(
                "`{text}` is not a speed test: `iperf3`, `iperf3:omit=1s`, `ndt7`, `ookla`, \
                 `cloudflare` or `librespeed`"
            )
        };
        match text {
            "iperf3" => Ok(SpeedTest::Iperf3 {
                omit: Duration::ZERO,
            }),
            "ndt7" => Ok(SpeedTest::Ndt7),
            "ookla" => Ok(SpeedTest::Ookla),
            "cloudflare" => Ok(SpeedTest::Cloudflare),
            "librespeed" => Ok(SpeedTest::LibreSpeed),
            _ => {
                let omit = text.strip_prefix("iperf3:omit=").ok_or_else(refused)?;
                let omit = omit.parse().map_err(|_| refused())?;
                match omit <= Duration::from_secs(3600) {
                    true => Ok(SpeedTest::Iperf3 { omit }),
                    false => Err(refused()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_reads_as_it_is_written() {
        for name in [
            "iperf3",
            "iperf3:omit=1s",
            "ndt7",
            "ookla",
            "cloudflare",
            "librespeed",
        ] {
            let test: SpeedTest = name.parse().expect(name);
            assert_eq!(test.to_string(), name);
        }
        assert!("iperf3:omit=2".parse::<SpeedTest>().is_err(), "no unit");
        assert!("fast.com".parse::<SpeedTest>().is_err());
    }

    #[test]
    fn ookla_drops_the_slowest_and_the_fastest_slices() {
        let mut delivered = vec![0_u64];
        let slices = [vec![0; 6], vec![625_000; 12], vec![9_000_000; 2]].concat();
        for slice in slices {
            delivered.push(delivered.last().unwrap() + slice);
        }
        assert_eq!(SpeedTest::Ookla.rate(&delivered, &[]), Some(1e7));
    }

    #[test]
    fn cloudflare_stops_after_the_size_that_takes_longer_than_a_second() {
        let times = [Some(0.1), Some(0.5), Some(1.6), Some(2.0)];
        let found = SpeedTest::Cloudflare.rate(&[0], &times);
        assert_eq!(found, Some(50e6), "6 of 24 downloads have 50 Mbit/s");
        assert_eq!(SpeedTest::Cloudflare.rate(&[0], &[None]), None);
    }
}
