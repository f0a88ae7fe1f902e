//! The pcap file format: a header of 24 bytes, then one record of 16 bytes and the packet, each.
//! (draft-ietf-opsawg-pcap; the older variant with 24-byte record headers is read too.)

use super::bytes::Bytes;
use super::frame::{Endian, Found, Frame, LONGEST_PACKET, LONGEST_RECORD};

pub(super) const HEADER: usize = 24;

pub(super) struct Pcap {
    endian: Endian,
    link: u32,
    /// Nanoseconds in one unit of a record's fraction.
    unit: u64,
    record: usize,
    longest: u32,
}

impl Pcap {
    /// `None`: another kind of file. `Some(None)`: a pcap without its whole header.
    pub(super) fn recognise(start: &[u8]) -> Option<Option<Self>> {
        let magic = start.first_chunk::<4>()?;
        let (endian, value) = match u32::from_le_bytes(*magic) {
            value @ (0xa1b2_c3d4 | 0xa1b2_3c4d | 0xa1b2_cd34) => (Endian::Little, value),
            _ => (Endian::Big, u32::from_be_bytes(*magic)),
        };
        let (unit, record) = match value {
            0xa1b2_c3d4 => (1000, 16),
            0xa1b2_3c4d => (1, 16),
            0xa1b2_cd34 => (1000, 24),
            _ => return None,
        };
        if start.len() < HEADER {
            return Some(None);
        }
        let longest = endian.u32(start, 16).clamp(LONGEST_PACKET, LONGEST_RECORD);
        // The upper bits of the link field tell of frame check sequences.
        let link = endian.u32(start, 20) & 0xffff;
        Some(Some(Pcap {
            endian,
            link,
            unit,
            record,
            longest,
        }))
    }

    pub(super) fn next(&mut self, bytes: &mut Bytes) -> Found {
        let header = bytes.peek(self.record);
        if header.is_empty() {
            return Found::End;
        }
        if header.len() < self.record {
            return Found::Cut;
        }
        let field = |at| self.endian.u32(header, at);
        let captured = field(8);
        if captured > self.longest {
            return Found::Damage(format!("a packet claims {captured} bytes"));
        }
        let time = u64::from(field(0)) * 1_000_000_000 + u64::from(field(4)) * self.unit;
        Found::Packet(Frame {
            time: Some(time),
            link: self.link,
            original: field(12),
            header: self.record,
            captured: captured as usize,
            length: self.record as u64 + u64::from(captured),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::PacketFile;

    fn file(packets: &[(u32, u32, &[u8])], claimed: Option<u32>) -> Vec<u8> {
        let mut data = Vec::new();
        for word in [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 65535, 1] {
            data.extend(word.to_le_bytes());
        }
        for (seconds, micros, body) in packets {
            let length = claimed.unwrap_or(body.len() as u32);
            for word in [*seconds, *micros, length, body.len() as u32 + 7] {
                data.extend(word.to_le_bytes());
            }
            data.extend(*body);
        }
        data
    }

    #[test]
    fn what_was_written_is_read_back() {
        let mut read = PacketFile::of(file(&[(1, 2, b"first"), (3, 4, b"")], None)).unwrap();
        let packet = read.next().unwrap();
        assert_eq!(
            (packet.time, packet.original, packet.data),
            (Some(1_000_002_000), 12, &b"first"[..])
        );
        let packet = read.next().unwrap();
        assert_eq!(
            (packet.time, packet.original, packet.data),
            (Some(3_000_004_000), 7, &b""[..])
        );
        assert!(read.next().is_none() && read.ending().is_none());
    }

    #[test]
    fn a_file_that_stops_in_mid_packet_reports_how_many_packets_came_before() {
        let mut data = file(&[(1, 2, b"first"), (3, 4, b"second")], None);
        data.truncate(data.len() - 3);
        let mut read = PacketFile::of(data).unwrap();
        assert!(read.next().is_some() && read.next().is_none());
        assert_eq!(
            read.ending(),
            Some("the file ends in mid-packet: 1 packet was read before")
        );
    }

    #[test]
    fn an_absurd_length_ends_the_reading_without_an_allocation() {
        let mut read = PacketFile::of(file(&[(1, 2, b"first")], Some(0x7fff_ffff))).unwrap();
        assert!(read.next().is_none());
        assert!(read.ending().unwrap().contains("2147483647"));
    }

    #[test]
    fn a_packet_longer_than_the_window_shows_its_beginning() {
        let long = vec![7u8; 200_000];
        let mut read = PacketFile::of(file(&[(1, 2, &long), (3, 4, b"after")], None)).unwrap();
        assert!(read.next().unwrap().data.len() > 60_000);
        assert_eq!(read.next().unwrap().data, b"after");
    }
}
