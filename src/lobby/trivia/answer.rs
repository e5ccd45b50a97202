//! When a line is the answer, and what hints show of it.

/// Words that stand for digits and the other way round.
const NUMBERS: [(&str, &str); 21] = [
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("first", "1st"),
    ("second", "2nd"),
    ("third", "3rd"),
    ("fourth", "4th"),
    ("fifth", "5th"),
    ("sixth", "6th"),
    ("seventh", "7th"),
    ("eighth", "8th"),
    ("ninth", "9th"),
    ("tenth", "10th"),
];

/// Whether `line` is `answer`, whatever its case and blanks and whether numbers up to ten are
/// written as words or digits.
pub(super) fn is_right(line: &str, answer: &str) -> bool {
    words(line).eq(words(answer))
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(|word| {
        let word = word.to_lowercase();
        let digits = NUMBERS.iter().find(|(name, _)| *name == word);
        digits.map_or(word, |(_, digits)| (*digits).to_owned())
    })
}

/// The answer with a line for every `every`th letter, and room between words.
///
/// Something is always hidden: an answer shorter than that has no letter shown.
pub(super) fn hint(answer: &str, every: usize) -> String {
    let letters = answer.chars().filter(|it| it.is_alphanumeric()).count();
    let mut hint = String::new();
    let mut place = 0;
    for word in answer.split_whitespace() {
        if !hint.is_empty() {
            hint.push_str("   ");
        }
        for letter in word.chars() {
            let mut shown = letter;
            if letter.is_alphanumeric() {
                place += 1;
                if letters < every || place % every == 0 {
                    shown = '_';
                }
            }
            hint.push(shown);
        }
    }
    hint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared_as_people_mean_them() {
        for (line, answer, expected) in [
            ("mario", "Mario", true),
            ("  SUPER   mario ", "Super Mario", true),
            ("supermario", "Super Mario", false),
            ("Mario!", "Mario", false),
            ("three", "3", true),
            ("3", "Three", true),
            ("10", "ten", true),
            ("eleven", "11", false),
            ("street fighter two", "Street Fighter 2", true),
            ("2nd", "Second", true),
            ("second", "2", false),
            ("THE FIRST", "the 1st", true),
            ("ÉTÉ", "été", true),
            ("", "Mario", false),
        ] {
            assert_eq!(is_right(line, answer), expected, "{line} {answer}");
        }
    }

    #[test]
    fn numbers_up_to_ten_are_words_or_digits() {
        for (number, (word, digits)) in NUMBERS.iter().enumerate() {
            assert!(is_right(word, digits) && is_right(digits, word), "{word}");
            assert!(is_right(&word.to_uppercase(), digits), "{word}");
            let (_, other) = NUMBERS[(number + 1) % NUMBERS.len()];
            assert!(!is_right(word, other), "{word} {other}");
        }
    }

    #[test]
    fn hints_hide_letters() {
        for (answer, first, second) in [
            ("Mario", "M_r_o", "Mar_o"),
            ("Super Mario", "S_p_r   _a_i_", "Sup_r   Ma_io"),
            ("7", "_", "_"),
            ("No", "N_", "__"),
            ("R-Type", "R-_y_e", "R-Ty_e"),
            ("été 3", "é_é   _", "été   _"),
        ] {
            assert_eq!((&*hint(answer, 2), &*hint(answer, 4)), (first, second));
        }
    }
}
