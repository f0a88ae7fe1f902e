//! Statements and their tokens.

use crate::problem::Problem;
use std::fmt;

/// Symbols, each before those that it begins with.
const SYMBOLS: [&str; 20] = [
    "==", "!=", "<=", ">=", "+=", "-=", "//", "<", ">", "=", "+", "-", "*", "/", "%", "(", ")",
    ",", ".", ";",
];

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    Text(String),
    Symbol(&'static str),
}

impl Token {
    /// Whether it is this symbol or name.
    pub(super) fn is(&self, text: &str) -> bool {
        match self {
            Token::Name(name) => name == text,
            Token::Symbol(symbol) => *symbol == text,
            Token::Number(_) | Token::Text(_) => false,
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Number(number) => number.fmt(f),
            Token::Name(name) => name.fmt(f),
            Token::Text(text) => write!(f, "'{text}'"),
            Token::Symbol(symbol) => symbol.fmt(f),
        }
    }
}

/// A statement of at least one token.
pub(super) struct Statement {
    pub(super) line: usize,
    pub(super) tokens: Vec<Token>,
}

/// The statements of a text that begins at `line`. A line ends a statement unless a parenthesis
/// is open or it ends in `\`.
pub(super) fn tokens(text: &str, line: usize) -> Result<Vec<Statement>, Problem> {
    let mut statements = Vec::new();
    let mut tokens = Vec::new();
    let mut depth = 0;
    for (text, line) in text.lines().zip(line..) {
        let text = text.trim();
        let (mut rest, continues) = match text.strip_suffix('\\') {
            Some(text) => (text, true),
            None => (text, false),
        };
        while !rest.is_empty() && !rest.starts_with('#') {
            let (token, length) = token(rest).ok_or_else(|| unknown(rest, line))?;
            rest = rest[length..].trim_start();
            match token {
                Token::Symbol(";") => end(&mut statements, &mut tokens, line),
                token => {
                    depth += i32::from(token.is("(")) - i32::from(token.is(")"));
                    tokens.push(token);
                }
            }
        }
        if depth <= 0 && !continues {
            end(&mut statements, &mut tokens, line);
        }
    }
    end(&mut statements, &mut tokens, line);
    Ok(statements)
}

fn end(statements: &mut Vec<Statement>, tokens: &mut Vec<Token>, line: usize) {
    if !tokens.is_empty() {
        let tokens = std::mem::take(tokens);
        statements.push(Statement { line, tokens });
    }
}

fn unknown(rest: &str, line: usize) -> Problem {
    let word = rest.split_whitespace().next().unwrap_or(rest);
    Problem::new(line, format!("`{word}` is not interpreted"))
}

/// The first token and its length.
fn token(rest: &str) -> Option<(Token, usize)> {
    let first = rest.chars().next()?;
    if first == '\'' || first == '"' {
        let length = rest[1..].find(first)?;
        return Some((Token::Text(rest[1..=length].to_string()), length + 2));
    }
    if first.is_ascii_digit() || first == '.' {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
        let text = &rest[..end.unwrap_or(rest.len())];
        let number = match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?.into(),
            None => text.parse().ok()?,
        };
        return Some((Token::Number(number), text.len()));
    }
    if first.is_alphabetic() || first == '_' {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let name = &rest[..end.unwrap_or(rest.len())];
        return Some((Token::Name(name.to_string()), name.len()));
    }
    let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol))?;
    Some((Token::Symbol(symbol), symbol.len()))
}
