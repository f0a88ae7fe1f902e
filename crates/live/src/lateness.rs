//! How late a relay in user space was.

use flowstart_control::Duration;

/// How late the relay was: from when the path would have delivered a datagram until it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// Half of the datagrams were no later.
    pub median: Duration,
    /// All but one in a hundred were no later.
    pub p99: Duration,
    /// None was later.
    pub most: Duration,
}

impl Lateness {
    /// Of so many times each.
    pub fn of(mut late: Vec<Duration>) -> Lateness {
        late.sort_unstable();
        let at = |percent: usize| late.get((late.len() * percent / 100).min(late.len() - 1));
        match late.last() {
            None => Lateness::default(),
            Some(most) => Lateness {
                median: at(50).copied().unwrap_or_default(),
                p99: at(99).copied().unwrap_or_default(),
                most: *most,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_is_told_by_the_middle_the_last_hundredth_and_the_most() {
        let late: Vec<Duration> = (0..=200).rev().map(Duration::from_micros).collect();
        let us = Duration::from_micros;
        let expected = Lateness {
            median: us(100),
            p99: us(198),
            most: us(200),
        };
        assert_eq!(Lateness::of(late), expected);
        assert_eq!(Lateness::of(Vec::new()), Lateness::default());
    }
}
