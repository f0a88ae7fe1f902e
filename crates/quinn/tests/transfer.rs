//! The examples transfer over paced sockets, whatever the startup.

#[allow(dead_code)]
#[path = "../examples/noq-transfer.rs"]
mod in_noq;
#[allow(dead_code)]
#[path = "../examples/quinn-transfer.rs"]
mod in_quinn;

use flowstart_quinn::Startup;

macro_rules! transfers {
    ($name:ident, $example:ident) => {
        #[tokio::test]
        async fn $name() {
            for name in ["slow-start", "hystart", "jump-start", "bbr-startup", "suss"] {
                let startup = Startup::parse(name, "cubic").unwrap();
                let handle = $example::transfer(startup).await.unwrap();
                assert!(handle.counters().sent >= 600, "{name}");
                assert!(handle.shared().lock().is_clocked(), "{name}: the socket");
            }
        }
    };
}

transfers!(
    each_kind_of_startup_transfers_in_noq_over_a_paced_socket,
    in_noq
);
transfers!(
    each_kind_of_startup_transfers_in_quinn_over_a_paced_socket,
    in_quinn
);
