//! The tokens of RTF: groups, control words, characters, binary data.

#[derive(Debug, PartialEq)]
pub enum Token<'a> {
    Open,
    Close,
    /// A control word and the number that follows it.
    Word(&'a str, Option<i32>),
    /// A backslash followed by a character that is no letter.
    Symbol(u8),
    /// A character given by its code.
    Hex(u8),
    /// Bytes as they are, without line ends, which have no meaning.
    Text(&'a [u8]),
    Binary(&'a [u8]),
}

pub struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Tokens { rest: bytes }
    }

    fn word(&mut self) -> Token<'a> {
        let letters = self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, rest) = self.rest.split_at(letters);
        self.rest = rest;
        let negative = self.take_if(|byte| byte == b'-');
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at(digits);
        self.rest = rest;
        let value = |digits: &[u8]| {
            let add =
                |value: i64, digit: &u8| (10 * value + i64::from(digit - b'0')).min(i64::from(i32::MAX));
            let value = digits.iter().fold(0, add) as i32;
            if negative { -value } else { value }
        };
        let number = (!digits.is_empty()).then(|| value(digits));
        self.take_if(|byte| byte == b' ');
        if word == b"bin" {
            let length = usize::try_from(number.unwrap_or(0)).unwrap_or(0);
            // If the length exceeds the file, what follows is read as if it were text.
            let (data, rest) = self.rest.split_at_checked(length).unwrap_or((&[], self.rest));
            self.rest = rest;
            return Token::Binary(data);
        }
        Token::Word(std::str::from_utf8(word).unwrap_or_default(), number)
    }

    fn take_if(&mut self, test: impl Fn(u8) -> bool) -> bool {
        match self.rest {
            [first, rest @ ..] if test(*first) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn escape(&mut self) -> Option<Token<'a>> {
        match self.rest {
            [letter, ..] if letter.is_ascii_alphabetic() => Some(self.word()),
            [b'\'', rest @ ..] => {
                let digit = |at: usize| rest.get(at).and_then(|&byte| char::from(byte).to_digit(16));
                match (digit(0), digit(1)) {
                    (Some(high), Some(low)) => {
                        self.rest = &rest[2..];
                        Some(Token::Hex((16 * high + low) as u8))
                    }
                    // An invalid code is left out.
                    _ => {
                        self.rest = rest;
                        Some(Token::Text(&[]))
                    }
                }
            }
            [symbol, rest @ ..] => {
                self.rest = rest;
                Some(Token::Symbol(*symbol))
            }
            [] => None,
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        while self.take_if(|byte| matches!(byte, b'\r' | b'\n' | 0)) {}
        let (&first, rest) = self.rest.split_first()?;
        match first {
            b'{' => {
                self.rest = rest;
                Some(Token::Open)
            }
            b'}' => {
                self.rest = rest;
                Some(Token::Close)
            }
            b'\\' => {
                self.rest = rest;
                self.escape()
            }
            _ => {
                let is_sign = |byte: &u8| matches!(byte, b'{' | b'}' | b'\\' | b'\r' | b'\n' | 0);
                let end = self.rest.iter().position(is_sign).unwrap_or(self.rest.len());
                let (text, rest) = self.rest.split_at(end);
                self.rest = rest;
                Some(Token::Text(text))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_all_kinds() {
        let rtf = b"{\\rtf1 a\r\nb\\u-10179 ?\\'e4\\*\\bin3 }{\\x\\bin99999999999 c\\'zz\\";
        let found: Vec<Token<'_>> = Tokens::new(rtf).collect();
        let word = |word, number| Token::Word(word, number);
        let expected = [
            Token::Open,
            word("rtf", Some(1)),
            Token::Text(b"a"),
            Token::Text(b"b"),
            word("u", Some(-10179)),
            Token::Text(b"?"),
            Token::Hex(0xe4),
            Token::Symbol(b'*'),
            Token::Binary(b"}{\\"),
            Token::Text(b"x"),
            Token::Binary(b""),
            Token::Text(b"c"),
            Token::Text(b""),
            Token::Text(b"zz"),
        ];
        assert_eq!(found, expected);
    }
}
