//! What client and server send each other until the request is answered: messages in turn, each of
//! which waits for all of the other end's last one.
//!
//! | handshake | client | server |
//! | --- | --- | --- |
//! | TLS 1.3 | ClientHello | flight |
//! | | Finished and request | response |
//! | TLS 1.2 | ClientHello | flight |
//! | | key exchange and Finished | Finished |
//! | | request | response |
//! | early data | ClientHello and request | flight and response |
//! | | Finished | |
//!
//! A server's messages are the beginning of the stream that carries its response. Over TCP they are
//! bytes of it. With QUIC each of their datagrams takes a full packet's bytes of the stream, whatever
//! of it is the overhead of long headers.

use super::Handshake;
use super::options::{Flight, MessageOptions};
use crate::narrow::saturated;

/// Bytes of an Initial packet besides its CRYPTO data: long header, tag, and the frame's own header.
pub(super) const INITIAL: u32 = 44 + 4;
/// Bytes of an ACK frame in the server's first.
const ACK: u32 = 5;
/// Bytes of a Handshake packet besides its CRYPTO data, likewise.
pub(super) const HANDSHAKE: u32 = 43 + 5;
/// Bytes of a HelloRetryRequest (RFC 8446 §4.1.4).
const HELLO_RETRY: u32 = 99;
/// Bytes of a server's Finished in a record of TLS 1.2.
const FINISHED_TLS12: u32 = 51;

/// A message of the client, and the server's answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// Where the client's message ends in what it sends.
    pub client: u32,
    /// Where the server's message ends in its stream.
    pub server: u64,
}

/// The messages of a handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialogue {
    pub(super) turns: Vec<Turn>,
    /// The turn in which the response is due.
    pub(super) response: usize,
    /// Where the ServerHello ends in the server's stream: its reader has Handshake keys then. Zero
    /// over TCP, where nothing waits for keys.
    pub(super) keys: u64,
    /// Where the ClientHello ends in what the client sends, and early data behind it.
    pub(super) hello: u32,
}

impl Dialogue {
    /// The messages of a handshake, the server's of so many bytes where they are not those of its kind,
    /// and over datagrams of this layout with QUIC. `None` where it is not made of packets.
    pub(crate) fn new(
        handshake: Handshake,
        messages: &MessageOptions,
        server_flight: Option<u32>,
        layout: Option<Layout>,
    ) -> Option<Dialogue> {
        let [hello, server_hello, flight] = messages.sizes(server_flight)?;
        let MessageOptions {
            client_flight,
            request,
            ..
        } = *messages;
        let server =
            |tls: u32| layout.map_or(tls.into(), |layout| layout.stream(server_hello, tls));
        let early = handshake.is_early();
        let is_resumed = messages.flight == Some(Flight::Resumed);
        let mut exchanges = Vec::with_capacity(4);
        if messages.hello_retry {
            exchanges.push((hello, HELLO_RETRY));
        }
        let first = exchanges.len();
        exchanges.push((hello + if early { request } else { 0 }, flight));
        if handshake == Handshake::TcpTls12 && !is_resumed {
            exchanges.push((client_flight, FINISHED_TLS12));
            exchanges.push((request, 0));
        } else {
            exchanges.push((client_flight + if early { 0 } else { request }, 0));
        }
        let response = if early { first } else { exchanges.len() - 1 };
        let (mut client, mut tls) = (0, 0);
        let turns = exchanges.into_iter().map(|(more, answer)| {
            client += more;
            tls += answer;
            Turn {
                client,
                server: server(tls),
            }
        });
        let turns: Vec<Turn> = turns.collect();
        Some(Dialogue {
            hello: turns[first].client,
            turns,
            response,
            keys: layout.map_or(0, |layout| layout.keys(server_hello)),
        })
    }

    /// Where the response begins in the server's stream.
    pub fn response_from(&self) -> u64 {
        self.turns.last().map_or(0, |turn| turn.server)
    }

    /// Round trips until the response begins, without those that a window costs.
    pub(crate) fn round_trips(&self) -> u32 {
        saturated(self.response as u64)
    }

    /// How far a client may send that has so much of the server's stream.
    pub(super) fn client_until(&self, delivered: u64) -> u32 {
        let waits = |turn: &&Turn| turn.server > delivered;
        let turn = self.turns.iter().find(waits).or(self.turns.last());
        turn.map_or(0, |turn| turn.client)
    }

    /// How far the server may send without its response, which has so much of the client's messages.
    pub(super) fn server_until(&self, received: u32) -> u64 {
        let complete = self.turns.iter().take_while(|turn| turn.client <= received);
        complete.last().map_or(0, |turn| turn.server)
    }

    /// How much of the client's messages a server has that sends the bytes from `start` on.
    pub(super) fn implied_by(&self, start: u64) -> u32 {
        let begins = |turn: &usize| *turn == 0 || self.turns[turn - 1].server <= start;
        let turn = (0..=self.response).rev().find(begins).unwrap_or(0);
        self.turns[turn].client
    }

    /// Whether the response is due, of which so much of the client's messages has come.
    pub(super) fn is_response_due(&self, received: u32) -> bool {
        received >= self.turns[self.response].client
    }

    /// One past the client's last byte.
    pub(super) fn client_end(&self) -> u32 {
        self.turns.last().map_or(0, |turn| turn.client)
    }
}

/// How CRYPTO data fills datagrams, each of which is a full packet of the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Bytes of UDP payload in a datagram.
    pub datagram: u32,
    /// Bytes of the stream in a full packet.
    pub mss: u32,
}

impl Layout {
    /// Bytes of the stream that so many bytes of a datagram take.
    fn in_stream(self, bytes: u32) -> u64 {
        let header = self.datagram - self.mss;
        bytes.saturating_sub(header).clamp(1, self.mss).into()
    }

    /// Bytes of the stream for so many of TLS, the first of which are the ServerHello. Datagrams with
    /// an Initial packet are full (RFC 9000 §14.1).
    fn stream(self, server_hello: u32, tls: u32) -> u64 {
        let (mut hello, mut rest) = (server_hello.min(tls), tls - server_hello.min(tls));
        let (mut stream, mut ack) = (0, ACK);
        while hello + rest > 0 {
            let mut room = self.datagram;
            let is_initial = hello > 0;
            if is_initial {
                room -= INITIAL + std::mem::take(&mut ack);
                let part = hello.min(room);
                hello -= part;
                room -= part;
            }
            let part = rest.min(room.saturating_sub(HANDSHAKE));
            if hello == 0 && part > 0 {
                rest -= part;
                room -= HANDSHAKE + part;
            }
            stream += match is_initial || rest > 0 {
                true => self.mss.into(),
                false => self.in_stream(self.datagram - room),
            };
        }
        stream
    }

    /// Where the ServerHello ends.
    fn keys(self, server_hello: u32) -> u64 {
        let first = self.datagram - INITIAL - ACK;
        match server_hello.checked_sub(first) {
            None | Some(0) => self.in_stream(INITIAL + ACK + server_hello),
            Some(more) => {
                let full = more.div_ceil(self.datagram - INITIAL) - 1;
                let last = more - full * (self.datagram - INITIAL);
                u64::from(1 + full) * u64::from(self.mss) + self.in_stream(INITIAL + last)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handshake::UDP_IP;
    use crate::stack::Stack;

    /// QUIC in datagrams of 1200 bytes.
    fn quic(flight: Flight, server_flight: u32) -> Dialogue {
        let mut stack = Stack::quic();
        stack.framing.mss = 1200 + UDP_IP - stack.framing.header;
        stack.messages.flight = Some(flight);
        stack.server_flight = Some(server_flight);
        stack.dialogue().expect("it is made of packets")
    }

    fn datagrams(flight: Flight, server_flight: u32) -> u64 {
        let header = Stack::quic().framing.header - UDP_IP;
        let full = u64::from(1200 - header);
        quic(flight, server_flight).response_from().div_ceil(full)
    }

    #[test]
    fn three_datagrams_hold_3403_bytes_of_tls_and_six_6859_behind_a_larger_hello() {
        assert_eq!(datagrams(Flight::Classic, 3403), 3);
        assert_eq!(datagrams(Flight::Classic, 3404), 4);
        assert_eq!(datagrams(Flight::PostQuantum, 6858), 6);
        assert_eq!(datagrams(Flight::PostQuantum, 6860), 7);
    }

    #[test]
    fn handshake_keys_come_with_the_datagram_that_ends_the_server_hello() {
        let first = u64::from(1200 + UDP_IP - Stack::quic().framing.header);
        assert!(quic(Flight::Classic, 3000).keys < first);
        let keys = quic(Flight::PostQuantum, 3000).keys;
        assert!((first + 1..2 * first).contains(&keys), "{keys}");
    }

    #[test]
    fn each_end_waits_for_all_of_the_other_ones_message() {
        let mut stack = Stack::linux();
        stack.handshake = Handshake::TcpTls12;
        stack.messages.flight = Some(Flight::Classic);
        let dialogue = stack.dialogue().unwrap();
        assert_eq!(dialogue.client_until(0), 300);
        assert_eq!(dialogue.server_until(299), 0);
        assert_eq!(dialogue.server_until(300), 3200);
        assert_eq!(dialogue.client_until(3199), 300);
        assert_eq!(dialogue.client_until(3200), 380);
        assert_eq!(dialogue.server_until(380), 3251);
        assert!(!dialogue.is_response_due(579));
        assert!(dialogue.is_response_due(580));
        assert_eq!(dialogue.implied_by(3200), 380);
        assert_eq!(dialogue.implied_by(3251), 580);
    }

    #[test]
    fn early_data_has_its_response_behind_the_flight() {
        let mut stack = Stack::quic();
        stack.handshake = Handshake::ZeroRtt;
        stack.messages.flight = Some(Flight::Resumed);
        let dialogue = stack.dialogue().unwrap();
        assert!(dialogue.is_response_due(700));
        assert_eq!((dialogue.client_end(), dialogue.round_trips()), (780, 0));
        assert_eq!(dialogue.implied_by(u64::MAX), 700);
    }
}
