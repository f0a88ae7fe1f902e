//! A limit in the field of an acknowledgement: its lowest 31 bits, as a packet number is cut off
//! (RFC 9000 §17.1), and the level that sets it.

/// What a limit bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The data of a stream.
    Stream,
    /// The data of all streams.
    Connection,
}

const OF_CONNECTION: u32 = 1 << 31;
const BITS: u64 = OF_CONNECTION as u64 - 1;
/// How far a limit may be ahead of the last one that the sender received, in bytes.
pub(super) const MOST_AHEAD: u64 = 1 << 30;

/// The field of this limit.
#[allow(clippy::cast_possible_truncation, reason = "31 bits")]
pub(super) fn encode(limit: u64, level: Level) -> u32 {
    let low = (limit & BITS) as u32;
    match level {
        Level::Stream => low,
        Level::Connection => low | OF_CONNECTION,
    }
}

/// The limit of a field, for a sender whose limit is `known`; one that is not above it is old.
pub fn decode(field: u32, known: u64) -> Option<(u64, Level)> {
    let ahead = u64::from(field).wrapping_sub(known) & BITS;
    let level = match field & OF_CONNECTION {
        0 => Level::Stream,
        _ => Level::Connection,
    };
    (ahead > 0 && ahead <= MOST_AHEAD).then_some((known.saturating_add(ahead), level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_known_again_from_its_lowest_bits() {
        for known in [0, 1_250_000, (7 << 31) - 5] {
            for (ahead, level) in [(1, Level::Stream), (MOST_AHEAD, Level::Connection)] {
                let field = encode(known + ahead, level);
                assert_eq!(decode(field, known), Some((known + ahead, level)));
            }
        }
    }

    #[test]
    fn a_sender_without_a_limit_keeps_none() {
        let (limit, _) = decode(encode(0, Level::Stream), u64::MAX).unwrap();
        assert_eq!(limit, u64::MAX);
    }

    #[test]
    fn an_old_limit_lowers_nothing() {
        let known = 5 << 31;
        for behind in [0, 1, MOST_AHEAD - 1] {
            assert_eq!(decode(encode(known - behind, Level::Stream), known), None);
        }
    }
}
