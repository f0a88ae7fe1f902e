//! The cases of `tests/data/linux/cases.csv`, and the scenario of each. The recorder
//! (`crates/linux/examples/record.rs`) runs the same scenarios in the kernel.

use flate2::read::GzDecoder;
use flowstart_sim::Scenario;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

/// A file among the recordings.
pub(crate) fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data/linux")
        .join(name)
}

/// The text of such a file.
pub(crate) fn text(name: &str) -> String {
    std::fs::read_to_string(data(name)).expect("the recording is kept here")
}

/// A case, as `cases.csv` has it: its columns by name.
pub(crate) type Case = BTreeMap<String, String>;

pub(crate) fn cases() -> Vec<Case> {
    let text = text("cases.csv");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_string));
    let heading: Vec<String> = lines.next().unwrap().collect();
    lines
        .map(|cells| heading.iter().cloned().zip(cells).collect())
        .collect()
}

/// `position = delay` for each packet that is late: `everyN-DELAY`, or the name of a list.
fn delays(list: &str) -> String {
    let every = list
        .strip_prefix("every")
        .and_then(|rest| rest.split_once('-'));
    if let Some((step, late)) = every {
        let step: usize = step.parse().expect("every how many packets");
        let positions = (step..=9000).step_by(step);
        let entries = positions.map(|position| format!("{position} = '{late}'"));
        return entries.collect::<Vec<_>>().join(", ");
    }
    let file = File::open(data(&format!("{list}.csv.gz"))).expect("the list is kept here");
    let lines = BufReader::new(GzDecoder::new(file)).lines().skip(1);
    let entry = |line: std::io::Result<String>| line.unwrap().replace(',', " = '") + "us'";
    lines.map(entry).collect::<Vec<_>>().join(", ")
}

/// How the tables of a kernel with stock buffers read here (`tcp_rmem`, `tcp_wmem`). Of the memory
/// that a packet takes there, which came through a TUN device, 80896 of 131072 bytes are payload.
const STOCK: &str = "receive_buffer = '131072B'\nreceive_buffer_max = '33554432B'\n\
                     receive_share = 0.6172\nsend_buffer = '4194304B'\n";

pub(crate) fn scenario(case: &Case) -> Scenario {
    let (startup, cc) = match &*case["cc"] {
        "cubic" => ("hystart", "cubic"),
        "reno" => ("slow-start", "reno"),
        "bbr" => ("bbr-startup", "bbr"),
        other => panic!("no sender is like `{other}`"),
    };
    let given = |column: &str| Some(case[column].as_str()).filter(|cell| !cell.is_empty());
    let mut path = format!(
        "rate = '{}Mbps'\nrtt = '{}ms'\nbuffer = '{}pkt'\nreverse_buffer = '100000pkt'\n",
        case["rate_mbps"], case["rtt_ms"], case["limit_pkts"]
    );
    if let Some(above) = given("mark_above") {
        // Marks whatever finds more than so many waiting.
        path += &format!(
            "queue = 'red:ecn=true,q_w=1,th_min={above},th_max={above}.5,gentle=false,wait=false,\
             mark_p=1,max_p=1'\nreverse_queue = 'drop-tail'\n"
        );
    }
    let mut stack = format!("preset = 'linux'\niw = {}\n", case["iw"]);
    if case["buffers"] == "stock" {
        stack += STOCK;
    }
    stack += match &*case["sysctl"] {
        // Linux 6.18 has nothing but RACK any more: with `tcp_recovery=0` it does the same.
        "" | "tcp_recovery=0" | "tcp_slow_start_after_idle=1" => "",
        "tcp_dsack=0" => "dsack = false\n",
        "tcp_ecn=1" => "ecn = true\n",
        "tcp_slow_start_after_idle=0" => "restart = 'keep'\n",
        other => panic!("nothing is like `{other}`"),
    };
    let mut flow = format!(
        "startup = '{startup}'\ncc = '{cc}'\nopener = '{}'\n",
        case["opener"]
    );
    if let Some(positions) = given("forced_drops") {
        writeln!(flow, "forced_drops = [{}]", positions.replace(' ', ", ")).unwrap();
    }
    if let Some(list) = given("delays") {
        writeln!(flow, "delays = {{ {} }}", delays(list)).unwrap();
    }
    let bytes = &case["bytes"];
    let work = match given("write2_ms") {
        Some(at) => format!(
            "writes = [{{ at = '0s', size = '{bytes}B' }}, {{ at = '{at}ms', size = '{}B' }}]\n",
            case["bytes2"]
        ),
        None => format!("size = '{bytes}B'\n"),
    };
    let mut flows = format!("[[flows]]\n{flow}{work}");
    if let Some(at) = given("second_at_s") {
        let size = &case["second_bytes"];
        flows += &format!("[[flows]]\n{flow}size = '{size}B'\nstart = '{at}s'\n");
    }
    let text = format!("trace = true\n[path]\n{path}[stack]\n{stack}{flows}");
    Scenario::from_toml(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
}
