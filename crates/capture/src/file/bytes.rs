//! A window over a byte stream: look at the next few bytes, step over any number of them.
//!
//! Nothing that a file claims about its own lengths decides how much memory is taken: the window is as wide as
//! [`MOST`], a longer packet shows its beginning and the rest is stepped over.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use super::packing;

/// Maximum that can be read in one piece. Headers end long before.
pub(crate) const MOST: usize = 64 * 1024;
const BUFFER: usize = 4 * MOST;

pub(crate) struct Bytes {
    input: Box<dyn Read>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    finished: bool,
    fault: Option<io::Error>,
    packing: Option<&'static str>,
    taken: Rc<Cell<u64>>,
}

impl Bytes {
    /// Reads `input` and, when its first bytes say so, unpacks it on the way.
    pub(crate) fn new(input: Box<dyn Read>) -> io::Result<Self> {
        let taken = Rc::new(Cell::new(0));
        let input = Counted {
            input,
            taken: Rc::clone(&taken),
        };
        Self::detect(Box::new(input), taken)
    }

    #[cfg(test)]
    pub(crate) fn of(data: Vec<u8>) -> Self {
        Self::detect(Box::new(io::Cursor::new(data)), Rc::default()).expect("memory can be read")
    }

    fn detect(input: Box<dyn Read>, taken: Rc<Cell<u64>>) -> io::Result<Self> {
        let (input, packing) = packing::unpacked(input)?;
        Ok(Bytes {
            input,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            finished: false,
            fault: None,
            packing,
            taken,
        })
    }

    /// The next `wanted` bytes, or as many as are left. Never more than [`MOST`].
    pub(crate) fn peek(&mut self, wanted: usize) -> &[u8] {
        let wanted = wanted.min(MOST);
        if self.end - self.start < wanted {
            self.fill(wanted);
        }
        let shown = wanted.min(self.end - self.start);
        &self.buffer[self.start..self.start + shown]
    }

    /// Skips `count` bytes; returns how many there were.
    pub(crate) fn skip(&mut self, count: u64) -> u64 {
        let mut left = count;
        loop {
            let step = left.min((self.end - self.start) as u64);
            self.start += step as usize;
            left -= step;
            if left == 0 || self.peek(1).is_empty() {
                return count - left;
            }
        }
    }

    /// The next line without its end, or nothing at the end of the file. `None` too when it passes [`MOST`] bytes:
    /// then [`Bytes::at_end`] is false.
    pub(crate) fn line(&mut self) -> Option<Vec<u8>> {
        let seen = self.peek(MOST);
        let length = match seen.iter().position(|&b| b == b'\n') {
            Some(length) => length,
            None if seen.is_empty() || seen.len() == MOST => return None,
            None => seen.len(),
        };
        let line = seen[..length]
            .strip_suffix(b"\r")
            .unwrap_or(&seen[..length])
            .to_vec();
        self.skip(length as u64 + 1);
        Some(line)
    }

    pub(crate) fn at_end(&mut self) -> bool {
        self.peek(1).is_empty()
    }

    /// What stopped the stream, when it was not its proper end.
    pub(crate) fn fault(&self) -> Option<&io::Error> {
        self.fault.as_ref()
    }

    pub(crate) fn take_fault(&mut self) -> Option<io::Error> {
        self.fault.take()
    }

    /// How the stream was compressed.
    pub(crate) fn packing(&self) -> Option<&'static str> {
        self.packing
    }

    /// Bytes of the file itself read so far, for a progress display.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.get()
    }

    fn fill(&mut self, wanted: usize) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < wanted && !self.finished {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.finished = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.finished = true;
                    self.fault = Some(error);
                }
            }
        }
    }
}

struct Counted {
    input: Box<dyn Read>,
    taken: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.taken.set(self.taken.get() + count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn several_gzip_members_are_one_stream() {
        let mut data = gzip(b"one ");
        data.extend(gzip(b"two"));
        let mut bytes = Bytes::of(data);
        assert_eq!(bytes.peek(100), b"one two");
        assert!(bytes.packing() == Some("gzip") && bytes.fault().is_none());
    }

    #[test]
    fn a_cut_gzip_stream_gives_what_is_there_and_reports_the_cut() {
        let noise: Vec<u8> = (0..100_000u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        let mut data = gzip(&noise);
        data.truncate(data.len() / 2);
        let mut bytes = Bytes::of(data);
        let read = bytes.skip(100_000);
        assert!(read > 0 && read < 100_000);
        assert!(bytes.fault().is_some());
    }

    #[test]
    fn lines_end_with_or_without_carriage_return_and_the_last_needs_none() {
        let mut bytes = Bytes::of(b"a\r\nb\n\nc".to_vec());
        let lines: Vec<_> = std::iter::from_fn(|| bytes.line()).collect();
        assert_eq!(lines, [&b"a"[..], b"b", b"", b"c"]);
    }

    #[test]
    fn a_line_without_end_takes_no_memory_without_end() {
        let mut bytes = Bytes::of(vec![b'x'; 2 * MOST]);
        assert_eq!(bytes.line(), None);
        assert!(!bytes.at_end());
    }
}
