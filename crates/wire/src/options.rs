//! What a segment carries beside its header.
//!
//! A segment has room for six words. SACK blocks fill them from the front, one other
//! option takes the last two and so the room of one block; a congestion header takes all
//! six. Data carries no SACK blocks, acknowledgements nothing that only data does, so one
//! small array serves both. A block that ends 4 GiB or more above the acknowledgement takes four
//! words instead of two, and only the first block may. Where packets are numbered, ACK ranges stand in the place of SACK
//! blocks, in the bytes that they take on the wire: six to a dozen of them. Data may use the
//! first two words for what its sender has heard. The ECN bits of the headers are kept here too,
//! where there is room.

use super::ecn::Ecn;
use flowstart_control::{Segments, Time};

/// A SACK block, as offsets from the cumulative acknowledgement beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First byte, counted from the cumulative acknowledgement.
    pub start: u64,
    /// One past the last byte, counted likewise.
    pub end: u64,
}

/// At most three SACK blocks a segment (RFC 2018 §3, with room for timestamps).
pub const MAX_SACK_BLOCKS: usize = 3;

/// Beside the count of blocks: the first of them is wide.
const WIDE: u8 = 0x80;
/// Words of a wide block beyond those of another.
const WIDER: usize = 2;

const WORDS: usize = 2 * MAX_SACK_BLOCKS;
/// Where the words of the other option begin.
const OTHER: usize = WORDS - 2;

/// An option that is not a SACK block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Extra {
    /// There is none.
    #[default]
    None,
    /// A Quick-Start rate request, on its way through the routers (RFC 4782 §3.1).
    RateRequest(RateRequest),
    /// The receiver's answer to it (RFC 4782 §4.2).
    RateResponse(RateResponse),
    /// The sender's report of the rate that it takes as approved (RFC 4782 §3.1).
    RateReport {
        /// The rate's code; zero where none was approved.
        code: u8,
        /// The nonce of the request.
        nonce: u32,
    },
    /// How far apart the two segments of a pair arrived at the receiver.
    Gap(Time),
    /// XCP's congestion header, on data on its way through the routers.
    Congestion(CongestionHeader),
    /// What the congestion headers of the data that it acknowledges have come to: the sum of
    /// their `feedback`.
    Feedback(f64),
}

/// Bytes of XCP's congestion header in a packet, data or acknowledgement
/// (draft-falk-xcp-spec).
const CONGESTION_HEADER: u32 = 20;

impl Extra {
    /// Bytes that it adds to a segment where options take `option_bytes`. A congestion header
    /// is larger than an option, and free where options are.
    pub fn wire(&self, option_bytes: u32) -> u32 {
        match self {
            Extra::None => 0,
            Extra::Congestion(_) | Extra::Feedback(_) if option_bytes > 0 => CONGESTION_HEADER,
            _ => option_bytes,
        }
    }
}

/// What a sender tells the routers of itself, and what they answer (Katabi, Handley, Rohrs
/// 2002, §3.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CongestionHeader {
    /// H_cwnd: the sender's window.
    pub cwnd: Segments,
    /// H_rtt: the sender's estimate of the round trip; zero where it has none.
    pub rtt: Time,
    /// H_feedback: by how much the sender's throughput is to change, bytes per second.
    /// Infinite until a router has written into it: senders ask for all there is.
    pub feedback: f64,
}

/// RFC 4782 §3.1, with the TTL of the IP header, which changes beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateRequest {
    /// The rate's code.
    pub code: u8,
    /// QS TTL: counted down by every router that takes part.
    pub qs_ttl: u8,
    /// The IP header's TTL: counted down by every router.
    pub ip_ttl: u8,
    /// QS Nonce, thirty bits.
    pub nonce: u32,
}

/// RFC 4782 §4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateResponse {
    /// The rate's code.
    pub code: u8,
    /// TTL Diff: what was left of the IP TTL less what was left of the QS TTL.
    pub ttl_diff: u8,
    /// QS Nonce as it arrived.
    pub nonce: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tag {
    #[default]
    None,
    RateRequest,
    RateResponse,
    RateReport,
    Gap,
    Congestion,
    Feedback,
}

/// The options of one segment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    words: [u32; WORDS],
    /// How many SACK blocks or further ACK ranges there are, and whether the first is [`WIDE`].
    sacks: u8,
    tag: Tag,
    /// Bytes that ACK ranges fill.
    filled: u8,
    /// The ECN bits of its headers.
    pub ecn: Ecn,
}

impl Options {
    /// The option that is not a SACK block. Hardly any segment has one.
    #[inline]
    pub fn extra(&self) -> Extra {
        match self.tag {
            Tag::None => Extra::None,
            tag => self.read(tag),
        }
    }

    #[cold]
    fn read(&self, tag: Tag) -> Extra {
        let [a, b] = [self.words[OTHER], self.words[OTHER + 1]];
        let [code, x, y, _] = a.to_le_bytes();
        match tag {
            Tag::None => Extra::None,
            Tag::RateRequest => Extra::RateRequest(RateRequest {
                code,
                qs_ttl: x,
                ip_ttl: y,
                nonce: b,
            }),
            Tag::RateResponse => Extra::RateResponse(RateResponse {
                code,
                ttl_diff: x,
                nonce: b,
            }),
            Tag::RateReport => Extra::RateReport { code, nonce: b },
            Tag::Gap => Extra::Gap(Time(self.double(OTHER))),
            Tag::Congestion => Extra::Congestion(CongestionHeader {
                cwnd: f64::from_bits(self.double(0)),
                rtt: Time(self.double(2)),
                feedback: f64::from_bits(self.double(OTHER)),
            }),
            Tag::Feedback => Extra::Feedback(f64::from_bits(self.double(OTHER))),
        }
    }

    /// Two words as one number.
    fn double(&self, at: usize) -> u64 {
        u64::from(self.words[at]) | u64::from(self.words[at + 1]) << 32
    }

    fn set_double(&mut self, at: usize, value: u64) {
        self.words[at] = value as u32;
        self.words[at + 1] = (value >> 32) as u32;
    }

    /// Sets the option that is not a SACK block; before any block is added.
    pub fn set_extra(&mut self, extra: Extra) {
        let bytes = |code, x, y| u32::from_le_bytes([code, x, y, 0]);
        self.tag = match extra {
            Extra::None => Tag::None,
            Extra::RateRequest(r) => {
                self.words[OTHER] = bytes(r.code, r.qs_ttl, r.ip_ttl);
                self.words[OTHER + 1] = r.nonce;
                Tag::RateRequest
            }
            Extra::RateResponse(r) => {
                self.words[OTHER] = bytes(r.code, r.ttl_diff, 0);
                self.words[OTHER + 1] = r.nonce;
                Tag::RateResponse
            }
            Extra::RateReport { code, nonce } => {
                self.words[OTHER] = bytes(code, 0, 0);
                self.words[OTHER + 1] = nonce;
                Tag::RateReport
            }
            Extra::Gap(gap) => {
                self.set_double(OTHER, gap.0);
                Tag::Gap
            }
            Extra::Congestion(header) => {
                self.set_double(0, header.cwnd.to_bits());
                self.set_double(2, header.rtt.0);
                self.set_double(OTHER, header.feedback.to_bits());
                Tag::Congestion
            }
            Extra::Feedback(change) => {
                self.set_double(OTHER, change.to_bits());
                Tag::Feedback
            }
        };
    }

    /// Data says how far its sender had heard that the data had come, which stands for the
    /// timestamp that it echoes; where no congestion header takes the room.
    pub fn set_heard(&mut self, una: u64) {
        if self.tag != Tag::Congestion {
            self.set_double(0, una);
        }
    }

    /// What [`set_heard`](Self::set_heard) put in; zero where nothing was.
    pub fn heard(&self) -> u64 {
        match self.tag {
            Tag::Congestion => 0,
            _ => self.double(0),
        }
    }

    /// Whether there is an option that is not a SACK block.
    pub fn has_extra(&self) -> bool {
        self.tag != Tag::None
    }

    /// Whether there are no options at all.
    pub fn is_empty(&self) -> bool {
        self.sacks == 0 && self.filled == 0 && !self.has_extra()
    }

    /// How many SACK blocks there is room for.
    pub fn sack_room(&self) -> usize {
        match self.tag {
            Tag::None => MAX_SACK_BLOCKS,
            Tag::Congestion => 0,
            _ => MAX_SACK_BLOCKS - 1,
        }
    }

    /// Adds a SACK block, where there is room.
    #[inline]
    pub fn push_sack(&mut self, block: SackBlock) {
        let Ok(end) = u32::try_from(block.end) else {
            return self.push_wide(block);
        };
        let at = 2 * usize::from(self.sacks()) + self.wider();
        if at < 2 * self.sack_room() {
            self.words[at] = block.start as u32;
            self.words[at + 1] = end;
            self.sacks += 1;
        }
    }

    /// Adds a block whose edges do not fit into a word each, where none is before it.
    #[cold]
    fn push_wide(&mut self, block: SackBlock) {
        if self.sacks == 0 && 2 + WIDER <= 2 * self.sack_room() {
            self.set_double(0, block.start);
            self.set_double(2, block.end);
            self.sacks = WIDE | 1;
        }
    }

    /// Words that the first block takes beyond two.
    fn wider(&self) -> usize {
        match self.sacks & WIDE {
            0 => 0,
            _ => WIDER,
        }
    }

    /// Adds the next ACK range below the others (RFC 9000 §19.3.1): `gap` packets that are
    /// missing, none above the first range, then `more` packets beside one. Returns the bytes
    /// that it takes; `None` where there is no room.
    pub fn push_numbers(&mut self, gap: u64, more: u64) -> Option<u32> {
        let first = self.filled == 0;
        // A gap of one is written as zero.
        let gap = (!first).then(|| varint(gap - 1));
        let (more, bytes) = (varint(more), gap.map_or(0, |g| g.1));
        let bytes = bytes + more.1;
        if usize::from(self.filled) + bytes > 8 * self.sack_room() {
            return None;
        }
        for (code, length) in gap.into_iter().chain([more]) {
            for byte in (0..length).rev() {
                self.push_byte((code >> (8 * byte)) as u8);
            }
        }
        self.sacks += u8::from(!first);
        Some(bytes as u32)
    }

    fn push_byte(&mut self, byte: u8) {
        let at = usize::from(self.filled);
        self.words[at / 4] |= u32::from(byte) << (8 * (at % 4));
        self.filled += 1;
    }

    fn byte(&self, at: usize) -> u32 {
        self.words[at / 4] >> (8 * (at % 4)) & 0xFF
    }

    fn read_varint(&self, at: &mut usize) -> u64 {
        let first = self.byte(*at);
        let rest = (1 << (first >> 6)) - 1;
        *at += 1;
        (0..rest).fold(u64::from(first & 0x3F), |value, _| {
            let byte = self.byte(*at);
            *at += 1;
            value << 8 | u64::from(byte)
        })
    }

    /// The ACK ranges from the top, as [`push_numbers`](Self::push_numbers) was given them.
    pub fn number_ranges(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            if at >= usize::from(self.filled) {
                return None;
            }
            let gap = if at == 0 {
                0
            } else {
                self.read_varint(&mut at) + 1
            };
            Some((gap, self.read_varint(&mut at)))
        })
    }

    /// How many SACK blocks there are, or ACK ranges below the first.
    pub fn sacks(&self) -> u8 {
        self.sacks & !WIDE
    }

    /// The SACK blocks, newest first.
    #[inline]
    pub fn sack_blocks(&self) -> impl Iterator<Item = SackBlock> + '_ {
        let sacks = if self.filled > 0 { 0 } else { self.sacks() };
        (0..usize::from(sacks)).map(|i| self.block(i))
    }

    #[inline]
    fn block(&self, i: usize) -> SackBlock {
        if self.sacks & WIDE != 0 {
            return self.block_after_wide(i);
        }
        SackBlock {
            start: self.words[2 * i].into(),
            end: self.words[2 * i + 1].into(),
        }
    }

    #[cold]
    fn block_after_wide(&self, i: usize) -> SackBlock {
        let at = 2 * i + WIDER;
        let (start, end) = match i {
            0 => (self.double(0), self.double(2)),
            _ => (self.words[at].into(), self.words[at + 1].into()),
        };
        SackBlock { start, end }
    }
}

/// A variable-length integer (RFC 9000 §16) and how many bytes it takes. More than four are
/// never needed: what is further down than 2^30 packets has been known for long.
fn varint(value: u64) -> (u32, usize) {
    match value.min((1 << 30) - 1) as u32 {
        value @ 0..=0x3F => (value, 1),
        value @ 0x40..=0x3FFF => (value | 1 << 14, 2),
        value => (value | 2 << 30, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ack_ranges_come_out_as_they_went_in_and_take_their_bytes() {
        let given = [(0, 20_000), (1, 63), (64, 64), (65, 0), (16_385, 1)];
        let mut options = Options::default();
        let bytes = given.map(|(gap, more)| options.push_numbers(gap, more));
        assert_eq!(bytes, [4, 2, 3, 3, 5].map(Some));
        assert_eq!(options.number_ranges().collect::<Vec<_>>(), given);
        assert_eq!((options.sacks(), options.is_empty()), (4, false));
        assert_eq!(options.sack_blocks().count(), 0);
    }

    #[test]
    fn a_block_beyond_four_gigabytes_comes_out_whole_and_leaves_room_for_one_more() {
        let block = |start, end| SackBlock { start, end };
        let far = block(1448, 5 << 30);
        let near = [block(1448, 2896), block(4344, 5792), block(7240, 8688)];
        let given = |extra, blocks: &[SackBlock]| {
            let mut options = Options::default();
            options.set_extra(extra);
            blocks.iter().for_each(|block| options.push_sack(*block));
            let found: Vec<_> = options.sack_blocks().collect();
            assert_eq!(found.len(), usize::from(options.sacks()));
            found
        };
        assert_eq!(given(Extra::None, &near), near);
        assert_eq!(given(Extra::None, &[far, near[0], near[1]]), [far, near[0]]);
        assert_eq!(given(Extra::None, &[near[0], far, near[1]]), near[..2]);
        assert_eq!(given(Extra::Gap(Time(5)), &[far, near[0]]), [far]);
    }

    #[test]
    fn another_option_leaves_room_for_eight_ack_ranges_instead_of_twelve() {
        let fitting = |extra| {
            let mut options = Options::default();
            options.set_extra(extra);
            (0..20)
                .take_while(|_| options.push_numbers(1, 1).is_some())
                .count()
        };
        assert_eq!(fitting(Extra::None), 12);
        assert_eq!(fitting(Extra::Gap(Time(5))), 8);
    }

    #[test]
    fn every_option_comes_out_as_it_went_in() {
        let all = [
            Extra::None,
            Extra::RateRequest(RateRequest {
                code: 7,
                qs_ttl: 91,
                ip_ttl: 63,
                nonce: 0x2AAA_AAAA,
            }),
            Extra::RateResponse(RateResponse {
                code: 3,
                ttl_diff: 228,
                nonce: 0xAAAA,
            }),
            Extra::RateReport {
                code: 15,
                nonce: 0x3FFF_FFFF,
            },
            Extra::Gap(Time::from_secs(100)),
            Extra::Congestion(CongestionHeader {
                cwnd: 12.5,
                rtt: Time::from_secs(100),
                feedback: f64::INFINITY,
            }),
            Extra::Feedback(-1.25e6),
        ];
        for extra in all {
            let mut options = Options::default();
            options.set_extra(extra);
            assert_eq!(options.extra(), extra);
        }
    }

    #[test]
    fn another_option_takes_the_room_of_one_sack_block() {
        let block = |n| SackBlock {
            start: n,
            end: n + 1,
        };
        let mut options = Options::default();
        options.set_extra(Extra::Gap(Time(5)));
        for n in [2, 4, 6] {
            options.push_sack(block(n));
        }
        let blocks: Vec<_> = options.sack_blocks().collect();
        assert_eq!(blocks, [block(2), block(4)]);
        assert_eq!(options.extra(), Extra::Gap(Time(5)));
    }

    #[test]
    fn a_congestion_header_costs_its_bytes_where_options_cost_any() {
        for extra in [
            Extra::Feedback(0.0),
            Extra::Congestion(CongestionHeader {
                cwnd: 1.0,
                rtt: Time::ZERO,
                feedback: 0.0,
            }),
        ] {
            assert_eq!((extra.wire(8), extra.wire(0)), (20, 0));
        }
        assert_eq!(Extra::Gap(Time(5)).wire(8), 8);
    }

    #[test]
    fn a_segment_is_no_larger_for_its_options() {
        assert!(std::mem::size_of::<super::super::segment::Segment>() <= 56);
    }
}
