//! A slab: things that come and go, each with a key that is used again after it.

/// Things of one kind, side by side.
pub struct Slab<T> {
    things: Vec<Option<T>>,
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
    pub fn insert(&mut self, thing: T) -> u32 {
        if let Some(key) = self.free.pop() {
            self.things[key as usize] = Some(thing);
            return key;
        }
        self.things.push(Some(thing));
        self.things.len() as u32 - 1
    }

    /// The thing with a key.
    pub fn get(&self, key: u32) -> &T {
        self.things[key as usize].as_ref().expect("its key")
    }

    /// The same to be changed.
    pub fn get_mut(&mut self, key: u32) -> &mut T {
        self.things[key as usize].as_mut().expect("its key")
    }

    /// Drops the thing with a key where it is.
    pub fn remove(&mut self, key: u32) {
        self.free.push(key);
        self.things[key as usize] = None;
    }
}
