//! How a script sets its host up: what it negotiates, and the settings that its shell commands
//! make.

use crate::problem::Problem;
use crate::script::{Action, Call, Command, Options, Script, Segment};
use flowstart_control::{Controller, Convention, InitialWindow, catalog};
use flowstart_transport::stack::{EcnMode, Pacing, Restart, Stack};

/// The MSS of an Ethernet interface, which the host announces.
const MSS: u32 = 1460;
/// TCP_MIN_SND_MSS: whatever the peer announces, segments are not made smaller.
const SMALLEST_MSS: u32 = 48;
/// Bytes of TCP's timestamps with their padding.
const TIMESTAMPS: u32 = 12;
/// Bytes of headers without options.
const HEADERS: u32 = 40;

/// Settings that change nothing of what is compared.
const WITHOUT_EFFECT: [&str; 7] = [
    "tcp_min_tso_segs",
    "tcp_tso_win_divisor",
    "tcp_timestamps",
    "tcp_window_scaling",
    "tcp_wmem",
    "tcp_rmem",
    "tcp_moderate_rcvbuf",
];

/// A host as a script sets it up.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The sender's stack.
    pub(crate) stack: Stack,
    cc: String,
    /// `hystart_detect`; zero where HyStart is off.
    detect: u32,
    hystart: bool,
    /// Whether it agrees to ECN.
    ecn: bool,
    /// Its parts without effect.
    pub(crate) notes: Vec<Problem>,
}

/// Linux as far as scripts show: their timestamps are not interpreted, and it is unknown where
/// in a jiffy they begin, so timers expire when they are due.
fn linux() -> Stack {
    let mut stack = Stack::linux();
    stack.recovery.timestamps = false;
    stack.timer().jiffy = None;
    stack
}

impl Settings {
    /// A script's settings before its first event, and what it negotiates.
    pub(crate) fn of(script: &Script) -> Result<Settings, Problem> {
        let mut settings = Settings {
            stack: linux(),
            cc: "cubic".into(),
            detect: 3,
            hystart: true,
            ecn: true,
            notes: Vec::new(),
        };
        for command in &script.commands {
            settings.take(command)?;
        }
        for event in &script.events {
            if let Action::Call(call) = &event.action {
                settings.take_option(call);
            }
        }
        let first = script.events.iter().find_map(|event| match &event.action {
            Action::Receive(segment) if segment.flags.syn => Some(segment),
            _ => None,
        });
        if let Some(first) = first {
            settings.negotiate(first);
        }
        Ok(settings)
    }

    /// Takes over what is set: `name=value`, or `echo value > file`.
    fn take(&mut self, command: &Command) -> Result<(), Problem> {
        for (text, line) in command.text.lines().zip(command.line..) {
            let words: Vec<&str> = text.split_whitespace().collect();
            match words[..] {
                [] => {}
                ["echo", value, ">", file] => self.set(file, value, line)?,
                [program, ..] if program == "tc" || program == "ip" => self.take_network(&words),
                _ => {
                    for (name, value) in words.iter().filter_map(|word| word.split_once('=')) {
                        self.set(name, value, line)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `tc qdisc … fq`, `ip route … initcwnd 20`.
    fn take_network(&mut self, words: &[&str]) {
        if words.contains(&"fq") {
            self.stack.pacing.rule = Pacing::Internal;
        }
        let value = |pair: &[&str]| pair[1].parse().ok().filter(|_| pair[0] == "initcwnd");
        if let Some(iw) = words.windows(2).find_map(value) {
            self.stack.window.initial = InitialWindow::Segments(iw);
        }
    }

    fn set(&mut self, path: &str, value: &str, line: usize) -> Result<(), Problem> {
        let name = path.rsplit(['.', '/']).next().unwrap_or(path);
        let number = || -> Result<u32, Problem> {
            let message = format!("{name} is `{value}`, not a number");
            value.parse().map_err(|_| Problem::new(line, message))
        };
        match name {
            "tcp_congestion_control" => self.cc = value.into(),
            "hystart" => self.hystart = number()? != 0,
            "hystart_detect" => self.detect = number()?,
            "tcp_slow_start_after_idle" if number()? == 0 => {
                self.stack.window.restart = Restart::Keep;
            }
            "tcp_slow_start_after_idle" => {}
            "tcp_frto" => self.stack.recovery.frto = number()? != 0,
            "tcp_early_retrans" => self.stack.recovery.tail_loss_probe = number()? != 0,
            "tcp_ecn" => self.ecn = number()? != 0,
            // The defaults of the pacing rate.
            "tcp_pacing_ss_ratio" if number()? == 200 => {}
            "tcp_pacing_ca_ratio" if number()? == 120 => {}
            _ if WITHOUT_EFFECT.contains(&name) => {}
            _ => {
                let message = format!("the setting `{name}` has no effect here");
                self.notes.push(Problem::new(line, message));
            }
        }
        Ok(())
    }

    /// `setsockopt(4, IPPROTO_TCP, TCP_CONGESTION, "reno", 4)`, as if from the beginning.
    fn take_option(&mut self, call: &Call) {
        let option = call.arguments.get(2).map(String::as_str);
        if let (Some("TCP_CONGESTION"), Some(name)) = (option, call.arguments.get(3)) {
            self.cc = name.trim_matches(['"', '[', ']']).into();
        }
    }

    /// The peer's SYN, or its answer to the host's.
    fn negotiate(&mut self, syn: &Segment) {
        let Options {
            mss,
            timestamps,
            sack_permitted,
            ..
        } = syn.options;
        let padding = if timestamps { TIMESTAMPS } else { 0 };
        self.stack.framing.mss = mss.unwrap_or(536).clamp(SMALLEST_MSS, MSS) - padding;
        self.stack.framing.header = HEADERS + padding;
        self.stack.framing.bare = HEADERS + padding;
        self.stack.recovery.sack = sack_permitted;
        self.stack.ecn = match self.ecn && syn.flags.ece {
            true => EcnMode::Classic,
            false => EcnMode::Off,
        };
    }

    /// The congestion control.
    pub(crate) fn controller(&self) -> Result<Controller, Problem> {
        let startup = match self.detect {
            _ if self.cc != "cubic" || !self.hystart => "slow-start".to_string(),
            1 => "hystart:detect=train".into(),
            2 => "hystart:detect=delay".into(),
            _ => "hystart".into(),
        };
        let controller = catalog::controller(&startup, &self.cc, Convention::LINUX);
        controller.map_err(|error| Problem::new(1, error.to_string()))
    }
}
