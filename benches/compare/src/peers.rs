//! The installed programs: their paths and versions.
//!
//! [`Programs::look_up`] searches for all programs that the rows name. The measurement then makes commands from command
//! lines. A missing program is no error: its rows have no result.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::row::{BEFORE, OURS, Party, Row, commands_of, program_of};

/// The programs that were found, by the name in command lines.
pub struct Programs {
    found: BTreeMap<String, Program>,
}

struct Program {
    path: PathBuf,
    version: String,
}

impl Programs {
    /// Looks for every program that `rows` name, in `folder` and then in PATH: a program that was built for the
    /// measurement is newer. `ours` is the binary under test, and `before` an older one.
    pub fn look_up<'a>(
        rows: impl IntoIterator<Item = &'a Row>,
        ours: &Path,
        before: Option<&Path>,
        folder: Option<&Path>,
    ) -> Result<Self, String> {
        let whole_path = |path: &Path| {
            let shown = path.display();
            if !is_program(path) {
                return Err(format!("There is no program {shown}; build it or name another."));
            }
            // The system would search PATH for a name without a slash.
            path.canonicalize().map_err(|error| format!("Cannot find {shown}: {error}."))
        };
        let (ours, before) = (whole_path(ours)?, before.map(whole_path).transpose()?);
        let lines = rows.into_iter().flat_map(Row::parties).flat_map(Party::lines);
        let names: BTreeSet<_> = lines.flat_map(commands_of).map(program_of).collect();
        let path_of = |name| match name {
            OURS => Some(ours.clone()),
            BEFORE => before.clone(),
            _ => find(name, folder),
        };
        let paths = names.into_iter().filter_map(|name| Some((name, path_of(name)?)));
        let programs = paths.map(|(name, path)| {
            let version = version_of(&path);
            (name.to_owned(), Program { path, version })
        });
        Ok(Self { found: programs.collect() })
    }

    /// The command for a command line, with `{in}` and `{out}` replaced by files. A shell runs a pipeline, whose status
    /// is that of its last command; the comparison with the plain data finds what an earlier one lost.
    pub fn command(&self, line: &str, input: &Path, output: &Path) -> Result<Command, String> {
        let commands: Vec<_> = commands_of(line).collect();
        if commands.len() > 1 {
            let mut script = Vec::new();
            for command in commands {
                let command = self.command(command, input, output)?;
                let words = [command.get_program()].into_iter().chain(command.get_args());
                script.push(words.map(quoted).collect::<Vec<_>>().join(" "));
            }
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(script.join(" | "));
            return Ok(shell);
        }
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

    /// The first program that a row needs and that is missing.
    pub fn missing<'a>(&self, row: &'a Row) -> Option<&'a str> {
        row.parties()
            .flat_map(|party| [party.source.as_ref(), Some(&party.run)])
            .flatten()
            .flat_map(|line| commands_of(line))
            .find(|command| !self.has(command))
            .map(program_of)
    }

    /// Whether all programs of this command line were found.
    pub fn has(&self, line: &str) -> bool {
        commands_of(line).all(|command| self.found.contains_key(program_of(command)))
    }

    /// Name and version of each program found.
    pub fn versions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.found.iter().map(|(name, program)| (name.as_str(), program.version.as_str()))
    }
}

/// A word as a shell reads it back.
fn quoted(word: &OsStr) -> String {
    format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"))
}

fn find(name: &str, folder: Option<&Path>) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let in_path = env::split_paths(&path);
    folder
        .map(Path::to_owned)
        .into_iter()
        .chain(in_path)
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The first line with a version that the program prints about itself, on stdout or stderr.
fn version_of(path: &Path) -> String {
    // Some programs know only the short option. pixz knows neither, and prints its version with its usage.
    let line = ["--version", "-V"].into_iter().find_map(|option| {
        let output = Command::new(path).arg(option).stdin(Stdio::null()).output().ok()?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().find(|line| has_version(line))?;
        Some(line.trim_matches(['*', ' ', '\t']).to_owned())
    });
    line.unwrap_or_else(|| "of unknown version".to_owned())
}

/// A digit, a point and a digit.
fn has_version(line: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    line.as_bytes().windows(3).any(|three| is_digit(&three[0]) && three[1] == b'.' && is_digit(&three[2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;
    use crate::workdir::WorkDir;
    use std::fs::{self, Permissions};

    #[test]
    fn a_missing_program_is_named_and_a_wrong_path_refused() {
        let rows = rows::all();
        assert!(Programs::look_up(&rows, Path::new("/nowhere/pzcomp"), None, None).is_err());
        let programs = Programs::look_up(&[], Path::new("/bin/sh"), None, None);
        let programs = programs.expect("there is a shell");
        assert_eq!(programs.missing(&rows[0]), Some("pzcomp"));
    }

    #[test]
    fn a_peer_in_the_folder_is_found_before_those_in_path() {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let file = dir.file("crabz-of-the-test");
        fs::write(&file, "#!/bin/sh\necho; echo '** test 1.2 **'").expect("room for it");
        fs::set_permissions(&file, Permissions::from_mode(0o755)).expect("it is ours");
        let folder = file.parent().expect("it is in a folder");
        assert_eq!(find("crabz-of-the-test", Some(folder)), Some(file.clone()));
        assert_eq!(find("crabz-of-the-test", None), None);
        assert_ne!(find("sh", Some(folder)), None);
        let own_sh = folder.join("sh");
        fs::copy(&file, &own_sh).expect("room for it");
        assert_eq!(find("sh", Some(folder)), Some(own_sh));
        assert_eq!(version_of(&file), "test 1.2");
    }

    #[test]
    fn a_shell_runs_a_pipeline() {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let file = dir.file("it's");
        fs::write(&file, "plain").expect("room for it");
        let line = "test; pipe→pipe; peak ≤ 1 MiB; ; cat {in} | sed s/ai/oi/ < cat; ";
        let row = rows::promise(line).expect("a row");
        let programs = Programs::look_up([&row], Path::new("/bin/sh"), None, None).expect("there is a shell");
        assert_eq!(programs.missing(&row), None);
        assert!(!programs.has("cat | no-such-program"));
        let mut command = programs.command(&row.ours.run, &file, &file).expect("both are installed");
        assert_eq!(command.output().expect("it runs").stdout, b"ploin");
    }

    #[test]
    fn files_are_put_where_a_line_names_them() {
        let ours = Path::new("/bin/sh");
        let programs = Programs::look_up(&rows::all(), ours, None, None).expect("there is a shell");
        let line = "pzcomp -p 2 -o {out} {in}";
        let command = programs.command(line, Path::new("a b"), Path::new("c"));
        let command = command.expect("the shell stands for it");
        let words: Vec<_> = command.get_args().collect();
        assert_eq!(words, ["-p", "2", "-o", "c", "a b"]);
    }
}
