//! Zeek's `conn.log`: one line per connection, with tabs and a header that names the columns, or as JSON.
//!
//! Columns are found by name, since every version and site has its own set. Only the addresses, the ports and the time
//! must be there.

use std::net::IpAddr;
use std::path::Path;

use serde_json::{Map, Value};

use crate::Error;
use crate::connection::Listeners;
use crate::file::Bytes;
use crate::gathered::Gathered;
use crate::layers::mapped;
use crate::results::{Connection, Direction, Flag, Format, Handshake, Transfer};
use crate::ticker::Ticker;

/// Reads a log to its end. Its rows get their numbers in the order of the lines.
pub(crate) fn read(
    log: OpenLog,
    gathered: &mut Gathered,
    listeners: &mut Listeners,
    ticker: &mut Ticker,
) -> Result<(), Error> {
    let OpenLog {
        path,
        file,
        bytes,
        format,
    } = log;
    let mut log = Log {
        bytes,
        line: 0,
        header: Header::default(),
        warnings: Vec::new(),
    };
    let (mut count, mut told) = (0, 0);
    while let Some(row) = log.next(format).map_err(|fault| fault.at(path))? {
        let taken = log.bytes.taken();
        ticker.tick(taken - std::mem::replace(&mut told, taken))?;
        count += 1;
        let line = log.line;
        let found = connection(&row).map_err(|what| Fault { line, what }.at(path))?;
        match found {
            Some(connection) => keep(Connection { file, ..connection }, listeners),
            None => *gathered.not_tcp.entry(protocol(&row)).or_default() += 1,
        }
    }
    if count == 0 {
        return Err(Error::NoPackets {
            path: path.into(),
            what: "connections",
        });
    }
    gathered.packets += count;
    gathered.warnings.append(&mut log.warnings);
    Ok(())
}

/// A log to be read.
pub(crate) struct OpenLog<'a> {
    pub path: &'a Path,
    /// Its number.
    pub file: usize,
    pub bytes: Bytes,
    pub format: Format,
}

/// Hands a connection on. A log has no turns: each direction is one transfer.
fn keep(mut row: Connection, listeners: &mut Listeners) {
    row.stream = listeners.sink.number();
    let ends = [row.client_ip, row.server_ip].map(mapped);
    row.pair = listeners.lanes.pair(ends[0], ends[1]);
    for (side, direction) in Direction::BOTH.into_iter().enumerate() {
        let bytes = row.bytes(direction).unwrap_or(0);
        listeners.lanes.lane(row.pair, side).logged(bytes);
        if bytes > 0 {
            listeners.sink.transfer(Transfer {
                connection: row.stream,
                direction,
                start: row.start,
                bytes,
                end_s: row.end_s.unwrap_or(0.0),
                acked_s: None,
            });
        }
    }
    listeners.sink.connection(row);
}

/// What is wrong with a line.
struct Fault {
    line: u64,
    what: String,
}

impl Fault {
    fn at(self, path: &Path) -> Error {
        Error::Log {
            path: path.into(),
            line: self.line,
            what: self.what,
        }
    }
}

struct Log {
    bytes: Bytes,
    line: u64,
    header: Header,
    warnings: Vec<String>,
}

/// Whether a file that begins so is a log as TSV: other text may begin with `#` too.
pub(crate) fn begins_header(start: &[u8]) -> bool {
    const LINES: [&str; 8] = [
        "#separator",
        "#set_separator",
        "#empty_field",
        "#unset_field",
        "#path",
        "#open",
        "#fields",
        "#types",
    ];
    LINES.iter().any(|line| start.starts_with(line.as_bytes()))
}

/// What the lines with `#` say.
struct Header {
    separator: String,
    unset: String,
    empty: String,
    /// The log's name without `.log`; empty where the header has none.
    path: String,
    fields: Vec<String>,
}

impl Default for Header {
    fn default() -> Self {
        let (separator, unset, empty) = ("\t".into(), "-".into(), "(empty)".into());
        Header {
            separator,
            unset,
            empty,
            path: String::new(),
            fields: Vec::new(),
        }
    }
}

/// The columns of a row that are set.
type Row = Map<String, Value>;

impl Log {
    fn next(&mut self, format: Format) -> Result<Option<Row>, Fault> {
        loop {
            let Some(text) = self.text()? else {
                return Ok(None);
            };
            let row = match format {
                Format::ZeekJson => serde_json::from_str(&text)
                    .map_err(|error| format!("this is no JSON object: {error}")),
                _ if text.starts_with('#') => {
                    self.header.read(&text);
                    continue;
                }
                _ => self.header.row(&text),
            };
            match row {
                Ok(row) => {
                    let line = self.line;
                    let row = of_connections(&self.header.path, row);
                    return row.map(Some).map_err(|what| Fault { line, what });
                }
                // A log is cut like a capture: what is whole counts.
                Err(_) if self.line > 1 && self.bytes.at_end() => {
                    self.warnings.push(format!(
                        "line {}, the last one, is cut short and was left out",
                        self.line
                    ));
                    return Ok(None);
                }
                Err(what) => {
                    return Err(Fault {
                        line: self.line,
                        what,
                    });
                }
            }
        }
    }

    /// The next line that is not blank.
    fn text(&mut self) -> Result<Option<String>, Fault> {
        loop {
            let line = self.bytes.line();
            self.line += 1;
            match line {
                Some(line) if line.iter().all(u8::is_ascii_whitespace) => {}
                Some(line) => return Ok(Some(String::from_utf8_lossy(&line).into_owned())),
                None if self.bytes.at_end() => {
                    if let Some(fault) = self.bytes.fault() {
                        self.warnings.push(format!(
                            "the log is cut or damaged ({fault}) before line {}",
                            self.line
                        ));
                    }
                    return Ok(None);
                }
                None => {
                    return Err(Fault {
                        line: self.line,
                        what: "a line longer than 64 KiB".into(),
                    });
                }
            }
        }
    }
}

impl Header {
    fn read(&mut self, text: &str) {
        if let Some(code) = text.strip_prefix("#separator ") {
            let code = code
                .trim()
                .strip_prefix("\\x")
                .and_then(|code| u8::from_str_radix(code, 16).ok());
            self.separator = code.map_or_else(|| "\t".into(), |code| char::from(code).to_string());
        }
        let mut words = text.split(self.separator.as_str());
        let name = words.next();
        let mut value = || words.next().unwrap_or_default().to_string();
        match name {
            Some("#unset_field") => self.unset = value(),
            Some("#empty_field") => self.empty = value(),
            Some("#path") => self.path = value(),
            Some("#fields") => self.fields = words.map(String::from).collect(),
            _ => {}
        }
    }

    fn row(&self, text: &str) -> Result<Row, String> {
        if self.fields.is_empty() {
            return Err("a row before the line `#fields` that names its columns".into());
        }
        let values: Vec<&str> = text.split(self.separator.as_str()).collect();
        if values.len() != self.fields.len() {
            return Err(format!(
                "{} columns; the header names {}",
                values.len(),
                self.fields.len()
            ));
        }
        let set = self
            .fields
            .iter()
            .zip(values)
            .filter(|(_, value)| *value != self.unset && *value != self.empty);
        Ok(set
            .map(|(field, value)| (field.clone(), Value::from(value)))
            .collect())
    }
}

/// The name of the log of Zeek's that a file is, by its first bytes: `conn`, `http`. It is empty where the file does not
/// name itself and is no conn.log. None: the file is no log of Zeek's.
pub fn zeek_log(start: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start();
    if begins_header(text.as_bytes()) {
        let mut header = Header::default();
        for line in text.lines().take_while(|line| line.starts_with('#')) {
            header.read(line);
        }
        let fields = header.fields.iter().map(String::as_str);
        return Some(log_name(&header.path, fields).into());
    }
    let row: Row = serde_json::from_str(text.lines().next()?).ok()?;
    let named = row.get("_path").and_then(Value::as_str).unwrap_or("");
    let has_ends = row.contains_key("id.orig_h") || row.contains_key("orig_h");
    (has_ends || !named.is_empty()).then(|| log_name(named, columns(&row)).into())
}

fn columns(row: &Row) -> impl Iterator<Item = &str> + Clone {
    row.keys().map(String::as_str)
}

/// The name of a log with these columns. One that does not name itself is a conn.log if it has a column that only that
/// has, or none but what all logs have.
fn log_name<'a, 'b>(named: &'a str, mut columns: impl Iterator<Item = &'b str> + Clone) -> &'a str {
    const OWN: [&str; 5] = [
        "conn_state",
        "history",
        "orig_bytes",
        "resp_bytes",
        "missed_bytes",
    ];
    const SHARED: [&str; 6] = ["ts", "uid", "proto", "service", "duration", "orig_h"];
    let is_shared = |name: &str| SHARED.contains(&name) || name.starts_with("id.");
    match named {
        "" if columns.clone().any(|name| OWN.contains(&name)) || columns.all(is_shared) => "conn",
        named => named,
    }
}

/// A row of a conn.log; Zeek's other logs have addresses too, several rows for a connection.
fn of_connections(header: &str, row: Row) -> Result<Row, String> {
    let named = row.get("_path").and_then(Value::as_str).unwrap_or(header);
    match log_name(named, columns(&row)) {
        "conn" | "conn-summary" => Ok(row),
        "" => Err("this is a row of another log than conn.log".into()),
        other => Err(format!(
            "this is Zeek's {other}.log; its conn.log is needed"
        )),
    }
}

/// A column's value, or what is wrong with it.
fn field<T>(
    row: &Row,
    name: &str,
    kind: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, String> {
    let text = match row.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    read(&text)
        .map(Some)
        .ok_or_else(|| format!("field {name} is `{text}`, which is not a {kind}"))
}

fn required<T>(
    row: &Row,
    name: &str,
    kind: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, String> {
    field(row, name, kind, read)?
        .ok_or_else(|| format!("field {name} is missing; a connection needs it"))
}

/// Seconds since 1970, as a number or as ISO 8601 in UTC, which Zeek's JSON may hold.
fn time(text: &str) -> Option<f64> {
    let number = || {
        text.parse()
            .ok()
            .filter(|time: &f64| time.is_finite() && *time >= 0.0)
    };
    number().or_else(|| {
        let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
        let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
        let (year, month, day) = (date.next()??, date.next()??, date.next()??);
        let mut clock = clock.splitn(3, ':').map(|part| part.parse::<f64>().ok());
        let (hours, minutes, seconds) = (clock.next()??, clock.next()??, clock.next()??);
        let plausible =
            (1970..10_000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        let of_day = [hours, minutes, seconds]
            .iter()
            .all(|part| (0.0..=60.0).contains(part));
        (plausible && of_day).then(|| {
            (days(year, month, day) * 86_400) as f64 + hours * 3600.0 + minutes * 60.0 + seconds
        })
    })
}

/// Days since 1970-01-01 in the Gregorian calendar: years begin in March, so that the leap day is the last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leaps = year / 4 - year / 100 + year / 400;
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
}

/// The protocol of a row that is not TCP, as far as Zeek has a word for it (`transport_proto`).
fn protocol(row: &Row) -> &'static str {
    match row.get("proto").and_then(Value::as_str) {
        Some("udp") => "UDP",
        Some("icmp") => "ICMP",
        _ => "others",
    }
}

/// The connection of a row; nothing when it is not TCP.
fn connection(row: &Row) -> Result<Option<Connection>, String> {
    let start = required(row, "ts", "time (seconds since 1970)", time)?;
    let text = |name| field(row, name, "text", |text| Some(text.to_string()));
    if text("proto")?.is_some_and(|proto| proto != "tcp") {
        return Ok(None);
    }
    let address = |name| required(row, name, "address", |text| text.parse::<IpAddr>().ok());
    let port = |name| required(row, name, "port", |text| text.parse::<u16>().ok());
    let count = |name| field(row, name, "count", |text| text.parse::<u64>().ok());
    let (state, history, missed_bytes) = (
        text("conn_state")?,
        text("history")?,
        count("missed_bytes")?,
    );
    let handshake = handshake(history.as_deref(), state.as_deref());
    let whole = history
        .as_ref()
        .map_or(handshake == Handshake::Complete, |history| {
            history.starts_with("Sh")
        });
    let flags = if whole && missed_bytes.unwrap_or(0) == 0 {
        Vec::new()
    } else {
        vec![Flag::NotValid]
    };
    Ok(Some(Connection {
        start,
        client_ip: address("id.orig_h")?,
        client_port: port("id.orig_p")?,
        server_ip: address("id.resp_h")?,
        server_port: port("id.resp_p")?,
        handshake,
        c2s_bytes: count("orig_bytes")?,
        s2c_bytes: count("resp_bytes")?,
        c2s_packets: count("orig_pkts")?,
        s2c_packets: count("resp_pkts")?,
        end_s: field(row, "duration", "duration in seconds", |text| {
            let is_one = |d: &f64| d.is_finite() && *d >= 0.0;
            text.parse().ok().filter(is_one)
        })?,
        state,
        history,
        missed_bytes,
        flags,
        ..Connection::unknown()
    }))
}

/// The handshake by the letters of the history: S SYN, h SYN-ACK, r a reset by the responder, other capitals than S
/// what the originator sent later. Without a history, by the state.
fn handshake(history: Option<&str>, state: Option<&str>) -> Handshake {
    let Some(history) = history else {
        return match state {
            Some("S1" | "S2" | "S3" | "SF" | "RSTO" | "RSTR") => Handshake::Complete,
            Some("REJ") => Handshake::Refused,
            Some("S0" | "SH" | "RSTOS0") => Handshake::SynOnly,
            _ => Handshake::NotSeen,
        };
    };
    if !history.contains('S') {
        return Handshake::NotSeen;
    }
    match history.split_once('h') {
        Some((_, after)) if after.contains(['A', 'D', 'F']) => Handshake::Complete,
        Some(_) => Handshake::HalfOpen,
        None if history.contains('r') || state == Some("REJ") => Handshake::Refused,
        None => Handshake::SynOnly,
    }
}

/// Values that a log does not contain.
pub(crate) fn notes(listeners: &Listeners) -> [String; 2] {
    [
        "a conn.log has bytes, times and states; it lacks RTT, windows, MSS, retransmissions, and \
         the turns of a conversation: rates and reductions are not known, and each direction \
         counts as one transfer"
            .into(),
        format!(
            "{} of {} TCP connections are not valid for the computation: bytes missed, or a \
             history that does not begin with Sh",
            listeners.sink.not_valid, listeners.sink.connections
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Collected;
    use crate::results::Options;
    use crate::ticker::still;

    const HEADER: &str = "#separator \
                          \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n#fields\tts\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tduration\torig_bytes\tresp_bytes\tconn_state\tmissed_bytes\thistory\n";

    /// A log's rows, its warnings and its notes.
    fn log(format: Format, text: &str) -> Result<(Collected, Vec<String>, [String; 2]), Error> {
        let mut rows = Collected::default();
        let mut listeners = Listeners::new(&mut rows, &Options::default());
        let mut gathered = Gathered::default();
        let log = OpenLog {
            path: Path::new("conn.log"),
            file: 0,
            bytes: Bytes::of(text.as_bytes().to_vec()),
            format,
        };
        still(|ticker| read(log, &mut gathered, &mut listeners, ticker))?;
        let notes = notes(&listeners);
        Ok((rows, gathered.warnings, notes))
    }

    fn refusal(text: &str) -> String {
        match log(Format::ZeekTsv, text) {
            Ok(_) => panic!("it was read"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn another_log_of_zeek_is_named_and_not_read() {
        let row = "1.5\t192.0.2.1\t50000\t198.51.100.1\t80\ttcp\t1\t2\t3\tSF\t0\tShA\n";
        let text = HEADER.replace("#path\tconn", "#path\thttp") + row;
        let refused = |format, text: &str| log(format, text).err().map(|error| error.to_string());
        let named = "conn.log, line 7: this is Zeek's http.log; its conn.log is needed";
        assert_eq!(refused(Format::ZeekTsv, &text).as_deref(), Some(named));
        let ends = r#""ts":1.5,"id.orig_h":"192.0.2.1","id.orig_p":1,"id.resp_h":"192.0.2.2","id.resp_p":2"#;
        for (fields, expected) in [
            (r#","_path":"ssl""#, Some("Zeek's ssl.log")),
            (r#","cipher":"x""#, Some("another log than conn.log")),
            (r#","_path":"conn""#, None),
            ("", None),
        ] {
            let refusal = refused(Format::ZeekJson, &format!("{{{ends}{fields}}}\n"));
            assert_eq!(refusal.is_some(), expected.is_some(), "{fields}");
            assert!(
                refusal
                    .unwrap_or_default()
                    .contains(expected.unwrap_or_default())
            );
        }
    }

    #[test]
    fn rows_become_connections_and_other_protocols_are_left_out() {
        let rows = "5.5\t10.0.0.1\t4000\t10.0.1.1\t80\ttcp\t1.5\t100\t5000\tSF\t0\tShADadFf\n\
            4.5\t10.0.0.1\t4001\t10.0.1.1\t81\ttcp\t-\t-\t-\tREJ\t0\tSr\n\
            4.6\t10.0.0.1\t53\t10.0.1.1\t53\tudp\t-\t-\t-\tS0\t0\tD\n#close\tnow\n";
        let (found, _, notes) = log(Format::ZeekTsv, &format!("{HEADER}{rows}")).unwrap();
        let [whole, refused] = &found.connections[..] else {
            panic!()
        };
        assert_eq!(
            (refused.handshake, refused.c2s_bytes, refused.stream),
            (Handshake::Refused, None, 1)
        );
        assert_eq!(
            (whole.handshake, whole.s2c_bytes, whole.end_s),
            (Handshake::Complete, Some(5000), Some(1.5))
        );
        let sizes: Vec<u64> = found.transfers.iter().map(|row| row.bytes).collect();
        assert_eq!(sizes, [100, 5000]);
        assert!(notes[0].contains("RTT"));
    }

    #[test]
    fn json_lines_say_the_same_and_unset_fields_may_be_left_out() {
        let text = r#"{"ts":5.5,"id.orig_h":"10.0.0.1","id.orig_p":4000,"id.resp_h":"10.0.1.1","id.resp_p":80,"proto":"tcp","duration":1.5,"orig_bytes":100,"resp_bytes":5000,"conn_state":"SF","history":"ShADadFf"}
            {"ts":"1970-01-02T00:00:01.5Z","id.orig_h":"::1","id.orig_p":1,"id.resp_h":"::2","id.resp_p":2}"#;
        let (found, ..) = log(Format::ZeekJson, text).unwrap();
        let [first, second] = &found.connections[..] else {
            panic!()
        };
        assert_eq!(first.s2c_bytes, Some(5000));
        assert_eq!((second.start, second.c2s_bytes), (86_401.5, None));
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(
            time("2019-12-03T22:31:36.052279Z"),
            Some(1_575_412_296.052279)
        );
        assert_eq!(time("2000-03-01T00:00:00Z"), Some(951_868_800.0));
        assert_eq!(time("2000-13-01T00:00:00Z"), None);
    }

    #[test]
    fn a_masked_time_is_named_with_its_field_line_and_value() {
        let row = "XXXXXXXXXX.XXXXXX\t10.0.0.1\t1\t10.0.1.1\t2\ttcp\t-\t-\t-\tS0\t0\tS\n";
        let error = refusal(&format!("{HEADER}{row}"));
        assert_eq!(
            error,
            "conn.log, line 7: field ts is `XXXXXXXXXX.XXXXXX`, which is not a time \
                           (seconds since 1970)"
        );
    }

    #[test]
    fn a_row_with_missed_bytes_or_without_whole_handshake_is_not_valid() {
        let rows = "1\t10.0.0.1\t1\t10.0.1.1\t2\ttcp\t1\t5\t6\tSF\t7\tShADad\n\
            2\t10.0.0.1\t3\t10.0.1.1\t2\ttcp\t1\t5\t6\tSF\t0\t^hADad\n\
            3\t10.0.0.1\t4\t10.0.1.1\t2\ttcp\t1\t5\t6\tSF\t0\tShADad\n";
        let (found, _, notes) = log(Format::ZeekTsv, &format!("{HEADER}{rows}")).unwrap();
        let valid = found.connections.iter().map(Connection::is_valid);
        assert_eq!(valid.collect::<Vec<_>>(), [false, false, true]);
        assert!(notes[1].starts_with("2 of 3"));
    }

    #[test]
    fn a_cut_last_line_is_a_warning_and_a_bad_line_before_an_error() {
        let row = "3\t10.0.0.1\t4\t10.0.1.1\t2\ttcp\t1\t5\t6\tSF\t0\tShADad\n";
        let cut = format!("{HEADER}{row}4\t10.0");
        let (found, warnings, _) = log(Format::ZeekTsv, &cut).unwrap();
        assert_eq!((found.connections.len(), warnings.len()), (1, 1));
        let error = refusal(&format!("{HEADER}4\t10.0\n{row}"));
        assert!(
            error.contains("line 7: 2 columns; the header names 12"),
            "{error}"
        );
        let error = refusal(HEADER);
        assert!(error.contains("no connections"), "{error}");
    }

    #[test]
    fn histories_show_the_handshake() {
        let class = |history| handshake(Some(history), None);
        assert_eq!(
            ["ShADad", "Sh", "S", "Sr", "^hADad", "DdA", "SADF"].map(class),
            {
                use Handshake::*;
                [
                    Complete, HalfOpen, SynOnly, Refused, NotSeen, NotSeen, SynOnly,
                ]
            }
        );
    }
}
