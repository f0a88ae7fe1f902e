//! The entry points, one each for what comes from outside.

mod acknowledgements;
mod algorithms;
mod by_name;
mod captures;
mod export;
mod packetdrill;
mod ranges;
mod receiver;
mod scenario;

use crate::target::{Kind, Shape, Target};

/// All of them.
pub const TARGETS: &[Target] = &[
    Target {
        name: "pcap",
        run: captures::read,
        kind: Kind::File {
            shape: Shape::Pcap,
            tokens: &[],
            more: &[],
            of_catalog: Vec::new,
        },
    },
    Target {
        name: "pcapng",
        run: captures::read,
        kind: Kind::File {
            shape: Shape::Pcapng,
            tokens: &[],
            more: &[],
            of_catalog: Vec::new,
        },
    },
    Target {
        name: "compressed",
        run: captures::read,
        kind: Kind::File {
            shape: Shape::Bytes,
            tokens: &["\u{1f}", "\u{0}\u{0}\u{0}\u{0}"],
            more: &[],
            of_catalog: Vec::new,
        },
    },
    Target {
        name: "zeek",
        run: captures::read,
        kind: Kind::File {
            shape: Shape::Lines,
            tokens: ZEEK,
            more: &[],
            of_catalog: Vec::new,
        },
    },
    Target {
        name: "ack-ranges",
        run: ranges::ack_ranges,
        kind: Kind::Choices,
    },
    Target {
        name: "sack",
        run: ranges::sack,
        kind: Kind::Choices,
    },
    Target {
        name: "acknowledgements",
        run: acknowledgements::run,
        kind: Kind::Choices,
    },
    Target {
        name: "receiver",
        run: receiver::run,
        kind: Kind::Choices,
    },
    Target {
        name: "scenario",
        run: scenario::run,
        kind: Kind::File {
            shape: Shape::Lines,
            tokens: scenario::TOKENS,
            more: &[("examples", ".toml")],
            of_catalog: scenario::seeds,
        },
    },
    Target {
        name: "conservation",
        run: scenario::conserves,
        kind: Kind::File {
            shape: Shape::Lines,
            tokens: scenario::TOKENS,
            more: &[
                ("crates/fuzz/corpus/scenario", ".toml"),
                ("examples", ".toml"),
            ],
            of_catalog: scenario::seeds,
        },
    },
    Target {
        name: "algorithms",
        run: algorithms::run,
        kind: Kind::File {
            shape: Shape::Bytes,
            tokens: algorithms::TOKENS,
            more: &[],
            of_catalog: algorithms::seeds,
        },
    },
    Target {
        name: "packetdrill",
        run: packetdrill::run,
        kind: Kind::File {
            shape: Shape::Lines,
            tokens: packetdrill::TOKENS,
            more: &[("crates/packetdrill/tests/scripts", ".pkt")],
            of_catalog: Vec::new,
        },
    },
    Target {
        name: "export",
        run: export::run,
        kind: Kind::Choices,
    },
];

const ZEEK: &[&str] = &[
    "#fields\t",
    "#separator \\x09\n",
    "#separator \\x2c\n",
    "#unset_field\t-\n",
    "ts",
    "id.orig_h",
    "tcp",
    "udp",
    "ShADadFf",
    "SF",
    "S0",
    "REJ",
    "-",
    "(empty)",
    "\t",
    "::1",
    "10.0.0.1",
    "1e300",
    "2020-01-01T00:00:00Z",
    "{\"ts\":",
    "null",
    "\\u0000",
    "\u{1b}[2J",
    "[[[[[[[[",
    "{\"a\":",
];
