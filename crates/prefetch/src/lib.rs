//! Asks the processor for memory before it is needed.
//!
//! A run with many flows waits for memory most of the time: between two packets of one flow come
//! those of all others, and nothing of it is in a cache any more. Which flow is next is known some
//! packets ahead, so its lines can be on their way while others are worked on.
//!
//! The processor's instruction for it takes an address, reads nothing that the program could see and
//! cannot fail, but the function that stands for it is `unsafe`. That is why it has a crate of its
//! own, the only one besides the Python bindings in which that word is allowed.

/// Whether anything is asked for: on x86-64, where the feature `instruction` is on.
pub const ENABLED: bool = cfg!(all(feature = "instruction", target_arch = "x86_64"));

/// Bytes of a line of the cache.
#[cfg(all(feature = "instruction", target_arch = "x86_64"))]
const LINE: usize = 64;

/// Asks for all lines of `place`, where that is [`ENABLED`].
#[inline(always)]
pub fn prefetch<T: ?Sized>(place: &T) {
    #[cfg(all(feature = "instruction", target_arch = "x86_64"))]
    for offset in (0..std::mem::size_of_val(place)).step_by(LINE) {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        let address = std::ptr::from_ref(place).cast::<i8>().wrapping_add(offset);
        // SAFETY: a prefetch is a hint. It does not fault at any address, and this one is inside
        // `place`.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
    }
    #[cfg(not(all(feature = "instruction", target_arch = "x86_64")))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::prefetch;

    #[test]
    fn asking_for_memory_changes_nothing() {
        let place = [7u8; 1000];
        prefetch(&place);
        prefetch(&());
        assert_eq!(place, [7; 1000]);
    }
}
