//! Reads a segment: `[ect0] . 1:1001(1000) ack 1 win 257 <sack 3001:4001,nop,nop>`.

use super::cursor::Cursor;
use crate::problem::Problem;
use crate::script::{Flags, Options, Segment};

pub(super) fn segment(cursor: &mut Cursor) -> Result<Segment, Problem> {
    let capable = capable(cursor)?;
    let line = cursor.line();
    let flags = flags(cursor)?;
    let start = sequence(cursor, "the flags")?;
    if !cursor.eat(":") {
        return Err(cursor.expected("`:` and the end of the segment"));
    }
    let end = sequence(cursor, ":")?;
    if !cursor.eat("(") {
        return Err(cursor.expected("`(` and the length of the segment"));
    }
    let length = sequence(cursor, "(")?;
    if !cursor.eat(")") {
        return Err(cursor.expected("`)`"));
    }
    if start + length != end {
        let bytes = end as i64 - start as i64;
        let message = format!("{start}:{end} are {bytes} bytes, not {length}");
        return Err(Problem::new(line, message));
    }
    let mut segment = Segment {
        flags,
        capable,
        start,
        end,
        ..Segment::default()
    };
    if cursor.eat("ack") {
        segment.ack = Some(sequence(cursor, "ack")?);
    }
    if cursor.eat("win") {
        segment.window = Some(cursor.number("win")?);
    }
    if cursor.eat("urg") {
        cursor.number::<u32>("urg")?;
    }
    if cursor.eat("<") {
        segment.options = options(cursor)?;
    }
    Ok(segment)
}

/// A sequence number or a length: 32 bits, as in a header.
fn sequence(cursor: &mut Cursor, behind: &str) -> Result<u64, Problem> {
    cursor.number::<u32>(behind).map(u64::from)
}

/// The ECN field of an IP header in brackets.
fn capable(cursor: &mut Cursor) -> Result<Option<bool>, Problem> {
    if !cursor.eat("[") {
        return Ok(None);
    }
    let line = cursor.line();
    let mut capable = None;
    for part in cursor.until("]")?.split(',') {
        match part.split_whitespace().next().unwrap_or("") {
            "noecn" => capable = Some(false),
            "ect0" | "ect1" => capable = Some(true),
            "ect01" | "ce" | "tos" | "ttl" | "flowlabel" => {}
            other => {
                let message = format!("`{other}` in an IP header is not interpreted");
                return Err(Problem::new(line, message));
            }
        }
    }
    Ok(capable)
}

fn flags(cursor: &mut Cursor) -> Result<Flags, Problem> {
    let text = cursor.take_while(|c| "SFRPEW.".contains(c));
    if text.is_empty() {
        return Err(cursor.expected("the flags of a TCP segment"));
    }
    let has = |flag| text.contains(flag);
    Ok(Flags {
        syn: has('S'),
        fin: has('F'),
        rst: has('R'),
        ack: has('.'),
        ece: has('E'),
        cwr: has('W'),
    })
}

/// Options up to `>`.
fn options(cursor: &mut Cursor) -> Result<Options, Problem> {
    let mut options = Options::default();
    while !cursor.eat(">") {
        if cursor.eat(",") || cursor.eat("...") {
            continue;
        }
        let line = cursor.line();
        match cursor.word() {
            "nop" | "eol" => {}
            "mss" => options.mss = Some(cursor.number("mss")?),
            "sackOK" => options.sack_permitted = true,
            "wscale" => options.scale = Some(cursor.number("wscale")?),
            "TS" => timestamps(cursor, &mut options)?,
            "sack" => blocks(cursor, &mut options)?,
            "" => return Err(cursor.expected("a TCP option or `>`")),
            other => {
                let message = format!("the TCP option `{other}` is not interpreted");
                return Err(Problem::new(line, message));
            }
        }
    }
    Ok(options)
}

/// `TS val 100 ecr 200`.
fn timestamps(cursor: &mut Cursor, options: &mut Options) -> Result<(), Problem> {
    for name in ["val", "ecr"] {
        if !cursor.eat(name) {
            return Err(cursor.expected(&format!("`{name}`")));
        }
        cursor.number::<u64>(name)?;
    }
    options.timestamps = true;
    Ok(())
}

/// `sack 1001:2001 3001:4001`.
fn blocks(cursor: &mut Cursor, options: &mut Options) -> Result<(), Problem> {
    while cursor.at_digit() {
        let start = sequence(cursor, "sack")?;
        if !cursor.eat(":") {
            return Err(cursor.expected("`:` and the end of the SACK block"));
        }
        let end = sequence(cursor, ":")?;
        if end <= start {
            let message = format!("the SACK block {start}:{end} is empty");
            return Err(Problem::new(cursor.line(), message));
        }
        options.sack.push((start, end));
    }
    Ok(())
}
