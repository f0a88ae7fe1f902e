//! The TCP segments and QUIC datagrams of a packet file: as they come, or in order of time where its times run backwards.

use crate::Error;
use crate::file::order::{Late, Order, Timed};
use crate::file::{Opened, PacketFile, Source};
use crate::gathered::Gathered;
use crate::layers::{self, Decoded, LeftOut, Passed};
use crate::ticker::Ticker;

/// Pieces into which a file is divided at most: each is a file open at the same time.
pub(crate) const MOST_PIECES: usize = 32;

/// The segments and datagrams of a file, as they come.
pub(crate) struct Segments {
    file: PacketFile,
    clock: u64,
    /// Bytes of the file of which the ticker was notified.
    told: u64,
}

impl Segments {
    pub(crate) fn new(file: PacketFile) -> Self {
        Segments {
            file,
            clock: 0,
            told: 0,
        }
    }

    /// The packets read so far, and why the file ended where it did, when that was not its proper end.
    pub(crate) fn file(&self) -> &PacketFile {
        &self.file
    }

    /// The next segment or datagram; what else passes is counted.
    pub(crate) fn next(
        &mut self,
        gathered: &mut Gathered,
        ticker: &mut Ticker,
    ) -> Result<Option<Passed>, Error> {
        loop {
            let taken = self.file.taken();
            let Some(packet) = self.file.next() else {
                return Ok(None);
            };
            ticker.tick(taken - std::mem::replace(&mut self.told, taken))?;
            gathered.packets += 1;
            *gathered.links.entry(packet.link).or_default() += 1;
            // A packet without a time came with the one before it.
            match packet.time {
                Some(time) => {
                    gathered.set_back = gathered.set_back.max(self.clock.saturating_sub(time));
                    self.clock = time;
                }
                None => gathered.timeless += 1,
            }
            let original = packet.original;
            gathered.bytes += u64::from(original);
            let snapped = packet.data.len() < original as usize;
            let decoded = layers::decode(
                packet.link,
                packet.data,
                original,
                self.clock,
                &mut gathered.tunnels,
            );
            match decoded {
                Decoded::Passed(passed) => return Ok(Some(passed)),
                Decoded::LeftOut(LeftOut::Other(other)) => gathered.others.count(other, original),
                Decoded::LeftOut(LeftOut::Fragment) => gathered.fragments += 1,
                Decoded::LeftOut(LeftOut::Unreadable) if snapped => gathered.snapped += 1,
                Decoded::LeftOut(LeftOut::Unreadable) => gathered.cut += 1,
                Decoded::LeftOut(LeftOut::UnknownLink) => {
                    *gathered.unknown_links.entry(packet.link).or_default() += 1;
                }
            }
        }
    }
}

/// A file in pieces, each in order within itself.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    /// Number of the first segment or datagram of each piece.
    pub starts: Vec<u64>,
    pub too_many: bool,
}

struct Moment(u64);

impl Timed for Moment {
    fn time(&self) -> u64 {
        self.0
    }
}

impl Pieces {
    /// Goes over a file for its times only.
    pub(crate) fn find(source: &Source, ticker: &mut Ticker) -> Result<Self, Error> {
        let mut pieces = Pieces {
            starts: vec![0],
            too_many: false,
        };
        let mut segments = Segments::new(reopen(source)?);
        let mut order = Order::new();
        let mut number = 0;
        while let Some(segment) = segments.next(&mut Gathered::default(), ticker)? {
            if order.push(Moment(segment.time())).is_err() {
                if pieces.starts.len() == MOST_PIECES {
                    pieces.too_many = true;
                } else {
                    order.clear();
                    pieces.starts.push(number);
                }
            }
            number += 1;
        }
        Ok(pieces)
    }

    /// What is to be said of a file that was read so.
    pub(crate) fn warning(&self) -> String {
        match self.too_many {
            false => format!(
                "time runs backwards in the file: its {} pieces were merged in order of time",
                self.starts.len()
            ),
            true => format!(
                "time runs backwards more than {MOST_PIECES} times: the last piece is out of \
                 order, and results for connections there are uncertain"
            ),
        }
    }
}

/// Opens a packet file once more.
pub(crate) fn reopen(source: &Source) -> Result<PacketFile, Error> {
    match source.open()? {
        Opened::Packets(file) => Ok(file),
        Opened::Log(..) => Err(Error::Damaged {
            path: source.path.clone(),
            what: "it changed while it was read".into(),
        }),
    }
}

/// One piece of a file being read.
struct Piece {
    segments: Segments,
    left: u64,
    order: Order<Passed>,
    head: Option<Passed>,
}

impl Piece {
    fn advance(&mut self, gathered: &mut Gathered, ticker: &mut Ticker) -> Result<(), Error> {
        while self.left > 0 {
            self.left -= 1;
            let Some(segment) = self.segments.next(gathered, ticker)? else {
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

/// All pieces of a file, read at once, always from the one that is earliest.
pub(crate) struct Merged {
    pieces: Vec<Piece>,
    /// The piece that was read last.
    at: usize,
}

impl Merged {
    pub(crate) fn open(
        source: &Source,
        pieces: &Pieces,
        gathered: &mut Gathered,
        ticker: &mut Ticker,
    ) -> Result<Self, Error> {
        ticker.expect(pieces.starts.len() as u64);
        let ends = pieces.starts.iter().skip(1).copied().chain([u64::MAX]);
        let mut merged = Merged {
            pieces: Vec::new(),
            at: 0,
        };
        for (&from, to) in pieces.starts.iter().zip(ends) {
            let mut piece = Piece {
                segments: Segments::new(reopen(source)?),
                left: to - from,
                order: Order::new(),
                head: None,
            };
            // The last piece goes over the whole file, so it counts for all of them.
            let mut uncounted = Gathered::default();
            let counts = match to {
                u64::MAX => &mut *gathered,
                _ => &mut uncounted,
            };
            for _ in 0..from {
                piece.segments.next(counts, ticker)?;
            }
            piece.advance(counts, ticker)?;
            merged.pieces.push(piece);
        }
        Ok(merged)
    }

    /// The earliest that is left.
    pub(crate) fn next(
        &mut self,
        gathered: &mut Gathered,
        ticker: &mut Ticker,
    ) -> Result<Option<Passed>, Error> {
        let Some(at) = self.earliest() else {
            return Ok(None);
        };
        self.at = at;
        let is_last = at + 1 == self.pieces.len();
        let mut uncounted = Gathered::default();
        let counts = if is_last { gathered } else { &mut uncounted };
        let piece = &mut self.pieces[at];
        let head = piece.head.take();
        piece.advance(counts, ticker)?;
        Ok(head)
    }

    /// The piece to read from: of several at the same time the one read last, since a piece ends
    /// where the time continues.
    fn earliest(&self) -> Option<usize> {
        let heads = self
            .pieces
            .iter()
            .enumerate()
            .filter_map(|(at, piece)| Some((piece.head?.time(), at != self.at, at)));
        heads.min().map(|(.., at)| at)
    }

    /// The file, as the last piece has read it.
    pub(crate) fn file(&self) -> Option<&PacketFile> {
        Some(self.pieces.last()?.segments.file())
    }
}
