//! Which programs there are, where, and in which version.

use std::collections::BTreeMap;
use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::row::Row;

/// The name by which command lines call the binary under test.
const OURS: &str = "pzcomp";

/// The programs as found, by the name that command lines use.
pub struct Programs {
    found: BTreeMap<&'static str, Program>,
}

struct Program {
    path: PathBuf,
    version: String,
}

impl Programs {
    /// Looks for every program that `rows` name; `ours` is the binary under test.
    pub fn look_up(rows: &[Row], ours: &Path) -> Result<Self, String> {
        if !is_program(ours) {
            return Err(format!(
                "There is no program {}; build it or name another with --pzcomp.",
                ours.display()
            ));
        }
        // A name without a slash would be looked for in PATH.
        let ours =
            ours.canonicalize().map_err(|error| format!("Cannot find {}: {error}.", ours.display()))?;
        let mut found = BTreeMap::new();
        for party in rows.iter().flat_map(Row::parties) {
            for name in party.lines().map(program_of) {
                if found.contains_key(name) {
                    continue;
                }
                let path = if name == OURS { Some(ours.clone()) } else { in_path(name) };
                if let Some(path) = path {
                    let version = version_of(&path);
                    found.insert(name, Program { path, version });
                }
            }
        }
        Ok(Self { found })
    }

    /// The command of a command line, with files in the places that name them.
    pub fn command(&self, line: &str, input: &Path, output: &Path) -> Result<Command, String> {
        let name = program_of(line);
        let program = self.found.get(name).ok_or_else(|| format!("{name} is not installed"))?;
        let mut command = Command::new(&program.path);
        for word in line.split_whitespace().skip(1) {
            match word {
                "{in}" => command.arg(input),
                "{out}" => command.arg(output),
                _ => command.arg(word),
            };
        }
        Ok(command)
    }

    /// The first program that a row's measurement cannot do without and that is not there.
    pub fn missing(&self, row: &Row) -> Option<&'static str> {
        row.parties()
            .flat_map(|party| [party.source, Some(party.run)])
            .flatten()
            .find(|line| !self.has(line))
            .map(program_of)
    }

    /// Whether the program of that command line is there.
    pub fn has(&self, line: &str) -> bool {
        self.found.contains_key(program_of(line))
    }

    /// Name and version of each program found.
    pub fn versions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.found.iter().map(|(name, program)| (*name, program.version.as_str()))
    }
}

/// The program that a command line starts.
fn program_of(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or(line)
}

fn in_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The first line that `--version` prints, wherever it prints it.
fn version_of(path: &Path) -> String {
    let unknown = || "of unknown version".to_owned();
    let output = Command::new(path).arg("--version").stdin(Stdio::null()).output();
    let Ok(output) = output else {
        return unknown();
    };
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text)
        .lines()
        .map(|line| line.trim_matches(['*', ' ', '\t']).to_owned())
        .find(|line| !line.is_empty())
        .unwrap_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn a_missing_program_is_named_and_a_wrong_path_refused() {
        let rows = rows::all();
        assert!(Programs::look_up(&rows, Path::new("/nowhere/pzcomp")).is_err());
        let programs = Programs::look_up(&[], Path::new("/bin/sh"));
        let programs = programs.expect("there is a shell");
        assert_eq!(programs.missing(&rows[0]), Some("pzcomp"));
    }

    #[test]
    fn files_are_put_where_a_line_names_them() {
        let ours = Path::new("/bin/sh");
        let programs = Programs::look_up(&rows::all(), ours).expect("there is a shell");
        let line = "pzcomp -p 2 -o {out} {in}";
        let command = programs.command(line, Path::new("a b"), Path::new("c"));
        let command = command.expect("the shell stands for it");
        let words: Vec<_> = command.get_args().collect();
        assert_eq!(words, ["-p", "2", "-o", "c", "a b"]);
    }
}
