//! What the tests of whole files share.
#![allow(dead_code)]

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use flowstart_capture::{
    Collected, Connection, Error, Flag, Options, QuicConnection, Reading, Transfer, read,
};

/// A reading with its rows.
#[derive(Debug)]
pub(crate) struct Capture {
    pub reading: Reading,
    pub connections: Vec<Connection>,
    pub transfers: Vec<Transfer>,
    pub quic: Vec<QuicConnection>,
}

impl std::ops::Deref for Capture {
    type Target = Reading;

    fn deref(&self) -> &Reading {
        &self.reading
    }
}

impl Capture {
    /// How many connections bear a flag.
    pub(crate) fn flagged(&self, flag: Flag) -> usize {
        let flagged = |row: &&Connection| row.flags.contains(&flag);
        self.connections.iter().filter(flagged).count()
    }

    /// Whether any connection bears a flag.
    pub(crate) fn is_flagged(&self) -> bool {
        self.connections.iter().any(|row| !row.flags.is_empty())
    }
}

pub(crate) fn read_with(paths: &[PathBuf], options: &Options) -> Result<Capture, Error> {
    let mut rows = Collected::default();
    let mut progress = |_| ControlFlow::Continue(());
    let reading = read(paths, options, &mut rows, &mut progress)?;
    rows.sort();
    let Collected {
        connections,
        transfers,
        quic,
    } = rows;
    Ok(Capture {
        reading,
        connections,
        transfers,
        quic,
    })
}

pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data/captures")
        .join(name)
}

pub(crate) fn try_read(path: &Path) -> Result<Capture, Error> {
    read_with(&[path.into()], &Options::default())
}

pub(crate) fn capture(name: &str) -> Capture {
    try_read(&data(name)).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn expected(name: &str) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(data(name)).unwrap()).unwrap()
}

pub(crate) type Row = HashMap<String, String>;

pub(crate) fn table(path: &Path) -> Vec<Row> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let names = values(lines.next().unwrap());
    lines
        .map(|line| names.iter().cloned().zip(values(line)).collect())
        .collect()
}

/// The values of a line; a quoted one may hold commas.
fn values(line: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => values.push(String::new()),
            letter => values.last_mut().unwrap().push(letter),
        }
    }
    values
}

pub(crate) fn number<T: std::str::FromStr>(row: &Row, name: &str) -> Option<T> {
    row[name].parse().ok()
}

/// The connection of a row of truth: the same ends, and of several such the one nearest in time.
pub(crate) fn find<'a>(capture: &'a Capture, truth: &Row) -> Option<&'a Connection> {
    let start: f64 = number(truth, "t_start").unwrap();
    let same = |row: &&Connection| {
        row.client_ip.to_string() == truth["client_ip"]
            && row.client_port.to_string() == truth["client_port"]
            && row.server_port.to_string() == truth["server_port"]
    };
    let distance = |row: &&Connection| (row.start - start).abs();
    capture
        .connections
        .iter()
        .filter(same)
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Columns of a row that tshark judges otherwise; its times have microseconds.
pub(crate) fn differences(connection: &Connection, row: &Row) -> Vec<String> {
    let ours = serde_json::to_value(connection).unwrap();
    let foreign = |name: &str| name == "irtt_s" || name.starts_with("tcptrace_");
    let differs = |name: &&String| {
        let (ours, theirs) = (&ours[name.as_str()], &row[name.as_str()]);
        match ours {
            serde_json::Value::Null => !theirs.is_empty(),
            serde_json::Value::String(text) => text != theirs,
            number => match theirs.parse::<f64>() {
                Ok(theirs) => (number.as_f64().unwrap() - theirs).abs() > 1e-6,
                Err(_) => true,
            },
        }
    };
    let columns = row.keys().filter(|name| !foreign(name)).filter(differs);
    columns
        .map(|name| {
            format!(
                "{name} of {}: {} {}",
                row["stream"],
                ours[name.as_str()],
                row[name]
            )
        })
        .collect()
}

pub(crate) fn unpacked(name: &str) -> Vec<u8> {
    let mut content = Vec::new();
    flate2::read::MultiGzDecoder::new(fs::File::open(data(name)).unwrap())
        .read_to_end(&mut content)
        .unwrap();
    content
}

/// A file of a test's own that goes away with it.
pub(crate) struct Scratch(pub PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str, content: &[u8]) -> Self {
        let path =
            std::env::temp_dir().join(format!("flowstart-capture-{}-{name}", std::process::id()));
        fs::write(&path, content).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Bytes of the first `count` packets of a little-endian pcap, its header included.
pub(crate) fn length_of(content: &[u8], count: usize) -> usize {
    (0..count).fold(24, |at, _| {
        at + 16 + u32::from_le_bytes(content[at + 8..at + 12].try_into().unwrap()) as usize
    })
}
