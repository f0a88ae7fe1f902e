//! Packets out of a capture file.
//!
//! The framing of pcap and pcapng is read by hand rather than by a parser crate. Three of this reader's duties lie
//! exactly there: a length is judged before anything is set aside for it, a file that stops in mid-packet gives every
//! packet before and a sentence about the last, and a packet longer than the window shows its headers all the same.
//! Crates for these formats hand out whole blocks, and grow their buffer to what the block claims to be.

mod bytes;
mod frame;
pub(crate) mod order;
mod packing;
mod pcap;
mod pcapng;

pub(crate) use bytes::Bytes;

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Error, Format, zeek};
use frame::Found;

/// One captured packet: as much of it as was kept, and how long it was on the wire.
pub(crate) struct Packet<'a> {
    /// Nanoseconds since 1970; `None` where the format carries no time (a pcapng simple packet block).
    pub time: Option<u64>,
    pub link: u32,
    pub original: u32,
    pub data: &'a [u8],
}

enum Framing {
    Pcap(pcap::Pcap),
    Pcapng(pcapng::Pcapng),
}

/// A capture file, read from the front.
pub(crate) struct PacketFile {
    bytes: Bytes,
    framing: Framing,
    passed: u64,
    pending: u64,
    ending: Option<String>,
}

/// What a path turned out to be.
pub(crate) enum Opened {
    Packets(PacketFile),
    Log(Bytes, Format),
}

/// Whether a path means the standard input.
fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Where a file's bytes are. It can be opened several times, but for the standard input.
#[derive(Clone)]
pub(crate) struct Source {
    /// Its path, or for bytes in memory its name.
    pub path: PathBuf,
    /// All of it, or the start of the standard input.
    memory: Option<Memory>,
}

/// Bytes in memory, which are not copied when they are opened again.
#[derive(Clone)]
struct Memory(Arc<Vec<u8>>);

impl AsRef<[u8]> for Memory {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Source {
    /// A file at a path; the standard input's first bytes may have been read already.
    pub(crate) fn at(path: &Path, stdin_start: &[u8]) -> Source {
        let memory = is_stdin(path).then(|| Memory(Arc::new(stdin_start.to_vec())));
        Source {
            path: path.into(),
            memory,
        }
    }

    /// The bytes of a file with this name.
    pub(crate) fn memory(name: &str, data: Vec<u8>) -> Source {
        Source {
            path: name.into(),
            memory: Some(Memory(Arc::new(data))),
        }
    }

    /// Its size in bytes; `None` for what is no plain file, which can be read only once.
    pub(crate) fn size(&self) -> Result<Option<u64>, Error> {
        if is_stdin(&self.path) {
            return Ok(None);
        }
        if let Some(Memory(data)) = &self.memory {
            return Ok(Some(data.len() as u64));
        }
        let metadata = fs::metadata(&self.path).map_err(|source| self.unopened(source))?;
        Ok(metadata.is_file().then_some(metadata.len()))
    }

    /// Opens it and detects its format by its content.
    pub(crate) fn open(&self) -> Result<Opened, Error> {
        let at = |source| self.unopened(source);
        let mut bytes = Bytes::new(self.reader().map_err(at)?).map_err(at)?;
        recognise(&mut bytes, &self.path).map(|kind| match kind {
            Kind::Log(format) => Opened::Log(bytes, format),
            Kind::Packets(framing) => Opened::Packets(PacketFile::new(bytes, framing)),
        })
    }

    fn reader(&self) -> io::Result<Box<dyn Read>> {
        if let Some(data) = &self.memory {
            let data = Cursor::new(data.clone());
            return Ok(match is_stdin(&self.path) {
                true => Box::new(data.chain(io::stdin())),
                false => Box::new(data),
            });
        }
        match fs::metadata(&self.path)?.is_dir() {
            true => Err(io::Error::other("it is a directory")),
            false => Ok(Box::new(File::open(&self.path)?)),
        }
    }

    fn unopened(&self, source: io::Error) -> Error {
        let path = self.path.clone();
        Error::Open { path, source }
    }
}

enum Kind {
    Log(Format),
    Packets(Framing),
}

fn recognise(bytes: &mut Bytes, path: &Path) -> Result<Kind, Error> {
    let path = || PathBuf::from(path);
    let start = bytes.peek(64).to_vec();
    if start.is_empty() {
        return Err(match bytes.take_fault() {
            Some(source) => Error::Read {
                path: path(),
                source,
            },
            None => Error::Empty { path: path() },
        });
    }
    if let Some(header) = pcap::Pcap::recognise(&start) {
        let what = "the pcap header is cut short".into();
        let pcap = header.ok_or(Error::Damaged { path: path(), what })?;
        bytes.skip(pcap::HEADER as u64);
        return Ok(Kind::Packets(Framing::Pcap(pcap)));
    }
    if pcapng::Pcapng::recognise(&start) {
        return Ok(Kind::Packets(Framing::Pcapng(pcapng::Pcapng::default())));
    }
    match start.trim_ascii_start() {
        text if zeek::begins_header(text) => Ok(Kind::Log(Format::ZeekTsv)),
        [b'{', ..] => Ok(Kind::Log(Format::ZeekJson)),
        _ => Err(Error::Unknown { path: path() }),
    }
}

impl PacketFile {
    fn new(bytes: Bytes, framing: Framing) -> Self {
        PacketFile {
            bytes,
            framing,
            passed: 0,
            pending: 0,
            ending: None,
        }
    }

    pub(crate) fn format(&self) -> Format {
        match self.framing {
            Framing::Pcap(_) => Format::Pcap,
            Framing::Pcapng(_) => Format::Pcapng,
        }
    }

    /// The next packet, or nothing when the file ends or can be followed no further; see [`PacketFile::ending`].
    pub(crate) fn next(&mut self) -> Option<Packet<'_>> {
        if self.ending.is_some() {
            return None;
        }
        self.bytes.skip(std::mem::take(&mut self.pending));
        let found = match &mut self.framing {
            Framing::Pcap(pcap) => pcap.next(&mut self.bytes),
            Framing::Pcapng(pcapng) => pcapng.next(&mut self.bytes),
        };
        let Found::Packet(frame) = found else {
            self.ending = self.describe(found);
            return None;
        };
        let whole = frame.header + frame.captured;
        let seen = self.bytes.peek(whole).len();
        if seen < whole.min(bytes::MOST) {
            self.ending = self.describe(Found::Cut);
            return None;
        }
        self.passed += 1;
        self.pending = frame.length;
        let data = &self.bytes.peek(whole)[frame.header..];
        Some(Packet {
            time: frame.time,
            link: frame.link,
            original: frame.original,
            data,
        })
    }

    /// Packets handed out so far.
    pub(crate) fn passed(&self) -> u64 {
        self.passed
    }

    /// Bytes of the file read so far.
    pub(crate) fn taken(&self) -> u64 {
        self.bytes.taken()
    }

    /// Why the file ended where it did, when that was not its proper end.
    pub(crate) fn ending(&self) -> Option<&str> {
        self.ending.as_deref()
    }

    fn describe(&self, found: Found) -> Option<String> {
        let read = match self.passed {
            1 => "1 packet was read".to_string(),
            count => format!("{count} packets were read"),
        };
        match (found, self.bytes.fault()) {
            (_, Some(fault)) if self.bytes.packing().is_some() => Some(format!(
                "the {} stream is cut or damaged ({fault}): {read} before",
                self.bytes.packing().unwrap_or_default()
            )),
            (_, Some(fault)) => Some(format!("reading failed ({fault}): {read} before")),
            (Found::Cut, None) => Some(format!("the file ends in mid-packet: {read} before")),
            (Found::Damage(what), None) => Some(format!(
                "{what}: {read} before, the rest cannot be followed"
            )),
            (Found::Packet(_) | Found::End, None) => None,
        }
    }

    #[cfg(test)]
    pub(crate) fn of(data: Vec<u8>) -> Option<Self> {
        let mut bytes = Bytes::of(data);
        match recognise(&mut bytes, Path::new("memory")) {
            Ok(Kind::Packets(framing)) => Some(PacketFile::new(bytes, framing)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn drain(data: Vec<u8>) -> u64 {
        let Some(mut file) = PacketFile::of(data) else {
            return 0;
        };
        while file.next().is_some() {}
        file.passed()
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_framing_panic(
            magic in prop::sample::select(vec![0xa1b2c3d4u32, 0xd4c3b2a1, 0xa1b23c4d, 0xa1b2cd34, 0x0a0d0d0a]),
            body in prop::collection::vec(any::<u8>(), 0..2000),
        ) {
            let mut data = magic.to_be_bytes().to_vec();
            data.extend(body);
            drain(data);
        }

        #[test]
        fn no_block_of_a_pcapng_makes_it_panic(
            blocks in prop::collection::vec((0u32..8, prop::collection::vec(any::<u8>(), 0..80)), 0..20),
        ) {
            let mut data = pcapng::tests::section(true);
            for (kind, body) in blocks {
                data.extend(pcapng::tests::block(true, kind, &body));
            }
            drain(data);
        }
    }
}
