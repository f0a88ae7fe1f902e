//! Makes files that are nearly right: raw bytes never get past a magic number.
//!
//! Bytes choose a seed and edits of it. Some edits know where the file's parts begin (records, blocks, lines), so that
//! parts are dropped, repeated, exchanged and taken from other seeds whole, and only their insides are wrong.

use crate::seeds;
use crate::target::{Kind, Shape, Target};
use arbitrary::{Result, Unstructured};

/// No file grows beyond this, in bytes.
const LONGEST: usize = 1 << 16;
const MOST_EDITS: usize = 8;

/// Makes the inputs of a target from bytes.
pub struct Maker {
    seeds: Vec<Vec<u8>>,
    shape: Shape,
    tokens: &'static [&'static str],
}

impl Maker {
    /// A maker with the target's seeds; it hands on the bytes of one that takes choices.
    pub fn of(target: &Target) -> Option<Maker> {
        let Kind::File { shape, tokens, .. } = target.kind else {
            return None;
        };
        Some(Maker {
            seeds: seeds::of(target),
            shape,
            tokens,
        })
    }

    /// A file. Too few bytes make one with fewer edits.
    pub fn make(&self, bytes: &[u8]) -> Vec<u8> {
        let mut u = Unstructured::new(bytes);
        let mut file = Vec::new();
        let _ = self.edited(&mut file, &mut u);
        file.truncate(LONGEST);
        file
    }

    fn edited(&self, file: &mut Vec<u8>, u: &mut Unstructured) -> Result<()> {
        *file = self.seed(u)?.to_vec();
        for _ in 0..u.int_in_range(0..=MOST_EDITS)? {
            self.edit(file, u)?;
        }
        Ok(())
    }

    fn seed(&self, u: &mut Unstructured) -> Result<&[u8]> {
        u.choose(&self.seeds).map(Vec::as_slice)
    }

    fn edit(&self, file: &mut Vec<u8>, u: &mut Unstructured) -> Result<()> {
        let (start, end) = some_range(file, u)?;
        match u.int_in_range(0..=10)? {
            0 => drop(file.drain(start..end)),
            1 => file.truncate(start),
            2 => overwrite(file, start, &[u.arbitrary()?]),
            3 => overwrite(file, start, &number(u)?),
            4 => self.insert_token(file, start, u)?,
            5 => {
                let copy = file[start..end].to_vec();
                insert(file, start, &copy);
            }
            6 => {
                let count = u.int_in_range(0..=31)?;
                insert(file, start, u.bytes(count)?);
            }
            7 => self.digits(file, start, u)?,
            _ => self.edit_parts(file, u)?,
        }
        Ok(())
    }

    fn insert_token(&self, file: &mut Vec<u8>, at: usize, u: &mut Unstructured) -> Result<()> {
        match self.tokens.is_empty() {
            true => insert(file, at, &number(u)?),
            false => insert(file, at, u.choose(self.tokens)?.as_bytes()),
        }
        Ok(())
    }

    /// Replaces a number that is written in digits, the next from `from` on.
    fn digits(&self, file: &mut Vec<u8>, from: usize, u: &mut Unstructured) -> Result<()> {
        const NUMBERS: [&str; 18] = [
            "0",
            "1",
            "-1",
            "0.5",
            "1e9",
            "1e308",
            "1e-308",
            "nan",
            "inf",
            "4294967295",
            "4294967296",
            "9223372036854775807",
            "18446744073709551615",
            "18446744073709551616",
            "2147483648",
            "65536",
            "0x10",
            "99999999999999999999999999999999",
        ];
        let text = &file[from..];
        let Some(first) = text.iter().position(u8::is_ascii_digit) else {
            return Ok(());
        };
        let length = text[first..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        let start = from + first;
        let new = u.choose(&NUMBERS)?.bytes();
        file.splice(start..start + length, new);
        Ok(())
    }

    /// Drops, repeats, exchanges or borrows whole parts.
    fn edit_parts(&self, file: &mut Vec<u8>, u: &mut Unstructured) -> Result<()> {
        let own = parts(file, self.shape);
        let Some(last) = own.len().checked_sub(1) else {
            return Ok(());
        };
        let (one, other) = (u.int_in_range(0..=last)?, u.int_in_range(0..=last)?);
        let (first, second) = (own[one.min(other)].clone(), own[one.max(other)].clone());
        match u.int_in_range(0..=3)? {
            0 => drop(file.drain(first)),
            1 => {
                let copy = file[first.clone()].to_vec();
                insert(file, second.start, &copy);
            }
            2 => {
                let later = file[second.clone()].to_vec();
                file.drain(second);
                insert(file, first.start, &later);
            }
            _ => {
                let donor = self.seed(u)?;
                let theirs = parts(donor, self.shape);
                if let Some(last) = theirs.len().checked_sub(1) {
                    let borrowed = theirs[u.int_in_range(0..=last)?].clone();
                    insert(file, first.start, &donor[borrowed]);
                }
            }
        }
        Ok(())
    }
}

fn some_range(file: &[u8], u: &mut Unstructured) -> Result<(usize, usize)> {
    let (one, other) = (
        u.int_in_range(0..=file.len())?,
        u.int_in_range(0..=file.len())?,
    );
    // Mostly short ones: what changes everything at once shows little.
    let most = 1 << u.int_in_range(0..=10)?;
    let start = one.min(other);
    Ok((start, one.max(other).min(start + most)))
}

fn overwrite(file: &mut [u8], at: usize, with: &[u8]) {
    for (place, byte) in file[at..].iter_mut().zip(with) {
        *place = *byte;
    }
}

fn insert(file: &mut Vec<u8>, at: usize, what: &[u8]) {
    if file.len() + what.len() <= LONGEST {
        file.splice(at..at, what.iter().copied());
    }
}

/// A number that readers stumble over, in one to eight bytes of either order.
fn number(u: &mut Unstructured) -> Result<Vec<u8>> {
    const NEAR: [u64; 14] = [
        0,
        1,
        0x7f,
        0xff,
        0x7fff,
        0xffff,
        0x4_0000,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x1_0000_0000,
        i64::MAX as u64,
        1 << 63,
        u64::MAX,
    ];
    let value = match u.arbitrary()? {
        true => *u.choose(&NEAR)?,
        false => u.arbitrary::<u16>()?.into(),
    };
    let width = *u.choose(&[1, 2, 4, 8])?;
    Ok(match u.arbitrary()? {
        true => value.to_le_bytes()[..width].to_vec(),
        false => value.to_be_bytes()[8 - width..].to_vec(),
    })
}

/// The parts of a file, as far as they can be followed.
fn parts(file: &[u8], shape: Shape) -> Vec<std::ops::Range<usize>> {
    let length = |at: usize| match shape {
        Shape::Bytes => None,
        Shape::Lines => {
            let rest = file.get(at..).filter(|rest| !rest.is_empty())?;
            let end = rest.iter().position(|b| *b == b'\n');
            Some(end.map_or(rest.len(), |end| end + 1))
        }
        Shape::Pcap => {
            let big = matches!(file.first(), Some(0xa1));
            Some(16 + word(file, at + 8, big)? as usize)
        }
        Shape::Pcapng => {
            let big = file.get(8) == Some(&0x1a);
            Some(word(file, at + 4, big)? as usize)
        }
    };
    let mut at = if shape == Shape::Pcap { 24 } else { 0 };
    let mut found = Vec::new();
    while let Some(length) = length(at).filter(|length| (1..=file.len()).contains(length)) {
        if at + length > file.len() {
            break;
        }
        found.push(at..at + length);
        at += length;
    }
    found
}

fn word(file: &[u8], at: usize, big: bool) -> Option<u32> {
    let bytes = *file.get(at..)?.first_chunk::<4>()?;
    Some(match big {
        true => u32::from_be_bytes(bytes),
        false => u32::from_le_bytes(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_seed_cover_it() {
        for target in crate::TARGETS {
            let Kind::File { shape, .. } = target.kind else {
                continue;
            };
            for seed in seeds::of(target).iter().filter(|_| shape != Shape::Bytes) {
                let found = parts(seed, shape);
                let end = found.last().map(|part| part.end);
                assert_eq!(end, Some(seed.len()), "{}", target.name);
            }
        }
    }

    #[test]
    fn the_same_bytes_make_the_same_file_and_others_another() {
        let pcap = Maker::of(crate::TARGETS.first().unwrap()).unwrap();
        let bytes: Vec<u8> = (0..200).map(|n| (n * 7) as u8).collect();
        let other: Vec<u8> = (0..200).map(|n| (n * 11 + 3) as u8).collect();
        assert_eq!(pcap.make(&bytes), pcap.make(&bytes));
        assert_ne!(pcap.make(&bytes), pcap.make(&other));
    }
}
