//! A catalog's entry of an algorithm: how to make it, where it comes from, what it needs.
//!
//! An algorithm's file has one [`Entry`]; lists of them are elsewhere, so that no algorithm depends
//! on any other.

use std::fmt;
use std::sync::Arc;

use crate::Convention;
use crate::params::{AlgorithmKind, ParamSpec, Params, SpecError, split};

/// What an algorithm needs beyond an ordinary sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// The sender must be able to space packets out in time.
    Pacing,
    /// The peer must understand an option or behave in a new way.
    Peer,
    /// Routers on the path must take part.
    Routers,
    /// State cached from earlier connections.
    Cache,
    /// The sender needs the rate of its interface.
    Interface,
    /// The peer must count the marks of packets that are sent as ECT(1) (L4S).
    L4s,
}

/// How well founded an implementation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// The defining text was at hand.
    Text,
    /// The source of a public implementation was at hand.
    Code,
    /// The text was not at hand; its rules are confirmed by implementations or quotations.
    Derived,
    /// Parts had to be reconstructed.
    Reconstructed,
}

/// One algorithm in the catalog.
pub struct Entry<T: ?Sized> {
    /// The name by which it is requested.
    pub name: &'static str,
    /// What it is called in full.
    pub title: &'static str,
    /// The paper or RFC, with its section.
    pub source: &'static str,
    /// Year in which the algorithm was published; texts of its source may be later.
    pub year: u16,
    /// What of it was read for this implementation: text or code, with the section or the commit.
    pub opened: &'static str,
    /// The rules that were compared with that.
    pub compared: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
    /// Parameters, in the order of help and pages.
    pub params: &'static [ParamSpec],
    /// What it needs beyond an ordinary sender.
    pub needs: &'static [Need],
    /// How well founded it is.
    pub certainty: Certainty,
    /// Reads and checks the parameters of a scenario, and returns what makes one for each flow.
    /// Fails where values that are each valid do not go together.
    pub build: fn(&Params, Convention) -> Result<Box<T>, SpecError>,
}

impl<T: ?Sized> fmt::Debug for Entry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Names under which algorithms are known elsewhere, and their names here.
pub const ALIASES: &[(&str, &str)] = &[("hystart++", "hystart-plus-plus"), ("newreno", "reno")];

/// An entry with its parameters, read and checked, and what was built of them.
pub struct Selected<T: ?Sized + 'static> {
    /// The entry.
    pub entry: &'static Entry<T>,
    /// Its parameters, for messages.
    pub params: Params,
    /// What it has built of them.
    pub built: Arc<T>,
}

impl<T: ?Sized> Clone for Selected<T> {
    fn clone(&self) -> Selected<T> {
        Selected {
            entry: self.entry,
            params: self.params.clone(),
            built: self.built.clone(),
        }
    }
}

impl<T: ?Sized> fmt::Debug for Selected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.params.fmt(f)
    }
}

/// The defaults of the algorithm of this name, to be changed by [`Params::with`].
pub fn defaults<T: ?Sized>(
    kind: AlgorithmKind,
    entries: &'static [Entry<T>],
    name: &str,
) -> Result<Params, SpecError> {
    let entry = find(kind, entries, name)?;
    Params::parse(kind, entry.name, entry.params, "")
}

fn find<T: ?Sized>(
    kind: AlgorithmKind,
    entries: &'static [Entry<T>],
    name: &str,
) -> Result<&'static Entry<T>, SpecError> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let name = alias.map_or(name, |(_, ours)| ours);
    entries
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| {
            let known = entries.iter().map(|e| e.name);
            let meant = as_parameter(name, entries);
            SpecError::unknown_algorithm(kind, name, meant, known)
        })
}

/// Finds the entry that `spec` names, reads its parameters and builds what it makes.
pub fn read<T: ?Sized>(
    kind: AlgorithmKind,
    entries: &'static [Entry<T>],
    spec: &str,
    convention: Convention,
) -> Result<Selected<T>, SpecError> {
    let (name, rest) = split(spec);
    let entry = find(kind, entries, name)?;
    let params = Params::parse(kind, entry.name, entry.params, rest)?;
    let built = (entry.build)(&params, convention)?.into();
    Ok(Selected {
        entry,
        params,
        built,
    })
}

/// `slow-start:iw=30` for `iw30` or `iw=30`: the first algorithm that has this parameter.
fn as_parameter<T: ?Sized>(text: &str, entries: &[Entry<T>]) -> Option<String> {
    let (name, value) = text.split_at(text.find(|c: char| c.is_ascii_digit())?);
    let name = name.trim_end_matches(['=', '-']).to_lowercase();
    let has = |entry: &&Entry<T>| entry.params.iter().any(|param| param.name == name);
    let entry = entries.iter().find(has)?;
    Some(format!("{}:{name}={value}", entry.name))
}

/// Description of a parameter for help and pages.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ParamDescription {
    /// Name in specifications and results.
    pub name: &'static str,
    /// What kind of value it takes.
    pub unit: String,
    /// Its default, or what settles it.
    pub default: &'static str,
    /// Effect, in a few words.
    pub meaning: &'static str,
}

/// An algorithm, described for people.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Description {
    /// Name in specifications and results.
    pub name: &'static str,
    /// Kind of the algorithm: startup, congestion control or another.
    pub kind: AlgorithmKind,
    /// Full name of the algorithm.
    pub title: &'static str,
    /// Paper or RFC that defines the algorithm.
    pub source: &'static str,
    /// Year in which the algorithm was published; texts of its source may be later.
    pub year: u16,
    /// What of it was read for this implementation: text or code, with the section or the commit.
    pub opened: &'static str,
    /// The rules that were compared with that.
    pub compared: &'static str,
    /// Effect, in a few words.
    pub summary: &'static str,
    /// Parameters, in the order of help and pages.
    pub params: Vec<ParamDescription>,
    /// What it needs beyond an ordinary sender.
    pub needs: &'static [Need],
    /// How well founded the implementation is.
    pub certainty: Certainty,
}

/// Describes an entry of a catalog.
pub fn describe_one<T: ?Sized>(kind: AlgorithmKind, entry: &'static Entry<T>) -> Description {
    let describe_param = |p: &'static ParamSpec| ParamDescription {
        name: p.name,
        unit: p.unit.to_string(),
        default: p.default,
        meaning: p.meaning,
    };
    Description {
        name: entry.name,
        kind,
        title: entry.title,
        source: entry.source,
        year: entry.year,
        opened: entry.opened,
        compared: entry.compared,
        summary: entry.summary,
        params: entry.params.iter().map(describe_param).collect(),
        needs: entry.needs,
        certainty: entry.certainty,
    }
}
