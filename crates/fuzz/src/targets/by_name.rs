//! Choices of names.

use arbitrary::{Result, Unstructured};

/// One of these names. The bytes draw a number that ranks all names, so that a new name leaves most choices of recorded
/// inputs as they are, at any place of the catalog.
pub(super) fn choose(
    u: &mut Unstructured,
    names: impl Iterator<Item = &'static str>,
) -> Result<&'static str> {
    let drawn: u16 = u.arbitrary()?;
    let chosen = names.min_by_key(|name| rank(drawn, name));
    chosen.ok_or(arbitrary::Error::EmptyChoose)
}

/// The hash FNV-1a with 64 bits, and a last step that spreads it over all of them.
fn rank(drawn: u16, name: &str) -> u64 {
    let bytes = drawn.to_le_bytes().into_iter().chain(name.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(drawn: u16, names: &[&'static str]) -> &'static str {
        let bytes = drawn.to_le_bytes();
        choose(&mut Unstructured::new(&bytes), names.iter().copied()).unwrap()
    }

    #[test]
    fn every_name_is_chosen_and_a_new_one_changes_no_choice_but_those_of_itself() {
        let (before, after) = (["rfc", "linux", "quic"], ["rfc", "s2n", "linux", "quic"]);
        let mut times = [0; 4];
        for drawn in 0..4000 {
            let name = chosen(drawn, &after);
            times[after.iter().position(|other| *other == name).unwrap()] += 1;
            assert!(name == "s2n" || name == chosen(drawn, &before));
        }
        assert!(times.iter().all(|times| *times > 800), "{times:?}");
    }
}
