//! What a flow's application writes, and when.

use super::checks::{distribution, within};
use super::flows::{FlowReader, LARGEST};
use super::source;
use crate::flow_plan::{AfterFlow, Cause, When, Write};
use crate::maybe_time::MaybeTime;
use crate::spec::bounds::time;
use crate::spec::{RequestError, WriteSpec};
use flowstart_control::{Duration, Instant};
use flowstart_network::distribution::Measure;
use flowstart_network::random::stream;
use rand_pcg::Pcg64Mcg;

/// A flow's data, and when it opens.
pub(super) struct FlowData {
    /// Bytes of all of it; `None` without limit.
    pub(super) size: Option<u64>,
    /// When the first of it opens the connection; none where that waits for another flow.
    pub(super) start: MaybeTime,
    /// After what it opens, where that is another flow's startup. It is named by its entry.
    pub(super) start_after: Option<AfterFlow>,
    /// The writes that make it up, where they are given.
    pub(super) writes: Vec<Write>,
    /// By when each write of a source is to be delivered, if that has a deadline; none where the
    /// writes are listed.
    pub(super) source: Option<Option<Duration>>,
}

impl FlowReader<'_> {
    /// The flow's data, which crosses these hops.
    pub(super) fn data(&self, from: u32, to: u32) -> Result<FlowData, RequestError> {
        let spec = self.spec;
        if let Some(text) = &spec.source {
            return self.source(text);
        }
        if spec.writes.is_empty() {
            let size = spec.size.map(|s| self.bytes("size", s, from, to));
            let opens = Some(Duration::ZERO);
            return Ok(FlowData {
                size: size.transpose()?,
                start: self.start(opens),
                start_after: self.start_after(opens)?,
                writes: Vec::new(),
                source: None,
            });
        }
        if spec.size.is_some() {
            let problem = "contradicts `writes`; give one of the two";
            return Err(RequestError::new(self.field("size"), problem));
        }
        let mut writes = self.writes(from, to)?;
        let opens = match writes[0].when {
            When::At(first) => {
                count_from(first, &mut writes);
                Some(first)
            }
            When::After(_) => None,
        };
        Ok(FlowData {
            size: writes.last().map(|write| write.end),
            start: self.start(opens),
            start_after: self.start_after(opens)?,
            writes,
            source: None,
        })
    }

    /// The writes of a source.
    fn source(&self, text: &str) -> Result<FlowData, RequestError> {
        let spec = self.spec;
        let refused = |other: &str| {
            let problem = format!("contradicts `{other}`; give one of the two");
            Err(RequestError::new(self.field("source"), problem))
        };
        if spec.size.is_some() {
            return refused("size");
        }
        if !spec.writes.is_empty() {
            return refused("writes");
        }
        let lasts = self.lasts.map(|lasts| lasts.saturating_sub(spec.start()));
        let read = source::read(&self.field("source"), text, self.draws, lasts)?;
        let mut end = 0;
        let write = |(at, bytes): &(Duration, u64)| {
            end += bytes;
            let when = When::At(*at);
            Write { when, end }
        };
        let mut writes: Vec<Write> = read.writes.iter().map(write).collect();
        within(&self.field("source"), end, 1, LARGEST, "1 PB in all")?;
        let first = read.writes[0].0;
        count_from(first, &mut writes);
        Ok(FlowData {
            size: Some(end),
            start: self.start(Some(first)),
            start_after: self.start_after(Some(first))?,
            writes,
            source: Some(read.deadline),
        })
    }

    /// When the flow opens, where that is known: so long after its start, unless its first write
    /// waits for another flow.
    fn start(&self, opens: Option<Duration>) -> MaybeTime {
        let opens = opens.filter(|_| self.spec.start_after.is_none());
        opens
            .map(|opens| Instant::ZERO + self.spec.start() + opens)
            .into()
    }

    /// After what it opens, likewise.
    fn start_after(&self, opens: Option<Duration>) -> Result<Option<AfterFlow>, RequestError> {
        let Some(after) = &self.spec.start_after else {
            return Ok(None);
        };
        let Some(opens) = opens else {
            let problem = "contradicts `writes[0].after`; give one of the two";
            return Err(RequestError::new(self.field("start_after"), problem));
        };
        after.check(&self.field("start_after"))?;
        Ok(Some(AfterFlow {
            flow: after.flow,
            pause: after.pause() + opens,
        }))
    }

    fn writes(&self, from: u32, to: u32) -> Result<Vec<Write>, RequestError> {
        let mss = u64::from(self.ends.stack.framing.mss);
        let mut writes: Vec<Write> = Vec::with_capacity(self.spec.writes.len());
        let (seed, entry) = self.draws;
        let (mut end, mut rng) = (0, stream(seed, "pauses", entry));
        for (i, write) in self.spec.writes.iter().enumerate() {
            let when = self.when(i, write, writes.last().map(|before| before.when), &mut rng)?;
            let bytes = self.bytes(&format!("writes[{i}].size"), write.size, from, to)?;
            // Where segments leave whole, so do writes.
            end += match self.ends.stack.ns2.whole_segments {
                true => bytes.next_multiple_of(mss),
                false => bytes,
            };
            within(&self.field("writes"), end, 1, LARGEST, "1 PB in all")?;
            writes.push(Write { when, end });
        }
        Ok(writes)
    }

    /// When write number `i` is handed over, the one `before` it being handed over then.
    fn when(
        &self,
        i: usize,
        write: &WriteSpec,
        before: Option<When>,
        rng: &mut Pcg64Mcg,
    ) -> Result<When, RequestError> {
        let refused = |name: &str, problem: String| {
            let field = self.field(&format!("writes[{i}].{name}"));
            Err(RequestError::new(field, problem))
        };
        match (write.at, &write.after, before) {
            (None, None, _) => refused("at", "missing; give it, or `after`".into()),
            (Some(_), Some(_), _) => {
                refused("after", "contradicts `at`; give one of the two".into())
            }
            (Some(at), None, Some(When::At(before))) if at < before => {
                refused("at", format!("`{at}` is before the write that precedes it"))
            }
            (Some(at), None, Some(When::After(_))) => refused(
                "at",
                format!("`{at}` is behind a write that waits; give `after`"),
            ),
            (Some(at), None, _) => Ok(When::At(at)),
            (None, Some(after), _) => {
                let field = self.field(&format!("writes[{i}].after"));
                after.check(&field)?;
                let (field, text) = (format!("{field}.pause"), after.pause().0);
                if let Ok(pause) = text.parse() {
                    time(&field, &pause)?;
                }
                let pause = distribution(&field, Measure::Time, &text)?;
                Ok(When::After(Cause {
                    flow: after.flow,
                    write: after.write(),
                    pause: pause.time(rng),
                }))
            }
        }
    }
}

/// Counts the times of writes from the first's.
fn count_from(first: Duration, writes: &mut [Write]) {
    for write in writes {
        if let When::At(at) = &mut write.when {
            *at = at.saturating_sub(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Prepared, Scenario};

    /// The times between the writes of a flow that answers one write of another each.
    fn pauses(seed: u64, pause: &str) -> Result<Vec<u64>, String> {
        let writes: Vec<String> = (0..100)
            .map(|n| {
                format!(
                    "{{ size = '1kB', after = {{ flow = 0, write = {n}, pause = '{pause}' }} }}"
                )
            })
            .collect();
        let text = format!(
            "seed = {seed}\npath = {{ rate = '10Mbps', rtt = '10ms' }}\n[[flows]]\nwrites = [{}]\n\
             [[flows]]\ndirection = 'reverse'\nwrites = [{}]",
            vec!["{ size = '1B', at = '0s' }"; 100].join(", "),
            writes.join(", ")
        );
        let scenario = Scenario::from_toml(&text).map_err(|error| error.to_string())?;
        let prepared = Prepared::new(&scenario).map_err(|error| error.to_string())?;
        let causes = prepared.kinds[1]
            .writes
            .iter()
            .filter_map(|write| write.when.cause());
        Ok(causes
            .map(|cause| cause.pause.nanos() / 1_000_000)
            .collect())
    }

    #[test]
    fn pauses_are_drawn_from_their_distribution_by_the_seed() {
        assert_eq!(pauses(1, "20ms").unwrap(), [20; 100]);
        let drawn = pauses(1, "exponential:mean=20ms").unwrap();
        let mean = drawn.iter().sum::<u64>() / 100;
        assert!((14..26).contains(&mean), "{mean}");
        assert_eq!(drawn, pauses(1, "exponential:mean=20ms").unwrap());
        assert_ne!(drawn, pauses(2, "exponential:mean=20ms").unwrap());
        let refused = pauses(1, "normal:mean=x").unwrap_err();
        assert!(
            refused.starts_with("flows[1].writes[0].after.pause: "),
            "{refused}"
        );
    }
}
