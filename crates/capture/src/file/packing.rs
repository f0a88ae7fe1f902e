//! Compressed streams, known by their first bytes: gzip, xz and Zstandard, each in bounded memory.

use std::io::{self, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{Stream, CONCATENATED};

/// A decoder that wants more memory refuses the stream. It is what `zstd` takes without `--long`, and twice what
/// `xz -9` asks for. Bytes
const MOST_MEMORY: u64 = 128 << 20;
/// The same for the window of Zstandard, as a power of two.
const LARGEST_WINDOW: u32 = 27;
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
        let stream = Stream::new_stream_decoder(MOST_MEMORY, CONCATENATED)?;
        return Ok((Box::new(XzDecoder::new_stream(whole, stream)), Some("xz")));
    }
    let mut decoder = zstd::Decoder::with_buffer(whole)?;
    decoder.window_log_max(LARGEST_WINDOW)?;
    Ok((Box::new(decoder), Some("zstd")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    fn unpack(data: &[u8]) -> io::Result<(Vec<u8>, Option<&'static str>)> {
        let (mut stream, packing) = unpacked(Box::new(Cursor::new(data.to_vec())))?;
        let mut content = Vec::new();
        stream.read_to_end(&mut content)?;
        Ok((content, packing))
    }

    fn xz(data: &[u8]) -> Vec<u8> {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn streams_are_unpacked_by_their_first_bytes_and_may_follow_on_each_other() {
        let zstd = |data: &[u8]| zstd::encode_all(data, 1).unwrap();
        let twice = |pack: &dyn Fn(&[u8]) -> Vec<u8>| [pack(b"one "), pack(b"two")].concat();
        assert_eq!(
            unpack(&twice(&xz)).unwrap(),
            (b"one two".to_vec(), Some("xz"))
        );
        assert_eq!(
            unpack(&twice(&zstd)).unwrap(),
            (b"one two".to_vec(), Some("zstd"))
        );
        assert_eq!(unpack(b"one two").unwrap(), (b"one two".to_vec(), None));
    }

    #[test]
    fn a_window_that_takes_too_much_memory_is_refused() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(LARGEST_WINDOW + 1).unwrap();
        encoder.write_all(&[7; 1000]).unwrap();
        let error = unpack(&encoder.finish().unwrap()).unwrap_err().to_string();
        assert!(
            error.contains("memory") || error.contains("window"),
            "{error}"
        );
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
