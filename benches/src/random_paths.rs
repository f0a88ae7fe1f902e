//! Scenarios of short transfers over random paths, with the laws of the sweep `wide`.

use libm::{exp, log};

/// A transfer of `size` over each of so many random paths, with each startup.
pub fn scenarios<'a>(
    paths: usize,
    stack: &'a str,
    size: &'a str,
    startups: &'a [&str],
) -> impl Iterator<Item = String> + 'a {
    let mut draws = Draws(1);
    (0..paths).flat_map(move |_| {
        let path = random_path(&mut draws);
        startups.iter().map(move |startup| {
            format!(
                "path = {path}\nstack = {{ preset = \"{stack}\" }}\n\
                 flows = [{{ size = \"{size}\", startup = \"{startup}\" }}]"
            )
        })
    })
}

fn random_path(draws: &mut Draws) -> String {
    let rate = draws.log(1e6, 1e9) as u64;
    let rtt = draws.log(5e3, 600e3) as u64;
    let buffer = draws.log(0.1, 4.0);
    format!(
        "{{ rate = \"{rate}bps\", rtt = \"{rtt}us\", buffer = \"{}pkt\" }}",
        packets(buffer, rate, rtt)
    )
}

/// A buffer of so many BDPs, no less than ten packets.
fn packets(bdps: f64, rate: u64, rtt_us: u64) -> u64 {
    let bdp = rate as f64 * rtt_us as f64 / 1e6 / 8.0 / 1500.0;
    ((bdps * bdp) as u64).max(10)
}

/// Draws from SplitMix64.
struct Draws(u64);

impl Draws {
    /// A number between two others, whose logarithm is uniform.
    fn log(&mut self, from: f64, to: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let share = ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
        exp(log(from) + share * (log(to) - log(from)))
    }
}
