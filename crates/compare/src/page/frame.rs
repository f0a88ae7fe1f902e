//! Answers with numbers in bulk: JSON, and behind it a tail of bytes (`web/src/protocol.ts`).

use serde::Serialize;

/// The bytes behind an answer's JSON, in pieces that begin at multiples of four.
#[derive(Default)]
pub(crate) struct Tail(Vec<u8>);

impl Tail {
    /// Appends a piece. Where in the tail it begins.
    pub(crate) fn add(&mut self, piece: impl IntoIterator<Item = u8>) -> usize {
        let begin = self.0.len();
        self.0.extend(piece);
        pad(&mut self.0);
        begin
    }
}

/// The length of the JSON (four bytes, little endian), the JSON, and from the next multiple of four
/// on the tail.
pub(crate) fn frame(head: &impl Serialize, tail: &Tail) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, head).expect("an answer has text for keys");
    let length = u32::try_from(bytes.len() - 4).unwrap_or(u32::MAX);
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    pad(&mut bytes);
    bytes.extend_from_slice(&tail.0);
    bytes
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}
