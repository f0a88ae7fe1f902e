//! The cases of `tests/data/linux/limits.csv`: transfers that a window or a send buffer limits. The
//! recorder (`crates/linux/examples/limits.rs`) runs the same scenarios in the kernel.

use flowstart_sim::Prepared;
use flowstart_sim::Scenario;
use flowstart_sim::record::limits::LimitRow;
use std::path::Path;

/// The recording.
const FILE: &str = "../../tests/data/linux/limits.csv";

/// A transfer, and the shares of the kernel's busy time as recorded.
pub(crate) struct LimitCase {
    /// Rate, RTT, bytes, receive buffer and send buffer, as the file has them.
    pub setting: [String; 5],
    /// Receive window and send buffer; none before the first recording.
    #[allow(dead_code, reason = "the recorder makes them")]
    pub shares: Option<[f64; 2]>,
}

impl LimitCase {
    /// The transfer, compiled.
    pub(crate) fn prepared(&self) -> Prepared {
        let [rate, rtt, bytes, receive, send] = &self.setting;
        let or = |given: &String, usual: &str| match given.as_str() {
            "" => usual.to_string(),
            given => given.to_string(),
        };
        let receive = or(receive, "33554432");
        // As in `cases.rs`: payload's share of the memory of a packet through a TUN device.
        let mut stack = format!(
            "preset = 'linux'\nreceive_buffer = '{receive}B'\nreceive_buffer_max = '{receive}B'\n\
             receive_share = 0.6172\n"
        );
        if !send.is_empty() {
            stack += &format!("send_buffer = '{send}B'\npacing = 'internal'\n");
        }
        let text = format!(
            "[path]\nrate = '{rate}Mbps'\nrtt = '{rtt}ms'\nbuffer = '1000pkt'\n\
             [stack]\n{stack}\
             [[flows]]\nstartup = 'hystart'\ncc = 'cubic'\nsize = '{bytes}B'\n"
        );
        let scenario = Scenario::from_toml(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let mut prepared = Prepared::new(&scenario).unwrap_or_else(|e| panic!("{text}: {e}"));
        prepared.record_limits();
        prepared
    }

    /// The simulator's shares of the time in which the sender was busy, as the kernel counts it.
    pub(crate) fn simulated(&self) -> [f64; 2] {
        let outcome = self.prepared().run();
        let row: &LimitRow = &outcome.limits[0];
        let busy = 1.0 - row.handshake_share - row.application_share;
        [
            row.receive_window_share / busy,
            row.send_buffer_share / busy,
        ]
    }
}

/// All cases.
pub(crate) fn limit_cases() -> Vec<LimitCase> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let text = std::fs::read_to_string(path).expect("the recording is kept here");
    text.lines().skip(1).map(case).collect()
}

fn case(line: &str) -> LimitCase {
    let mut cells = line.split(',').map(str::to_string);
    let setting = [(); 5].map(|()| cells.next().unwrap_or_default());
    let mut share = || cells.next()?.parse::<f64>().ok();
    let shares = share()
        .zip(share())
        .map(|(window, buffer)| [window, buffer]);
    LimitCase { setting, shares }
}
