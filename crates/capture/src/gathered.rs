//! Counts besides the connections, over all files.

use std::collections::BTreeMap;

use crate::layers;

/// Counts over all files, and what there is to say of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    pub packets: u64,
    pub links: BTreeMap<u32, u64>,
    pub unknown_links: BTreeMap<u32, u64>,
    pub cut: u64,
    pub fragments: u64,
    pub timeless: u64,
    pub warnings: Vec<String>,
}

impl Gathered {
    pub fn unreadable(&self) -> u64 {
        self.cut + self.unknown_links.values().sum::<u64>()
    }

    pub fn link_types(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .links
            .keys()
            .map(|&link| layers::link_name(link))
            .collect();
        names.dedup();
        names
    }

    /// What was not read, and why.
    pub fn losses(&self) -> Vec<String> {
        let unknown = self.unknown_links.iter().map(|(link, count)| {
            format!(
                "{count} packets of {} were not read: it is not known here",
                layers::link_name(*link)
            )
        });
        let counts = [
            (
                self.cut,
                "packets have headers that are cut or contradict themselves; they were not counted",
            ),
            (
                self.fragments,
                "IP fragments without a TCP header were left out",
            ),
            (
                self.timeless,
                "packets carry no time; each was given that of the packet before",
            ),
        ];
        let counted = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"));
        unknown.chain(counted).collect()
    }
}
