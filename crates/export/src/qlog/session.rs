//! What a sender in a real QUIC stack did and knew, as qlog, to be laid next to the simulator's.
//!
//! Datagrams are reported as such (`transport:datagrams_sent`), since the numbers of the packets in
//! them are encrypted. Recoveries are left out: they are not recorded.

use super::event::milliseconds;
use super::file::{About, File};
use flowstart_control::{Duration, Exit, Instant, Segments};
use serde_json::{Map, Value as Json, json};

/// A connection, and what was recorded of its sender.
pub struct Session<'a> {
    /// What is shown.
    pub title: &'a str,
    /// The stack.
    pub stack: &'a str,
    /// In which time it ran: `virtual` or `real`.
    pub clock: &'a str,
    /// The server sends the data.
    pub by_server: bool,
    /// Bytes of data in a full datagram, the unit of windows.
    pub mss: u32,
    /// How the startup ended.
    pub exit: Option<Exit>,
    /// What happened, in order of time.
    pub events: Vec<(Instant, Event)>,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A datagram of so many bytes left.
    Sent(u32),
    /// A datagram of so many bytes arrived.
    Received(u32),
    /// The sender's state is this.
    Knows(Knowledge),
}

/// A sender's state at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Knowledge {
    /// The window.
    pub cwnd: Segments,
    /// The threshold; infinite until it is set.
    pub ssthresh: Segments,
    /// Bytes in flight.
    pub flight: u64,
    /// The round trip smoothed; `None` before there is any.
    pub srtt: Option<Duration>,
}

impl Session<'_> {
    /// The file.
    pub fn qlog(&self) -> Vec<u8> {
        let mut file = File::new(&About {
            title: self.title,
            description: &format!("The data's sender, {} in {} time", self.stack, self.clock),
            vantage_point: if self.by_server { "server" } else { "client" },
            group: "flow-0",
            protocol: "QUIC",
        });
        let size = json!({ "max_datagram_size": self.mss });
        file.event(Instant::ZERO, "recovery:parameters_set", &size);
        let mut told = Map::new();
        let mut exit = self.exit;
        for (at, event) in &self.events {
            if let Some(exit) = exit.take_if(|exit| exit.at <= *at) {
                file.event(
                    exit.at,
                    "recovery:congestion_state_updated",
                    &self.left(&exit),
                );
            }
            self.tell(&mut file, *at, event, &mut told);
        }
        file.into_bytes()
    }

    fn tell(&self, file: &mut File, at: Instant, event: &Event, told: &mut Map<String, Json>) {
        let datagrams = |bytes: &u32| json!({ "count": 1, "raw": [{ "length": bytes }] });
        match event {
            Event::Sent(bytes) => file.event(at, "transport:datagrams_sent", &datagrams(bytes)),
            Event::Received(bytes) => {
                file.event(at, "transport:datagrams_received", &datagrams(bytes));
            }
            Event::Knows(known) => {
                let metrics = self.metrics(known);
                let news = |(name, value): &(&String, &Json)| told.get(*name) != Some(value);
                let changed: Map<String, Json> = (metrics.iter().filter(news))
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect();
                if !changed.is_empty() {
                    file.event(at, "recovery:metrics_updated", &changed.into());
                }
                *told = metrics;
            }
        }
    }

    fn metrics(&self, known: &Knowledge) -> Map<String, Json> {
        let mut metrics = Map::new();
        let mut put = |name: &str, value: Json| metrics.insert(name.to_string(), value);
        put("congestion_window", self.bytes(known.cwnd));
        put("bytes_in_flight", known.flight.into());
        if known.ssthresh.is_finite() {
            put("ssthresh", self.bytes(known.ssthresh));
        }
        if let Some(srtt) = known.srtt {
            put("smoothed_rtt", milliseconds(srtt).into());
        }
        metrics
    }

    fn left(&self, exit: &Exit) -> Json {
        json!({
            "old": "slow_start",
            "new": "congestion_avoidance",
            "startup_exit_reason": exit.reason,
            "startup_exit_cwnd": self.bytes(exit.cwnd),
        })
    }

    fn bytes(&self, segments: Segments) -> Json {
        ((segments * f64::from(self.mss)) as u64).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Reason;

    fn records(session: &Session<'_>) -> Vec<Json> {
        let text = String::from_utf8(session.qlog()).unwrap();
        let records = text.split('\u{1e}').skip(1);
        records.map(|r| serde_json::from_str(r).unwrap()).collect()
    }

    #[test]
    fn only_what_is_new_is_told_and_the_end_of_the_startup_once() {
        let known = Knowledge {
            cwnd: 10.0,
            ssthresh: f64::INFINITY,
            flight: 0,
            srtt: None,
        };
        let at = Instant::from_nanos;
        let more = Knowledge {
            cwnd: 12.0,
            ..known
        };
        let session = Session {
            title: "hystart",
            stack: "noq",
            clock: "virtual",
            by_server: false,
            mss: 1000,
            exit: Some(Exit {
                reason: Reason::Delay,
                at: at(3_000_000),
                cwnd: 12.0,
                flight: 0,
            }),
            events: vec![
                (at(1_000_000), Event::Knows(known)),
                (at(2_000_000), Event::Knows(more)),
                (at(3_000_000), Event::Knows(more)),
                (at(4_000_000), Event::Sent(1472)),
            ],
        };
        let found = records(&session);
        let names: Vec<_> = found[2..]
            .iter()
            .map(|r| r["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "recovery:metrics_updated",
                "recovery:metrics_updated",
                "recovery:congestion_state_updated",
                "transport:datagrams_sent"
            ]
        );
        assert_eq!(found[3]["data"], json!({ "congestion_window": 12_000 }));
        assert_eq!(found[4]["data"]["startup_exit_reason"], "delay");
        assert_eq!(found[5]["time"], 4.0);
    }
}
