//! Why an input was not dealt with.

use std::fmt::Display;

use super::report::Report;

/// Why an input was not dealt with, and how much that matters.
#[derive(Debug)]
pub(super) struct Trouble {
    weight: Weight,
    /// What it is about, where that is not the input.
    about: Option<String>,
    what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    /// Found on the way through a directory, and none of our business.
    Passed,
    /// Left out.
    Skipped,
    /// Tried in vain.
    Failed,
    /// What follows would be in vain too: the output that all share takes no more, say.
    Fatal,
    /// Asked for what cannot be, whatever the input.
    Usage,
}

impl Trouble {
    pub(super) fn passed(what: impl Into<String>) -> Self {
        Self { weight: Weight::Passed, about: None, what: what.into() }
    }

    pub(super) fn skipped(what: impl Into<String>) -> Self {
        Self { weight: Weight::Skipped, about: None, what: what.into() }
    }

    pub(super) fn failed(what: impl Into<String>) -> Self {
        Self { weight: Weight::Failed, about: None, what: what.into() }
    }

    pub(super) fn usage(what: impl Into<String>) -> Self {
        Self { weight: Weight::Usage, about: None, what: what.into() }
    }

    pub(super) fn about(self, name: impl Display) -> Self {
        Self { about: Some(name.to_string()), ..self }
    }

    pub(super) fn fatal(self) -> Self {
        Self { weight: Weight::Fatal, ..self }
    }

    pub(super) fn is_fatal(&self) -> bool {
        matches!(self.weight, Weight::Fatal | Weight::Usage)
    }

    /// Tells the user about it.
    pub(super) fn tell(&self, name: &str, report: &mut Report) {
        let name = self.about.as_deref().unwrap_or(name);
        match self.weight {
            Weight::Passed => report.remark(name, &self.what),
            Weight::Skipped => report.warning(name, &self.what),
            Weight::Failed | Weight::Fatal => report.error(name, &self.what),
            Weight::Usage => report.usage(&self.what),
        }
    }
}
