//! Runs the events of a script, one after another, on a clock that jumps from one to the next.

use crate::expression::{Variables, execute};
use crate::host::{Host, Sent};
use crate::problem::Problem;
use crate::script::{Action, Call, Event, Segment, Statements, When};
use flowstart_control::{Duration, Instant};

/// System calls that change nothing of what is interpreted here.
const WITHOUT_EFFECT: [&str; 12] = [
    "socket",
    "bind",
    "listen",
    "accept",
    "setsockopt",
    "getsockopt",
    "fcntl",
    "ioctl",
    "poll",
    "read",
    "recv",
    "recvfrom",
];

/// What one call writes: Linux's MAX_RW_COUNT, but for the page. Bytes
const MOST_WRITTEN: u64 = i32::MAX as u64;

/// A run of a script.
pub(crate) struct Runner {
    host: Host,
    tolerance: Duration,
    now: Instant,
    variables: Variables,
}

impl Runner {
    pub(crate) fn new(host: Host, tolerance: Duration) -> Runner {
        Runner {
            host,
            tolerance,
            now: Instant::ZERO,
            variables: Variables::default(),
        }
    }

    /// Runs these events.
    pub(crate) fn run(mut self, events: &[Event]) -> Result<(), Problem> {
        for event in events {
            let ran = self.event(event);
            ran.map_err(|message| Problem::new(event.line, message))?;
            if let Action::Check(Statements { line, text }) = &event.action {
                self.host.describe(&mut self.variables, self.now);
                execute(text, *line, &mut self.variables)?;
            }
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), String> {
        let (from, to) = match event.when {
            When::At(from, to) => (from, to),
            When::After(from, to) => (self.now + from, self.now + to),
            When::Any => (self.now, Instant::MAX),
        };
        if let Action::Expect(segment) = &event.action {
            return self.expect(segment, from, to);
        }
        if from < self.now {
            let (now, from) = (seconds(self.now), seconds(from));
            return Err(format!("it is {now} already, later than {from}"));
        }
        self.advance(from);
        match &event.action {
            Action::Receive(segment) => self.host.receive(segment, self.now),
            Action::Call(call) => self.call(call),
            Action::Command(text) => {
                self.command(text);
                Ok(())
            }
            Action::Expect(_) | Action::Check(_) => Ok(()),
        }
    }

    /// `tc qdisc replace dev tun0 root pfifo limit 0`: the device refuses what the host sends.
    fn command(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.first() == Some(&"tc") {
            self.host.set_refused(words.ends_with(&["limit", "0"]));
        }
    }

    /// The clock moves on, past all deadlines up to `to`.
    fn advance(&mut self, to: Instant) {
        while let Some(due) = self.host.deadline().filter(|due| *due <= to) {
            self.now = self.now.max(due);
            self.host.on_timer(self.now);
        }
        self.now = self.now.max(to);
    }

    fn call(&mut self, call: &Call) -> Result<(), String> {
        match call.name.as_str() {
            "connect" => self.host.connect(self.now),
            "write" | "send" | "sendto" => {
                let bytes = call.arguments.get(2).and_then(|bytes| bytes.parse().ok());
                let bytes = bytes.filter(|bytes| *bytes <= MOST_WRITTEN);
                let problem = || {
                    format!(
                        "{} needs a number of bytes, at most {MOST_WRITTEN}",
                        call.name
                    )
                };
                self.host.write(bytes.ok_or_else(problem)?, self.now);
            }
            "sendmsg" => self.host.write(message_bytes(call)?, self.now),
            "close" | "shutdown" => self.host.close(self.now),
            name if WITHOUT_EFFECT.contains(&name) => {}
            name => return Err(format!("the system call `{name}` is not interpreted")),
        }
        Ok(())
    }

    /// The host has to send `wanted` between these times, possibly as several consecutive segments.
    fn expect(&mut self, wanted: &Segment, from: Instant, to: Instant) -> Result<(), String> {
        let earliest = from.saturating_sub(self.tolerance);
        let latest = to + self.tolerance;
        let when = match from == to {
            true => format!("at {}", seconds(from)),
            false => format!("between {} and {}", seconds(from), seconds(to)),
        };
        let missing = |runner: &Runner| {
            let now = seconds(runner.now);
            format!("expected {wanted} {when}; nothing came until {now}")
        };
        self.wait(latest);
        let first = self.host.take_sent().ok_or_else(|| missing(self))?;
        let at = first.at;
        let came = self.join(first, wanted);
        let came_at = seconds(at);
        if !matches(wanted, &came) {
            return Err(format!(
                "expected {wanted} {when}; {came} came at {came_at}"
            ));
        }
        if at < earliest || at > latest {
            return Err(format!("expected {wanted} {when}; it came at {came_at}"));
        }
        self.now = self.now.max(at);
        Ok(())
    }

    /// Waits until the host has sent something, and no longer than this.
    fn wait(&mut self, latest: Instant) {
        while self.host.next_sent().is_none() {
            match self.host.deadline().filter(|due| *due <= latest) {
                Some(due) => self.advance(due),
                None if latest < Instant::MAX => return self.now = self.now.max(latest),
                None => return,
            }
        }
    }

    /// Puts together with `first` what left right behind it at the same time, up to the end of
    /// the expected segment.
    fn join(&mut self, first: Sent, wanted: &Segment) -> Segment {
        let Sent { at, mut segment } = first;
        while segment.end > segment.start && segment.end < wanted.end {
            let continues = |next: &&Sent| {
                next.at == at && next.segment.start == segment.end && next.segment.end <= wanted.end
            };
            let Some(next) = self.host.next_sent().filter(continues) else {
                break;
            };
            segment.end = next.segment.end;
            segment.flags.fin |= next.segment.flags.fin;
            self.host.take_sent();
        }
        segment
    }
}

/// The bytes of `sendmsg(4, {..., msg_iov(2)=[{..., 40}, {..., 20}], ...}, 0)`.
fn message_bytes(call: &Call) -> Result<u64, String> {
    let [_, message, flags] = call.arguments.as_slice() else {
        return Err("sendmsg needs a message and flags".into());
    };
    if flags.contains("MSG_MORE") {
        return Err("MSG_MORE is not interpreted".into());
    }
    let vectors = message
        .split_once("msg_iov")
        .and_then(|(_, rest)| rest.split_once(']'));
    let lengths = vectors
        .map_or("", |(vectors, _)| vectors)
        .split(['{', '}'])
        .skip(1)
        .step_by(2);
    let mut lengths = lengths.map(|vector| vector.rsplit(',').next()?.trim().parse::<u64>().ok());
    let bytes = lengths.try_fold(0_u64, |bytes, length| bytes.checked_add(length?));
    let bytes = bytes.filter(|bytes| (1..=MOST_WRITTEN).contains(bytes));
    bytes.ok_or_else(|| format!("sendmsg needs vectors of 1 to {MOST_WRITTEN} bytes"))
}

/// Whether a segment matches the script in all that the script specifies.
fn matches(wanted: &Segment, came: &Segment) -> bool {
    let flags = |segment: &Segment| match segment.flags.syn {
        // What a SYN says of ECN is negotiated by others.
        true => (true, false, segment.flags.ack, false),
        false => {
            let flags = segment.flags;
            (false, flags.fin, flags.ack, flags.cwr)
        }
    };
    flags(wanted) == flags(came)
        && (wanted.start, wanted.end) == (came.start, came.end)
        && wanted.ack == came.ack
        && wanted.options.sack == came.options.sack
        && (wanted.capable.is_none() || wanted.capable == came.capable)
}

/// A time in the form of messages.
fn seconds(time: Instant) -> String {
    format!("{:.4} s", time.secs())
}
