//! What can be wrong with a file, each in one line: what was found and what would be right.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be read.
///
/// Damage after the first packet is no error: what could be read is kept and
/// [`Reading::warnings`](crate::Reading::warnings) has the place of its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is missing, or may not be opened.
    #[error("cannot open {}: {source}", named(path))]
    Open {
        /// The file requested.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Reading failed before the first packet.
    #[error("cannot read {}: {source}", named(path))]
    Read {
        /// The file requested.
        path: PathBuf,
        /// What the operating system or the decompressor said.
        source: io::Error,
    },
    /// Not a single byte.
    #[error(
        "{} is empty (0 bytes); expected pcap, pcapng, a Zeek conn.log as TSV or JSON",
        named(path)
    )]
    Empty {
        /// The file requested.
        path: PathBuf,
    },
    /// A file header (or a log's) and nothing after it.
    #[error("{} holds no {what}: it ends after its header", named(path))]
    NoPackets {
        /// The file requested.
        path: PathBuf,
        /// What was looked for: packets, or connections.
        what: &'static str,
    },
    /// Neither a capture nor a log.
    #[error(
        "{} is not a capture: expected pcap, pcapng, a Zeek conn.log as TSV or JSON",
        named(path)
    )]
    Unknown {
        /// The file requested.
        path: PathBuf,
    },
    /// The file is of a known kind, but damaged before its first packet.
    #[error("{} is damaged: {what}", named(path))]
    Damaged {
        /// The file requested.
        path: PathBuf,
        /// Where and how.
        what: String,
    },
    /// A line of a connection log does not say what its header promises.
    #[error("{}, line {line}: {}", named(path), one_line(what))]
    Log {
        /// The file requested.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The field, its value and what would be right.
        what: String,
    },
    /// What is no plain file can be read only once, and several files are looked at before they are
    /// read.
    #[error(
        "{} is read alone: what is not a plain file cannot be looked at before the others",
        named(path)
    )]
    NotAlone {
        /// The file requested.
        path: PathBuf,
    },
    /// The progress function requested to stop.
    #[error("stopped on request")]
    Stopped,
}

impl Error {
    /// The file that cannot be read, where the others of the request may be.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Error::Open { path, .. }
            | Error::Read { path, .. }
            | Error::Empty { path }
            | Error::NoPackets { path, .. }
            | Error::Unknown { path }
            | Error::Damaged { path, .. }
            | Error::Log { path, .. } => Some(path),
            Error::NotAlone { .. } | Error::Stopped => None,
        }
    }
}

/// A path as messages write it.
fn named(path: &Path) -> String {
    match path.to_str() {
        Some("-") => "the standard input".into(),
        _ => one_line(&path.to_string_lossy()),
    }
}

/// Text of a file as one line that a terminal can show: control characters escaped, and no longer
/// than a screen holds.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 1000;
    let mut escaped = text.chars().flat_map(|c| {
        let (plain, escaped) = match c.is_control() {
            true => (None, Some(c.escape_default())),
            false => (Some(c), None),
        };
        plain.into_iter().chain(escaped.into_iter().flatten())
    });
    let shown: String = escaped.by_ref().take(LONGEST).collect();
    match escaped.next() {
        None => shown,
        Some(_) => shown + "…",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_log_is_quoted_without_its_control_characters_and_cut() {
        let quoted = |what: &str| {
            let (path, what) = ("a\tb.log".into(), what.into());
            Error::Log {
                path,
                line: 3,
                what,
            }
            .to_string()
        };
        let said = quoted("field ts is `\u{1b}[2J`");
        assert_eq!(said, "a\\tb.log, line 3: field ts is `\\u{1b}[2J`");
        assert!(quoted(&"x".repeat(60_000)).len() < 1100);
        assert!(quoted(&"\0".repeat(900)).len() < 1100);
    }
}
