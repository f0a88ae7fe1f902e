//! The pcapng file format: blocks, each with its kind and length before and its length again
//! behind. (draft-ietf-opsawg-pcapng.) Read: section headers, interface descriptions, enhanced and
//! simple packets and the old packet block. Everything else is stepped over.

use super::bytes::{Bytes, MOST};
use super::frame::{Endian, Found, Frame, LONGEST_RECORD};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

const OPTION_RESOLUTION: u16 = 9;
const OPTION_OFFSET: u16 = 14;

#[derive(Default)]
pub(super) struct Pcapng {
    endian: Endian,
    /// The interfaces of the current section: each may have its own link type and clock.
    interfaces: Vec<Interface>,
}

struct Interface {
    link: u32,
    longest: u32,
    clock: Clock,
}

/// How an interface counts time.
struct Clock {
    units_per_second: u128,
    offset_seconds: i64,
}

/// More interfaces than this in one section are damage: their number must not cost memory.
const MOST_INTERFACES: usize = 65_536;

impl Pcapng {
    pub(super) fn recognise(start: &[u8]) -> bool {
        let magic = start.get(8..12);
        start.starts_with(&SECTION.to_be_bytes())
            && matches!(
                magic,
                Some([0x1a, 0x2b, 0x3c, 0x4d] | [0x4d, 0x3c, 0x2b, 0x1a])
            )
    }

    pub(super) fn next(&mut self, bytes: &mut Bytes) -> Found {
        loop {
            let head = bytes.peek(12);
            if head.is_empty() {
                return Found::End;
            }
            if head.len() < 12 {
                return Found::Cut;
            }
            if head.starts_with(&SECTION.to_be_bytes()) {
                match head.get(8..12) {
                    Some([0x4d, 0x3c, 0x2b, 0x1a]) => self.endian = Endian::Little,
                    Some([0x1a, 0x2b, 0x3c, 0x4d]) => self.endian = Endian::Big,
                    _ => return Found::Damage("a section header without byte order".into()),
                }
                self.interfaces.clear();
            }
            let (kind, length) = (self.endian.u32(head, 0), self.endian.u32(head, 4));
            if !(12..=LONGEST_RECORD).contains(&length) {
                return Found::Damage(format!("a block claims {length} bytes"));
            }
            let length = length.next_multiple_of(4);
            match kind {
                INTERFACE if self.interfaces.len() == MOST_INTERFACES => {
                    return Found::Damage(format!(
                        "a section has more than {MOST_INTERFACES} interfaces"
                    ));
                }
                INTERFACE => self.interface(bytes.peek((length as usize).min(MOST))),
                ENHANCED_PACKET | OLD_PACKET | SIMPLE_PACKET => {
                    let wanted = (length as usize).min(28);
                    let head = bytes.peek(wanted);
                    return match head.len() < wanted {
                        true => Found::Cut,
                        false => self.packet(kind, head, length),
                    };
                }
                _ => {}
            }
            if bytes.skip(length.into()) < length.into() {
                return Found::Cut;
            }
        }
    }

    fn interface(&mut self, block: &[u8]) {
        let mut clock = Clock {
            units_per_second: 1_000_000,
            offset_seconds: 0,
        };
        let mut options = block
            .get(16..block.len().saturating_sub(4))
            .unwrap_or_default();
        while options.len() >= 4 {
            let (code, length) = (
                self.endian.u16(options, 0),
                self.endian.u16(options, 2) as usize,
            );
            let value = options.get(4..4 + length).unwrap_or_default();
            match (code, value.len()) {
                (OPTION_RESOLUTION, 1..) => clock.units_per_second = resolution(value[0]),
                (OPTION_OFFSET, 8..) => {
                    let (first, second) = (self.endian.u32(value, 0), self.endian.u32(value, 4));
                    let (high, low) = match self.endian {
                        Endian::Little => (second, first),
                        Endian::Big => (first, second),
                    };
                    clock.offset_seconds = ((u64::from(high) << 32) | u64::from(low)) as i64;
                }
                _ => {}
            }
            options = options
                .get(4 + length.next_multiple_of(4)..)
                .unwrap_or_default();
        }
        let longest = match self.endian.u32(block, 12) {
            0 => u32::MAX,
            limit => limit,
        };
        self.interfaces.push(Interface {
            link: self.endian.u16(block, 8).into(),
            longest,
            clock,
        });
    }

    fn packet(&self, kind: u32, head: &[u8], length: u32) -> Found {
        let field = |at| self.endian.u32(head, at);
        let (interface, header, captured) = match kind {
            ENHANCED_PACKET => (field(8) as usize, 28, field(20)),
            OLD_PACKET => (usize::from(self.endian.u16(head, 8)), 28, field(20)),
            _ => (0, 12, u32::MAX),
        };
        let Some(interface) = self.interfaces.get(interface) else {
            return Found::Damage(format!(
                "a packet names interface {interface}, which is not described"
            ));
        };
        let room = length.saturating_sub(header + 4);
        let (time, captured, original) = match kind {
            SIMPLE_PACKET => (None, room.min(field(8)).min(interface.longest), field(8)),
            _ => (
                Some(interface.clock.nanoseconds(field(12), field(16))),
                captured,
                field(24),
            ),
        };
        if captured > room {
            return Found::Damage(format!(
                "a packet claims {captured} bytes in a block of {length}"
            ));
        }
        Found::Packet(Frame {
            time,
            link: interface.link,
            original,
            header: header as usize,
            captured: captured as usize,
            length: length.into(),
        })
    }
}

/// Units per second: a power of ten, or of two when the highest bit is set. Finer than a u128 can
/// represent is taken as nanoseconds.
fn resolution(value: u8) -> u128 {
    let power = u32::from(value & 0x7f);
    let base: u128 = if value & 0x80 != 0 { 2 } else { 10 };
    base.checked_pow(power).unwrap_or(1_000_000_000)
}

impl Clock {
    fn nanoseconds(&self, high: u32, low: u32) -> u64 {
        let units = (u64::from(high) << 32) | u64::from(low);
        let since = match self.units_per_second {
            1_000_000_000 => i128::from(units),
            1_000_000 => i128::from(units) * 1000,
            per_second => (u128::from(units).saturating_mul(1_000_000_000) / per_second) as i128,
        };
        let shifted = since.saturating_add(i128::from(self.offset_seconds) * 1_000_000_000);
        u64::try_from(shifted.max(0)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::PacketFile;

    fn word(big: bool, value: u32) -> [u8; 4] {
        if big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    pub(crate) fn block(big: bool, kind: u32, body: &[u8]) -> Vec<u8> {
        let length = (12 + body.len()).next_multiple_of(4);
        let mut block = [word(big, kind), word(big, length as u32)].concat();
        block.extend(body);
        block.resize(length - 4, 0);
        block.extend(word(big, length as u32));
        block
    }

    pub(crate) fn section(big: bool) -> Vec<u8> {
        let body = [
            word(big, 0x1a2b_3c4d),
            word(big, 1),
            word(big, u32::MAX),
            word(big, u32::MAX),
        ]
        .concat();
        block(big, super::SECTION, &body)
    }

    fn interface(big: bool, link: u16, resolution: u8) -> Vec<u8> {
        let half = |value: u16| {
            if big {
                value.to_be_bytes()
            } else {
                value.to_le_bytes()
            }
        };
        let mut body = [half(link), half(0)].concat();
        body.extend(word(big, 0));
        body.extend([half(super::OPTION_RESOLUTION), half(1)].concat());
        body.extend([resolution, 0, 0, 0, 0, 0, 0, 0]);
        block(big, super::INTERFACE, &body)
    }

    fn packet(big: bool, interface: u32, time: u64, data: &[u8]) -> Vec<u8> {
        let words = [
            interface,
            (time >> 32) as u32,
            time as u32,
            data.len() as u32,
            1500,
        ];
        let mut body: Vec<u8> = words.iter().flat_map(|&w| word(big, w)).collect();
        body.extend(data);
        block(big, super::ENHANCED_PACKET, &body)
    }

    #[test]
    fn every_interface_has_its_own_link_type_and_clock_and_a_section_its_own_byte_order() {
        let mut data = section(true);
        data.extend(interface(true, 1, 9));
        data.extend(block(true, 0x0bad, b"unknown"));
        data.extend(interface(true, 101, 0x80 | 0x0a));
        data.extend(packet(true, 1, 5 * 1024 + 512, b"raw"));
        data.extend(packet(true, 0, 7, b"ether"));
        data.extend(section(false));
        data.extend(interface(false, 113, 6));
        data.extend(packet(false, 0, 8, b"cooked"));
        let mut read = PacketFile::of(data).unwrap();
        let mut seen = Vec::new();
        while let Some(packet) = read.next() {
            seen.push((
                packet.time.unwrap(),
                packet.link,
                packet.original,
                packet.data.to_vec(),
            ));
        }
        assert_eq!(read.ending(), None);
        let expected = [
            (5_500_000_000, 101, 1500, b"raw".to_vec()),
            (7, 1, 1500, b"ether".to_vec()),
            (8000, 113, 1500, b"cooked".to_vec()),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn simple_and_old_packet_blocks_are_read() {
        let mut data = section(false);
        data.extend(interface(false, 1, 6));
        data.extend(block(
            false,
            3,
            &[word(false, 5).to_vec(), b"plain".to_vec()].concat(),
        ));
        let words = [0x0003_0000, 0, 9, 3, 60];
        let mut body: Vec<u8> = words.iter().flat_map(|&w| word(false, w)).collect();
        body.extend(b"old");
        data.extend(block(false, 2, &body));
        let mut read = PacketFile::of(data).unwrap();
        let simple = read.next().unwrap();
        assert_eq!(
            (simple.time, simple.original, simple.data),
            (None, 5, &b"plain"[..])
        );
        let old = read.next().unwrap();
        assert_eq!(
            (old.time, old.original, old.data),
            (Some(9000), 60, &b"old"[..])
        );
    }

    #[test]
    fn a_packet_of_an_interface_that_is_not_described_ends_the_reading() {
        let mut data = section(false);
        data.extend(packet(false, 3, 0, b""));
        let mut read = PacketFile::of(data).unwrap();
        assert!(read.next().is_none());
        assert!(read.ending().unwrap().contains("interface 3"));
    }
}
