//! Measurements of the connections that this machine's servers have: a BPF program of a cgroup reports a
//! row for each response.
//!
//! Nothing is pinned: the program is gone with the process, however that ends. Memory is bounded by the
//! ring of rows (4 MiB) and by the number of connections that are watched at a time.

use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, Object, ObjectBuilder, RingBufferBuilder};
use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

/// The compiled program; `bpf/build.sh` makes it.
const OBJECT: &[u8] = include_bytes!("../bpf/collect.bpf.o");

/// The fields of a row in their order, with their types as numpy names them: `struct fs_row` of
/// `bpf/collect.h`.
pub const ROW: &[(&str, &str)] = &[
    ("start_us", "u8"),
    ("end_us", "u8"),
    ("exit_us", "u8"),
    ("bytes", "u8"),
    ("connection", "u8"),
    ("network", "u8"),
    ("delivery_rate", "u8"),
    ("busy_us", "u8"),
    ("rwnd_limited_us", "u8"),
    ("sndbuf_limited_us", "u8"),
    ("family", "u4"),
    ("port", "u4"),
    ("mss", "u4"),
    ("handshake_rtt_us", "u4"),
    ("min_rtt_us", "u4"),
    ("srtt_us", "u4"),
    ("rttvar_us", "u4"),
    ("packets", "u4"),
    ("retransmissions", "u4"),
    ("initial_window", "u4"),
    ("cwnd", "u4"),
    ("handshake_window", "u4"),
    ("widest_window", "u4"),
    ("exit", "u4"),
    ("exit_cwnd", "u4"),
    ("exit_ssthresh", "u4"),
    ("cc", "S16"),
];
/// The causes of the end of slow start, by their numbers in `bpf/collect.h`.
pub const EXITS: &[&str] = &["", "no-loss", "ssthresh", "loss", "timeout", "ecn", "idle"];
/// RTT samples are given to programs from this Linux on.
const LEAST_LINUX: (u32, u32) = (6, 10);
/// Ports that can be given.
pub const MOST_PORTS: usize = 16;

/// Which connections are collected.
pub struct Settings<'a> {
    /// A cgroup of version 2, as a folder; with those below it.
    pub cgroup: &'a Path,
    /// Ports of the servers; none for all.
    pub ports: &'a [u16],
    /// One connection of so many.
    pub sample: u32,
    /// Connections at a time, each of which takes some 300 bytes of the kernel.
    pub most_open: u32,
}

impl Settings<'_> {
    /// As `struct fs_settings`.
    fn bytes(&self) -> Vec<u8> {
        let mut ports = [0; MOST_PORTS];
        for (to, from) in ports.iter_mut().zip(self.ports) {
            *to = *from;
        }
        let words = [self.sample, self.most_open, self.ports.len() as u32];
        let words = words.into_iter().flat_map(u32::to_ne_bytes);
        words
            .chain(ports.into_iter().flat_map(u16::to_ne_bytes))
            .collect()
    }
}

/// How many connections and rows there were: `struct fs_counts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connections that are watched now.
    pub open: u64,
    /// Connections that were watched since the start.
    pub opened: u64,
    /// Connections above `most_open`.
    pub skipped: u64,
    /// Rows that found no room.
    pub lost: u64,
}

/// The program in the kernel.
pub struct Collector {
    rows: MapHandle,
    counts: MapHandle,
    _link: Link,
    _object: Object,
}

impl Collector {
    /// Loads the program and attaches it to the cgroup.
    pub fn start(settings: &Settings<'_>) -> io::Result<Collector> {
        let release = fs::read_to_string("/proc/sys/kernel/osrelease")?;
        if version(&release).is_none_or(|version| version < LEAST_LINUX) {
            let (major, minor) = LEAST_LINUX;
            let problem = format!("Linux {major}.{minor} or newer is needed, not {release}");
            return Err(io::Error::other(problem));
        }
        libbpf_rs::set_print(None);
        let cgroup = File::open(settings.cgroup)?;
        let mut open = ObjectBuilder::default()
            .open_memory(OBJECT)
            .map_err(io::Error::other)?;
        for mut map in open.maps_mut() {
            if map.name().to_string_lossy().ends_with("rodata") {
                let bytes = settings.bytes();
                let value = map
                    .initial_value_mut()
                    .and_then(|v| v.get_mut(..bytes.len()));
                value
                    .ok_or_else(|| io::Error::other("the BPF program has no settings"))?
                    .copy_from_slice(&bytes);
            }
        }
        let object = open.load().map_err(|e| refused("take", &e))?;
        let program = object.progs_mut().next();
        let link = program
            .ok_or_else(|| io::Error::other("the BPF program is missing"))?
            .attach_cgroup(cgroup.as_raw_fd())
            .map_err(|e| refused("attach", &e))?;
        Ok(Collector {
            rows: map(&object, "fs_rows")?,
            counts: map(&object, "bss")?,
            _link: link,
            _object: object,
        })
    }

    /// The rows since the last call, one behind the other.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let found = RefCell::new(Vec::new());
        let mut builder = RingBufferBuilder::new();
        builder
            .add(&self.rows, |row| {
                found.borrow_mut().extend_from_slice(row);
                0
            })
            .map_err(io::Error::other)?;
        let ring = builder.build().map_err(io::Error::other)?;
        ring.consume().map_err(io::Error::other)?;
        drop(ring);
        Ok(found.into_inner())
    }

    /// The counts so far.
    pub fn counts(&self) -> io::Result<Counts> {
        let value = self.counts.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY);
        let value = value.map_err(io::Error::other)?.unwrap_or_default();
        let mut words = value.chunks_exact(8).filter_map(|word| {
            let word = word.try_into().ok()?;
            Some(u64::from_ne_bytes(word))
        });
        let mut next = || words.next().unwrap_or(0);
        Ok(Counts {
            open: next(),
            opened: next(),
            skipped: next(),
            lost: next(),
        })
    }
}

/// The first two numbers of `6.10.3-amd64`.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn map(object: &Object, name: &str) -> io::Result<MapHandle> {
    let found = object
        .maps()
        .find(|map| map.name().to_string_lossy().ends_with(name))
        .ok_or_else(|| io::Error::other("a map of the BPF program is missing"))?;
    MapHandle::try_from(&found).map_err(io::Error::other)
}

fn refused(verb: &str, error: &libbpf_rs::Error) -> io::Error {
    let kind = match error.kind() {
        libbpf_rs::ErrorKind::PermissionDenied => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(
        kind,
        format!("the kernel does not {verb} the BPF program ({error})"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = include_str!("../bpf/collect.h");

    fn body(start: &str) -> &'static str {
        let body = HEADER.split(start).nth(1).unwrap();
        body.split("};").next().unwrap()
    }

    #[test]
    fn both_sides_know_the_same_fields_in_the_same_order() {
        let lines = body("struct fs_row {").lines();
        let fields = lines.filter_map(|line| line.split_once(';'));
        let fields: Vec<_> = fields
            .map(|(field, _)| match field.trim().split_once(' ').unwrap() {
                ("u64", name) => (name, "u8"),
                ("u32", name) => (name, "u4"),
                ("char", "cc[16]") => ("cc", "S16"),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(fields, ROW);
    }

    #[test]
    fn exits_have_the_numbers_of_the_header() {
        let names = body("enum {").lines().filter_map(|line| {
            let name = line.trim().strip_prefix("FS_")?.split(',').next()?;
            Some(name.to_lowercase().replace('_', "-").replace("none", ""))
        });
        assert_eq!(names.collect::<Vec<_>>(), EXITS);
    }

    #[test]
    fn versions_of_linux_are_compared_as_numbers() {
        assert_eq!(version("6.10.3-amd64\n"), Some((6, 10)));
        assert!(version("6.9.0") < Some(LEAST_LINUX));
        assert_eq!(version("next"), None);
    }

    #[test]
    fn settings_are_those_of_the_header() {
        let settings = Settings {
            cgroup: Path::new("/"),
            ports: &[443, 80],
            sample: 10,
            most_open: 7,
        };
        let bytes = settings.bytes();
        assert_eq!(bytes.len(), 3 * 4 + MOST_PORTS * 2);
        assert!(HEADER.contains(&format!("u16 port[{MOST_PORTS}]")));
        assert_eq!(bytes[8..16], [2, 0, 0, 0, 187, 1, 80, 0]);
    }
}
