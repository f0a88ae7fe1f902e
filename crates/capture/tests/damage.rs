//! Files that are cut, absurd, empty or something else.

use std::ops::ControlFlow;
use std::path::Path;

use crate::support::{Scratch, capture, data, length_of, read_with, try_read, unpacked};
use flowstart_capture::{Collected, Error, Options, read};

#[test]
fn a_capture_cut_in_mid_packet_counts_up_to_there() {
    let content = unpacked("web-mix.pcap.gz");
    let length = length_of(&content, 26_008) + 40;
    let file = Scratch::new("cut.pcap", &content[..length]);
    let capture = try_read(&file.0).unwrap();
    assert_eq!(capture.connections.len(), 219);
    assert_eq!(
        capture.warnings[0],
        "the file ends in mid-packet: 26008 packets were read before"
    );
}

#[test]
fn a_cut_gzip_stream_gives_what_was_in_it() {
    let capture = capture("small-gzip-cut.pcap.gz");
    assert_eq!(capture.packets, 432);
    assert!(
        capture.warnings[0].contains("gzip stream is cut")
            && capture.warnings[0].contains("432 packets")
    );
}

#[test]
fn an_absurd_length_gives_the_packets_before_it() {
    let capture = capture("small-absurd-length.pcap.gz");
    assert_eq!(capture.packets, 100);
    assert!(
        capture.warnings[0].contains("2147483647 bytes"),
        "{:?}",
        capture.warnings
    );
}

fn fails(name: &str, content: &[u8], with: &str) {
    let file = Scratch::new(name, content);
    let error = try_read(&file.0).unwrap_err().to_string();
    assert!(
        error.contains(with) && error.contains(name) && !error.contains('\n'),
        "{error}"
    );
}

#[test]
fn what_is_no_capture_gets_one_clear_line() {
    let header = &std::fs::read(data("small.pcap")).unwrap()[..24];
    fails("zero.pcap", b"", "is empty (0 bytes)");
    fails("header.pcap", header, "holds no packets");
    fails("half-header.pcap", &header[..20], "header is cut short");
    fails(
        "first-packet.pcap",
        &[header, &[0; 7]].concat(),
        "ends in mid-packet: 0 packets",
    );
    fails(
        "noise.bin",
        &[0x91, 0xa3, 0x6b, 0xfe, 0xf3],
        "noise.bin is not a capture: expected pcap, pcapng, a Zeek conn.log",
    );
    fails("text.log", b"hello", "is not a capture");
    for text in ["# Title\n\nWords.\n", "#!/bin/sh\necho\n", "#note\nrow\n"] {
        fails("readme.md", text.as_bytes(), "is not a capture");
    }
    fails("table.log", b"#fields\tts\n", "holds no connections");
    let gone = try_read(Path::new("gone.pcap")).unwrap_err().to_string();
    assert!(gone.starts_with("cannot open gone.pcap"), "{gone}");
    assert!(
        try_read(&std::env::temp_dir())
            .unwrap_err()
            .to_string()
            .contains("directory")
    );
}

#[test]
fn progress_is_reported_and_may_stop_the_reading() {
    let mut reports = Vec::new();
    let path = data("web-mix.pcap.gz");
    let mut rows = Collected::default();
    read(
        std::slice::from_ref(&path),
        &Options::default(),
        &mut rows,
        &mut |progress| {
            reports.push(progress);
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert_eq!(reports.len(), 42_886 / 8192);
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(
        reports
            .iter()
            .all(|report| report.bytes_total == Some(size) && report.bytes_read <= size)
    );
    let mut stop = |_| ControlFlow::Break(());
    let stopped = read(&[path], &Options::default(), &mut rows, &mut stop);
    assert!(matches!(stopped, Err(Error::Stopped)));
}

#[test]
fn progress_never_goes_back_when_a_file_needs_several_passes() {
    let content = unpacked("web-mix.pcap.gz");
    let half = length_of(&content, 20_000);
    let file = Scratch::new(
        "turned.pcap",
        &[&content[..24], &content[half..], &content[24..half]].concat(),
    );
    let mut last = 0;
    let mut rows = Collected::default();
    read(
        std::slice::from_ref(&file.0),
        &Options::default(),
        &mut rows,
        &mut |progress| {
            assert!(
                progress.bytes_read >= last && Some(progress.bytes_read) <= progress.bytes_total
            );
            last = progress.bytes_read;
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert!(last > 3 * content.len() as u64 / 2);
}

#[test]
fn the_list_of_transfers_has_an_end() {
    let options = Options {
        most_transfers: 5,
        ..Options::default()
    };
    let capture = read_with(&[data("small.pcap")], &options).unwrap();
    assert_eq!(capture.transfers.len(), 5);
    assert!(
        capture.warnings[0].starts_with("33 transfers"),
        "{:?}",
        capture.warnings
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once_and_disorder_in_it_is_said() {
    let path = std::env::temp_dir().join(format!("flowstart-capture-{}-pipe", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let content = unpacked("web-mix.pcap.gz");
    let half = length_of(&content, 20_000);
    let turned = [&content[..24], &content[half..], &content[24..half]].concat();
    let writer = std::thread::spawn({
        let path = path.clone();
        move || std::fs::write(path, turned)
    });
    let capture = try_read(&path);
    writer.join().unwrap().unwrap();
    std::fs::remove_file(&path).unwrap();
    let capture = capture.unwrap();
    assert_eq!(capture.packets, 42_886);
    assert!(
        capture.warnings[0].contains("not certain"),
        "{:?}",
        capture.warnings
    );
}
