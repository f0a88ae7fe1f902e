//! What a simulated flow did, as files that other tools read: [qlog](mod@qlog) for qvis,
//! [pcap](mod@pcap) for Wireshark. Both are made of a flow's packets as its hosts saw them
//! ([`FlowLog`](flowstart_sim::record::packets::FlowLog)).
#![forbid(unsafe_code)]

pub mod pcap;
pub mod qlog;
