//! Requests memory of the processor before it is needed.
//!
//! A run with many flows waits for memory most of the time: between two packets of one flow come
//! those of all others, and nothing of it is in a cache any more. Which flow is next is known some
//! packets ahead, so its lines can be on their way while others are worked on.
//!
//! The processor's instruction for it takes an address, reads nothing that the program could see and
//! cannot fail; `branches` offers it to safe code. It is measured on x86-64, and left out elsewhere.

/// Whether anything is requested: on x86-64, where the feature `prefetch` is on.
pub const ENABLED: bool = cfg!(all(feature = "prefetch", target_arch = "x86_64"));

/// Bytes of a line of the cache.
#[cfg(all(feature = "prefetch", target_arch = "x86_64"))]
const LINE: usize = 64;

/// Prefetches all lines of `place`, where that is [`ENABLED`].
#[inline(always)]
pub fn prefetch<T: ?Sized>(place: &T) {
    #[cfg(all(feature = "prefetch", target_arch = "x86_64"))]
    for offset in (0..std::mem::size_of_val(place)).step_by(LINE) {
        let address = std::ptr::from_ref(place).cast::<u8>().wrapping_add(offset);
        branches::prefetch_read_data::<u8, 0>(address);
    }
    #[cfg(not(all(feature = "prefetch", target_arch = "x86_64")))]
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
