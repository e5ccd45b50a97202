//! Answers in TOML.

use super::question::{Answers, Question};
use toml_edit::{DocumentMut, Item, Table, Value};

/// What a file begins with that was not there.
pub(super) const NEW: &str = "# Samara's configuration. Its example documents every key.\n";

/// Section and key of a question.
pub(super) const fn key(question: Question) -> (&'static str, &'static str) {
    match question {
        Question::Name => ("lists", "server_name"),
        Question::Location => ("lists", "server_location"),
        Question::Language => ("kaillera", "language"),
        Question::Charset => ("kaillera", "charset"),
        Question::Kaillera => ("lists", "kaillera"),
        Question::Emulinker => ("lists", "emulinker"),
    }
}

pub(super) fn known(text: &str) -> Answers {
    let Ok(document) = text.parse::<DocumentMut>() else {
        return Answers::new();
    };
    let answers = Question::ALL.into_iter().filter_map(|question| {
        let (section, key) = key(question);
        let value = match document.get(section)?.get(key)?.as_value()? {
            Value::String(text) if text.value().trim().is_empty() => return None,
            Value::String(text) => text.value().clone(),
            Value::Boolean(switch) => switch.value().to_string(),
            // Another type is a mistake of the file's.
            _ => return None,
        };
        Some((question, value))
    });
    answers.collect()
}

pub(super) fn with(text: &str, answers: &Answers) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    for (question, answer) in answers {
        let (section, key) = key(*question);
        let mut value = match question {
            Question::Kaillera | Question::Emulinker => Value::from(answer == "true"),
            _ => Value::from(answer),
        };
        if !document.contains_key(section) {
            // Comments at the end stay where they are, before the sections that are added.
            let end = document.trailing().as_str().unwrap_or_default().to_owned();
            document.set_trailing("");
            let mut table = Table::new();
            let gap = if document.is_empty() && end.is_empty() {
                ""
            } else {
                "\n"
            };
            table.decor_mut().set_prefix(format!("{end}{gap}"));
            document.insert(section, Item::Table(table));
        }
        let table = document.get_mut(section)?.as_table_like_mut()?;
        match table.get_mut(key) {
            Some(item) => {
                if let Some(before) = item.as_value() {
                    *value.decor_mut() = before.decor().clone();
                }
                *item = Item::Value(value);
            }
            None => {
                table.insert(key, Item::Value(value));
            }
        }
    }
    Some(document.to_string())
}
