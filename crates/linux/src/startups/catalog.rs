//! The startups that the kernel can run.

/// A startup that the kernel can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Startup {
    /// Its name in the catalog.
    pub name: &'static str,
    /// Its name among the kernel's congestion controls.
    pub control: &'static str,
    /// Its `tcp_congestion_ops` in `startups.bpf.c`.
    pub(super) ops: &'static str,
}

/// Startups that the kernel can run.
pub const STARTUPS: &[Startup] = &[
    Startup {
        name: "hystart-plus-plus",
        control: "fs_hystartpp",
        ops: "hystart_pp",
    },
    Startup {
        name: "jump-start",
        control: "fs_jump_start",
        ops: "jump_start",
    },
    Startup {
        name: "search",
        control: "fs_search",
        ops: "search",
    },
];

impl Startup {
    /// The startup of a name in the catalog.
    pub fn named(name: &str) -> Option<Startup> {
        STARTUPS
            .iter()
            .copied()
            .find(|startup| startup.name == name)
    }
}
