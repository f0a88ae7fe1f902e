//! The names of algorithms with their parameters, as scenarios and the command line have them.

use crate::sentence::assert_sentence;
use flowstart_control::catalog::Recipe;
use flowstart_control::Convention;

pub(super) const TOKENS: &[&str] = &[
    ":",
    ",",
    "=",
    "growth=",
    "speed=",
    "iw=",
    "slow-start",
    "hystart",
    "rapid-start",
    "search",
    "cubic",
    "reno",
    "bbr",
    "1e308",
    "nan",
    "inf",
    "-0",
    "5Mbps",
    "64ms",
    "%",
    "true",
    "\u{1b}",
    "\n",
];

/// A line for the startup, and maybe one for the congestion control.
pub(super) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (startup, cc) = text.split_once('\n').unwrap_or((text, "reno"));
    for convention in [Convention::Rfc, Convention::Linux, Convention::Quic] {
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
