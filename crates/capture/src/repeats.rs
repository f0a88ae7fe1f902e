//! Which data packets repeat something: the judgement of a monitor in mid-path, by the rules that
//! Wireshark's user guide gives under "TCP Analysis" for keep-alives, zero window probes, (fast,
//! spurious) retransmissions and out-of-order segments, so that the numbers can be compared with
//! tshark's.

use crate::layers::{ACK, FIN, RST, SYN, Segment};

/// What one side has sent, as far as the judgement needs it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    next: Option<u64>,
    next_time: u64,
    last_ack: Option<u64>,
    last_ack_time: u64,
    duplicate_acks: u32,
    window: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    Fresh,
    Retransmission,
    OutOfOrder,
}

/// A segment with its numbers on their 64-bit lines.
pub(crate) struct Placed<'a> {
    pub segment: &'a Segment,
    pub sequence: u64,
    pub acknowledgement: Option<u64>,
}

/// A hole filled earlier than this after later data was perhaps overtaken, when the round trip is
/// not known. ns
const SOON: u64 = 3_000_000;
/// A packet that answers duplicate ACKs does so within this time. ns
const FAST: u64 = 20_000_000;

impl Sent {
    /// Judges a segment of this side, then takes it into account. `peer` is the other side.
    pub(crate) fn judge(&mut self, peer: &Sent, placed: &Placed, rtt: Option<u64>) -> Judgement {
        let payload = u64::from(placed.segment.payload);
        let probe = payload == 1 && self.next == Some(placed.sequence) && peer.window == Some(0);
        let judgement = match payload {
            0 => Judgement::Fresh,
            _ if probe => Judgement::Fresh,
            _ => self.compare(peer, placed, payload, rtt.unwrap_or(SOON)),
        };
        self.take(placed, payload, probe);
        judgement
    }

    fn compare(&self, peer: &Sent, placed: &Placed, payload: u64, soon: u64) -> Judgement {
        let (time, from) = (placed.segment.time, placed.sequence);
        let to = from + payload;
        let Some(next) = self.next else {
            return Judgement::Fresh;
        };
        let flagged = placed.segment.flags & (SYN | FIN | RST) != 0;
        let keep_alive = payload == 1 && from + 1 == next && !flagged;
        // One byte before the end is where a window probe has been: longer data from there are new.
        let repeats = from < next && !(payload > 1 && from + 1 == next);
        let spurious = peer.last_ack.is_some_and(|acked| to <= acked);
        if keep_alive {
            return Judgement::Fresh;
        }
        if spurious {
            return Judgement::Retransmission;
        }
        if !repeats {
            return Judgement::Fresh;
        }
        let answers = peer.duplicate_acks >= 2 && peer.last_ack == Some(from);
        if answers && time.saturating_sub(peer.last_ack_time) < FAST {
            return Judgement::Retransmission;
        }
        match time.saturating_sub(self.next_time) < soon && to != next {
            true => Judgement::OutOfOrder,
            false => Judgement::Retransmission,
        }
    }

    fn take(&mut self, placed: &Placed, payload: u64, probe: bool) {
        let segment = placed.segment;
        if let Some(acked) = placed.acknowledgement.filter(|_| segment.has(ACK)) {
            let same = self.last_ack == Some(acked);
            let plain = payload == 0 && segment.flags & (SYN | FIN | RST) == 0;
            let again = self.window == Some(segment.window) && self.next == Some(placed.sequence);
            match (same, plain && again && segment.window != 0) {
                (false, _) => self.duplicate_acks = 0,
                (true, true) => self.duplicate_acks += 1,
                (true, false) => {}
            }
            self.last_ack = Some(acked);
            self.last_ack_time = segment.time;
        }
        self.window = Some(segment.window);
        let end = placed.sequence + payload + u64::from(segment.has(SYN) || segment.has(FIN));
        if !probe && self.next.is_none_or(|next| end > next) {
            self.next = Some(end);
            self.next_time = segment.time;
        }
    }
}
