//! What a target is.

/// Bytes per execution that no target may have allocated at once.
pub const MOST_MEMORY: usize = 256 << 20;

/// One entry point.
pub struct Target {
    /// Its name on the command line, and its folder below `corpus`.
    pub name: &'static str,
    /// Takes any bytes; panics where a property does not hold.
    pub run: fn(&[u8]),
    /// What its bytes are made from.
    pub kind: Kind,
}

/// What the bytes of a target are.
pub enum Kind {
    /// A file, which is made from seeds by mutation.
    File {
        /// Where its parts begin.
        shape: Shape,
        /// Words that mean something in it.
        tokens: &'static [&'static str],
        /// More seeds: a folder below the workspace, and how their names end.
        more: &'static [(&'static str, &'static str)],
        /// More seeds, of the catalog.
        of_catalog: fn() -> Vec<String>,
    },
    /// Choices, one after another, so that random bytes do.
    Choices,
}

/// Where the parts of a file begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It has none.
    Bytes,
    /// Lines.
    Lines,
    /// Records of a pcap, of the byte order of this magic number.
    Pcap,
    /// Blocks of a pcapng.
    Pcapng,
}
