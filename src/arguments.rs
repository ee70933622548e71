//! Any bytes as a command line, for the fuzz target `arguments` and for the test that replays its seeds.

use crate::dialect::Refusal;
use crate::name;

/// Reads the command line that these bytes stand for, and does nothing else. The first byte chooses the name, and zeros
/// separate the arguments.
///
/// # Panics
/// If the dialect refuses the arguments with an exit status that its tool does not have.
pub(crate) fn read(bytes: &[u8]) {
    let Some((&number, rest)) = bytes.split_first() else { return };
    let entries: Vec<_> = std::iter::once(name::pzcomp()).chain(name::others()).collect();
    let entry = entries[usize::from(number) % entries.len()];
    let args = rest.split(|&byte| byte == 0).map(system::name::from_bytes);
    if let Err(Refusal { text, code }) = entry.dialect.parse(&entry.name, args.collect()) {
        let statuses = match entry.name.page {
            "pigz" => &[22][..],
            // Those of a dictionary, of a value that is out of bound, and of a level that the format lacks.
            "zstd" => &[1, 11, 31, 32, 33, 34, 35, 71],
            _ => &[1],
        };
        assert!(statuses.contains(&code), "{} has no status {code}: {text}", entry.name.name);
    }
}

#[cfg(test)]
#[path = "../fuzz/src/seeds.rs"]
mod seeds;

#[cfg(test)]
mod tests {
    use super::seeds::seeds;
    use super::*;

    #[test]
    fn the_seeds_of_the_fuzz_target_are_read_or_refused_with_a_status_of_the_tool() {
        seeds("arguments").iter().for_each(|(_, seed)| read(seed));
    }
}
