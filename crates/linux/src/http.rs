//! As much of HTTP/1.1 (RFC 9112) as a load needs: `GET /bytes/N` is answered with N bytes, and the
//! connection is closed.

use std::io::{self, ErrorKind, Read};

/// A message's head is not longer.
const LONGEST_HEAD: usize = 16 << 10;
const END: &[u8] = b"\r\n\r\n";

/// A client's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Bytes.
    pub size: u64,
    /// The request's number.
    pub number: u32,
}

impl Asked {
    /// The request, filled up to `least` bytes where it is shorter by the size of a separate
    /// header.
    pub(crate) fn write(self, least: u64) -> String {
        let Asked { size, number } = self;
        let head = format!(
            "GET /bytes/{size} HTTP/1.1\r\nHost: server\r\nConnection: close\r\nRequest: {number}\r\n"
        );
        let padding = "Padding: \r\n";
        let whole = head.len() + padding.len() + "\r\n".len();
        match usize::try_from(least).unwrap_or(0).checked_sub(whole) {
            Some(missing) => format!("{head}Padding: {}\r\n\r\n", "x".repeat(missing)),
            None => format!("{head}\r\n"),
        }
    }

    /// The request in a request's head.
    pub(crate) fn read(head: &str) -> Option<Asked> {
        let mut lines = head.split("\r\n");
        let target = lines.next()?.strip_prefix("GET ")?;
        let size = target.strip_suffix(" HTTP/1.1")?.strip_prefix("/bytes/")?;
        Some(Asked {
            size: size.parse().ok()?,
            number: field(lines, "request")?.parse().ok()?,
        })
    }
}

/// The head of the answer with so many bytes.
pub(crate) fn answer(size: u64) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n")
}

/// How many bytes follow the head of an answer; `None` where it is none, or not a good one.
pub(crate) fn length(head: &str) -> Option<u64> {
    let mut lines = head.split("\r\n");
    lines
        .next()
        .filter(|line| line.starts_with("HTTP/1.1 200 "))?;
    field(lines, "content-length")?.parse().ok()
}

fn field<'a>(mut lines: impl Iterator<Item = &'a str>, name: &str) -> Option<&'a str> {
    lines.find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// Reads a message's head, with the bytes behind it that came along.
pub(crate) fn head(stream: &mut impl Read) -> io::Result<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut piece = [0; 4096];
    while found.len() < LONGEST_HEAD {
        let count = match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => count,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        // The end may have begun in what came before.
        let from = found.len().saturating_sub(END.len() - 1);
        found.extend_from_slice(&piece[..count]);
        if let Some(at) = found[from..].windows(END.len()).position(|w| w == END) {
            let rest = found.split_off(from + at + END.len());
            found.truncate(from + at);
            let head = String::from_utf8(found);
            return Ok((head.map_err(|_| bad("a message's head is not text"))?, rest));
        }
    }
    Err(bad("the connection ended within a message's head"))
}

/// An error of a message.
pub(crate) fn bad(problem: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at once.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(to.len());
            to[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn what_is_asked_for_is_read_however_it_comes_in_pieces() {
        let asked = Asked {
            size: 100_000_000,
            number: 7,
        };
        let text = format!("{}rest", asked.write(0));
        for piece in 1..text.len() {
            let (head, mut rest) = head(&mut Slow(text.as_bytes(), piece)).unwrap();
            assert_eq!(Asked::read(&head), Some(asked));
            rest.truncate(4);
            assert!("rest".as_bytes().starts_with(&rest));
        }
    }

    #[test]
    fn a_request_is_as_long_as_is_wanted_or_as_it_has_to_be() {
        let asked = Asked { size: 1, number: 0 };
        assert_eq!(asked.write(300).len(), 300);
        let (head, _) = head(&mut asked.write(300).as_bytes()).unwrap();
        assert_eq!(Asked::read(&head), Some(asked));
        assert!(asked.write(10).len() < 100);
    }

    #[test]
    fn an_answer_has_its_length() {
        let (found, rest) = head(&mut format!("{}ab", answer(2)).as_bytes()).unwrap();
        assert_eq!((length(&found), rest.as_slice()), (Some(2), &b"ab"[..]));
        assert_eq!(length("HTTP/1.1 404 Not Found\r\nContent-Length: 3"), None);
        assert_eq!(length("HTTP/1.1 200 OK"), None);
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for text in [
            "",
            "GET / HTTP/1.1",
            "GET /bytes/x HTTP/1.1\r\nRequest: 0",
            "GET /bytes/1 HTTP/1.1",
            "PUT /bytes/1 HTTP/1.1\r\nRequest: 0",
        ] {
            assert_eq!(Asked::read(text), None, "{text}");
        }
        assert!(head(&mut &b"GET /bytes/1 HTTP/1.1\r\n"[..]).is_err());
        assert!(head(&mut &[b'x'; 3 * LONGEST_HEAD][..]).is_err());
    }
}
