//! A slab: things that come and go, each with a key that is used again after it.

/// Things of one kind, side by side. What is removed stays in its place until that is used
/// again, so that neither costs a move.
pub(crate) struct Slab<T> {
    things: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab {
            things: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Slab<T> {
    /// Puts a thing in; its key.
    pub(crate) fn insert(&mut self, thing: T) -> u32 {
        if let Some(key) = self.free.pop() {
            self.things[key as usize] = thing;
            return key;
        }
        self.things.push(thing);
        self.things.len() as u32 - 1
    }

    /// How many there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.things.len() - self.free.len()
    }

    /// All of them, and what is left of those that were removed.
    pub(crate) fn all(&self) -> &[T] {
        &self.things
    }

    /// The thing with a key.
    pub(crate) fn get(&self, key: u32) -> &T {
        &self.things[key as usize]
    }

    /// The same to be changed.
    pub(crate) fn get_mut(&mut self, key: u32) -> &mut T {
        &mut self.things[key as usize]
    }

    /// The thing with a key is of no use any more.
    pub(crate) fn remove(&mut self, key: u32) {
        self.free.push(key);
    }
}
