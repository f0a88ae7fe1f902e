//! The window that a Linux receiver advertises, how it grows, and what of that is acknowledged at
//! once.
//!
//! The kernel counts memory, not payload: a packet takes its `truesize`, bookkeeping included. What
//! share of that is payload it measures on the first full packet, and takes to be one half until
//! then. Every packet that comes raises what is offered by two segments (`tcp_grow_window`), up to
//! the payload that the receive buffer holds, and is acknowledged at once for that. The buffer
//! grows too: once in a round trip as the receiver sees it, what the application has read is
//! measured, and the buffer made large enough for as much more again (dynamic right-sizing,
//! `tcp_rcv_space_adjust`). An edge once offered is not taken back.
//!
//! Rules and names are those of Linux 6.18; the application reads what is in order as it comes.
//! Not modelled: pressure on the memory of all sockets together, and the collapsing and pruning of
//! queues.

mod compression;
mod rtt;

use super::timestamps::Recent;
use crate::narrow::{narrowed, saturated, whole};
use compression::Compression;
use flowstart_control::{Duration, Instant};
use flowstart_wire::Data;
use rtt::ReceiverRtt;

/// The largest window that sixteen bits hold, unscaled.
const UNSCALED: u64 = 65_535;
/// The largest window scale (RFC 7323 §2.3).
const MAX_WSCALE: u8 = 14;
/// `net.core.rmem_max`: a window scale is made for a buffer of at least this.
const RMEM_MAX: u64 = 4 << 20;
/// `TCP_INIT_CWND`: what a round trip is taken to bring before one has been measured, segments.
const INIT_CWND: u64 = 10;
/// `TCP_MSS_DEFAULT` and `TCP_MIN_MSS`: what a segment is taken to be before one has come, at most
/// and at least.
const RCV_MSS: (u64, u64) = (88, 536);
/// Packets with less payload do not make the window grow.
const LEAST_SEGMENT: u32 = 128;
/// An ACK that reports a hole waits for this part of a round trip at most: 5 %.
const COMP_SACK_SHARE: u64 = 20;
/// Shares are counted in 256ths.
const WHOLE: u64 = 256;
/// `TCP_DEFAULT_SCALING_RATIO`: the share of memory that is payload, before any was seen.
const DEFAULT_RATIO: u64 = WHOLE / 2;

/// `struct sk_buff`.
pub(crate) const SK_BUFF: u64 = 256;
/// The room for headers and `struct skb_shared_info` (`SKB_SMALL_HEAD_SIZE`).
pub(crate) const SMALL_HEAD: u64 = 576;

/// What a packet of this payload and header takes in memory (`truesize`) where a device hands over
/// one packet at a time, as TUN devices do: `struct sk_buff`, and a head that holds the headroom,
/// the packet and `struct skb_shared_info`, which comes from a cache of 576 bytes or is a power of
/// two from 1024 on.
pub(crate) fn truesize(payload: u32, header: u32) -> u64 {
    const HEADROOM: u64 = 64;
    const SHARED_INFO: u64 = 320;
    let head = HEADROOM + u64::from(payload) + u64::from(header) + SHARED_INFO;
    let class = if head <= SMALL_HEAD {
        SMALL_HEAD
    } else {
        head.next_power_of_two().max(1024)
    };
    SK_BUFF + class
}

/// A receive buffer, in bytes, headers and bookkeeping included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiveBuffer {
    /// At the opening (`tcp_rmem[1]`).
    pub initial: u64,
    /// What it may grow to (`tcp_rmem[2]`).
    pub largest: u64,
    /// The share of a packet's memory that is payload; `None` where `truesize` decides.
    pub share: Option<f64>,
}

impl ReceiveBuffer {
    /// A stock kernel's.
    pub const STOCK: ReceiveBuffer = ReceiveBuffer {
        initial: 131_072,
        largest: 32 << 20,
        share: None,
    };
}

/// Limits of the growth of a receiver's window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The receive buffer.
    pub buffer: ReceiveBuffer,
    /// The largest window that may be offered, in bytes; `None` where only the buffer bounds it.
    pub most: Option<u32>,
    /// A full segment's payload, in bytes.
    pub mss: u32,
    /// The other bytes of a packet.
    pub header: u32,
    /// How many windows a field can represent.
    pub field: Field,
}

/// The window that an acknowledgement's field can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Any number of bytes.
    Exact,
    /// Sixteen bits.
    Unscaled,
    /// Sixteen bits, scaled for the buffer but for the SYN-ACK's (RFC 7323 §2.2).
    Scaled,
}

impl Growth {
    /// The share of a full segment's memory that is payload, in 256ths.
    fn measured_ratio(&self) -> u64 {
        let ratio = match self.buffer.share {
            Some(share) => whole((share * WHOLE as f64).round()),
            None => u64::from(self.mss) * WHOLE / truesize(self.mss, self.header),
        };
        ratio.clamp(1, WHOLE)
    }

    /// The memory that one packet with this payload takes.
    fn truesize_of(&self, payload: u32) -> u64 {
        match self.buffer.share {
            Some(_) => (u64::from(payload) * WHOLE).div_ceil(self.measured_ratio()),
            None => truesize(payload, self.header),
        }
    }

    /// The payload that a buffer of this size holds once its packets' share is known.
    pub fn payload(&self, buffer: u64) -> u64 {
        let free = buffer.saturating_sub(self.truesize_of(self.mss));
        win(free, self.measured_ratio())
    }

    /// The smallest buffer with which a window of so much payload is offered in the end.
    pub fn buffer_for(&self, payload: u64) -> u64 {
        (payload * WHOLE).div_ceil(self.measured_ratio()) + self.truesize_of(self.mss)
    }

    /// `tcp_select_initial_window`: the scale is made for the largest buffer, or the largest window
    /// where that is less.
    fn scale(&self) -> u8 {
        if self.field != Field::Scaled {
            return 0;
        }
        let most = self.most.map_or(u64::MAX, u64::from).max(1);
        let space = self.buffer.largest.max(RMEM_MAX).min(most);
        u8::try_from(space.ilog2().saturating_sub(15))
            .map_or(MAX_WSCALE, |shift| shift.min(MAX_WSCALE))
    }
}

/// `tcp_win_from_space`.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the ratio is at most `WHOLE`, so this is at most the memory"
)]
fn win(memory: u64, ratio: u64) -> u64 {
    (u128::from(memory) * u128::from(ratio) / u128::from(WHOLE)) as u64
}

/// `tcp_space_from_win`.
fn space(window: u64, ratio: u64) -> u64 {
    let space = u128::from(window) * u128::from(WHOLE) / u128::from(ratio);
    u64::try_from(space).unwrap_or(u64::MAX)
}

/// Bytes that timestamps take of every segment (RFC 7323 §3.2), padded.
const TIMESTAMPS: u64 = 12;

/// A receiver's window. All but times and ratios in bytes.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveWindow {
    growth: Growth,
    scale: u8,
    /// What a full segment takes in memory.
    segment: u64,
    /// `sk_rcvbuf`.
    rcvbuf: u64,
    /// `sk_rmem_alloc`: what the packets hold that have come and are not read.
    alloc: u64,
    /// `scaling_ratio`.
    ratio: u64,
    /// `window_clamp`: what may ever be offered.
    clamp: u64,
    /// `rcv_ssthresh`: what may be offered now.
    ssthresh: u64,
    /// `rcv_wnd` and `rcv_wup`: the last offer, and what was expected then.
    wnd: u64,
    wup: u64,
    /// `rcv_mss`: what a segment is taken to be, and the last that was smaller.
    rcv_mss: u32,
    smaller: u32,
    /// Since the last acknowledgement a segment has come that nothing follows, as its PSH or its
    /// size shows (`ICSK_ACK_PUSHED`).
    pushed: bool,
    compression: Compression,
    /// The timestamp heard of last.
    recent: Recent,
    /// `icsk_ack.quick`: so many more acknowledgements do not wait.
    quick: u32,
    /// When data came last.
    last_data: Option<Instant>,
    rtt: ReceiverRtt,
    /// `rcvq_space`: the maximum that a round trip has brought, and where and when the measurement
    /// under way began.
    space: u64,
    from: u64,
    since: Instant,
}

/// The effect of a data segment on the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// Its payload.
    pub len: u32,
    /// What was expected before it came.
    pub before: u64,
    /// Everything below has arrived, this segment included.
    pub next: u64,
    /// One past the highest byte that has arrived.
    pub high: u64,
    /// Bytes that have arrived above a hole.
    pub above: u64,
    /// It has PSH.
    pub pushes: bool,
    /// It holds something above a hole that had not come before.
    pub news_above: bool,
    /// How far its sender had been acknowledged when it left, as it echoes.
    pub echoed: u64,
}

impl Arrival {
    fn is_in_order(&self) -> bool {
        self.next > self.before
    }

    fn is_old(&self) -> bool {
        !self.is_in_order() && !self.news_above
    }
}

impl ReceiveWindow {
    /// The window of a receiver that accepts a connection, before anything has come.
    pub(crate) fn new(growth: Growth) -> ReceiveWindow {
        let mss = u64::from(growth.mss);
        let scale = growth.scale();
        let rcvbuf = growth.buffer.initial;
        let field = match growth.field {
            Field::Exact => u64::from(u32::MAX) - 1,
            _ => UNSCALED << scale,
        };
        let most = field.min(growth.most.map_or(u64::MAX, u64::from));
        let full = win(rcvbuf, DEFAULT_RATIO);
        let mut first = full.min(most);
        if first > mss {
            first -= first % mss;
        }
        let mut clamp = most.min(full);
        if clamp > 2 * mss && clamp + mss > full {
            clamp = (full - mss).max(2 * mss);
        }
        let ssthresh = first.min(clamp);
        ReceiveWindow {
            growth: Growth {
                most: Some(saturated(most)),
                ..growth
            },
            scale,
            segment: growth.truesize_of(growth.mss),
            rcvbuf,
            alloc: 0,
            ratio: DEFAULT_RATIO,
            clamp,
            ssthresh,
            wnd: first,
            wup: 0,
            rcv_mss: saturated(mss.min(first / 2).clamp(RCV_MSS.0, RCV_MSS.1)),
            smaller: 0,
            pushed: false,
            compression: Compression::default(),
            recent: Recent::default(),
            quick: 0,
            last_data: None,
            rtt: ReceiverRtt::default(),
            space: ssthresh.min(INIT_CWND * mss),
            from: 0,
            since: Instant::ZERO,
        }
    }

    /// The memory that one packet with this payload takes.
    #[inline]
    fn truesize(&self, payload: u32) -> u64 {
        match payload == self.growth.mss {
            true => self.segment,
            false => self.growth.truesize_of(payload),
        }
    }

    /// The memory that so many bytes above a hole take in full segments.
    #[inline]
    fn memory(&self, above: u64) -> u64 {
        match above {
            0 => 0,
            bytes => {
                narrowed(u128::from(bytes) * u128::from(self.segment) / u128::from(self.growth.mss))
            }
        }
    }

    /// This end opens the connection: it does not know yet that timestamps will take of a segment's
    /// room, and offers whole ones without them.
    pub(crate) fn open_actively(&mut self) {
        let full = win(self.rcvbuf, DEFAULT_RATIO);
        let most = self.growth.most.map_or(u64::MAX, u64::from);
        let mss = u64::from(self.growth.mss) + TIMESTAMPS;
        let first = full.min(most);
        self.wnd = first - if first > mss { first % mss } else { 0 };
        self.ssthresh = self.wnd.min(self.clamp);
        self.space = self.space.min(self.ssthresh);
    }

    /// What is offered on a connection that is open before anything has come.
    pub(crate) fn opened(&self) -> u32 {
        saturated(self.in_field(self.round_up(self.wnd)))
    }

    /// Up to what the scale can represent.
    fn round_up(&self, window: u64) -> u64 {
        let unit = (1 << self.scale) - 1;
        (window + unit) & !unit
    }

    /// As much of it as the field holds.
    fn in_field(&self, window: u64) -> u64 {
        window.min(match self.growth.field {
            Field::Exact => u64::from(u32::MAX) - 1,
            _ => UNSCALED << self.scale,
        })
    }

    /// A SYN has come: what its answer offers.
    pub(crate) fn on_syn(&mut self, now: Instant) -> u32 {
        self.since = now;
        self.rtt.acknowledged(0, now);
        match self.growth.field {
            Field::Exact => saturated(self.wnd),
            _ => saturated(self.wnd.min(UNSCALED)),
        }
    }

    /// Takes in a segment that comes in order while nothing is missing, where it is full-sized and,
    /// with `paws`, no later timestamp has been heard of. Whether that is so: any other goes to
    /// [`on_data`](Self::on_data), which does the same and more.
    #[inline]
    pub(crate) fn takes_steady_data(
        &mut self,
        data: &Data,
        quick: u32,
        paws: bool,
        now: Instant,
    ) -> bool {
        let len = data.len();
        let full = len == self.rcv_mss && len == self.growth.mss;
        if !full || paws && !self.takes_timestamp(data) {
            return false;
        }
        self.rtt.on_data(data.echo(), true, now);
        self.pushed |= data.pushes();
        self.alloc = self.segment;
        self.note_pause(data.end(), quick, now);
        self.grow(len);
        true
    }

    /// Data has come in order up to `next`, maybe after a pause.
    #[inline]
    fn note_pause(&mut self, next: u64, quick: u32, now: Instant) {
        self.rtt.on_window(next, next + self.wnd, now);
        let last = self.last_data.replace(now);
        if last.is_none_or(|last| now.since(last) > self.rtt.rto()) {
            self.quicken(quick);
        }
    }

    /// What has come in order up to `next` has been read, and nothing is missing.
    #[inline]
    pub(crate) fn on_steady_read(&mut self, next: u64, now: Instant) {
        self.alloc = 0;
        self.note_read(next, next, now);
    }

    /// Data has come. `quick` is how many acknowledgements are quick at most where data begins
    /// (`TCP_MAX_QUICKACKS`).
    pub(crate) fn on_data(&mut self, arrival: &Arrival, quick: u32, now: Instant) {
        let full = arrival.len >= self.rcv_mss;
        self.rtt.on_data(arrival.echoed, full, now);
        self.alloc = self.memory(arrival.above);
        if arrival.is_old() {
            return self.quicken(quick);
        }
        if arrival.is_in_order() {
            self.alloc += self.truesize(arrival.len);
            self.measure_segment(arrival.len);
            self.pushed |= arrival.pushes || arrival.len < self.rcv_mss;
            self.note_pause(arrival.next, quick, now);
        }
        self.grow(arrival.len);
    }

    /// Whether no later timestamp than this data's has been heard of.
    pub(crate) fn takes_timestamp(&mut self, data: &Data) -> bool {
        let Some(timestamp) = data.timestamp() else {
            return true;
        };
        let range = (data.start(), data.end());
        self.recent.accepts(timestamp, range, self.wup)
    }

    /// `tcp_incr_quickack`: so many acknowledgements as half a window has segments, up to `most`.
    pub(crate) fn quicken(&mut self, most: u32) {
        let half = match self.wnd / (2 * u64::from(self.rcv_mss)) {
            0 => 2,
            segments => segments,
        };
        self.quick = self.quick.max(saturated(half.min(u64::from(most))));
    }

    /// `tcp_measure_rcv_mss`: the first full packet shows what share of memory is payload.
    fn measure_segment(&mut self, len: u32) {
        if len > self.rcv_mss {
            self.rcv_mss = len.min(self.growth.mss);
            let ratio = self.growth.measured_ratio();
            if ratio != self.ratio {
                self.ratio = ratio;
                self.rescale();
            }
        } else if len < self.rcv_mss {
            // Two of a size, and not the small ends of what was written.
            if len == self.smaller && u64::from(len) >= RCV_MSS.1 {
                self.rcv_mss = len;
            }
            self.smaller = len;
        }
    }

    /// The buffer holds more or less payload than was thought.
    fn rescale(&mut self) {
        let full = self.bounded(win(self.rcvbuf, self.ratio));
        if full < self.clamp {
            self.ssthresh = self.ssthresh.min(full);
        } else {
            self.ssthresh = self.ssthresh.max(self.wnd.min(full));
        }
        self.clamp = full;
        self.space = self.space.min(self.clamp);
    }

    fn bounded(&self, window: u64) -> u64 {
        window.min(self.growth.most.map_or(u64::MAX, u64::from))
    }

    /// What more fits into the buffer.
    fn free(&self) -> u64 {
        win(self.rcvbuf.saturating_sub(self.alloc), self.ratio)
    }

    /// `tcp_grow_window`, for a packet that is in memory.
    #[inline(always)]
    fn grow(&mut self, len: u32) {
        if len < LEAST_SEGMENT.min(self.growth.mss) {
            return;
        }
        let room = self.clamp.min(self.free()).saturating_sub(self.ssthresh);
        if room == 0 {
            return;
        }
        let Some(step) = self.step(len) else { return };
        self.ssthresh += step.max(2 * u64::from(len)).min(room);
        self.quick |= 1;
    }

    /// How much a packet opens the window: two segments where it is payload enough; else less, and
    /// nothing beyond a window where so much bookkeeping would not fit (`__tcp_grow_window`).
    fn step(&self, len: u32) -> Option<u64> {
        let memory = win(self.truesize(len), self.ratio);
        if memory <= u64::from(len) {
            return Some(2 * u64::from(self.growth.mss));
        }
        let (mut memory, mut window) =
            (memory / 2, win(self.growth.buffer.largest, self.ratio) / 2);
        while self.ssthresh <= window {
            if memory <= u64::from(len) {
                return Some(2 * u64::from(self.rcv_mss));
            }
            memory /= 2;
            window /= 2;
        }
        None
    }

    /// Whether the acknowledgement of data that has just come is a quick one.
    pub(crate) fn is_quick(&self) -> bool {
        self.quick > 0
    }

    /// How long the answer to data that has come above a hole waits, `most` at most; `None` where
    /// it does not.
    pub(crate) fn compresses(&mut self, arrival: &Arrival, most: Duration) -> Option<Duration> {
        let more_than_one = arrival.next - self.wup > u64::from(self.rcv_mss);
        if arrival.is_old() || more_than_one || self.is_quick() {
            return None;
        }
        let held = self.compression.holds(arrival.next);
        held.then(|| most.min(self.rtt.estimate().over(COMP_SACK_SHARE)))
    }

    /// Whether a read that leaves nothing to read is answered: where the sender may wait for that,
    /// or where there is so much room besides the rest of the window that the sender needs the
    /// update (`__tcp_cleanup_rbuf`).
    pub(crate) fn answers_read(&self, next: u64) -> bool {
        if self.pushed {
            return true;
        }
        let left = self.left(next);
        let offer = self.ssthresh.min(self.free());
        2 * left <= self.clamp && offer > 0 && offer >= 2 * left
    }

    /// What of the last offer is left (`tcp_receive_window`).
    fn left(&self, next: u64) -> u64 {
        (self.wup + self.wnd).saturating_sub(next)
    }

    /// The window of an acknowledgement of everything below `next` (`__tcp_select_window` and
    /// `tcp_select_window`).
    pub(crate) fn advertise(&mut self, next: u64, now: Instant) -> u32 {
        self.quick = self.quick.saturating_sub(1);
        self.pushed = false;
        self.compression.acknowledged();
        let offer = self.select(next);
        // The right edge stays where it is (RFC 7323 §2.4).
        let window = self.round_up(offer).max(self.round_up(self.left(next)));
        let window = self.in_field(window);
        (self.wnd, self.wup) = (window, next);
        self.rtt.acknowledged(next, now);
        saturated(window)
    }

    fn select(&mut self, next: u64) -> u64 {
        let (mut free, full) = (self.free(), win(self.rcvbuf, self.ratio));
        // A window of less than a segment is one that is offered whole.
        let mss = u64::from(self.rcv_mss).min(self.clamp.min(full)).max(1);
        if free < self.clamp.min(full) / 2 {
            self.quick = 0;
            free &= !((1 << self.scale) - 1);
            if free < full / 16 || free < mss {
                return 0;
            }
        }
        let offer = free.min(self.ssthresh);
        if self.growth.field == Field::Exact || self.scale > 0 {
            return offer;
        }
        // Unscaled, whole segments are offered, and no fewer for less than one of them.
        let left = self.left(next);
        if left > offer || left + mss <= offer {
            offer - offer % mss
        } else {
            left
        }
    }

    /// What is in order has been read (`tcp_rcv_space_adjust`).
    pub(crate) fn on_read(&mut self, arrival: &Arrival, now: Instant) {
        self.alloc = self.memory(arrival.above);
        if arrival.news_above {
            // `tcp_data_queue_ofo`: room for what the hole holds back.
            return self.grow_buffer(self.space, self.space, arrival.high - arrival.next);
        }
        if arrival.is_in_order() {
            self.note_read(arrival.next, arrival.high, now);
        }
    }

    /// All below `next` has been read, and data has come up to `high`: once in a round trip that
    /// measures what it has brought.
    #[inline]
    fn note_read(&mut self, next: u64, high: u64, now: Instant) {
        let over = self
            .rtt
            .smoothed()
            .is_some_and(|rtt| now.since(self.since) >= rtt);
        if !over {
            return;
        }
        let copied = next - self.from;
        if copied > self.space {
            let old = std::mem::replace(&mut self.space, copied);
            self.grow_buffer(copied, old, high - next);
        }
        (self.from, self.since) = (next, now);
    }

    /// `tcp_rcvbuf_grow`: room for twice what a round trip brought, and for that to continue
    /// growing as it did; and for so much above a hole.
    fn grow_buffer(&mut self, copied: u64, old: u64, above: u64) {
        let window = right_size(copied, old).saturating_add(above);
        let buffer = space(window, self.ratio).min(self.growth.buffer.largest);
        if buffer > self.rcvbuf {
            self.rcvbuf = buffer;
            self.clamp = self.bounded(win(buffer, self.ratio));
        }
    }
}

/// The window for a round trip that brought `new` bytes where the maximum so far was `old`.
fn right_size(new: u64, old: u64) -> u64 {
    let twice = 2 * u128::from(new);
    let growth = 2 * twice * u128::from(new - old) / u128::from(old.max(1));
    u64::try_from(twice + growth).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MSS: u32 = 1448;
    const RTT: Duration = Duration::from_millis(60);
    /// `TCP_MAX_QUICKACKS`.
    const QUICK: u32 = 16;
    const LARGE: ReceiveBuffer = ReceiveBuffer {
        initial: 32 << 20,
        largest: 128 << 20,
        share: None,
    };

    fn growth(buffer: ReceiveBuffer) -> Growth {
        Growth {
            buffer,
            most: None,
            mss: MSS,
            header: 52,
            field: Field::Scaled,
        }
    }

    /// A receiver whose segments come in order.
    struct Stream {
        window: ReceiveWindow,
        next: u64,
        echoed: u64,
    }

    impl Stream {
        fn new(growth: Growth) -> Stream {
            let mut window = ReceiveWindow::new(growth);
            window.on_syn(Instant::ZERO);
            Stream {
                window,
                next: 0,
                echoed: 0,
            }
        }

        /// A segment of `len` comes and is read; what is offered where it is acknowledged at
        /// once.
        fn segment(&mut self, len: u32, now: Instant) -> Option<u32> {
            let before = self.next;
            self.next += u64::from(len);
            let arrival = Arrival {
                len,
                before,
                next: self.next,
                high: self.next,
                above: 0,
                pushes: false,
                news_above: false,
                echoed: self.echoed,
            };
            self.window.on_data(&arrival, QUICK, now);
            let quick = self.window.is_quick();
            let offer = quick.then(|| self.window.advertise(self.next, now));
            self.window.on_read(&arrival, now);
            offer
        }

        fn offers(&mut self, segments: usize, now: Instant) -> Vec<u32> {
            (0..segments)
                .map_while(|_| self.segment(MSS, now))
                .collect()
        }
    }

    #[test]
    fn a_packets_memory_is_its_head_and_its_bookkeeping() {
        let sizes = [
            (1448, 2304),
            (588, 1280),
            (141, 1280),
            (140, 832),
            (8948, 16640),
        ];
        for (payload, expected) in sizes {
            assert_eq!(truesize(payload, 52), expected, "{payload}");
        }
        assert_eq!(growth(LARGE).measured_ratio(), 160);
        let larger = Growth {
            mss: 1460,
            header: 40,
            ..growth(LARGE)
        };
        assert_eq!(larger.measured_ratio(), 162);
    }

    #[test]
    fn a_large_buffer_opens_by_two_segments_for_each_until_its_payload_is_offered() {
        let mut stream = Stream::new(growth(LARGE));
        let offers = stream.offers(3000, Instant::ZERO + RTT);
        // Recorded: an accepting kernel with buffers of 32 MiB that may grow to 128.
        assert_eq!(
            offers[..10],
            [
                16_781_312, 16_785_408, 16_785_408, 16_789_504, 16_793_600, 16_797_696, 16_797_696,
                16_801_792, 16_805_888, 16_805_888
            ]
        );
        assert_eq!((offers[1446], offers[1447]), (20_967_424, 20_971_520));
        for (n, offer) in (1..).zip(&offers) {
            let rule: u64 = (16_776_528 + 2896 * n).min(20_970_080);
            assert_eq!(u64::from(*offer), rule.div_ceil(4096) * 4096, "{n}");
        }
        // 1449 make it grow, and sixteen quick ones are left.
        assert_eq!(offers.len(), 1449 + 16);
    }

    #[test]
    fn a_stock_buffer_opens_to_its_payload_and_waits_for_the_buffer() {
        let mut stream = Stream::new(growth(ReceiveBuffer::STOCK));
        let offers = stream.offers(100, Instant::ZERO + RTT);
        assert_eq!(
            offers[..6],
            [68_608, 71_680, 74_752, 76_800, 79_872, 80_896]
        );
        assert!(offers[6..].iter().all(|offer| *offer == 80_896));
        assert_eq!(offers.len(), 6 + 16);
    }

    #[test]
    fn the_syn_ack_offers_whole_segments_of_half_the_buffer_in_sixteen_bits() {
        let first = |buffer| ReceiveWindow::new(growth(buffer)).on_syn(Instant::ZERO);
        assert_eq!(first(ReceiveBuffer::STOCK), 45 * MSS);
        assert_eq!(first(LARGE), 65_535);
    }

    #[test]
    fn the_scale_is_made_for_the_largest_buffer() {
        for (largest, scale) in [(1 << 20, 7), (6 << 20, 7), (32 << 20, 10), (128 << 20, 12)] {
            let buffer = ReceiveBuffer { largest, ..LARGE };
            assert_eq!(growth(buffer).scale(), scale, "{largest}");
        }
    }

    #[test]
    fn a_round_trip_that_brings_more_makes_room_for_twice_the_growth() {
        // What was read in a round trip, the most before, and the buffer of the recorded kernel.
        for (copied, old, buffer) in [
            (15_928, 14_480, 61_163),
            (27_512, 15_928, 216_092),
            (57_920, 27_512, 595_051),
            (115_840, 57_920, 1_112_064),
            (194_032, 115_840, 1_459_120),
            (65_960, 14_480, 1_711_897),
            (234_496, 80_896, 3_599_958),
        ] {
            assert_eq!(
                space(right_size(copied, old), 160),
                buffer,
                "{copied} {old}"
            );
        }
    }

    #[test]
    fn a_stock_buffer_is_measured_once_in_a_round_trip() {
        let mut stream = Stream::new(growth(ReceiveBuffer::STOCK));
        let mut buffers = Vec::new();
        for (round, flight) in [(1, 10), (2, 20), (3, 40), (4, 80)] {
            let now = Instant::ZERO + RTT.times(round);
            stream.echoed = stream.next;
            (0..flight).for_each(|_| _ = stream.segment(MSS, now));
            buffers.push(stream.window.rcvbuf);
        }
        // A measurement ends with the first segment of a round: ten segments are what is expected,
        // twenty and forty twice that and twice that again.
        assert_eq!(buffers, [131_072, 131_072, 278_016, 556_032]);
    }

    #[test]
    fn small_packets_do_not_open_it_and_data_after_a_pause_is_quick_again() {
        let mut stream = Stream::new(growth(ReceiveBuffer::STOCK));
        stream.offers(100, Instant::ZERO + RTT);
        assert!(!stream.window.is_quick());
        let offered = stream.window.ssthresh;
        stream.segment(127, Instant::ZERO + RTT);
        assert_eq!(stream.window.ssthresh, offered);
        let later = Instant::ZERO + RTT + stream.window.rtt.rto() + Duration::from_millis(1);
        assert!(stream.segment(MSS, later).is_some());
    }

    #[test]
    fn what_is_held_above_a_hole_takes_room_and_the_edge_stays() {
        let mut window = ReceiveWindow::new(growth(LARGE));
        window.on_syn(Instant::ZERO);
        let mut above = 0;
        let mut edge = 0;
        for n in 1..=7000_u64 {
            above += u64::from(MSS);
            let high = (n + 1) * u64::from(MSS);
            let arrival = Arrival {
                len: MSS,
                before: 0,
                next: 0,
                high,
                above,
                pushes: false,
                news_above: true,
                echoed: 0,
            };
            window.on_data(&arrival, QUICK, Instant::ZERO + RTT);
            let offer = u64::from(window.advertise(0, Instant::ZERO + RTT));
            assert!(offer >= edge);
            edge = offer;
            window.on_read(&arrival, Instant::ZERO + RTT);
        }
        // 7000 packets hold 16 MB of 32 MiB, so less than half is free.
        assert!(!window.is_quick());
        assert!(edge < 18_000_000, "{edge}");
    }

    #[test]
    fn a_window_that_is_given_is_never_exceeded() {
        for most in [3_000, 100_000] {
            let given = Growth {
                most: Some(most),
                ..growth(LARGE)
            };
            let mut stream = Stream::new(given);
            let offers = stream.offers(100, Instant::ZERO + RTT);
            assert!(offers.iter().all(|window| *window <= most), "{offers:?}");
        }
    }

    proptest! {
        #[test]
        fn the_right_edge_never_moves_back(
            initial in 10_000_u64..10_000_000,
            more in 0_u64..50_000_000,
            field in prop::sample::select(&[Field::Exact, Field::Unscaled, Field::Scaled]),
            arrivals in prop::collection::vec((1_u32..1449, any::<bool>(), 0_u64..300_000_000), 1..300),
        ) {
            let buffer = ReceiveBuffer { initial, largest: initial + more, share: None };
            let mut window = ReceiveWindow::new(Growth { field, ..growth(buffer) });
            let mut edge = u64::from(window.on_syn(Instant::ZERO));
            let (mut now, mut next, mut hole) = (Instant::ZERO, 0, 0);
            for (len, in_order, gap) in arrivals {
                now += Duration(gap);
                let before = next;
                hole = if in_order { 0 } else { hole + u64::from(len) };
                next += if in_order { u64::from(len) } else { 0 };
                let high = next + if in_order { 0 } else { 10 + hole };
                let arrival = Arrival {
                    len, before, next, high, above: hole, pushes: false, news_above: !in_order, echoed: before,
                };
                window.on_data(&arrival, QUICK, now);
                let offer = u64::from(window.advertise(next, now));
                window.on_read(&arrival, now);
                // The field's range bounds it, where it has no scale.
                if field != Field::Unscaled || offer < UNSCALED - u64::from(MSS) {
                    prop_assert!(next + offer >= edge, "{} {} {}", next, offer, edge);
                }
                edge = edge.max(next + offer);
                prop_assert!(window.rcvbuf <= buffer.largest);
            }
        }
    }
}
