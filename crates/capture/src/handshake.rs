//! The three-way handshake as a monitor sees it, and the round trip that it shows.
//!
//! RTT = time of the client's first ACK after the SYN-ACK, less the last SYN not later than the last SYN-ACK before
//! that ACK. Both are taken at the monitor, so it is the whole round trip wherever the monitor is.

use crate::results::Handshake;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shake {
    pub syns: u32,
    pub syn_acks: u32,
    last_syn: Option<u64>,
    last_answer: Option<u64>,
    /// The last SYN at the time of the last SYN-ACK.
    answered_syn: Option<u64>,
    refused: bool,
    completed: Option<u64>,
    /// The client's first ACK without a SYN-ACK before it, and the last SYN before that ACK.
    unanswered: Option<(u64, u64)>,
}

impl Shake {
    pub(crate) fn syn(&mut self, time: u64) {
        self.syns += 1;
        self.last_syn = Some(time);
    }

    pub(crate) fn syn_ack(&mut self, time: u64) {
        self.syn_acks += 1;
        if self.completed.is_none() {
            self.last_answer = Some(time);
            self.answered_syn = self.last_syn;
        }
    }

    /// The server reset the connection.
    pub(crate) fn reset(&mut self) {
        self.refused |= self.syns > 0 && self.syn_acks == 0;
    }

    /// The client acknowledged the server's SYN. True the first time.
    pub(crate) fn ack(&mut self, time: u64) -> bool {
        let completes = self.completed.is_none() && self.answered_syn.is_some();
        if completes {
            self.completed = Some(time);
        }
        completes
    }

    /// The client acknowledged a SYN that was not captured.
    pub(crate) fn ack_unanswered(&mut self, time: u64) {
        self.unanswered = self.unanswered.or(self.last_syn.map(|syn| (time, syn)));
    }

    /// No packet of the server was captured: what the client acknowledged was its SYN-ACK.
    pub(crate) fn one_sided(&mut self) {
        if let Some((time, syn)) = self.unanswered {
            (self.completed, self.answered_syn) = (Some(time), Some(syn));
        }
    }

    /// Nothing followed the SYNs.
    pub(crate) fn is_unanswered(&self) -> bool {
        self.class() == Handshake::SynOnly
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.completed.is_some()
    }

    /// The round trip in nanoseconds; nothing when the clock went back.
    pub(crate) fn rtt(&self) -> Option<u64> {
        self.completed?
            .checked_sub(self.answered_syn?)
            .filter(|&rtt| rtt > 0)
    }

    /// The parts of the round trip on the server's and on the client's side of the monitor.
    pub(crate) fn halves(&self) -> Option<[u64; 2]> {
        let answer = self.last_answer?;
        Some([
            answer.checked_sub(self.answered_syn?)?,
            self.completed?.checked_sub(answer)?,
        ])
    }

    pub(crate) fn class(&self) -> Handshake {
        match (self.syns, self.syn_acks) {
            (0, _) => Handshake::NotSeen,
            _ if self.is_complete() => Handshake::Complete,
            (_, 0) if self.refused => Handshake::Refused,
            (_, 0) => Handshake::SynOnly,
            _ => Handshake::HalfOpen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_round_trip_counts_from_the_last_syn_that_can_have_been_answered() {
        let mut shake = Shake::default();
        shake.syn(0);
        shake.syn(1000);
        shake.syn_ack(1040);
        shake.syn(2000);
        assert!(shake.ack(2100) && !shake.ack(2200));
        assert_eq!(shake.rtt(), Some(1100));
        assert_eq!(shake.halves(), Some([40, 1060]));
        assert_eq!(shake.class(), Handshake::Complete);
    }

    #[test]
    fn where_only_the_client_was_captured_its_first_ack_completes_the_handshake() {
        let mut shake = Shake::default();
        shake.syn(0);
        shake.ack_unanswered(40);
        shake.ack_unanswered(90);
        assert_eq!((shake.rtt(), shake.class()), (None, Handshake::SynOnly));
        shake.one_sided();
        assert_eq!(
            (shake.rtt(), shake.class()),
            (Some(40), Handshake::Complete)
        );
        assert_eq!(shake.halves(), None);
    }

    #[test]
    fn a_reset_refuses_only_what_was_not_answered() {
        let mut shake = Shake::default();
        shake.syn(0);
        assert_eq!(shake.class(), Handshake::SynOnly);
        shake.reset();
        assert_eq!(shake.class(), Handshake::Refused);
        shake.syn_ack(5);
        assert_eq!(shake.class(), Handshake::HalfOpen);
    }

    #[test]
    fn a_round_trip_of_no_time_is_none() {
        let mut shake = Shake::default();
        shake.syn(5);
        shake.syn_ack(5);
        shake.ack(5);
        assert_eq!(shake.rtt(), None);
    }
}
