//! Compressed streams, known by their first bytes: gzip, xz and Zstandard, each in bounded memory.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// A stream that needs more memory is refused: it is twice what `xz -9` needs, and what `zstd` permits without
/// `--long` (RFC 8878 §3.1.1.1.2 leaves the limit to the decoder).
const MAX_MEMORY_KIB: u32 = 128 << 10;
const BUFFER: usize = 64 * 1024;

const GZIP: &[u8] = &[0x1f, 0x8b];
const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The stream as it was before compression, and how it was compressed.
pub(super) fn unpacked(
    mut input: Box<dyn Read>,
) -> io::Result<(Box<dyn Read>, Option<&'static str>)> {
    let mut first = Vec::with_capacity(XZ.len());
    input
        .by_ref()
        .take(XZ.len() as u64)
        .read_to_end(&mut first)?;
    let begins = |magic: &[u8]| first.starts_with(magic);
    let (gzip, xz, zstd) = (begins(GZIP), begins(XZ), begins(ZSTD));
    let whole = Cursor::new(first).chain(input);
    if !(gzip || xz || zstd) {
        return Ok((Box::new(whole), None));
    }
    let whole = BufReader::with_capacity(BUFFER, whole);
    if gzip {
        return Ok((Box::new(MultiGzDecoder::new(whole)), Some("gzip")));
    }
    if xz {
        let stream = XzReader::new_mem_limit(whole, true, MAX_MEMORY_KIB);
        return Ok((Box::new(stream), Some("xz")));
    }
    Ok((Box::new(ZstdReader::new(whole)), Some("zstd")))
}

/// Zstandard frames, one after another, each with its checksum verified (RFC 8878 §3.1).
struct ZstdReader<R> {
    source: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> ZstdReader<R> {
    fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(u64::from(MAX_MEMORY_KIB) << 10);
        Self {
            source,
            decoder,
            in_frame: false,
        }
    }

    /// Reads the header of the next frame, and skips a skippable frame.
    fn open_frame(&mut self) -> io::Result<()> {
        match self.decoder.init(&mut self.source) {
            Ok(()) => self.in_frame = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                io::copy(
                    &mut self.source.by_ref().take(length.into()),
                    &mut io::sink(),
                )?;
            }
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(())
    }

    fn close_frame(&mut self) -> io::Result<()> {
        self.in_frame = false;
        let expected = self.decoder.get_checksum_from_data();
        match expected.is_some() && expected != self.decoder.get_calculated_checksum() {
            true => Err(io::Error::other("the checksum of a frame is wrong")),
            false => Ok(()),
        }
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            } else if self.in_frame && self.decoder.is_finished() {
                self.close_frame()?;
            } else if self.in_frame {
                let one_block = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.source, one_block);
                decoded.map_err(io::Error::other)?;
            } else if self.source.fill_buf()?.is_empty() {
                return Ok(0);
            } else {
                self.open_frame()?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unpack(data: &[u8]) -> io::Result<(Vec<u8>, Option<&'static str>)> {
        let (mut stream, packing) = unpacked(Box::new(Cursor::new(data.to_vec())))?;
        let mut content = Vec::new();
        stream.read_to_end(&mut content)?;
        Ok((content, packing))
    }

    /// `xz -0` of "one ".
    #[rustfmt::skip]
    const XZ_ONE: &[u8] = &[
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01,
        0x0c, 0x00, 0x00, 0x00, 0x8f, 0x98, 0x41, 0x9c, 0x01, 0x00, 0x03, 0x6f, 0x6e, 0x65, 0x20, 0x00,
        0x5a, 0x8c, 0x83, 0xa3, 0x31, 0x35, 0xef, 0x7e, 0x00, 0x01, 0x1c, 0x04, 0x6f, 0x2c, 0x9c, 0xc1,
        0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
    ];
    /// `xz -0` of "two".
    #[rustfmt::skip]
    const XZ_TWO: &[u8] = &[
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01,
        0x0c, 0x00, 0x00, 0x00, 0x8f, 0x98, 0x41, 0x9c, 0x01, 0x00, 0x02, 0x74, 0x77, 0x6f, 0x00, 0x00,
        0x5d, 0xd3, 0x79, 0x29, 0x75, 0x28, 0x52, 0x03, 0x00, 0x01, 0x1b, 0x03, 0x0b, 0x2f, 0xb9, 0x10,
        0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
    ];

    fn zstd(data: &[u8]) -> Vec<u8> {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        compress_to_vec(data, CompressionLevel::Fastest)
    }

    #[test]
    fn streams_are_unpacked_by_their_first_bytes_and_may_follow_on_each_other() {
        let whole = |packing| (b"one two".to_vec(), packing);
        assert_eq!(
            unpack(&[XZ_ONE, XZ_TWO].concat()).unwrap(),
            whole(Some("xz"))
        );
        let frames = [zstd(b"one "), zstd(b"two")].concat();
        assert_eq!(unpack(&frames).unwrap(), whole(Some("zstd")));
        assert_eq!(unpack(b"one two").unwrap(), whole(None));
    }

    #[test]
    fn a_skippable_frame_of_zstandard_is_skipped() {
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0], &b"abc"[..]].concat();
        let stream = [zstd(b"one "), skippable, zstd(b"two")].concat();
        assert_eq!(unpack(&stream).unwrap().0, b"one two");
    }

    #[test]
    fn a_window_of_zstandard_that_takes_too_much_memory_is_refused() {
        // A frame header with a window of 2^28 bytes: exponent 18 above 2^10 (RFC 8878 §3.1.1.1.2).
        let error = unpack(&[ZSTD, &[0, 18 << 3]].concat()).unwrap_err();
        assert!(
            error.to_string().to_lowercase().contains("window"),
            "{error}"
        );
    }

    #[test]
    fn a_damaged_checksum_is_refused() {
        for mut stream in [XZ_ONE.to_vec(), zstd(b"one ")] {
            let last = stream.len() - 1;
            stream[last] ^= 1;
            unpack(&stream).unwrap_err();
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_decoder_panic(
            magic in prop::sample::select(vec![GZIP, XZ, ZSTD]),
            body in prop::collection::vec(any::<u8>(), 0..500),
        ) {
            let _ = unpack(&[magic, &body].concat());
        }
    }
}
