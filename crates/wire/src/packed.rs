//! Values without the alignment of their type, so that bodies have no gaps.

use std::fmt;

/// A value at any multiple of four bytes.
#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
pub(crate) struct Four<T: Copy>(T);

/// A value at any byte.
#[derive(Clone, Copy)]
#[repr(Rust, packed)]
pub(crate) struct Byte<T: Copy>(T);

impl<T: Copy> Four<T> {
    pub(crate) fn new(value: T) -> Four<T> {
        Four(value)
    }

    pub(crate) fn get(self) -> T {
        self.0
    }
}

impl<T: Copy> Byte<T> {
    pub(crate) fn new(value: T) -> Byte<T> {
        Byte(value)
    }

    pub(crate) fn get(self) -> T {
        self.0
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for Byte<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
