//! Hashes of the plain and the coded data of a stream: `--hash`.
//!
//! `work` makes [`Hashes`] for each side of a stream and lets the library show them all bytes. The report prints the
//! [`Digests`], or the record has them. `hash_file` writes them in the form that `sha256sum -c` reads.

use sha2::Digest as _;
use xxhash_rust::xxh3::Xxh3Default;

/// A function that `--hash` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum HashKind {
    Sha256,
    Blake3,
    Xxh3,
}

impl HashKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Blake3 => "blake3",
            Self::Xxh3 => "xxh3",
        }
    }

    /// What stands before the digits in the files of the usual tool. `xxhsum` knows XXH3 by it.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Sha256 | Self::Blake3 => "",
            Self::Xxh3 => "XXH3_",
        }
    }
}

/// A hash that is being computed.
enum Hasher {
    Sha256(sha2::Sha256),
    Blake3(Box<blake3::Hasher>),
    Xxh3(Box<Xxh3Default>),
}

/// The hashes of one side of a stream.
pub(super) struct Hashes(Vec<(HashKind, Hasher)>);

impl Hashes {
    pub(super) fn new(kinds: &[HashKind]) -> Self {
        let hasher = |kind: &HashKind| match kind {
            HashKind::Sha256 => Hasher::Sha256(sha2::Sha256::new()),
            HashKind::Blake3 => Hasher::Blake3(Box::default()),
            HashKind::Xxh3 => Hasher::Xxh3(Box::default()),
        };
        Self(kinds.iter().map(|kind| (*kind, hasher(kind))).collect())
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        for (_, hasher) in &mut self.0 {
            match hasher {
                Hasher::Sha256(hasher) => hasher.update(bytes),
                Hasher::Blake3(hasher) => drop(hasher.update(bytes)),
                Hasher::Xxh3(hasher) => hasher.update(bytes),
            }
        }
    }

    /// The hashes in hexadecimal digits.
    pub(super) fn finish(self) -> Vec<(HashKind, String)> {
        let digits = |hasher| match hasher {
            Hasher::Sha256(hasher) => hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
            Hasher::Blake3(hasher) => hasher.finalize().to_hex().to_string(),
            Hasher::Xxh3(hasher) => format!("{:016x}", hasher.digest()),
        };
        self.0.into_iter().map(|(kind, hasher)| (kind, digits(hasher))).collect()
    }
}

/// The hashes of both sides of a stream.
pub(super) struct Digests {
    pub(super) plain: Vec<(HashKind, String)>,
    pub(super) coded: Vec<(HashKind, String)>,
}

impl Digests {
    pub(super) fn of_output(&self, is_compression: bool) -> &[(HashKind, String)] {
        if is_compression { &self.coded } else { &self.plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_of_nothing_are_those_that_everybody_knows() {
        let kinds = [HashKind::Sha256, HashKind::Blake3, HashKind::Xxh3];
        let digests: Vec<String> =
            Hashes::new(&kinds).finish().into_iter().map(|(_, digits)| digits).collect();
        assert_eq!(
            digests,
            [
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
                "2d06800538d394c2",
            ]
        );
    }
}
