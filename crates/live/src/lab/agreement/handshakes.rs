//! How far a stack's own handshake and that of its preset agree: a client that opens the connection and
//! receives 5 kB, which any window holds, behind flights of 3, 15 and 44 kB, without loss and with the loss of one of the
//! first four packets.

use super::{Pair, in_stack, simulated, within};
use crate::lab::Native;
use crate::outcome::{Clock, Outcome};
use flowstart_sim::{ExternalSender, Prepared, RequestError, Scenario};

/// Rate in Mbit/s and round trip in ms.
const PATHS: [(u32, u32); 4] = [(10, 40), (100, 100), (20, 300), (1000, 20)];
const FLIGHTS: [&str; 3] = ["3kB", "15kB", "44kB"];
/// The packet that is lost, as scenarios have it.
const LOST: [&str; 5] = ["", "hello", "flight", "flight:2", "flight:3"];

/// The completion times in the stack, whose `run` is given, and in the simulator.
///
/// # Errors
///
/// What the stack cannot run.
pub fn pairs(
    preset: &str,
    run: impl Fn(&Native, ExternalSender, Clock) -> Result<Outcome, RequestError>,
) -> Result<Vec<Pair>, RequestError> {
    let native = Native {
        cc: String::new(),
        initial_window: None,
    };
    let mut found = Vec::new();
    for size in FLIGHTS {
        for lost in LOST {
            let drops = if lost.is_empty() {
                ""
            } else {
                &format!("{lost:?}")
            };
            for (rate, rtt) in PATHS {
                let path = format!(r#"rate = "{rate}Mbps", rtt = "{rtt}ms""#);
                let prepared = Prepared::new(&Scenario::from_toml(&format!(
                    r#"
                    path = {{ {path}, buffer = "1000pkt" }}
                    stack.preset = "{preset}"
                    stack.receiver = "none"
                    stack.flight = "classic"
                    stack.server_flight = "{size}"
                    stack.request = "1B"
                    flows = [{{ size = "5kB", handshake_drops = [{drops}] }}]
                    "#
                ))?)?;
                let outcome = run(&native, prepared.external_server()?, Clock::Virtual)?;
                found.push(Pair {
                    path,
                    control: lost,
                    size,
                    native: in_stack(&outcome),
                    preset: simulated(&prepared),
                });
            }
        }
    }
    Ok(found)
}

/// The page on agreement, and what it is with this table of a stack's handshakes. The latter is written
/// where the environment has `FLOWSTART_WRITE_PAGES`.
///
/// # Errors
///
/// As for [`agreement::page`](super::page).
pub fn page(stack: &str, pairs: &[Pair]) -> Result<(String, String), String> {
    super::written(&format!("agreement: {stack} handshakes"), &markdown(pairs))
}

/// The page's table: for each flight and lost packet, how many paths agree within 1 %, and the time on
/// the path of 100 Mbit/s and 100 ms.
fn markdown(pairs: &[Pair]) -> String {
    let mut lines = vec![
        "| flight | lost | within 1 % | native, ms | preset, ms |".to_owned(),
        "| --- | --- | ---: | ---: | ---: |".into(),
    ];
    for group in pairs.chunk_by(|a, b| (a.size, a.control) == (b.size, b.control)) {
        let shown = &group[1];
        let ms = |of: super::Transfer| {
            of.fct
                .map_or("–".into(), |fct| format!("{:.1}", fct.secs() * 1e3))
        };
        lines.push(format!(
            "| {} | {} | {} of {} | {} | {} |",
            shown.size,
            if shown.control.is_empty() {
                "–"
            } else {
                shown.control
            },
            within(group, 0.01),
            group.len(),
            ms(shown.native),
            ms(shown.preset),
        ));
    }
    lines.join("\n") + "\n"
}
