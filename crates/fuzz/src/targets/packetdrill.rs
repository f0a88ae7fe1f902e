//! Scripts of packetdrill, read and run.

use crate::sentence::assert_sentence;

pub(super) const TOKENS: &[&str] = &[
    "+0",
    "+.1",
    "0.2~0.3",
    "+1e9",
    "* ",
    "< ",
    "> ",
    "S ",
    "S. ",
    "P. ",
    ". ",
    "F. ",
    "R. ",
    "E",
    "1:1(0)",
    "0:0(0)",
    "1:1001(1000)",
    "ack 1",
    "ack 4294967295",
    "win 65535",
    "win 0",
    "<",
    ">",
    "mss 1",
    "mss 0",
    "sackOK",
    "sack 1:2",
    "sack 2:1",
    "wscale 255",
    "TS val 100 ecr 100",
    "nop",
    "eol",
    "%{",
    "}%",
    "assert tcpi_snd_cwnd == 10",
    "write(4, ..., 1000) = 1000",
    "write(4, ..., 18446744073709551615) = 1",
    "close(4) = 0",
    "`",
    "--tolerance_usecs=",
    "((((((((((((((((",
    "not ",
    "- ",
    "print(",
    "sysctl -q net.ipv4.tcp_congestion_control=reno",
];

/// A script. Most do not go as they say, which is a refusal.
pub(super) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match flowstart_packetdrill::run(text) {
        Ok(notes) => notes
            .iter()
            .for_each(|note| assert_sentence(&note.to_string())),
        Err(problem) => assert_sentence(&problem.to_string()),
    }
}
