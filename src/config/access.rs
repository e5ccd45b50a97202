//! Who may do what: rules of the configuration, and of a file of their own.

use super::{
    Config,
    document::Document,
    error::{ConfigError, ConfigErrors, Problem},
    file,
};
use crate::access::{Mistake, Parsed, Rules};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Where decisions of moderators are kept if nothing else is said.
pub(super) const STATE: &str = "samara-state.json";

/// Most rules of the configuration itself.
const RULES: usize = 10_000;

const RULE: &str = "a rule such as \"user,ADMIN,192.0.2.1\" or \"ipaddress,DENY,192.0.2.*\"";

/// Who may do what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Rules as texts, before those of the file.
    pub own: Vec<String>,
    /// A file with rules, which is read again when it changes.
    pub file: Option<PathBuf>,
    /// Where bans and silences are kept; without it they end with the process.
    pub state: Option<PathBuf>,
    /// All rules.
    pub rules: Arc<Rules>,
}

pub(super) fn read(document: &mut Document<'_>, access: &mut Access, notices: &mut Vec<String>) {
    let mut section = document.section("access");
    let rule = |text: &str| {
        let is_rule = Rules::from_lines([(1, text)]).rules.len() == 1;
        is_rule.then(|| text.to_owned())
    };
    section.texts("rules", (0..=RULES, "rules"), RULE, rule, &mut access.own);
    let path = |text: &str| Some((!text.is_empty()).then(|| PathBuf::from(text)));
    let valid = "the path of a file; \"\" is none";
    section.text("file", valid, path, &mut access.file);
    section.text("state", valid, path, &mut access.state);
    let Parsed { rules, mistakes } = own_rules(access);
    access.rules = Arc::new(rules);
    notices.extend(
        mistakes
            .iter()
            .map(|mistake| format!("access.rules: {mistake}")),
    );
}

fn own_rules(access: &Access) -> Parsed {
    Rules::from_lines((1..).zip(access.own.iter().map(String::as_str)))
}

impl Config {
    /// Reads the file with rules, if there is one, and ends with `errors` if there are any.
    ///
    /// A line that is no rule is left out, and told; a file none of whose lines is one is refused.
    pub(super) fn read_rules(mut self, mut errors: Vec<ConfigError>) -> Result<Self, ConfigErrors> {
        if let Some(path) = self.access.file.clone() {
            self.files.push(path.clone());
            match self.parse_rules(&path) {
                Ok(parsed) => {
                    let name = path.display().to_string();
                    self.left_out = left_out_of(&name, parsed.mistakes);
                    let mut rules = own_rules(&self.access).rules;
                    rules.append(parsed.rules);
                    self.access.rules = Arc::new(rules);
                }
                Err(more) => errors.extend(more),
            }
        }
        if errors.is_empty() {
            return Ok(self);
        }
        errors.extend(self.left_out);
        ConfigErrors::in_order(errors).map(|()| Self::default())
    }

    fn parse_rules(&self, path: &Path) -> Result<Parsed, ConfigErrors> {
        self.rules_of(path, &file::read(path, file::LARGEST_RULES)?)
    }

    /// The rules in the bytes of the file at `path`.
    pub(super) fn rules_of(&self, path: &Path, bytes: &[u8]) -> Result<Parsed, ConfigErrors> {
        let (text, ..) = self.rules.charset.decode(bytes);
        let parsed = Rules::parse(&text);
        let first = parsed.mistakes.first();
        match first.filter(|_| parsed.is_unusable()) {
            Some(first) => Err(ConfigErrors::from(ConfigError {
                problem: Problem::NoRules,
                ..left_out(&path.display().to_string(), first.clone())
            })),
            None => Ok(parsed),
        }
    }
}

/// The complaints about lines of a file that were left out.
pub(super) fn left_out_of(file: &str, mistakes: Vec<Mistake>) -> Vec<ConfigError> {
    let mistakes = mistakes.into_iter();
    mistakes.map(|mistake| left_out(file, mistake)).collect()
}

fn left_out(file: &str, mistake: Mistake) -> ConfigError {
    ConfigError {
        file: file.to_owned(),
        line: Some(mistake.line),
        key: String::new(),
        valid: mistake.problem.valid().to_owned(),
        problem: Problem::Rule(Box::new(mistake)),
    }
}
