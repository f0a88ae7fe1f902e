//! Files of simulated flows, read by others.

mod pcap;
#[cfg(feature = "check")]
mod qlog;
mod vocabulary;

use flowstart_sim::record::packets::FlowLog;
use flowstart_sim::{Outcome, Prepared, Scenario};

/// A flow that loses packets, on a path that it fills.
fn outcome(stack: &str, flow: &str) -> Outcome {
    let text = format!(
        "[path]\nrate = '20Mbps'\nrtt = '40ms'\nbuffer = '40pkt'\n\
         [stack]\npreset = '{stack}'\n[[flows]]\nsize = '2MB'\n{flow}"
    );
    let scenario = Scenario::from_toml(&text).unwrap();
    let mut prepared = Prepared::new(&scenario).unwrap();
    prepared.log_packets(&[0]).unwrap();
    prepared.run()
}

fn log(outcome: &Outcome) -> &FlowLog {
    &outcome.packets[0]
}
