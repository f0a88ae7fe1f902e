//! Contents of a script.

use flowstart_control::{Duration, Instant};
use std::fmt;

/// A script.
#[derive(Clone, Debug)]
pub struct Script {
    /// By how much a time may differ from the script's.
    pub tolerance: Duration,
    /// Shell commands that set the host up.
    pub commands: Vec<Command>,
    /// What happens, in order.
    pub events: Vec<Event>,
}

/// Shell commands of one pair of backticks.
#[derive(Clone, Debug)]
pub struct Command {
    /// Where they begin.
    pub line: usize,
    /// The commands.
    pub text: String,
}

/// Something that happens, or has to.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its place.
    pub line: usize,
    /// When.
    pub when: When,
    /// What.
    pub action: Action,
}

/// When something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Between these times since the script began.
    At(Instant, Instant),
    /// Between these times since the event before.
    After(Duration, Duration),
    /// At any time.
    Any,
}

/// What happens.
#[derive(Clone, Debug)]
pub enum Action {
    /// The host receives this.
    Receive(Segment),
    /// The host has to send this.
    Expect(Segment),
    /// The host's application makes a system call.
    Call(Call),
    /// Statements about the connection are to hold.
    Check(Statements),
    /// Something is set in the course of the script.
    Command(String),
}

/// The text between `%{` and `}%`.
#[derive(Clone, Debug)]
pub struct Statements {
    /// Where they begin.
    pub line: usize,
    /// The statements.
    pub text: String,
}

/// A system call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Its arguments as they are written.
    pub arguments: Vec<String>,
}

/// The flags of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// SYN.
    pub syn: bool,
    /// FIN.
    pub fin: bool,
    /// RST.
    pub rst: bool,
    /// ACK.
    pub ack: bool,
    /// ECN-Echo.
    pub ece: bool,
    /// Congestion window reduced.
    pub cwr: bool,
}

/// A TCP segment. Its numbers are counted from the initial ones.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// Its flags.
    pub flags: Flags,
    /// Whether its IP header has ECT(0) in the script; `None` where it is not specified.
    pub capable: Option<bool>,
    /// The sequence number of its first byte.
    pub start: u64,
    /// One past the sequence number of its last.
    pub end: u64,
    /// The acknowledgement number.
    pub ack: Option<u64>,
    /// The window field of the header.
    pub window: Option<u32>,
    /// Its options.
    pub options: Options,
}

/// The options of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Maximum segment size.
    pub mss: Option<u32>,
    /// SACK permitted.
    pub sack_permitted: bool,
    /// Window scale.
    pub scale: Option<u8>,
    /// Whether there are timestamps.
    pub timestamps: bool,
    /// SACK blocks.
    pub sack: Vec<(u64, u64)>,
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [
            (self.syn, 'S'),
            (self.fin, 'F'),
            (self.rst, 'R'),
            (self.ece, 'E'),
            (self.cwr, 'W'),
            (self.ack, '.'),
        ];
        let text: String = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
        f.write_str(&text)
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = (self.start, self.end);
        write!(f, "`{} {start}:{end}({})", self.flags, end - start)?;
        if let Some(ack) = self.ack {
            write!(f, " ack {ack}")?;
        }
        if !self.options.sack.is_empty() {
            let blocks = self.options.sack.iter().map(|(a, b)| format!("{a}:{b}"));
            write!(f, " <sack {}>", blocks.collect::<Vec<_>>().join(" "))?;
        }
        f.write_str("`")
    }
}
