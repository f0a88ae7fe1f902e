//! Reading a file from front to back, and in pieces when its times run backwards.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use crate::assembly::{assemble, Found};
use crate::capture::Capture;
use crate::file::order::{Late, Order, Timed};
use crate::file::{self, Opened, PacketFile};
use crate::layers::{self, Decoded, Segment};
use crate::results::{Flag, Options, Progress};
use crate::table::{Table, Tables};
use crate::ticker::Ticker;
use crate::zeek;
use crate::Error;

/// Pieces into which a file is divided at most: each is a file open at the same time.
const MOST_PIECES: usize = 32;

/// Reads a capture (pcap, pcapng) or a Zeek `conn.log` (with tabs or JSON lines), gzipped or not: the content decides.
///
/// `progress` is called every few thousand packets; when it breaks, the reading ends with [`Error::Stopped`].
/// Damage after the first packet is a warning in the answer, not an error.
pub fn read(
    path: &Path,
    options: &Options,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Capture, Error> {
    let metadata = fs::metadata(path).map_err(|source| Error::Open {
        path: path.into(),
        source,
    })?;
    let total = metadata.is_file().then_some(metadata.len());
    let mut ticker = Ticker::new(progress, total);
    match file::open(path)? {
        Opened::Packets(file) => packets(path, file, options, &mut ticker),
        Opened::Log(bytes, format) => zeek::read(path, bytes, format, options, &mut ticker),
    }
}

/// What was met besides TCP segments.
#[derive(Clone, Debug, Default)]
struct Tally {
    links: BTreeMap<u32, u64>,
    unknown_links: BTreeMap<u32, u64>,
    cut: u64,
    fragments: u64,
    timeless: u64,
}

impl Tally {
    fn unreadable(&self) -> u64 {
        self.cut + self.unknown_links.values().sum::<u64>()
    }
}

/// The TCP segments of a file, as they come.
struct Segments {
    file: PacketFile,
    tally: Tally,
    clock: u64,
    /// Bytes of the file that the ticker knows of.
    told: u64,
}

impl Segments {
    fn new(file: PacketFile) -> Self {
        Segments {
            file,
            tally: Tally::default(),
            clock: 0,
            told: 0,
        }
    }

    fn next(&mut self, ticker: &mut Ticker) -> Result<Option<Segment>, Error> {
        loop {
            let taken = self.file.taken();
            let Some(packet) = self.file.next() else {
                return Ok(None);
            };
            ticker.tick(taken - std::mem::replace(&mut self.told, taken))?;
            *self.tally.links.entry(packet.link).or_default() += 1;
            // A packet without a time came with the one before it.
            match packet.time {
                Some(time) => self.clock = time,
                None => self.tally.timeless += 1,
            }
            match layers::decode(packet.link, packet.data, packet.original, self.clock) {
                Decoded::Segment(segment) => return Ok(Some(segment)),
                Decoded::Other => {}
                Decoded::Fragment => self.tally.fragments += 1,
                Decoded::Unreadable => self.tally.cut += 1,
                Decoded::UnknownLink => {
                    *self.tally.unknown_links.entry(packet.link).or_default() += 1
                }
            }
        }
    }
}

fn packets(
    path: &Path,
    file: PacketFile,
    options: &Options,
    ticker: &mut Ticker,
) -> Result<Capture, Error> {
    let reopenable = ticker.is_of_a_file();
    let mut warnings = Vec::new();
    let mut segments = Segments::new(file);
    let mut table = Table::new(options.most_transfers);
    let in_order = straight(&mut segments, &mut table, !reopenable, ticker)?;
    if !in_order && reopenable {
        let pieces = find_pieces(path, ticker)?;
        table = merge(path, &pieces, options, ticker)?;
        segments = pieces.segments;
        warnings.push(match pieces.too_many {
            false => format!(
                "time runs backwards in the file: its {} pieces were merged in order of time",
                pieces.starts.len()
            ),
            true => format!(
                "time runs backwards more than {MOST_PIECES} times: the last piece is out of order, and what is \
                 told of connections there is not certain"
            ),
        });
    } else if !in_order {
        warnings.push("time runs backwards, and what cannot be read twice cannot be sorted: the answers are not certain".into());
    }
    if segments.file.passed() == 0 {
        return Err(match segments.file.ending() {
            Some(what) => Error::Damaged {
                path: path.into(),
                what: what.into(),
            },
            None => Error::NoPackets {
                path: path.into(),
                what: "packets",
            },
        });
    }
    describe(&segments, &mut warnings);
    Ok(conclude(segments, table.finish(), options, warnings))
}

/// One pass. False when the file is too far out of order, unless that is to be `borne`.
fn straight(
    segments: &mut Segments,
    table: &mut Table,
    borne: bool,
    ticker: &mut Ticker,
) -> Result<bool, Error> {
    let mut order = Order::new();
    let mut in_order = true;
    while let Some(segment) = segments.next(ticker)? {
        match order.push(segment) {
            Ok(Some(first)) => table.take(&first),
            Ok(None) => {}
            Err(Late(late)) => {
                in_order = false;
                if !borne {
                    // One more to find the pieces, and one for each of two or more.
                    ticker.expect(3);
                    return Ok(false);
                }
                table.take(&late);
            }
        }
    }
    while let Some(segment) = order.pop() {
        table.take(&segment);
    }
    Ok(in_order)
}

/// A file in pieces, each in order within itself.
struct Pieces {
    /// Number of the first segment of each piece.
    starts: Vec<u64>,
    too_many: bool,
    /// What a whole pass met.
    segments: Segments,
}

struct Moment(u64);

impl Timed for Moment {
    fn time(&self) -> u64 {
        self.0
    }
}

/// Goes over the file for its times only.
fn find_pieces(path: &Path, ticker: &mut Ticker) -> Result<Pieces, Error> {
    let mut pieces = Pieces {
        starts: vec![0],
        too_many: false,
        segments: Segments::new(reopen(path)?),
    };
    let mut order = Order::new();
    let mut number = 0;
    while let Some(segment) = pieces.segments.next(ticker)? {
        if order.push(Moment(segment.time)).is_err() {
            if pieces.starts.len() == MOST_PIECES {
                pieces.too_many = true;
            } else {
                order.clear();
                pieces.starts.push(number);
            }
        }
        number += 1;
    }
    ticker.expect(pieces.starts.len() as u64);
    Ok(pieces)
}

fn reopen(path: &Path) -> Result<PacketFile, Error> {
    match file::open(path)? {
        Opened::Packets(file) => Ok(file),
        Opened::Log(..) => Err(Error::Damaged {
            path: path.into(),
            what: "it changed while it was read".into(),
        }),
    }
}

/// One piece of a file being read.
struct Piece {
    segments: Segments,
    left: u64,
    order: Order<Segment>,
    head: Option<Segment>,
}

impl Piece {
    fn open(path: &Path, from: u64, to: u64, ticker: &mut Ticker) -> Result<Self, Error> {
        let mut piece = Piece {
            segments: Segments::new(reopen(path)?),
            left: to - from,
            order: Order::new(),
            head: None,
        };
        for _ in 0..from {
            piece.segments.next(ticker)?;
        }
        piece.advance(ticker)?;
        Ok(piece)
    }

    fn advance(&mut self, ticker: &mut Ticker) -> Result<(), Error> {
        while self.left > 0 {
            self.left -= 1;
            let Some(segment) = self.segments.next(ticker)? else {
                break;
            };
            match self.order.push(segment) {
                Ok(None) => {}
                Ok(first) => {
                    self.head = first;
                    return Ok(());
                }
                Err(Late(late)) => {
                    self.head = Some(late);
                    return Ok(());
                }
            }
        }
        self.left = 0;
        self.head = self.order.pop();
        Ok(())
    }
}

/// Reads all pieces at once, always from the one that is earliest.
fn merge(
    path: &Path,
    pieces: &Pieces,
    options: &Options,
    ticker: &mut Ticker,
) -> Result<Table, Error> {
    let ends = pieces.starts.iter().skip(1).copied().chain([u64::MAX]);
    let mut open = Vec::new();
    for (&from, to) in pieces.starts.iter().zip(ends) {
        open.push(Piece::open(path, from, to, ticker)?);
    }
    let mut table = Table::new(options.most_transfers);
    let mut last = 0;
    while let Some(at) = earliest(&open, last) {
        let Some(piece) = open.get_mut(at) else { break };
        if let Some(head) = piece.head.take() {
            table.take(&head);
        }
        piece.advance(ticker)?;
        last = at;
    }
    Ok(table)
}

/// The piece to read from: of several at the same time the one read last, since a piece ends where the time goes on.
fn earliest(open: &[Piece], last: usize) -> Option<usize> {
    let heads = open
        .iter()
        .enumerate()
        .filter_map(|(at, piece)| Some((piece.head?.time, at != last, at)));
    heads.min().map(|(.., at)| at)
}

fn describe(segments: &Segments, warnings: &mut Vec<String>) {
    let tally = &segments.tally;
    warnings.extend(segments.file.ending().map(String::from));
    for (link, count) in &tally.unknown_links {
        warnings.push(format!(
            "{count} packets of {} were not read: it is not known here",
            layers::link_name(*link)
        ));
    }
    let counts = [
        (
            tally.cut,
            "packets have headers that are cut or contradict themselves; they were not counted",
        ),
        (
            tally.fragments,
            "IP fragments without a TCP header were left out",
        ),
        (
            tally.timeless,
            "packets carry no time; each was given that of the packet before",
        ),
    ];
    warnings.extend(
        counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}")),
    );
}

fn conclude(
    segments: Segments,
    tables: Tables,
    options: &Options,
    mut warnings: Vec<String>,
) -> Capture {
    let Tables {
        connections,
        transfers,
        dropped_transfers,
        groups,
    } = tables;
    if dropped_transfers > 0 {
        warnings.push(format!(
            "{dropped_transfers} transfers beyond the first {} were left out",
            options.most_transfers
        ));
    }
    let twice = connections
        .iter()
        .filter(|row| row.flags.contains(&Flag::SeenTwice))
        .count();
    if twice > 0 {
        warnings.push(format!(
            "{twice} of {} connections were captured twice: copies are left out, retransmissions are not to be believed",
            connections.len()
        ));
    }
    let mut links: Vec<String> = segments
        .tally
        .links
        .keys()
        .map(|&link| layers::link_name(link))
        .collect();
    links.dedup();
    let found = Found {
        connections,
        transfers,
        groups,
        packets: segments.file.passed(),
        warnings,
    };
    let mut capture = assemble(segments.file.format(), found, options);
    capture.link_types = links;
    capture.unreadable = segments.tally.unreadable();
    capture.notes = notes();
    capture
}

fn notes() -> Vec<String> {
    let notes = [
        "RTT: the client's first ACK after the SYN-ACK, less the last SYN not later than the last SYN-ACK before it",
        "transfers: one direction's data until the other side answers having heard all of it and is itself heard",
        "of a connection's two networks (/24, /48) the local one takes part in more connections; at a tie, the nearer",
        "rates of paths are those of IP packets, seen in the spacing of data from the remote side and of \
         acknowledgements of data to it; they are of the bottleneck only where senders kept it busy",
    ];
    notes.map(String::from).into()
}
