//! Words that an operator does not want to see in names and lines.

/// The words, in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordFilter(Box<[String]>);

impl WordFilter {
    /// A filter for these words, in any case; blank ones are left out.
    pub fn new<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Self {
        let words = words.into_iter();
        let words = words.map(|word| word.as_ref().trim().to_lowercase());
        Self(words.filter(|word| !word.is_empty()).collect())
    }

    /// The words.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// Whether one of them is in `text`: as a whole word, or anywhere if it is written in a script
    /// that may do without blanks, or has more than letters and digits in it.
    pub fn catches(&self, text: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let text = text.to_lowercase();
        self.0.iter().any(|word| match is_plain(word) {
            true => text
                .split(|c: char| !c.is_alphanumeric())
                .any(|it| it == word),
            false => text.contains(word.as_str()),
        })
    }
}

/// Whether blanks and signs end such a word.
fn is_plain(word: &str) -> bool {
    let is_of_spaced_script = |c: char| c.is_alphanumeric() && c < '\u{1100}';
    word.chars().all(is_of_spaced_script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_in_any_case() {
        let filter = WordFilter::new(["Darn", " ", "тьфу"]);
        for (text, caught) in [
            ("darn", true),
            ("oh DARN!", true),
            ("a_darn_b", true),
            ("darning", false),
            ("Тьфу на вас", true),
            ("", false),
        ] {
            assert_eq!(filter.catches(text), caught, "{text}");
        }
        assert_eq!(filter.words().len(), 2);
    }

    #[test]
    fn scripts_without_blanks_anywhere() {
        let filter = WordFilter::new(["馬鹿", "b.a.d"]);
        assert!(filter.catches("この馬鹿野郎"));
        assert!(filter.catches("so b.a.d!"));
        assert!(!filter.catches("馬と鹿"));
    }

    #[test]
    fn without_words_nothing_is_caught() {
        assert!(!WordFilter::default().catches("anything"));
    }
}
