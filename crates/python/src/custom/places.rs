//! Places for values, each written without a lock: an object of Python that is not kept is
//! filled anew for the next hook, and read by what has it.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64};

use flowstart_control::{Duration, Instant, Pair, Rate, RateCodes};

/// A value that has a place.
pub(crate) trait Placed: Copy {
    /// Its place.
    type Place: Default + Send + Sync;
    /// Puts it there.
    fn put(self, place: &Self::Place);
    /// What is there.
    fn get(place: &Self::Place) -> Self;
}

macro_rules! placed {
    ($($kind:ty, $place:ty: $value:ident => $put:expr_2021, $held:ident => $get:expr_2021;)*) => {$(
        impl Placed for $kind {
            type Place = $place;

            #[inline]
            fn put(self, place: &$place) {
                let $value = self;
                place.store($put, Relaxed);
            }

            #[inline]
            fn get(place: &$place) -> $kind {
                let $held = place.load(Relaxed);
                $get
            }
        }
    )*};
}

placed! {
    u64, AtomicU64: n => n, n => n;
    u32, AtomicU32: n => n, n => n;
    bool, AtomicBool: b => b, b => b;
    f64, AtomicU64: x => x.to_bits(), bits => f64::from_bits(bits);
    Duration, AtomicU64: t => t.nanos(), n => Duration::from_nanos(n);
    Instant, AtomicU64: t => t.nanos(), n => Instant::from_nanos(n);
    Rate, AtomicU64: r => r.bps(), n => Rate::from_bps(n);
    Pair, AtomicU8: p => p as u8, n => match n {
        0 => Pair::None,
        1 => Pair::First,
        _ => Pair::Second,
    };
    RateCodes, AtomicU8: c => c as u8, n => match n {
        0 => RateCodes::Powers,
        _ => RateCodes::Linear,
    };
}

impl<T: Placed> Placed for Option<T> {
    type Place = (AtomicBool, T::Place);

    #[inline]
    fn put(self, (there, place): &Self::Place) {
        there.store(self.is_some(), Relaxed);
        if let Some(value) = self {
            value.put(place);
        }
    }

    #[inline]
    fn get((there, place): &Self::Place) -> Self {
        there.load(Relaxed).then(|| T::get(place))
    }
}
