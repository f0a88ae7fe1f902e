//! The two disciplines, with the options that the simulator has.

use super::words::{RATES, SIZES, TIMES, Words, check_share, is_share, once};

const A_RATE: &str = "a rate, such as `20mbit`";
const A_TIME: &str = "a time, such as `40ms`";
const A_SIZE: &str = "a size, such as `10kb`";
const PACKETS: &str = "a whole number of packets";
/// Of a full-size packet.
pub(super) const PACKET: f64 = 1500.0;

/// What netem does (`man tc-netem`).
#[derive(Default)]
pub(super) struct Netem<'a> {
    /// In seconds.
    pub(super) delay: Option<f64>,
    /// In seconds.
    pub(super) jitter: Option<f64>,
    /// From 0 to 1.
    pub(super) jitter_correlation: f64,
    pub(super) distribution: Option<&'a str>,
    pub(super) loss: Option<&'a str>,
    pub(super) reorder: Option<&'a str>,
    pub(super) reorder_correlation: Option<&'a str>,
    pub(super) gap: Option<u32>,
    /// In bits per second.
    pub(super) rate: Option<f64>,
    /// In packets.
    pub(super) limit: Option<u32>,
}

/// What a token bucket filter does (`man tc-tbf`), in bits per second, seconds and bytes.
#[derive(Default)]
pub(super) struct Tbf {
    pub(super) rate: Option<f64>,
    pub(super) burst: Option<f64>,
    pub(super) latency: Option<f64>,
    pub(super) limit: Option<f64>,
    pub(super) peakrate: Option<f64>,
    pub(super) mtu: Option<f64>,
}

impl<'a> Netem<'a> {
    /// Reads options up to a word that ends them.
    pub(super) fn read(
        words: &mut Words<'a>,
        ends: impl Fn(&str) -> bool,
    ) -> Result<Netem<'a>, String> {
        let mut netem = Netem::default();
        while let Some(word) = words.next_if(|word| !ends(word)) {
            match word {
                "delay" | "latency" => netem.read_delay(words)?,
                "distribution" => {
                    let law = words.next("`normal` or `uniform`")?;
                    once(&mut netem.distribution, law, word)?;
                }
                "loss" => netem.read_loss(words)?,
                "reorder" => netem.read_reorder(words)?,
                "gap" => once(&mut netem.gap, words.count("netem `gap`", PACKETS)?, word)?,
                "rate" => once(&mut netem.rate, words.measure(RATES, A_RATE)?, word)?,
                "limit" => once(
                    &mut netem.limit,
                    words.count("netem `limit`", PACKETS)?,
                    word,
                )?,
                word => {
                    let known = "delay, distribution, loss, reorder, gap, rate and limit";
                    return Err(format!("netem `{word}` is not simulated; {known} are"));
                }
            }
        }
        netem.check().map(|()| netem)
    }

    fn read_delay(&mut self, words: &mut Words<'a>) -> Result<(), String> {
        once(&mut self.delay, words.measure(TIMES, A_TIME)?, "delay")?;
        let is_time = |word: &str| {
            let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            unit.len() < word.len() && unit.chars().all(|c| c.is_ascii_lowercase())
        };
        if words.peek().is_some_and(is_time) {
            self.jitter = Some(words.measure(TIMES, "a time, such as `5ms`")?);
            if let Some(share) = words.next_if(is_share) {
                self.jitter_correlation = check_share("netem `delay`", share)?;
            }
        }
        Ok(())
    }

    fn read_loss(&mut self, words: &mut Words<'a>) -> Result<(), String> {
        words.next_if(|word| word == "random");
        if let Some(model) = words.next_if(|word| ["state", "gemodel"].contains(&word)) {
            let problem = "its bursts last over pauses, which is not simulated; see --loss-burst";
            return Err(format!("loss `{model}`: {problem}"));
        }
        once(&mut self.loss, words.share("netem `loss`")?, "loss")?;
        match words.peek().filter(|word| is_share(word)) {
            Some(share) => Err(format!(
                "loss `{share}`: correlated loss is not simulated here; see --loss-burst"
            )),
            None => Ok(()),
        }
    }

    fn read_reorder(&mut self, words: &mut Words<'a>) -> Result<(), String> {
        once(
            &mut self.reorder,
            words.share("netem `reorder`")?,
            "reorder",
        )?;
        self.reorder_correlation = words.share_if_any("netem `reorder`")?;
        Ok(())
    }

    /// What `tc` refuses, and a packet that skips the rate.
    fn check(&self) -> Result<(), String> {
        let refuse = |refused: bool, problem: &str| match refused {
            true => Err(problem.to_owned()),
            false => Ok(()),
        };
        let is_delayed = self.delay.is_some();
        refuse(
            self.reorder.is_some() && !is_delayed,
            "netem `reorder`: a delay is needed, such as `delay 10ms`",
        )?;
        refuse(
            self.gap.is_some() && self.reorder.is_none(),
            "netem `gap`: a share is needed, such as `reorder 25%`",
        )?;
        refuse(
            self.reorder.is_some() && self.rate.is_some(),
            "netem `reorder` next to `rate`: packets that skip the rate are not simulated",
        )?;
        refuse(
            self.distribution.is_some() && self.jitter.is_none(),
            "netem `distribution`: jitter is needed, such as `delay 40ms 5ms`",
        )
    }
}

/// Refuses an option that no full-size packet fits in, or more bytes than `tc` takes.
fn room(option: &str, bytes: f64) -> Result<(), String> {
    const MOST: f64 = u32::MAX as f64;
    let problem = match bytes {
        PACKET..=MOST => return Ok(()),
        ..PACKET => format!("at least one packet, `{PACKET}`, is needed"),
        _ => format!("at most `{MOST}` is possible"),
    };
    Err(format!("tbf `{option}` of {bytes:.0} bytes: {problem}"))
}

impl Tbf {
    /// Reads options up to a word that ends them.
    pub(super) fn read(words: &mut Words, ends: impl Fn(&str) -> bool) -> Result<Tbf, String> {
        let mut tbf = Tbf::default();
        while let Some(word) = words.next_if(|word| !ends(word)) {
            let (option, units, right) = match word {
                "rate" => (&mut tbf.rate, RATES, A_RATE),
                "burst" | "buffer" | "maxburst" => (&mut tbf.burst, SIZES, A_SIZE),
                "latency" => (&mut tbf.latency, TIMES, "a time, such as `50ms`"),
                "limit" => (&mut tbf.limit, SIZES, "a size, such as `100kb`"),
                "peakrate" => (&mut tbf.peakrate, RATES, A_RATE),
                "mtu" | "minburst" => (&mut tbf.mtu, SIZES, "a size, such as `1540`"),
                word => {
                    let known = "rate, burst, latency, limit, peakrate and mtu";
                    return Err(format!("tbf `{word}` is not simulated; {known} are"));
                }
            };
            once(option, words.measure(units, right)?, word)?;
        }
        tbf.check().map(|()| tbf)
    }

    /// What `tc` and the kernel refuse, what drops every full-size packet (`tbf_enqueue`: those above
    /// the burst, the `mtu` of a peak rate or the limit), and a second bucket of several packets.
    fn check(&self) -> Result<(), String> {
        const TWO_PACKETS: f64 = 3000.0;
        let missing = |option: &str, such: &str| {
            Err(format!(
                "tbf: {option} is missing; needed, such as `{such}`"
            ))
        };
        let (Some(rate), Some(burst)) = (self.rate, self.burst) else {
            return match self.rate {
                None => missing("`rate`", "rate 20mbit"),
                Some(_) => missing("`burst`", "burst 10kb"),
            };
        };
        match (self.latency, self.limit) {
            (None, None) => return missing("`latency` or `limit`", "latency 50ms"),
            (Some(_), Some(_)) => {
                return Err("tbf: `latency` and `limit` exclude each other".into());
            }
            _ => {}
        }
        match (self.peakrate, self.mtu) {
            (Some(_), None) => missing("`mtu`", "mtu 1540"),
            (Some(peak), _) if peak <= rate => {
                Err("tbf `peakrate`: more than `rate` is needed".into())
            }
            (Some(_), Some(mtu)) if mtu >= TWO_PACKETS => {
                Err("tbf `mtu`: less than two packets, `3000`, is needed".into())
            }
            (Some(_), Some(mtu)) => room("mtu", mtu),
            _ => Ok(()),
        }?;
        room("burst", burst)?;
        self.limit.map_or(Ok(()), |limit| room("limit", limit))
    }

    /// Bytes of its queue.
    pub(super) fn bytes(&self) -> f64 {
        let bytes = |rate: Option<f64>, burst: Option<f64>| {
            let sent = rate.unwrap_or(0.0) * self.latency.unwrap_or(0.0) / 8.0;
            sent + burst.unwrap_or(0.0)
        };
        let peak = match self.peakrate {
            Some(_) => bytes(self.peakrate, self.mtu),
            None => f64::INFINITY,
        };
        self.limit.unwrap_or(bytes(self.rate, self.burst).min(peak))
    }
}
