//! Every target for a second: its seeds, what once failed, and what bolero makes of its random bytes.

use bolero::check;
use flowstart_fuzz::mutation::Maker;
use flowstart_fuzz::{seeds, target};
use std::fs;
use std::path::Path;
use std::time::Duration;

fn holds(name: &str) {
    let target = target(name).unwrap();
    seeds::of(target).iter().for_each(|seed| (target.run)(seed));
    let once = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("regressions")
        .join(name);
    for entry in fs::read_dir(once).into_iter().flatten().flatten() {
        (target.run)(&fs::read(entry.path()).unwrap());
    }
    let maker = Maker::of(target);
    check!(name = name)
        .with_test_time(Duration::from_secs(1))
        .for_each(|bytes: &[u8]| match &maker {
            Some(maker) => (target.run)(&maker.make(bytes)),
            None => (target.run)(bytes),
        });
}

macro_rules! each_holds {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            holds($name);
        })*

        #[test]
        fn no_target_is_left_out() {
            let tested = [$($name),*];
            let all: Vec<_> = flowstart_fuzz::TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(all, tested);
        }
    };
}

each_holds! {
    a_damaged_pcap_is_read_or_refused: "pcap",
    a_damaged_pcapng_is_read_or_refused: "pcapng",
    a_damaged_compressed_stream_is_read_or_refused: "compressed",
    a_damaged_conn_log_is_read_or_refused: "zeek",
    ack_ranges_come_out_as_they_went_in: "ack-ranges",
    sack_blocks_come_out_as_they_went_in: "sack",
    no_acknowledgement_makes_a_sender_panic_or_send_without_end: "acknowledgements",
    no_data_makes_a_receiver_deliver_what_did_not_come: "receiver",
    a_damaged_scenario_is_run_or_refused: "scenario",
    packets_and_bytes_of_a_damaged_scenario_are_conserved: "conservation",
    a_damaged_specification_is_built_or_refused: "algorithms",
    a_damaged_packetdrill_script_is_run_or_refused: "packetdrill",
    an_exported_capture_is_read_as_it_was_simulated: "export",
}
