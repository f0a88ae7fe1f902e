//! Things that come and go, each at a place that is used again after it.

/// The places of things of one kind, side by side.
pub struct Places<T> {
    things: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Places<T> {
    fn default() -> Places<T> {
        Places {
            things: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Places<T> {
    /// Puts a thing at some place.
    pub fn put(&mut self, thing: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.things[place as usize] = Some(thing);
            return place;
        }
        self.things.push(Some(thing));
        self.things.len() as u32 - 1
    }

    /// What is at a place.
    pub fn get(&self, place: u32) -> &T {
        self.things[place as usize].as_ref().expect("its place")
    }

    /// The same to be changed.
    pub fn get_mut(&mut self, place: u32) -> &mut T {
        self.things[place as usize].as_mut().expect("its place")
    }

    /// Takes what is at a place away.
    pub fn take(&mut self, place: u32) -> T {
        self.free.push(place);
        self.things[place as usize].take().expect("its place")
    }
}
