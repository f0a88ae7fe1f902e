//! What a small run writes as a capture is read back as what was simulated.

use super::by_name::choose;
use super::captures::{Scratch, collected};
use arbitrary::{Result, Unstructured};
use flowstart_control::catalog::STARTUPS;
use flowstart_export::{pcap, qlog};
use flowstart_sim::record::packets::Host;
use flowstart_sim::{Prepared, Scenario};
use flowstart_transport::stack::all_presets;

/// A run of the kind that the bytes choose.
pub(super) fn run(bytes: &[u8]) {
    let _ = exported(&mut Unstructured::new(bytes));
}

fn exported(u: &mut Unstructured) -> Result<()> {
    let stack = choose(u, all_presets().map(|preset| preset.name))?;
    let startup = choose(u, STARTUPS.iter().map(|entry| entry.name))?;
    let (rate, rtt) = (u.int_in_range(1..=200)?, u.int_in_range(1..=200)?);
    let (buffer, size) = (u.int_in_range(4..=100)?, u.int_in_range(1..=60_000_u64)?);
    let loss = u.int_in_range(0..=3)?;
    let text = format!(
        "seed = {seed}\n[path]\nrate = '{rate}Mbps'\nrtt = '{rtt}ms'\nbuffer = '{buffer}pkt'\nloss = '{loss}%'\n\
         [stack]\npreset = '{stack}'\n[[flows]]\nsize = '{size}B'\nstartup = '{startup}'",
        seed = u.arbitrary::<u16>()?,
    );
    let scenario = Scenario::from_toml(&text).expect("every choice is a scenario");
    // Some startups need what the path or the stack does not have, and say so.
    let Ok(mut prepared) = Prepared::new(&scenario) else {
        return Ok(());
    };
    prepared.log_packets(&[0]).expect("it has a flow 0");
    let outcome = prepared.run();
    let log = &outcome.packets[0];
    let lines = qlog::qlog(log);
    for record in lines.split(|byte| *byte == 0x1e).skip(1) {
        serde_json::from_slice::<serde_json::Value>(record).expect("a qlog is JSON");
    }
    let file = Scratch::new(&pcap::pcap(log, Host::Sender));
    let (reading, rows) = collected(&file.path).expect("what was written can be read");
    assert_eq!(reading.unreadable, 0, "{text}");
    let stack = scenario.stack().expect("it was prepared");
    // Nothing on the path can read what QUIC encrypts.
    if stack.numbers_packets() {
        return Ok(());
    }
    assert_eq!(rows.connections.len(), 1, "{text}");
    if outcome.flows.row(0).duration_s.is_some() {
        let sent = match stack.ns2.whole_segments {
            true => size.next_multiple_of(stack.framing.mss.into()),
            false => size,
        };
        assert_eq!(rows.connections[0].c2s_seen_bytes, Some(sent), "{text}");
    }
    Ok(())
}
