//! The example transfers, paced or not, whatever the startup.

#[allow(dead_code)]
#[path = "../examples/transfer.rs"]
mod example;

use flowstart_noq::Startup;

#[tokio::test]
async fn every_kind_of_startup_transfers_over_a_paced_socket() {
    for name in ["slow-start", "hystart", "jump-start", "bbr-startup", "suss"] {
        let startup = Startup::parse(name, "cubic").unwrap();
        let handle = example::transfer(startup).await.unwrap();
        assert!(handle.counters().sent >= 600, "{name}");
        assert!(handle.shared().lock().is_clocked(), "{name}: the socket");
    }
}
