//! How far a stack's own congestion control and its preset in the simulator agree, on a grid of
//! paths: 5 to 500 Mbit/s, 10 to 600 ms, buffers of a quarter to four BDP, half of them with random
//! loss; transfers of 15 kB to 10 MB.

pub mod handshakes;

use super::native::{Control, Native};
use crate::outcome::{Clock, Outcome};
use flowstart_control::{Duration, Segments};
use flowstart_sim::{ExternalSender, Prepared, RequestError, Scenario};

/// Rate in Mbit/s, round trip in ms, buffer in BDP, and random loss in thousandths.
pub type GridPath = (u32, u32, f64, u32);

/// Paths on which the shipped windows of receivers limit transfers, without loss.
pub const OF_WINDOWS: [GridPath; 6] = [
    (100, 100, 8.0, 0),
    (100, 300, 8.0, 0),
    (200, 60, 8.0, 0),
    (500, 40, 8.0, 0),
    (500, 200, 8.0, 0),
    (1000, 150, 8.0, 0),
];
/// The grid.
pub const PATHS: [GridPath; 16] = [
    (5, 600, 1.0, 0),
    (10, 100, 0.25, 1),
    (20, 60, 1.0, 0),
    (50, 30, 4.0, 5),
    (100, 100, 0.5, 0),
    (200, 20, 1.0, 2),
    (500, 10, 2.0, 0),
    (5, 40, 4.0, 10),
    (10, 300, 1.0, 0),
    (20, 20, 0.5, 1),
    (50, 150, 0.25, 0),
    (100, 30, 1.0, 3),
    (200, 60, 0.5, 0),
    (500, 40, 1.0, 1),
    (20, 200, 2.0, 0),
    (50, 80, 1.0, 5),
];
/// Its tables are written with FLOWSTART_WRITE_PAGES=1.
const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/reference/native.md"
);
const SIZES: [&str; 4] = ["15kB", "100kB", "1MB", "10MB"];

/// The sizes at which a congestion control is compared. Where BBR probes for bandwidth, the stacks
/// draw the phase at random without a seed, so only transfers that end before are compared.
fn sizes(control: &str) -> &'static [&'static str] {
    match control {
        "bbr" => &SIZES[..2],
        _ => &SIZES,
    }
}

/// What came of one transfer.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Completion time; `None` where it was not completed.
    pub fct: Option<Duration>,
    /// The window at the end of slow start, in full datagrams.
    pub exit_cwnd: Option<Segments>,
    /// Packets that the path dropped.
    pub dropped: u64,
    /// Packets that the sender sent again; in a stack those found lost, whose data it sends again.
    pub retransmitted: u64,
}

/// The same transfer in the stack and in the simulator.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The path, as scenarios have it.
    pub path: String,
    /// The stack's name of the congestion control.
    pub control: &'static str,
    /// The transfer's size.
    pub size: &'static str,
    /// In the stack.
    pub native: Transfer,
    /// In the simulator.
    pub preset: Transfer,
}

impl Pair {
    /// By how much the simulator takes longer, as a share; infinite where only one is completed.
    pub fn difference(&self) -> f64 {
        match (self.native.fct, self.preset.fct) {
            (Some(native), Some(preset)) => preset.nanos() as f64 / native.nanos() as f64 - 1.0,
            (None, None) => 0.0,
            _ => f64::INFINITY,
        }
    }
}

/// Every transfer over these paths under these congestion controls, which `run` runs in the stack. The
/// `receiver` has the stack's own windows, by its name, or `none`.
///
/// # Errors
///
/// What the stack cannot run.
pub fn pairs(
    (preset, receiver): (&str, &str),
    controls: &[Control],
    paths: &[GridPath],
    run: impl Fn(&Native, ExternalSender, Clock) -> Result<Outcome, RequestError>,
) -> Result<Vec<Pair>, RequestError> {
    let mut found = Vec::new();
    for &(rate, rtt, buffer, loss) in paths {
        let loss = f64::from(loss) / 10.0;
        let path = format!(
            r#"rate = "{rate}Mbps", rtt = "{rtt}ms", buffer = "{buffer}bdp", loss = "{loss}%""#
        );
        for Control { name, startup, cc } in controls {
            for size in sizes(name) {
                let scenario = Scenario::from_toml(&format!(
                    r#"
                    seed = 1
                    path = {{ {path} }}
                    stack = {{ preset = "{preset}", receiver = "{receiver}" }}
                    flows = [{{ startup = "{startup}", cc = "{cc}", size = "{size}" }}]
                    "#
                ))?;
                let prepared = Prepared::new(&scenario)?;
                let native = Native {
                    cc: (*name).to_string(),
                    initial_window: None,
                };
                let outcome = run(&native, prepared.external_sender()?, Clock::Virtual)?;
                found.push(Pair {
                    path: path.clone(),
                    control: name,
                    size,
                    native: in_stack(&outcome),
                    preset: simulated(&prepared),
                });
            }
        }
    }
    Ok(found)
}

fn in_stack(outcome: &Outcome) -> Transfer {
    Transfer {
        fct: outcome.fct,
        exit_cwnd: outcome.exit.map(|exit| exit.cwnd),
        dropped: outcome.packets_dropped,
        retransmitted: outcome.packets_lost,
    }
}

fn simulated(prepared: &Prepared) -> Transfer {
    let row = prepared.run().flows.row(0);
    Transfer {
        fct: row.fct_s.map(Duration::from_secs_f64),
        exit_cwnd: row.startup_exit_cwnd_segments,
        dropped: row.packets_dropped,
        retransmitted: row.packets_retransmitted,
    }
}

/// A transfer of this size over 20 Mbit/s with a round trip of 60 ms.
///
/// # Errors
///
/// The preset or the size is unknown.
pub fn example(preset: &str, size: &str) -> Result<Prepared, RequestError> {
    Prepared::new(&Scenario::from_toml(&format!(
        r#"
        path = {{ rate = "20Mbps", rtt = "60ms", buffer = "100pkt" }}
        stack = {{ preset = "{preset}" }}
        flows = [{{ startup = "slow-start", size = "{size}" }}]
        "#
    ))?)
}

/// How many of these are within a share of each other.
pub fn within(pairs: &[Pair], share: f64) -> usize {
    let near = |pair: &&Pair| pair.difference().abs() <= share;
    pairs.iter().filter(near).count()
}

/// Each transfer that differs by more than this share, a line each.
pub fn differing(pairs: &[Pair], share: f64) -> String {
    let far = pairs.iter().filter(|pair| pair.difference().abs() > share);
    far.map(|pair| row(pair) + "\n").collect()
}

/// The page's tables: how many transfers agree by size, and each that differs by more than 1 %.
fn markdown(pairs: &[Pair]) -> String {
    let mut lines = vec![
        "| size | within 1 % | within 5 % | exit cwnd within 5 % | dropped, native | preset |"
            .into(),
        "| --- | ---: | ---: | ---: | ---: | ---: |".into(),
    ];
    let of_size = |size: &str| -> Vec<Pair> {
        let found = pairs.iter().filter(|pair| pair.size == size);
        found.cloned().collect()
    };
    for size in SIZES {
        lines.push(summary(size, &of_size(size)));
    }
    lines.push(summary("all", pairs));
    lines.extend([
        String::new(),
        "| path | cc | size | native, ms | preset, ms | difference | exit cwnd | dropped | retransmitted |"
            .into(),
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |".into(),
    ]);
    lines.join("\n") + "\n" + &differing(pairs, 0.01)
}

fn summary(size: &str, pairs: &[Pair]) -> String {
    let exits = pairs
        .iter()
        .map(|pair| (pair.native.exit_cwnd, pair.preset.exit_cwnd));
    let ended = exits.clone().filter(|exits| *exits != (None, None)).count();
    let alike = exits.filter(|exits| match exits {
        (Some(native), Some(preset)) => (preset / native - 1.0).abs() <= 0.05,
        _ => false,
    });
    let dropped = |of: fn(&Pair) -> u64| pairs.iter().map(of).sum::<u64>();
    format!(
        "| {size} | {} of {} | {} | {} of {ended} | {} | {} |",
        within(pairs, 0.01),
        pairs.len(),
        within(pairs, 0.05),
        alike.count(),
        dropped(|pair| pair.native.dropped),
        dropped(|pair| pair.preset.dropped),
    )
}

fn row(pair: &Pair) -> String {
    let ms = |t: &Transfer| {
        t.fct
            .map_or("–".into(), |fct| format!("{:.1}", fct.secs() * 1e3))
    };
    let cwnd = |t: &Transfer| t.exit_cwnd.map_or("–".into(), |cwnd| format!("{cwnd:.0}"));
    let both =
        |of: &dyn Fn(&Transfer) -> String| format!("{} / {}", of(&pair.native), of(&pair.preset));
    let path = pair.path.replace('"', "").replace(" = ", " ");
    format!(
        "| {path} | {} | {} | {} | {} | {:+.1} % | {} | {} | {} |",
        pair.control,
        pair.size,
        ms(&pair.native),
        ms(&pair.preset),
        100.0 * pair.difference(),
        both(&cwnd),
        both(&|t| t.dropped.to_string()),
        both(&|t| t.retransmitted.to_string()),
    )
}

/// The page of this repository on agreement, and what it is with these transfers of a stack. The
/// latter is written where the environment has `FLOWSTART_WRITE_PAGES`.
///
/// # Errors
///
/// The page cannot be read or written, or has no table of the stack.
pub fn page(stack: &str, pairs: &[Pair]) -> Result<(String, String), String> {
    written(&format!("agreement: {stack}"), &markdown(pairs))
}

/// As [`page`], but with the windows that a stack ships, on the grid and where these limit: how many
/// transfers are within a share.
///
/// # Errors
///
/// As [`page`].
pub fn page_of_shipped(
    stack: &str,
    share: f64,
    [grid, limited]: [&[Pair]; 2],
) -> Result<(String, String), String> {
    let of = |pairs: &[Pair]| format!("{} of {}", within(pairs, share), pairs.len());
    let sentence = format!(
        "With the windows that the stack ships, {} transfers agree within {:.0} %, and {} where\n\
         these limit.\n",
        of(grid),
        100.0 * share,
        of(limited)
    );
    written(&format!("agreement of shipped windows: {stack}"), &sentence)
}

/// The page, and what it is with this text between the marks of that name.
fn written(mark: &str, text: &str) -> Result<(String, String), String> {
    let failed = |e: std::io::Error| format!("{PAGE}: {e}");
    let page = std::fs::read_to_string(PAGE).map_err(failed)?;
    let current = page_with(&page, mark, text)?;
    if std::env::var_os("FLOWSTART_WRITE_PAGES").is_some() {
        std::fs::write(PAGE, &current).map_err(failed)?;
    }
    Ok((page, current))
}

/// The text of a page with `text` between the marks of this name.
///
/// # Errors
///
/// The page has no such marks.
fn page_with(page: &str, mark: &str, text: &str) -> Result<String, String> {
    let (begin, end) = (format!("<!-- {mark} -->\n"), "<!-- end -->");
    let missing = || format!("the page has no `{}`", begin.trim());
    let (before, rest) = page.split_once(&begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(end).ok_or_else(missing)?;
    Ok(format!("{before}{begin}{text}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_replaces_what_is_between_the_marks() {
        let page = "a\n<!-- agreement: quinn -->\nold\n<!-- end -->\nb\n";
        let found = page_with(page, "agreement: quinn", "new\n").unwrap();
        assert_eq!(
            found,
            "a\n<!-- agreement: quinn -->\nnew\n<!-- end -->\nb\n"
        );
        assert!(page_with(page, "agreement: noq", "new\n").is_err());
    }
}
