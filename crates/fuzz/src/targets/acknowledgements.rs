//! A sender and acknowledgements that no honest receiver sends: it must neither panic nor send without end.

use super::by_name::choose;
use super::ranges::option;
use arbitrary::{Result, Unstructured};
use flowstart_control::catalog::{AVOIDANCES, STARTUPS};
use flowstart_control::{Duration, Instant, catalog};
use flowstart_transport::sender::{Preparation, Sender};
use flowstart_transport::stack::{Stack, all_presets};
use flowstart_wire::{Ack, Body, ByteAck, Ecn, NumberAck, Packet, SynAck};
use std::sync::Arc;

const MOST_STEPS: usize = 300;
/// Bytes handed over in all: so a sender has an end.
const MOST_BYTES: u64 = 2_000_000;
/// Packets that one event may release: each byte at most a few times.
const MOST_AT_ONCE: usize = 20_000;

/// A sender of some kind, driven by the bytes.
pub(super) fn run(bytes: &[u8]) {
    let mut u = Unstructured::new(bytes);
    if let Ok(mut driven) = Driven::open(&mut u) {
        for _ in 0..MOST_STEPS {
            if u.is_empty() || driven.step(&mut u).is_err() {
                break;
            }
        }
    }
}

struct Driven {
    sender: Sender,
    now: Instant,
    handed_over: u64,
    /// Data packets sent, which are the numbers where packets have some.
    sent: u64,
    numbers: bool,
}

impl Driven {
    fn open(u: &mut Unstructured) -> Result<Driven> {
        let preset = choose(u, all_presets().map(|preset| preset.name))?;
        let stack = Stack::preset(preset).expect("a preset has a stack");
        let startup = choose(u, STARTUPS.iter().map(|entry| entry.name))?;
        let cc = choose(u, AVOIDANCES.iter().map(|entry| entry.name))?;
        let controller = catalog::controller(startup, cc, stack.convention);
        let controller = controller.expect("algorithms need no parameters");
        let numbers = stack.numbers_packets();
        let sender = Sender::new(Arc::new(stack), 0, controller, Preparation::default());
        let mut driven = Driven {
            sender,
            now: Instant::from_millis(1),
            handed_over: 0,
            sent: 0,
            numbers,
        };
        driven.write(u.int_in_range(0..=MOST_BYTES)?);
        driven.sender.open(driven.now);
        driven.transmit();
        Ok(driven)
    }

    fn write(&mut self, bytes: u64) {
        let bytes = bytes.min(MOST_BYTES - self.handed_over);
        self.handed_over += bytes;
        self.sender.push(bytes, self.now);
    }

    fn step(&mut self, u: &mut Unstructured) -> Result<()> {
        match u.int_in_range(0..=9)? {
            0 => self.write(u.arbitrary::<u32>()?.into()),
            1 => self.now += Duration(u.int_in_range(0..=2_000_000_000)?),
            2 => self.wait(),
            3 => {
                let answer = SynAck::new(u.arbitrary::<u8>()?.into(), u.arbitrary()?);
                self.hear(Body::SynAck(answer), u)?;
            }
            _ => {
                self.now += Duration(u.int_in_range(0..=100_000_000)?);
                let ack = self.ack(u)?;
                self.hear(Body::Ack(ack), u)?;
            }
        }
        self.transmit();
        Ok(())
    }

    /// Until its next deadline.
    fn wait(&mut self) {
        if let Some(due) = self.sender.deadline().filter(|due| *due < Instant::MAX) {
            self.now = self.now.max(due);
            self.sender.on_timer(self.now);
        }
    }

    fn hear(&mut self, body: Body, u: &mut Unstructured) -> Result<()> {
        let mut packet = Packet::new(0, 40, body);
        if u.ratio(1, 8)? {
            packet.ecn.set(Ecn::ECE);
        }
        self.sender.on_packet(&packet, self.now);
        Ok(())
    }

    fn ack(&self, u: &mut Unstructured) -> Result<Ack> {
        // Now and then of the kind that the stack does not have.
        match self.numbers != u.ratio(1, 64)? {
            true => self.number_ack(u).map(Ack::Numbers),
            false => self.byte_ack(u).map(Ack::Bytes),
        }
    }

    fn byte_ack(&self, u: &mut Unstructured) -> Result<ByteAck> {
        let una = self.position(u)?;
        let mut ack = ByteAck::new(una, self.window(u)?, option(u)?);
        if u.ratio(1, 8)? {
            ack.set_answers_repetition();
        }
        for _ in 0..u.int_in_range(0..=4)? {
            let (one, other) = (self.position(u)?.max(una), self.position(u)?.max(una));
            ack.push_sack(one.min(other), one.max(other));
        }
        Ok(ack)
    }

    /// Mostly among what was sent, else anywhere.
    fn position(&self, u: &mut Unstructured) -> Result<u64> {
        let (una, high) = (self.sender.acknowledged(), self.sender.high());
        Ok(match u.int_in_range(0..=15)? {
            0 => u.arbitrary::<u64>()? >> 1,
            1 => high + u64::from(u.arbitrary::<u16>()?),
            2 => u.int_in_range(0..=high)?,
            3 => high,
            4 | 5 => una,
            6..=11 => {
                let segment = u.int_in_range(0..=(high - una) / 1448)?;
                una + segment * 1448
            }
            _ => u.int_in_range(una..=high)?,
        })
    }

    fn number_ack(&self, u: &mut Unstructured) -> Result<NumberAck> {
        let end = match u.int_in_range(0..=15)? {
            0 => u.arbitrary()?,
            1 => self.sent + u64::from(u.arbitrary::<u16>()?),
            2..=6 => self.sent,
            _ => u.int_in_range(0..=self.sent)?,
        };
        let mut ack = NumberAck::new(end, u.arbitrary()?, self.window(u)?, option(u)?);
        for n in 0..u.int_in_range(0..=12)? {
            let gap = if n == 0 { 0 } else { u.int_in_range(1..=300)? };
            ack.push(gap, u.int_in_range(0..=300)?);
        }
        Ok(ack)
    }

    fn window(&self, u: &mut Unstructured) -> Result<u32> {
        match u.int_in_range(0..=7)? {
            0 => Ok(0),
            1 => u.arbitrary(),
            _ => Ok(1 << 20),
        }
    }

    fn transmit(&mut self) {
        for _ in 0..MOST_AT_ONCE {
            let Some(packet) = self.sender.poll_transmit(self.now) else {
                return;
            };
            self.sent += u64::from(packet.is_data());
        }
        panic!("it sends without end");
    }
}
