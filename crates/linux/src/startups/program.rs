//! The programs in the kernel: `bpf/startups/startups.bpf.o`.

use super::catalog::{STARTUPS, Startup};
use super::records::{ALL, Counts, Network, Settings};
use super::request::{Request, Status};
use super::watchdog;
use crate::libbpf::{failed, keep_log};
use crate::sys;
use libbpf_rs::{ErrorKind, Link, MapCore, MapFlags, MapHandle, Object, ObjectBuilder};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The compiled programs; `bpf/build.sh` makes them.
const OBJECT: &[u8] = include_bytes!("../../bpf/startups/startups.bpf.o");
/// Maps that another process reads.
const READ: [&str; 3] = ["settings", "counts", "networks"];
/// Why nothing is loaded where the startup's name is taken, but nothing is pinned here.
const ELSEWHERE: &str = "the startup is loaded from another BPF file system, such as a container's; \
                         `flowstart kernel unload` there removes it";
/// The key of a map with one entry.
const ONLY: [u8; 4] = [0; 4];

/// A startup among the kernel's congestion controls, for as long as this lives or is pinned.
pub struct Loaded {
    object: Object,
    startup: Link,
    choice: Option<Link>,
}

impl Loaded {
    /// Loads a startup. Sockets can choose it by name; nothing chooses it for them yet.
    pub fn new(startup: Startup) -> io::Result<Loaded> {
        keep_log();
        let mut open = ObjectBuilder::default()
            .open_memory(OBJECT)
            .map_err(|e| failed("the BPF programs cannot be read", &e))?;
        for mut map in open.maps_mut() {
            let is_other = STARTUPS
                .iter()
                .any(|s| map.name() == s.ops && *s != startup);
            map.set_autocreate(!is_other)
                .map_err(|e| failed("libbpf failed", &e))?;
        }
        let mut object = open
            .load()
            .map_err(|e| failed("the kernel does not take the BPF programs", &e))?;
        let link = object
            .maps_mut()
            .find(|map| map.name() == startup.ops)
            .ok_or_else(|| io::Error::other("the BPF programs lack the startup"))?
            .attach_struct_ops()
            .map_err(|e| match e.kind() {
                ErrorKind::AlreadyExists => io::Error::other(ELSEWHERE),
                _ => failed("the kernel does not take the congestion control", &e),
            })?;
        Ok(Loaded {
            object,
            startup: link,
            choice: None,
        })
    }

    /// Gives the startup to connections by the settings, from now on.
    pub(super) fn choose(&mut self, settings: &Settings, request: &Request) -> io::Result<()> {
        let refused = |e| failed("the kernel does not take the settings", &e);
        let map = |name: &str| self.object.maps().find(|map| map.name() == name);
        let missing = || io::Error::other("the BPF programs lack a map");
        let networks = map("networks").ok_or_else(missing)?;
        for network in &request.networks {
            networks
                .update(&network.key(), &ONLY, MapFlags::ANY)
                .map_err(refused)?;
        }
        map("settings")
            .ok_or_else(missing)?
            .update(&ONLY, &settings.write(), MapFlags::ANY)
            .map_err(refused)?;
        let cgroup = request.cgroup.clone().map_or_else(all_sockets, Ok)?;
        let folder = File::open(&cgroup)
            .map_err(|e| io::Error::other(format!("{} cannot be read ({e})", cgroup.display())))?;
        let program = self
            .object
            .progs_mut()
            .find(|program| program.name() == "choose");
        let link = program
            .ok_or_else(|| io::Error::other("the BPF programs lack the choice"))?
            .attach_cgroup(folder.as_raw_fd())
            .map_err(|e| failed(&format!("{} is no control group", cgroup.display()), &e))?;
        self.choice = Some(link);
        Ok(())
    }

    /// Keeps all of it in a folder of the BPF file system.
    pub(super) fn pin(&mut self, folder: &Path) -> io::Result<()> {
        let refused = |e| failed("the kernel does not keep the BPF programs", &e);
        for mut map in self.object.maps_mut() {
            if let Some(name) = READ.iter().find(|name| map.name() == **name) {
                map.pin(folder.join(name)).map_err(refused)?;
            }
        }
        self.startup.pin(folder.join("startup")).map_err(refused)?;
        if let Some(choice) = &mut self.choice {
            choice.pin(folder.join("choice")).map_err(refused)?;
        }
        Ok(())
    }
}

/// The control group of all sockets: where the second version of control groups is mounted.
fn all_sockets() -> io::Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/mounts")?;
    let mut mounts = mounts
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>());
    let found = mounts.find(|words| words.get(2) == Some(&"cgroup2"));
    let found = found.and_then(|words| words.get(1).map(PathBuf::from));
    found.ok_or_else(|| io::Error::other("no control groups of version 2 (`cgroup2`) are mounted"))
}

fn opened(folder: &Path, name: &str) -> io::Result<MapHandle> {
    MapHandle::from_pinned_path(folder.join(name))
        .map_err(|_| io::Error::other(format!("`{name}` is missing")))
}

fn only(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    let found = opened(folder, name)?.lookup(&ONLY, MapFlags::ANY);
    found.ok().flatten().ok_or_else(|| unreadable(name))
}

fn unreadable(name: &str) -> io::Error {
    io::Error::other(format!("`{name}` is of another version"))
}

/// What is pinned in a folder.
pub(super) fn pinned(folder: &Path) -> io::Result<Status> {
    keep_log();
    for link in ["startup", "choice"] {
        fs::metadata(folder.join(link))
            .map_err(|_| io::Error::other(format!("`{link}` is missing")))?;
    }
    let settings =
        Settings::read(&only(folder, "settings")?).ok_or_else(|| unreadable("settings"))?;
    let startup = STARTUPS
        .iter()
        .find(|startup| startup.control == settings.name);
    let counts = Counts::read(&only(folder, "counts")?).ok_or_else(|| unreadable("counts"))?;
    let left = |deadline: u64| Duration::from_nanos(deadline.saturating_sub(sys::monotonic()));
    Ok(Status {
        startup: startup.ok_or_else(|| unreadable("settings"))?.name,
        networks: opened(folder, "networks")?
            .keys()
            .filter_map(|key| Network::of_key(&key))
            .collect(),
        share: settings.share as f64 / ALL,
        seed: settings.seed,
        time_left: (settings.deadline > 0).then(|| left(settings.deadline)),
        has_watchdog: watchdog::is_running(folder),
        counts,
        ports: settings.ports,
        control: settings.name,
    })
}
