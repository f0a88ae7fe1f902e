//! A receiver and data that no honest sender sends: it must neither panic, nor deliver what did not come, nor answer
//! without end.

use super::by_name::choose;
use arbitrary::{Result, Unstructured};
use flowstart_control::{Duration, Instant};
use flowstart_transport::receiver::Receiver;
use flowstart_transport::stack::{Stack, all_presets};
use flowstart_wire::{Ack, Body, Data, Ecn, Packet};
use std::sync::Arc;

const MOST_STEPS: usize = 500;

/// A receiver of some kind, driven by the bytes.
pub(super) fn run(bytes: &[u8]) {
    let _ = driven(&mut Unstructured::new(bytes));
}

fn driven(u: &mut Unstructured) -> Result<()> {
    let preset = choose(u, all_presets().map(|preset| preset.name))?;
    let stack = Stack::preset(preset).expect("a preset has a stack");
    let mut receiver = Receiver::new(Arc::new(stack.receiver()), 0);
    receiver.open(Instant::ZERO, Duration::ZERO);
    let (mut now, mut highest, mut came) = (Instant::ZERO, 0, 0);
    for _ in 0..MOST_STEPS {
        if u.is_empty() {
            break;
        }
        now += Duration(u.int_in_range(0..=300_000_000)?);
        let answer = if u.ratio(1, 8)? {
            wait(&mut receiver, &mut now)
        } else {
            let data = data(u, receiver.delivered(), highest)?;
            (highest, came) = (highest.max(data.end()), came + u64::from(data.len()));
            let mut packet = Packet::new(0, data.len() + 52, Body::Data(data));
            if u.ratio(1, 8)? {
                packet.ecn.set(Ecn::CE);
            }
            receiver.on_packet(&packet, now)
        };
        assert!(
            receiver.delivered() <= highest.min(came),
            "data from nowhere"
        );
        if let Some(Body::Ack(Ack::Bytes(ack))) = answer.map(|answer| answer.body) {
            assert!(ack.una() <= highest);
            assert!(
                ack.sack_blocks()
                    .all(|(start, end)| start < end && end <= highest)
            );
        }
    }
    Ok(())
}

/// Until its next deadline.
fn wait(receiver: &mut Receiver, now: &mut Instant) -> Option<Packet> {
    let due = receiver.deadline().filter(|due| *due < Instant::MAX)?;
    *now = (*now).max(due);
    receiver.on_timer(*now)
}

fn data(u: &mut Unstructured, delivered: u64, highest: u64) -> Result<Data> {
    let start = match u.int_in_range(0..=15)? {
        0 => u.arbitrary::<u64>()? >> 2,
        1 => highest + u64::from(u.arbitrary::<u16>()?),
        2 => u.int_in_range(0..=delivered)?,
        3..=8 => highest,
        _ => u.int_in_range(delivered..=highest)?,
    };
    let len = match u.int_in_range(0..=7)? {
        0 => u.arbitrary::<u32>()? >> 2,
        1 => u.int_in_range(0..=3)?,
        _ => 1448,
    };
    let mut data = Data::new(start, len, u.arbitrary::<u8>()?.into());
    if u.ratio(1, 16)? {
        data = Data::new(start, len, u.arbitrary()?);
    }
    if u.ratio(1, 8)? {
        data.set_push();
    }
    if u.ratio(1, 8)? {
        data.set_repeats();
    }
    Ok(data)
}
