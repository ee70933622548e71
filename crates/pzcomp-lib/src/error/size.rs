//! [`Size`]: a number of bytes in words.

/// A number of bytes. It is shown with a binary unit, as `5MiB`. It is rounded up, so that memory of the size shown is
/// enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

impl Size {
    /// The size in words, rounded down. A limit is shown so: it is then less than a need that is rounded up.
    pub(super) fn rounded_down(self) -> String {
        let (shift, unit) = self.unit();
        format!("{}{unit}", self.0 >> shift)
    }

    /// The binary logarithm of the unit in which the size is shown, and the name of the unit. Below 64 GiB, only whole
    /// GiB are shown in GiB.
    fn unit(self) -> (u32, &'static str) {
        const UNITS: [(u32, &str); 3] = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        let fits = |shift: u32| {
            self.0 >= 1_u64 << shift
                && (shift < 30 || self.0 >= 1 << 36 || self.0.is_multiple_of(1_u64 << shift))
        };
        UNITS.into_iter().find(|&(shift, _)| fits(shift)).unwrap_or((0, "B"))
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (shift, unit) = self.unit();
        write!(f, "{}{unit}", self.0.div_ceil(1 << shift))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Error;
    use super::Size;

    #[test]
    fn a_need_is_rounded_up_and_a_limit_down() {
        let (needed, limit) = (Size((4 << 20) + 2), Size((4 << 20) + 1));
        let error = Error::Memory { what: "decompression".into(), needed, limit };
        assert!(
            error.to_string().starts_with("decompression needs 5MiB of memory, but only 4MiB is allowed")
        );
        for (bytes, up, down) in [
            (0, "0B", "0B"),
            (1023, "1023B", "1023B"),
            (1025, "2KiB", "1KiB"),
            (1 << 30, "1GiB", "1GiB"),
            ((1 << 30) + 1, "1025MiB", "1024MiB"),
            ((64 << 30) + 1, "65GiB", "64GiB"),
        ] {
            assert_eq!((Size(bytes).to_string(), Size(bytes).rounded_down()), (up.into(), down.into()));
        }
    }
}
