//! Custom startups: written outside the catalog, requested by name all the same.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::startup::{Maker, Startup};

/// Makes a startup; called once for every flow.
pub type Factory = Arc<Maker>;

/// Factories by name. A name is taken whole, whatever it is made of; a custom startup has no
/// parameters but those its factory was made with, and it hides an entry of the catalog
/// that has the same name.
#[derive(Clone, Default)]
pub struct CustomStartups(BTreeMap<String, Factory>);

impl CustomStartups {
    /// A set without custom startups.
    pub fn none() -> CustomStartups {
        CustomStartups::default()
    }

    /// Adds a startup to the set.
    pub fn with(
        mut self,
        name: impl Into<String>,
        factory: impl Fn() -> Box<dyn Startup> + Send + Sync + 'static,
    ) -> CustomStartups {
        self.0.insert(name.into(), Arc::new(factory));
        self
    }

    /// The custom startup of this name, with the name as it was registered.
    pub fn get(&self, name: &str) -> Option<(&str, &Factory)> {
        self.0
            .get_key_value(name)
            .map(|(name, factory)| (name.as_str(), factory))
    }

    /// Names of all custom startups, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.keys().map(String::as_str)
    }
}

impl fmt::Debug for CustomStartups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
