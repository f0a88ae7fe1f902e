//! A place in a script's text. White space and comments between words are passed over.

use crate::problem::Problem;
use flowstart_control::Duration;

/// A script's times are no longer than this: a host that probes a closed window does so until then. Seconds
const LONGEST: f64 = 1e6;

pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        let mut cursor = Cursor { text, at: 0 };
        cursor.pass_over();
        cursor
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The line, from one.
    pub(super) fn line(&self) -> usize {
        self.text[..self.at].matches('\n').count() + 1
    }

    pub(super) fn at_end(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn at_digit(&self) -> bool {
        self.rest().starts_with(|c: char| c.is_ascii_digit())
    }

    fn pass_over(&mut self) {
        loop {
            let rest = self.rest().trim_start();
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                0
            };
            self.at = self.text.len() - rest.len() + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        self.at += bytes;
        taken
    }

    /// Passes over `token` if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
            self.pass_over();
        }
        found
    }

    /// The next character, whatever it is.
    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        if c == ')' {
            self.pass_over();
        }
        Some(c)
    }

    /// The next characters, while they are of this kind.
    pub(super) fn take_while(&mut self, kind: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = self.take(rest.find(|c| !kind(c)).unwrap_or(rest.len()));
        self.pass_over();
        taken
    }

    /// A name; nothing where there is none.
    pub(super) fn word(&mut self) -> &'a str {
        self.take_while(|c| c.is_alphanumeric() || c == '_')
    }

    /// The rest of the line, a comment in it included.
    pub(super) fn rest_of_line(&mut self) -> &'a str {
        let rest = self.rest();
        let line = self.take(rest.find('\n').unwrap_or(rest.len()));
        self.pass_over();
        line
    }

    /// Everything before `end`, which is passed over too.
    pub(super) fn until(&mut self, end: &str) -> Result<&'a str, Problem> {
        let Some(length) = self.rest().find(end) else {
            let line = self.line();
            let message = format!("expected `{end}`, not the end");
            return Err(Problem::new(line, message));
        };
        let text = self.take(length);
        self.eat(end);
        Ok(text)
    }

    /// A whole number behind `what`.
    pub(super) fn number<N: std::str::FromStr>(&mut self, what: &str) -> Result<N, Problem> {
        let problem = self.expected(&format!("a number behind `{what}`"));
        let digits = self.take_while(|c| c.is_ascii_digit());
        digits.parse().map_err(|_| problem)
    }

    /// A time in seconds, if one comes next.
    pub(super) fn seconds(&mut self) -> Result<Option<Duration>, Problem> {
        let rest = self.rest();
        let digits = |from: usize| {
            let rest = &rest[from..];
            let end = rest.find(|c: char| !c.is_ascii_digit());
            from + end.unwrap_or(rest.len())
        };
        let whole = digits(0);
        // `0...0.1` is two times.
        let decimal = rest[whole..].starts_with('.') && !rest[whole..].starts_with("...");
        let length = if decimal { digits(whole + 1) } else { whole };
        if length == 0 {
            return Ok(None);
        }
        let problem = self.expected("a time in seconds, at most a million");
        let text = self.take(length);
        self.pass_over();
        let seconds = text.parse().ok().filter(|seconds| *seconds <= LONGEST);
        Ok(Some(Duration::from_secs_f64(seconds.ok_or(problem)?)))
    }

    /// Something else was expected here.
    pub(super) fn expected(&self, what: &str) -> Problem {
        let next = self.rest().lines().next().unwrap_or("").trim();
        let found = match next {
            "" => "the end".to_string(),
            next => format!("`{next}`"),
        };
        Problem::new(self.line(), format!("expected {what}, not {found}"))
    }
}
