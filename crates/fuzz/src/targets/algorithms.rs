//! The names of algorithms with their parameters, as scenarios and the command line have them.

use crate::sentence::assert_sentence;
use flowstart_control::Convention;
use flowstart_control::catalog::{AVOIDANCES, Recipe, STARTUPS};
use flowstart_control::entry::Entry;

pub(super) const TOKENS: &[&str] = &[
    ":", ",", "=", "growth=", "speed=", "iw=", "1e308", "nan", "inf", "-0", "5Mbps", "64ms", "%",
    "true", "\u{1b}", "\n",
];

/// A startup and a congestion control, of which one has a parameter: all of the catalog.
pub(super) fn seeds() -> Vec<String> {
    let startups = with_parameters(STARTUPS).map(|startup| format!("{startup}\nreno"));
    let avoidances = with_parameters(AVOIDANCES).map(|cc| format!("slow-start\n{cc}"));
    startups.chain(avoidances).collect()
}

/// Each entry alone, and with each of its parameters.
fn with_parameters<T: ?Sized>(entries: &'static [Entry<T>]) -> impl Iterator<Item = String> {
    entries.iter().flat_map(|entry| {
        let params = entry.params.iter();
        let with_one = params.map(|param| format!("{}:{}=1", entry.name, param.name));
        std::iter::once(entry.name.to_string()).chain(with_one)
    })
}

/// A line for the startup, and maybe one for the congestion control.
pub(super) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (startup, cc) = text.split_once('\n').unwrap_or((text, "reno"));
    for convention in [Convention::RFC, Convention::LINUX, Convention::QUIC] {
        match Recipe::parse(startup, cc, convention) {
            Err(error) => assert_sentence(&error.to_string()),
            Ok(recipe) => {
                let again =
                    Recipe::parse(&recipe.startup_spec(), &recipe.avoidance_spec(), convention);
                let again = again.expect("what a recipe says of itself is a recipe");
                assert_eq!(again.startup_spec(), recipe.startup_spec());
                recipe.build();
            }
        }
    }
}
