//! Reads a script.

mod cursor;
mod segment;

use crate::problem::Problem;
use crate::script::{Action, Call, Command, Event, Script, Statements, When};
use cursor::Cursor;
use flowstart_control::{Duration, Instant};

/// packetdrill's `--tolerance_usecs` where it is not given.
const TOLERANCE: Duration = Duration::from_millis(4);

/// What a tolerance is.
pub const TOLERANCES: &str = "a number of microseconds, at most 10^12";

/// A tolerance of times; `None` where the text is none of [`TOLERANCES`].
pub fn tolerance(micros: &str) -> Option<Duration> {
    let micros = micros.parse().ok();
    let micros = micros.filter(|micros| *micros <= 1_000_000_000_000)?;
    Some(Duration::from_micros(micros))
}

/// The script in `text`.
pub(crate) fn script(text: &str) -> Result<Script, Problem> {
    let mut cursor = Cursor::new(text);
    let mut script = Script {
        tolerance: TOLERANCE,
        commands: Vec::new(),
        events: Vec::new(),
    };
    while cursor.eat("--") {
        option(&mut cursor, &mut script)?;
    }
    while !cursor.at_end() {
        let line = cursor.line();
        if script.events.is_empty() && cursor.eat("`") {
            let text = cursor.until("`")?.to_string();
            script.commands.push(Command { line, text });
        } else {
            let when = when(&mut cursor)?;
            let action = action(&mut cursor)?;
            script.events.push(Event { line, when, action });
        }
    }
    Ok(script)
}

/// `--name=value`; those that say where the script runs say nothing here.
fn option(cursor: &mut Cursor, script: &mut Script) -> Result<(), Problem> {
    let line = cursor.line();
    let text = cursor.rest_of_line().trim();
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    if name == "tolerance_usecs" {
        let message = format!("tolerance_usecs is `{value}`, not {TOLERANCES}");
        script.tolerance = tolerance(value).ok_or_else(|| Problem::new(line, message))?;
    }
    Ok(())
}

/// `.1`, `+.1`, `+.1~+.2`, `+.1...0.2` (a call that lasts), `*`; at once where there is none.
fn when(cursor: &mut Cursor) -> Result<When, Problem> {
    if cursor.eat("*") {
        return Ok(When::Any);
    }
    let relative = cursor.eat("+");
    let Some(from) = cursor.seconds()? else {
        return match relative {
            true => Err(cursor.expected("a time behind `+`")),
            false => Ok(When::After(Duration::ZERO, Duration::ZERO)),
        };
    };
    let mut to = from;
    if cursor.eat("~") {
        cursor.eat("+");
        let end = cursor.seconds()?;
        to = end.ok_or_else(|| cursor.expected("a time behind `~`"))?;
    } else if cursor.eat("...") {
        cursor.eat("+");
        cursor.seconds()?;
    }
    if to < from {
        return Err(cursor.expected("a range of times that ends after it begins"));
    }
    Ok(match relative {
        true => When::After(from, to),
        false => When::At(Instant::ZERO + from, Instant::ZERO + to),
    })
}

fn action(cursor: &mut Cursor) -> Result<Action, Problem> {
    if cursor.eat("<") {
        return segment::segment(cursor).map(Action::Receive);
    }
    if cursor.eat(">") {
        return segment::segment(cursor).map(Action::Expect);
    }
    if cursor.eat("%{") {
        let line = cursor.line();
        let text = cursor.until("}%")?.to_string();
        return Ok(Action::Check(Statements { line, text }));
    }
    if cursor.eat("`") {
        return Ok(Action::Command(cursor.until("`")?.to_string()));
    }
    call(cursor).map(Action::Call)
}

/// `write(4, ..., 1000) = 1000`. The result is the script's, since nothing else gives one.
fn call(cursor: &mut Cursor) -> Result<Call, Problem> {
    let name = cursor.word().to_string();
    if name.is_empty() || !cursor.eat("(") {
        return Err(cursor.expected("`<`, `>`, `%{`, a backtick or a system call"));
    }
    let arguments = arguments(cursor)?;
    if !cursor.eat("=") {
        return Err(cursor.expected("`=` and the result of the call"));
    }
    // A number, `?`, or an error's name and text behind it.
    cursor.rest_of_line();
    Ok(Call { name, arguments })
}

/// The text between the parentheses of a call, split at its outer commas.
fn arguments(cursor: &mut Cursor) -> Result<Vec<String>, Problem> {
    let mut arguments = vec![String::new()];
    let mut depth = 0;
    let unclosed = cursor.expected("`)` behind the arguments of the call");
    loop {
        let c = cursor.next().ok_or_else(|| unclosed.clone())?;
        match c {
            ')' if depth == 0 => break,
            ',' if depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if let Some(last) = arguments.last_mut() {
            last.push(c);
        }
    }
    let trimmed = arguments.iter().map(|argument| argument.trim().to_string());
    Ok(trimmed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Event {
        let script = script(text).unwrap();
        assert_eq!(script.events.len(), 1);
        script.events[0].clone()
    }

    fn problem(text: &str) -> String {
        script(text).unwrap_err().to_string()
    }

    #[test]
    fn times_are_absolute_relative_ranges_or_any() {
        let (at_ms, ms) = (Instant::from_millis, Duration::from_millis);
        for (text, when) in [
            ("0.2", When::At(at_ms(200), at_ms(200))),
            ("+.1", When::After(ms(100), ms(100))),
            ("+.3~+.31", When::After(ms(300), ms(310))),
            ("1~1.5", When::At(at_ms(1000), at_ms(1500))),
            ("+0...0.3", When::After(ms(0), ms(0))),
            ("*", When::Any),
            ("", When::After(ms(0), ms(0))),
        ] {
            assert_eq!(only(&format!("{text} > . 1:1(0) ack 1")).when, when);
        }
    }

    #[test]
    fn a_segment_has_flags_numbers_and_options() {
        let event = only("+0 < . 1:1(0) ack 3001 win 257 <sack 1:1001 5001:6001,nop,nop>");
        let Action::Receive(segment) = event.action else {
            panic!("it is received")
        };
        assert_eq!((segment.ack, segment.window), (Some(3001), Some(257)));
        assert_eq!(segment.options.sack, [(1, 1001), (5001, 6001)]);
        let event = only("> SE. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 8>");
        let Action::Expect(segment) = event.action else {
            panic!("it is expected")
        };
        assert!(segment.flags.syn && segment.flags.ece && segment.flags.ack);
        let options = segment.options;
        assert_eq!((options.mss, options.scale), (Some(1460), Some(8)));
        assert!(options.sack_permitted && !options.timestamps);
    }

    #[test]
    fn commands_and_checks_may_take_several_lines() {
        let text = "--tolerance_usecs=20000\n`one\ntwo`\n+0 %{\nassert 1 == 1\n}%\n";
        let script = script(text).unwrap();
        assert_eq!(script.tolerance, Duration::from_millis(20));
        assert_eq!(script.commands[0].text, "one\ntwo");
        assert_eq!(script.events[0].line, 4);
    }

    #[test]
    fn a_call_has_arguments_split_at_its_commas() {
        let event = only("+0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0 // text");
        let Action::Call(call) = event.action else {
            panic!("it is a call")
        };
        assert_eq!(call.name, "setsockopt");
        let arguments = ["3", "SOL_SOCKET", "SO_REUSEADDR", "[1]", "4"];
        assert_eq!(call.arguments, arguments);
    }

    #[test]
    fn a_wrong_script_is_refused_with_its_place() {
        for (text, message) in [
            ("\n+x", "2: expected a time behind `+`, not `x`"),
            (
                "+0 nothing",
                "1: expected `<`, `>`, `%{`, a backtick or a system call, not the end",
            ),
            ("+0 < . 1:5(3)", "1: 1:5 are 4 bytes, not 3"),
            (
                "+0 < . 1:5(99999999999)",
                "1: expected a number behind `(`, not `99999999999)`",
            ),
            (
                "+1000001 < . 1:1(0)",
                "1: expected a time in seconds, at most a million, not `1000001 < . 1:1(0)`",
            ),
            (
                "+0 < . 1:1(0) ack",
                "1: expected a number behind `ack`, not the end",
            ),
            (
                "+0 > . 1:1(0) <odd>",
                "1: the TCP option `odd` is not interpreted",
            ),
            ("+0 %{ assert", "1: expected `}%`, not the end"),
            (
                "--tolerance_usecs=much",
                "1: tolerance_usecs is `much`, not a number of microseconds, at most 10^12",
            ),
            (
                "--tolerance_usecs=18446744073709551615",
                "1: tolerance_usecs is `18446744073709551615`, not a number of microseconds, at \
                 most 10^12",
            ),
        ] {
            assert_eq!(problem(text), message);
        }
    }
}
