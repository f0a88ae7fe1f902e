//! The scripts next to this file hold for the stack `linux`, and a script that does not hold is
//! reported with what was expected and what came.

use flowstart_control::Duration;
use flowstart_packetdrill::{run, run_within};
use std::fs;
use std::path::PathBuf;

fn scripts() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_script_holds() {
    let mut problems = Vec::new();
    for file in scripts() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        match run(&fs::read_to_string(&file).unwrap()) {
            Ok(notes) => assert_eq!(notes, [], "{name}"),
            Err(problem) => problems.push(format!("{name}:{problem}")),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

const OPEN: &str = "\
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 1000
+0 accept(3, ..., ...) = 4
";

fn problem(script: &str) -> String {
    run(&format!("{OPEN}{script}")).unwrap_err().to_string()
}

#[test]
fn a_segment_that_does_not_come_is_reported_with_its_time() {
    assert_eq!(
        problem("+0 > . 1:1001(1000) ack 1"),
        "7: expected `. 1:1001(1000) ack 1` at 0.1000 s; nothing came until 0.1040 s"
    );
}

#[test]
fn another_segment_is_reported_with_what_it_is() {
    assert_eq!(
        problem("+0 write(4, ..., 20000) = 20000\n+0 > . 1:11001(11000) ack 1"),
        "8: expected `. 1:11001(11000) ack 1` at 0.1000 s; `. 1:10001(10000) ack 1` came at \
         0.1000 s"
    );
}

#[test]
fn a_segment_at_another_time_is_reported() {
    assert_eq!(
        problem("+0 write(4, ..., 1000) = 1000\n+.1~+.2 > . 1:1001(1000) ack 1"),
        "8: expected `. 1:1001(1000) ack 1` between 0.2000 s and 0.3000 s; it came at 0.1000 s"
    );
}

#[test]
fn a_tolerance_of_the_caller_takes_the_place_of_the_scripts() {
    let script = format!("{OPEN}+0 write(4, ..., 1000) = 1000\n+.010 > . 1:1001(1000) ack 1");
    assert!(run(&script).is_err());
    assert!(run_within(&script, Some(Duration::from_millis(15))).is_ok());
}

#[test]
fn an_assertion_that_does_not_hold_is_reported_with_the_values() {
    assert_eq!(
        problem("+0 %{\nassert tcpi_snd_cwnd == 3\n}%"),
        "8: `tcpi_snd_cwnd == 3` does not hold: tcpi_snd_cwnd is 10"
    );
}

#[test]
fn what_cannot_be_is_refused() {
    for (script, message) in [
        (
            "+0 < . 1:1(0) ack 5001 win 1000",
            "7: it acknowledges 5001, but only up to 1 was sent",
        ),
        (
            "+0 mmap(4) = 0",
            "7: the system call `mmap` is not interpreted",
        ),
        (
            "0.05 write(4, ..., 1) = 1",
            "7: it is 0.1000 s already, later than 0.0500 s",
        ),
        ("+0 < R. 1:1(0) ack 1", "7: RST is not interpreted"),
        (
            "+0 sendmsg(4, {msg_iov(1)=[{..., 40}], msg_flags=0}, MSG_MORE) = 40",
            "7: MSG_MORE is not interpreted",
        ),
        (
            "+0 sendmsg(4, {msg_iov(1)=[{..., many}], msg_flags=0}, 0) = 40",
            "7: sendmsg needs vectors of 1 to 2147483647 bytes",
        ),
        (
            "+0 sendmsg(4, {msg_iov(2)=[{..., 18446744073709551615}, {..., 1}], msg_flags=0}, 0) = 40",
            "7: sendmsg needs vectors of 1 to 2147483647 bytes",
        ),
        ("+0 sendmsg(4) = 40", "7: sendmsg needs a message and flags"),
    ] {
        assert_eq!(problem(script), message);
    }
}

#[test]
fn a_setting_without_effect_is_noted() {
    let notes = run(&format!("`sysctl -q net.ipv4.tcp_odd=1`\n{OPEN}")).unwrap();
    assert_eq!(
        notes[0].to_string(),
        "1: the setting `tcp_odd` has no effect here"
    );
}
