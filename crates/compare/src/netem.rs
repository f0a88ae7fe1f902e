//! A path as `tc` configures it with netem and tbf: `netem delay 40ms loss 1% rate 20mbit`.
//!
//! The rules are those of Linux 6.18, `sch_netem.c` and `sch_tbf.c`. The delay of one interface is
//! the path's RTT; on `lo` both directions pass it. What is not simulated is refused.

mod disciplines;
mod words;

use crate::settings::INTERFACE;
use crate::text::general;
use disciplines::{Netem, PACKET, Tbf};
use serde_json::{Map, Value};
use words::{Words, once};

const QDISCS: [&str; 2] = ["netem", "tbf"];
/// Words with which another command begins.
const COMMANDS: [&str; 6] = [";", "&&", "sudo", "ip", "tc", "qdisc"];
/// Packets that netem holds unless `limit` is given (`q_netem.c`).
const USUAL_LIMIT: u32 = 1000;
/// The table of the normal distribution reaches so many standard deviations below its mean.
const SPREAD: f64 = 4.0;

/// Draws of netem's generator, of which the jitter takes the rest of a division (`tabledist`).
const DRAWS: f64 = 4_294_967_296.0;
/// With so many multiples of what it divides by among the draws, the rest is uniform within 5 %.
const MULTIPLES: f64 = 20.0;

/// Whether a text names one of the disciplines.
pub fn is_netem(text: &str) -> bool {
    text.split_whitespace().any(|word| QDISCS.contains(&word))
}

/// The fields of the path that words of `tc` describe.
///
/// # Errors
///
/// A word is unknown, or means what the simulator does not have.
pub fn netem_fields(text: &str) -> Result<Map<String, Value>, String> {
    let text = text.replace('\\', " ").replace(';', " ; ");
    let mut words = Words::of(&text);
    let mut interface = Interface::default();
    while let Some(word) = words.next_if(|_| true) {
        interface.read(word, &mut words)?;
    }
    interface.path()
}

/// An interface with its disciplines.
#[derive(Default)]
struct Interface<'a> {
    netem: Option<Netem<'a>>,
    tbf: Option<Tbf>,
    device: Option<&'a str>,
    /// Whether the discipline that is read next has a parent.
    has_parent: bool,
    /// Whether netem is below a filter, whose own queue it replaces.
    is_netem_below: bool,
}

impl<'a> Interface<'a> {
    /// Reads a word of a command, with what belongs to it.
    fn read(&mut self, word: &'a str, words: &mut Words<'a>) -> Result<(), String> {
        let ends = |word: &str| QDISCS.contains(&word) || COMMANDS.contains(&word);
        match word {
            "netem" => {
                self.is_netem_below = std::mem::take(&mut self.has_parent);
                once(&mut self.netem, Netem::read(words, ends)?, word)?;
            }
            "tbf" => {
                self.has_parent = false;
                once(&mut self.tbf, Tbf::read(words, ends)?, word)?;
            }
            "dev" => self.read_device(words.next("an interface")?)?,
            "parent" => self.has_parent = !words.next("a handle, such as `1:1`")?.is_empty(),
            "handle" => _ = words.next("a handle, such as `1:`")?,
            // `ip netns exec NAME`
            "ip" => (0..3).try_for_each(|_| words.next("`netns exec` and a name").map(|_| ()))?,
            "add" | "replace" | "change" | "root" => {}
            word if COMMANDS.contains(&word) => {}
            word => return Err(format!("tc `{word}` is not simulated; netem and tbf are")),
        }
        Ok(())
    }

    fn read_device(&mut self, device: &'a str) -> Result<(), String> {
        match self.device.replace(device) {
            Some(other) if other != device => Err(format!(
                "tc `dev {device}` behind `dev {other}`: only one interface is simulated"
            )),
            _ => Ok(()),
        }
    }

    fn is_loopback(&self) -> bool {
        self.device == Some("lo")
    }

    /// The path that it makes.
    fn path(&self) -> Result<Map<String, Value>, String> {
        let mut path = Map::new();
        path.insert("rtt".into(), "0s".into());
        if self.is_loopback() {
            path.insert("delay_at".into(), "loopback".into());
        }
        if let Some(netem) = &self.netem {
            self.add_delay(netem, &mut path)?;
            add_losses(netem, &mut path);
        }
        match (self.netem.as_ref().and_then(|netem| netem.rate), &self.tbf) {
            (Some(_), Some(_)) => return Err("`rate` is given twice".into()),
            (Some(rate), None) => {
                path.insert("rate".into(), written(rate, RATES).into());
                self.add_netem_queue(&mut path);
            }
            (None, Some(tbf)) => {
                add_shaper(tbf, &mut path);
                if self.is_netem_below && self.netem.is_some() {
                    self.add_netem_queue(&mut path);
                }
            }
            (None, None) => {}
        }
        Ok(path)
    }

    fn limit(&self) -> u32 {
        let limit = self.netem.as_ref().and_then(|netem| netem.limit);
        limit.unwrap_or(USUAL_LIMIT)
    }

    /// The queue of netem, which holds what is delayed. Without a rate it has packets in the order in
    /// which they are to leave; with one, a packet leaves after those before it.
    fn add_delay(&self, netem: &Netem, path: &mut Map<String, Value>) -> Result<(), String> {
        let Some(delay) = netem.delay else {
            return Ok(());
        };
        let jitter = netem.jitter.unwrap_or(0.0);
        let mut least = delay;
        if jitter > 0.0 {
            let law = netem.distribution.unwrap_or("uniform");
            check_correlation(netem.jitter_correlation, jitter)?;
            let drawn;
            (least, drawn) = drawn_delay(delay, jitter, law)?;
            path.insert("jitter".into(), drawn.into());
            if netem.rate.is_none() {
                path.insert("reordering".into(), true.into());
            }
        }
        let directions = if self.is_loopback() { 2.0 } else { 1.0 };
        path.insert("rtt".into(), seconds(least * directions).into());
        path.entry("delay_at").or_insert("forward".into());
        path.insert("delay_limit".into(), self.limit().into());
        if let Some(share) = netem.reorder {
            path.insert("delay_skip".into(), share.into());
            if let Some(gap) = netem.gap {
                path.insert("delay_skip_gap".into(), gap.into());
            }
            if let Some(correlation) = netem.reorder_correlation {
                path.insert("delay_skip_correlation".into(), correlation.into());
            }
        }
        Ok(())
    }

    /// The queue of netem, which holds what waits for its rate, or for tokens of a filter above it.
    fn add_netem_queue(&self, path: &mut Map<String, Value>) {
        path.insert("buffer".into(), format!("{}pkt", self.limit()).into());
        path.insert("buffer_accounting".into(), "ns2".into());
        if path.contains_key("delay_limit") {
            path.insert("delay_limit_with_queue".into(), true.into());
        }
    }
}

fn add_losses(netem: &Netem, path: &mut Map<String, Value>) {
    if let Some(share) = netem.loss {
        path.insert("loss".into(), share.into());
    }
}

/// A filter before a line of its peak rate. The packet at the head of its queue counts in the limit
/// while it waits for tokens.
fn add_shaper(tbf: &Tbf, path: &mut Map<String, Value>) {
    let rate = tbf
        .peakrate
        .map_or(INTERFACE.into(), |rate| written(rate, RATES));
    let bytes = |bytes: Option<f64>| format!("{:.0}B", bytes.unwrap_or(0.0));
    let shaper_rate = written(tbf.rate.unwrap_or(0.0), RATES);
    path.insert("rate".into(), rate.into());
    path.insert("shaper_rate".into(), shaper_rate.into());
    path.insert("shaper_burst".into(), bytes(tbf.burst).into());
    // Less than a packet follows from a short latency: its queue is then taken for one packet.
    let buffer = tbf.bytes().max(PACKET);
    path.insert("buffer".into(), bytes(Some(buffer)).into());
    path.insert("buffer_accounting".into(), "ns2".into());
}

/// Refuses correlated delays, where they are. A draw next to the one before it leaves a rest that is
/// independent of it unless jitter is long: netem divides the draw, in nanoseconds, by twice the
/// jitter, or by the size of its table, which is smaller.
fn check_correlation(correlation: f64, jitter: f64) -> Result<(), String> {
    let apart = (1.0 - correlation) * DRAWS;
    if correlation == 0.0 || apart >= MULTIPLES * 2.0 * jitter * 1e9 {
        return Ok(());
    }
    let percent = general(100.0 * correlation, 6);
    let jitter = seconds(jitter);
    Err(format!(
        "`{percent}%`: delays with so much correlation and `{jitter}` of jitter are not simulated"
    ))
}

/// Delays that vary around `delay`: the smallest one, and the law of what is added.
fn drawn_delay(delay: f64, jitter: f64, law: &str) -> Result<(f64, String), String> {
    if jitter > delay {
        let (delay, jitter) = (seconds(delay), seconds(jitter));
        let problem = format!("a jitter of at most the delay, `{delay}`, is possible");
        return Err(format!("netem `delay {delay} {jitter}`: {problem}"));
    }
    match law {
        "uniform" => Ok((
            delay - jitter,
            format!("uniform:most={}", seconds(2.0 * jitter)),
        )),
        "normal" => {
            let least = (delay - SPREAD * jitter).max(0.0);
            let (mean, sd) = (seconds(delay - least), seconds(jitter));
            Ok((least, format!("normal:mean={mean},sd={sd}")))
        }
        law => Err(format!(
            "distribution `{law}`: `normal` and `uniform` are known"
        )),
    }
}

const RATES: &[(&str, f64)] = &[("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3), ("bps", 1.0)];

/// A time as text: `64ms`.
fn seconds(time: f64) -> String {
    let nanoseconds = (time * 1e9).round_ties_even();
    written(
        nanoseconds,
        &[("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)],
    )
}

/// So many of the last unit, in the largest of which they are a whole number.
fn written(count: f64, scales: &[(&str, f64)]) -> String {
    let count = count.round_ties_even();
    let whole = scales
        .iter()
        .find(|(_, size)| (count / size).fract() == 0.0);
    let (unit, size) = whole.copied().unwrap_or(("", 1.0));
    format!("{}{unit}", general(count / size, 17))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_of_tc_are_a_path() {
        let words = "qdisc add dev eth0 root netem delay 40ms loss 1% rate 20mbit";
        let path = json!({
            "rtt": "40ms", "delay_at": "forward", "delay_limit": 1000, "delay_limit_with_queue": true,
            "loss": "1%", "rate": "20Mbps", "buffer": "1000pkt", "buffer_accounting": "ns2",
        });
        assert_eq!(Value::from(netem_fields(words).unwrap()), path);
    }

    #[test]
    fn a_filter_is_a_shaper_before_a_line() {
        let words =
            "netem delay 40ms 5ms distribution normal; tbf rate 20mbit burst 10kb latency 50ms";
        let path = json!({
            "rtt": "20ms", "jitter": "normal:mean=20ms,sd=5ms", "reordering": true,
            "delay_at": "forward", "delay_limit": 1000, "rate": "1Gbps", "shaper_rate": "20Mbps",
            "shaper_burst": "10240B", "buffer": "135240B", "buffer_accounting": "ns2",
        });
        assert_eq!(Value::from(netem_fields(words).unwrap()), path);
    }

    #[test]
    fn what_the_simulator_does_not_have_is_refused() {
        for (words, message) in [
            (
                "netem delay 40ms 5ms 99%",
                "`99%`: delays with so much correlation",
            ),
            ("netem loss 1% 25%", "correlated loss"),
            ("netem delay", "is missing at the end"),
            ("netem duplicate 1%", "netem `duplicate` is not simulated"),
            ("netem delay 40ms delay 40ms", "`delay` is given twice"),
            (
                "tbf rate 1mbit burst 2kb",
                "`latency` or `limit` is missing",
            ),
            (
                "tc qdisc add dev eth0 root htb; netem delay 1ms",
                "tc `htb` is not",
            ),
        ] {
            let refused = netem_fields(words).unwrap_err();
            assert!(refused.contains(message), "{refused}");
        }
    }
}
