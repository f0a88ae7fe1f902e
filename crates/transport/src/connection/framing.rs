//! The packets that a sending endpoint makes.

use super::super::segment::ByteRange;
use super::super::timestamps::tsval;
use super::{Connection, Timed};
use crate::narrow::{length, wrapped};
use flowstart_control::signals::Sent;
use flowstart_control::{Duration, Instant, Tags};
use flowstart_wire::{
    Answers, Body, CongestionHeader, Data, Ecn, Packet, RateRequest, Syn, SynAck, UNLIMITED_WINDOW,
};

impl Connection {
    /// Sends `plan`: the segment for the wire, with every account updated. `pipe` is what was in
    /// flight before, where the delivery rate is measured.
    #[inline(always)]
    pub(crate) fn transmit(&mut self, plan: ByteRange, pipe: u64, now: Instant) -> Packet {
        self.prev_high = self.high();
        if let Some(throughput) = &mut self.throughput {
            throughput.feed(now);
        }
        let again = plan.start < self.high();
        let timed = !self.stack.numbers_packets();
        if timed && (self.timer.due().is_none() || self.una() == self.high()) {
            self.restart_timer(now);
        }
        let number = self.sent.send(plan, pipe, now);
        self.nxt = self.nxt.max(plan.end);
        self.counters.packets_sent += 1;
        self.last_sent = now;
        let len = length(plan.end - plan.start);
        let mut data = Data::new(plan.start, len, number.map_or(0, wrapped));
        let mut tags = self.session.window.tags;
        if again {
            self.counters.packets_retransmitted += 1;
            self.retransmitted_in_recovery += plan.end - plan.start;
            data.set_repeats();
            // A tag is about the first flight of a segment.
            tags = Tags::default();
        } else if self.rtt.times_one_segment() && self.timed.end == 0 {
            self.timed = Timed {
                end: plan.end,
                sent: now,
            };
        }
        let mut packet = Packet {
            flow: self.flow,
            wire: len + self.stack.framing.header,
            hop: 0,
            ecn: Ecn::default(),
            tags,
            body: Body::Data(data),
        };
        let ordinary = self.extensions.is_none() && self.session.window.congestion_header.is_none();
        if !ordinary || self.echoes {
            self.load(&mut packet, again, now);
        }
        let sent = Sent {
            now,
            bytes: len,
            seq: plan.start,
            retransmission: again,
            flight: self.outstanding(),
        };
        self.session.on_sent(&sent);
        packet
    }

    /// Sends a numbered packet without data, which has so many bytes on the wire.
    #[cold]
    pub(crate) fn transmit_empty(&mut self, wire: u32, now: Instant) -> Option<Packet> {
        let number = self.sent.send_empty(now)?;
        self.last_sent = now;
        Some(self.empty_packet(wire, self.high(), wrapped(number)))
    }

    /// Notifies the peer that its limit stops the sender.
    #[cold]
    pub(crate) fn transmit_blocked(&mut self, now: Instant) -> Option<Packet> {
        /// DATA_BLOCKED or STREAM_DATA_BLOCKED (RFC 9000 §19.12, §19.13), whose numbers take 4 bytes.
        const FRAME: u32 = 1 + 4 + 4;
        self.blocked_at = self.limit;
        let mut packet = self.transmit_empty(self.stack.framing.bare + FRAME, now)?;
        if let Body::Data(data) = &mut packet.body {
            data.set_blocked();
        }
        Some(packet)
    }

    /// The end of a handshake in a separate full packet, which has no number among those of data.
    pub(crate) fn end_of_handshake(&mut self) -> Packet {
        self.empty_packet(self.stack.packet(), 0, 0)
    }

    /// A packet of the data's direction without data. Links and receiver count it as they count
    /// data, so the sender does too.
    #[cold]
    pub(crate) fn empty_packet(&mut self, wire: u32, position: u64, number: u32) -> Packet {
        self.counters.packets_sent += 1;
        let data = Data::new(position, 0, number);
        Packet::new(self.flow, wire, Body::Data(data))
    }

    /// A zero-window probe: a segment without data whose position the peer has behind it, so that it
    /// answers at once (Linux's `tcp_xmit_probe_skb`).
    pub(crate) fn window_probe(&mut self) -> Packet {
        let position = self.una().saturating_sub(1);
        self.prev_high = position;
        self.empty_packet(self.stack.framing.header, position, 0)
    }

    /// Adds what a packet carries in addition to its data.
    #[inline(never)]
    fn load(&mut self, packet: &mut Packet, again: bool, now: Instant) {
        let Body::Data(data) = &mut packet.body else {
            return;
        };
        let option_bytes = self.stack.framing.option;
        let mut report = None;
        if let Some(extensions) = &mut self.extensions {
            (packet.ecn, report) = extensions.mark_ecn(again);
            if extensions.headerless_first && data.start() == 0 {
                packet.wire -= self.stack.framing.header;
            }
        }
        if let Some(report) = report {
            packet.wire += data.set_report(report, option_bytes);
        } else if let Some(rtt) = self.session.window.congestion_header {
            data.set_congestion(self.congestion_header(rtt));
            packet.wire += Data::congestion_bytes(option_bytes);
        }
        if self.echoes {
            data.set_echo(self.sent.una());
        }
        if self.stack.receive_window.buffer.is_some() {
            data.set_timestamp(tsval(now));
            if self.pushes {
                data.set_push();
            }
        }
    }

    /// The `number`-th SYN, which carries this request.
    pub(crate) fn syn(&self, number: u32, request: Option<RateRequest>) -> Packet {
        let option = request.map_or(0, |_| self.stack.framing.option);
        let syn = Syn {
            number,
            request,
            by_receiver: false,
            message: 0,
        };
        Packet::new(
            self.flow,
            self.stack.framing.opening + option,
            Body::Syn(syn),
        )
    }

    /// The answer to a SYN of the data's receiver. What it offers is of no use: no data comes.
    pub(crate) fn syn_ack(&self) -> Packet {
        let mut answer = SynAck::new(0, UNLIMITED_WINDOW);
        answer.to = match self.stack.messages.flight {
            Some(_) => Answers::Message,
            None => Answers::Receiver,
        };
        Packet::new(self.flow, self.stack.framing.opening, Body::SynAck(answer))
    }

    /// What a data segment reports to XCP's routers: the window that is used, since their shares
    /// go by the throughput.
    fn congestion_header(&self, rtt: Duration) -> CongestionHeader {
        CongestionHeader {
            cwnd: self.usable().max(1.0),
            rtt,
            feedback: f64::INFINITY,
        }
    }
}
