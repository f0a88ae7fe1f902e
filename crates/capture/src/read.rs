//! Reading files from front to back, as one capture where they follow on each other.

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::Error;
use crate::connection::Listeners;
use crate::file::order::Timed;
use crate::file::{Opened, PacketFile, Source};
use crate::gathered::Gathered;
use crate::layers::Passed;
use crate::reading::{Reading, Rows};
use crate::results::{Format, Options, Progress};
use crate::rotation::Rotation;
use crate::segments::{Merged, Pieces, Segments, reopen};
use crate::sink::Sink;
use crate::ticker::Ticker;
use crate::zeek::{self, OpenLog};

/// Reads captures (pcap, pcapng) and Zeek `conn.log`s (with tabs or JSON lines), compressed or not: the content
/// decides. The path `-` is the standard input.
///
/// Packet files are read in the order of their first packets. A connection continues in the next file where that begins
/// no earlier than the last packet of those before. `progress` is called every few thousand packets; when it breaks,
/// the reading ends with [`Error::Stopped`]. Damage after the first packet is a warning in the answer, not an error.
pub fn read(
    paths: &[PathBuf],
    options: &Options,
    rows: &mut dyn Rows,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Reading, Error> {
    let start = &options.stdin_start;
    let sources = paths.iter().map(|path| Source::at(path, start)).collect();
    read_sources(sources, options, rows, progress)
}

/// Reads the bytes of one file as [`read`] does; `name` is what messages call it.
pub fn read_bytes(
    name: &str,
    data: Vec<u8>,
    options: &Options,
    rows: &mut dyn Rows,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Reading, Error> {
    read_sources(vec![Source::memory(name, data)], options, rows, progress)
}

fn read_sources(
    sources: Vec<Source>,
    options: &Options,
    rows: &mut dyn Rows,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Reading, Error> {
    let count = sources.len();
    let mut inputs = inputs(sources)?;
    let sizes: Option<Vec<u64>> = inputs.iter().map(|input| input.size).collect();
    let mut ticker = Ticker::new(progress, sizes.map(|sizes| sizes.iter().sum()));
    loop {
        let mut attempt = Attempt {
            options,
            gathered: Gathered::default(),
            formats: vec![None; count],
            listeners: Listeners::new(rows, options),
            strands: Rotation::default(),
        };
        let mut disordered = None;
        for (at, input) in inputs.iter_mut().enumerate() {
            if !attempt.take(input, &mut ticker)? {
                disordered = Some(at);
                break;
            }
        }
        let Some(at) = disordered else {
            return Ok(attempt.conclude());
        };
        // Some rows are wrong by now: begin again, with this file in pieces.
        let input = &mut inputs[at];
        // One more pass to find the pieces, and one for each of two or more.
        ticker.expect(3);
        input.pieces = Some(Pieces::find(&input.source, &mut ticker)?);
        rows.clear();
    }
}

/// A file to be read.
struct Input {
    source: Source,
    /// Its number among the given ones.
    number: usize,
    /// Bytes; not known of what is no plain file, which can be read only once.
    size: Option<u64>,
    /// Already open, since it can be opened only once.
    opened: Option<Opened>,
    /// Its pieces, once it is known that its times run backwards.
    pieces: Option<Pieces>,
}

/// The files in the order in which they are to be read: by the times of their first packets, then logs.
fn inputs(sources: Vec<Source>) -> Result<Vec<Input>, Error> {
    let count = sources.len();
    let mut inputs = Vec::new();
    for (number, source) in sources.into_iter().enumerate() {
        let size = source.size()?;
        if size.is_none() && count > 1 {
            return Err(Error::NotAlone { path: source.path });
        }
        // Opening shows whether it can be read, before others are read for long.
        let mut opened = source.open()?;
        let first = match &mut opened {
            Opened::Packets(file) if size.is_some() => file.next().and_then(|packet| packet.time),
            _ => None,
        };
        let input = Input {
            source,
            number,
            size,
            opened: size.is_none().then_some(opened),
            pieces: None,
        };
        inputs.push((first.unwrap_or(u64::MAX), input));
    }
    inputs.sort_by_key(|(first, _)| *first);
    Ok(inputs.into_iter().map(|(_, input)| input).collect())
}

/// One reading of all files, given up where one of them turns out to be out of order.
struct Attempt<'a> {
    options: &'a Options,
    gathered: Gathered,
    formats: Vec<Option<Format>>,
    listeners: Listeners<'a>,
    strands: Rotation,
}

impl Attempt<'_> {
    /// Reads a file. False when its times run backwards, unless that is known or must be borne.
    fn take(&mut self, input: &mut Input, ticker: &mut Ticker) -> Result<bool, Error> {
        let opened = match input.opened.take() {
            Some(opened) => opened,
            None => input.source.open()?,
        };
        match opened {
            Opened::Packets(file) => {
                self.formats[input.number] = Some(file.format());
                match &input.pieces {
                    Some(pieces) => self.merge(input, pieces, ticker),
                    None => self.straight(input, file, ticker),
                }
            }
            Opened::Log(bytes, format) => {
                self.formats[input.number] = Some(format);
                let log = OpenLog {
                    path: &input.source.path,
                    file: input.number,
                    bytes,
                    format,
                };
                zeek::read(log, &mut self.gathered, &mut self.listeners, ticker)?;
                Ok(true)
            }
        }
    }

    fn straight(
        &mut self,
        input: &Input,
        file: PacketFile,
        ticker: &mut Ticker,
    ) -> Result<bool, Error> {
        let mut segments = Segments::new(file);
        let mut strand = None;
        let mut in_order = true;
        while let Some(segment) = segments.next(&mut self.gathered, ticker)? {
            in_order &= self.pass(&mut strand, input, segment);
            if !in_order && input.size.is_some() {
                return Ok(false);
            }
        }
        if !in_order {
            self.gathered.warnings.push(
                "time runs backwards, and what cannot be read twice cannot be sorted: the answers \
                 are not certain"
                    .into(),
            );
        }
        self.judge(input, segments.file())?;
        Ok(true)
    }

    fn merge(
        &mut self,
        input: &Input,
        pieces: &Pieces,
        ticker: &mut Ticker,
    ) -> Result<bool, Error> {
        self.gathered.warnings.push(pieces.warning());
        let set_back = self.gathered.set_back;
        let mut merged = Merged::open(&input.source, pieces, &mut self.gathered, ticker)?;
        let mut strand = None;
        while let Some(segment) = merged.next(&mut self.gathered, ticker)? {
            self.pass(&mut strand, input, segment);
        }
        // The warning on the pieces is about the same.
        self.gathered.set_back = set_back;
        match merged.file() {
            Some(file) => self.judge(input, file)?,
            None => self.judge(input, &reopen(&input.source)?)?,
        }
        Ok(true)
    }

    /// Takes a segment or datagram. False when it comes too late to be put in order; it is taken all the same.
    fn pass(&mut self, strand: &mut Option<usize>, input: &Input, passed: Passed) -> bool {
        let strand = *strand.get_or_insert_with(|| self.strands.of_file(passed.time()));
        let listeners = &mut self.listeners;
        self.strands.take(strand, passed, input.number, listeners)
    }

    /// What there is to say of a file that was read to its end.
    fn judge(&mut self, input: &Input, file: &PacketFile) -> Result<(), Error> {
        if file.passed() > 0 {
            self.gathered
                .warnings
                .extend(file.ending().map(String::from));
            return Ok(());
        }
        Err(match file.ending() {
            Some(what) => Error::Damaged {
                path: input.source.path.clone(),
                what: what.into(),
            },
            None => Error::NoPackets {
                path: input.source.path.clone(),
                what: "packets",
            },
        })
    }

    fn conclude(mut self) -> Reading {
        self.gathered.set_back_within = self.strands.set_back();
        self.strands.finish(&mut self.listeners);
        let Attempt {
            options,
            gathered,
            formats,
            listeners,
            ..
        } = self;
        let (mut groups, far_sides) = listeners.lanes.groups();
        let formats: Vec<Format> = formats.into_iter().flatten().collect();
        let mut warnings = gathered.warnings.clone();
        warnings.extend(gathered.losses());
        warnings.extend(doubts(&listeners, options));
        let (logs, packets) = (
            formats.iter().any(|format| format.is_log()),
            formats.iter().any(|format| !format.is_log()),
        );
        let mut notes = Vec::new();
        if let Some((much, line)) = left_out(&gathered, &listeners.sink) {
            let empty = listeners.sink.connections + listeners.sink.quic == 0;
            if empty || much {
                &mut warnings
            } else {
                &mut notes
            }
            .push(line);
        }
        if packets {
            notes.extend(gathered.removals());
            notes.extend(NOTES.map(String::from));
            if listeners.sink.quic > 0 {
                notes.push(QUIC.into());
            }
        } else {
            for path in groups
                .iter_mut()
                .flat_map(|group| [&mut group.to_remote, &mut group.from_remote])
            {
                path.rate_method = "not estimated: a conn.log has no packets".into();
                path.buffer_method = path.rate_method.clone();
            }
        }
        if logs {
            notes.extend(zeek::notes(&listeners));
        }
        Reading {
            formats,
            link_types: gathered.link_types(),
            tunnels: gathered
                .tunnels
                .iter()
                .map(|(tunnel, count)| (tunnel.name().into(), *count))
                .collect(),
            packets: gathered.packets,
            unreadable: gathered.unreadable(),
            groups,
            warnings,
            notes,
            far_sides,
        }
    }
}

/// Other traffic matters from this share of the bytes on: a replay without it may be of an emptier path.
const MUCH: f64 = 0.05;

/// Whether the packets that belong to no connection are many, and what they are.
fn left_out(gathered: &Gathered, sink: &Sink) -> Option<(bool, String)> {
    let mut others = gathered.others.clone();
    others.merge(&sink.others);
    let (count, kinds) = others.summary()?;
    let all = gathered.packets;
    let share = others.bytes as f64 / gathered.bytes.max(1) as f64;
    let line = format!(
        "{count} of {all} packets ({:.0} % of bytes) are neither TCP nor known QUIC: {kinds}",
        100.0 * share
    );
    Some((2 * count > all || share >= MUCH, line))
}

/// What is not to be believed of the rows.
fn doubts(listeners: &Listeners, options: &Options) -> Vec<String> {
    let sink = &listeners.sink;
    let found = [
        (
            sink.dropped,
            format!(
                "{} transfers beyond the first {} were left out",
                sink.dropped, options.most_transfers
            ),
        ),
        (
            listeners.late,
            format!(
                "{} packets came long after their connections had ended and were left out",
                listeners.late
            ),
        ),
        (
            sink.twice,
            format!(
                "{} of {} connections were captured twice: copies are left out, retransmissions \
                 are not to be believed",
                sink.twice, sink.connections
            ),
        ),
        (
            sink.one_direction,
            format!(
                "{} of {} connections have packets of one side only: bytes of the other side are \
                 those acknowledged; a replay needs both",
                sink.one_direction, sink.connections
            ),
        ),
        (
            sink.quic_one_direction,
            format!(
                "{} of {} QUIC connections have datagrams of one side only: their RTTs are not \
                 known",
                sink.quic_one_direction, sink.quic
            ),
        ),
        (
            sink.quic_incomplete,
            format!(
                "{} of {} QUIC handshakes are not complete in the capture",
                sink.quic_incomplete, sink.quic
            ),
        ),
    ];
    let counted = found.into_iter().filter(|(count, _)| *count > 0);
    counted.map(|(_, what)| what).collect()
}

const QUIC: &str = "QUIC: bytes are those of UDP datagrams, headers and repetitions included; \
                    what is in them is encrypted, so transfers, windows and losses are not known, \
                    and replays leave QUIC out (a qlog of an endpoint has them)";

const NOTES: [&str; 4] = [
    "RTT: the client's first ACK after the SYN-ACK, less the last SYN not later than the last \
     SYN-ACK before it",
    "transfers: one direction's data until the other side answers having heard all of it and is \
     itself heard",
    "of a connection's two networks (/24, /48) the local one takes part in more connections; at a \
     tie, the nearer",
    "rates of paths are those of IP packets, seen in the spacing of data from the remote side and \
     of acknowledgements of data to it; they are of the bottleneck only where senders kept it \
     busy",
];
