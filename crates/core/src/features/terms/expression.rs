//! A formula of a word's place `x` and the document's length `L`, such as `cos(2*pi*x/L) + 1`.
//!
//! Knows numbers, `x`, `L`, `pi`, `e`, `+ - * / ^`, parentheses, and the functions `ln log10 exp sqrt sin
//! cos abs min max`. `^` binds strongest and to the right, so `-x^2` is `-(x^2)`.
//!
//! The text is compiled once to a flat list of operations on a small stack. Length and nesting are
//! bounded, so neither compiling nor computing can run out of memory, whatever a recipe says. A value
//! that is negative or not finite counts as 0: weights are neither. One above 10⁹ counts as 10⁹.

use crate::maths;

/// A compiled formula.
#[derive(Clone, Debug)]
pub struct Expression {
    operations: Vec<Operation>,
}

/// The largest factor; sums of such weights are still exact enough.
const LARGEST: f64 = 1e9;
const MAX_LENGTH: usize = 256;
const MAX_NESTING: usize = 32;
const STACK: usize = 16;

#[derive(Clone, Copy, Debug)]
enum Operation {
    Number(f64),
    Place,
    Length,
    Negate,
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
}

impl Expression {
    /// Compiles a formula, or says what is wrong and at which character.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err(format!("a formula has at most {MAX_LENGTH} characters, not {}", text.len()));
        }
        let mut parser = Parser { text, at: 0, nesting: 0, operations: Vec::new() };
        parser.sum()?;
        if let Some(extra) = parser.peek() {
            return Err(parser.wrong(&format!("`{extra}` is not expected here")));
        }
        let expression = Expression { operations: parser.operations };
        if expression.stack_needed() > STACK {
            return Err("the formula is nested too deeply".to_owned());
        }
        Ok(expression)
    }

    /// The value for place `x` of a document of length `length`; at least 0 and finite.
    pub fn value(&self, x: f64, length: f64) -> f64 {
        let mut stack = [0.0; STACK];
        // How many values are on the stack; parsing has made sure that they fit.
        let mut depth = 0;
        for &operation in &self.operations {
            let (taken, result) = match operation {
                Operation::Number(number) => (0, number),
                Operation::Place => (0, x),
                Operation::Length => (0, length),
                Operation::Negate => (1, -stack[depth - 1]),
                Operation::One(function) => (1, function(stack[depth - 1])),
                Operation::Two(function) => (2, function(stack[depth - 2], stack[depth - 1])),
            };
            depth = depth + 1 - taken;
            stack[depth - 1] = result;
        }
        let value = stack[0];
        // NaN and infinities are no weights; a value above this limit outweighs everything else
        // anyway.
        if value.is_finite() && value > 0.0 { value.min(LARGEST) } else { 0.0 }
    }

    fn stack_needed(&self) -> usize {
        let (mut depth, mut most) = (0usize, 0);
        for operation in &self.operations {
            match operation {
                Operation::Number(_) | Operation::Place | Operation::Length => depth += 1,
                Operation::Negate | Operation::One(_) => {}
                Operation::Two(_) => depth -= 1,
            }
            most = most.max(depth);
        }
        most
    }
}

/// Recursive descent; every recursion passes through [`Parser::nest`].
struct Parser<'t> {
    text: &'t str,
    at: usize,
    nesting: usize,
    operations: Vec<Operation>,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<(), String> {
        self.product()?;
        loop {
            let operation: fn(f64, f64) -> f64 = match self.peek() {
                Some('+') => |a, b| a + b,
                Some('-') => |a, b| a - b,
                _ => return Ok(()),
            };
            self.at += 1;
            self.product()?;
            self.operations.push(Operation::Two(operation));
        }
    }

    fn product(&mut self) -> Result<(), String> {
        self.signed()?;
        loop {
            let operation: fn(f64, f64) -> f64 = match self.peek() {
                Some('*') => |a, b| a * b,
                Some('/') => |a, b| a / b,
                _ => return Ok(()),
            };
            self.at += 1;
            self.signed()?;
            self.operations.push(Operation::Two(operation));
        }
    }

    fn signed(&mut self) -> Result<(), String> {
        if self.accept('-') {
            self.nest(Self::signed)?;
            self.operations.push(Operation::Negate);
            return Ok(());
        }
        self.atom()?;
        if self.accept('^') {
            self.nest(Self::signed)?;
            self.operations.push(Operation::Two(maths::power));
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), String> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.nest(Self::sum)?;
                self.expect(')')
            }
            Some('0'..='9' | '.') => self.number(),
            Some('a'..='z' | 'A'..='Z') => self.name(),
            Some(other) => Err(self.wrong(&format!("`{other}` is not expected here"))),
            None => Err(self.wrong("the formula ends too early")),
        }
    }

    fn number(&mut self) -> Result<(), String> {
        let digits = self.take(|c| c.is_ascii_digit() || c == '.');
        let number = digits.parse().map_err(|_| self.wrong(&format!("`{digits}` is no number")))?;
        self.operations.push(Operation::Number(number));
        Ok(())
    }

    fn name(&mut self) -> Result<(), String> {
        let start = self.at;
        let name = self.take(|c| c.is_ascii_alphanumeric());
        let simple = match name.as_str() {
            "x" => Some(Operation::Place),
            "L" => Some(Operation::Length),
            "pi" => Some(Operation::Number(std::f64::consts::PI)),
            "e" => Some(Operation::Number(std::f64::consts::E)),
            _ => None,
        };
        if let Some(operation) = simple {
            self.operations.push(operation);
            return Ok(());
        }
        let operation = match name.as_str() {
            "ln" => Operation::One(maths::ln),
            "log10" => Operation::One(|x| maths::ln(x) / std::f64::consts::LN_10),
            "exp" => Operation::One(maths::exp),
            "sqrt" => Operation::One(f64::sqrt),
            "sin" => Operation::One(maths::sin),
            "cos" => Operation::One(maths::cos),
            "abs" => Operation::One(f64::abs),
            "min" => Operation::Two(|a, b| if a < b { a } else { b }),
            "max" => Operation::Two(|a, b| if a > b { a } else { b }),
            _ => {
                self.at = start;
                let known = "x, L, pi, e, ln, log10, exp, sqrt, sin, cos, abs, min, max";
                return Err(self.wrong(&format!("unknown name `{name}`; known: {known}")));
            }
        };
        self.expect('(')?;
        self.nest(Self::sum)?;
        if let Operation::Two(_) = operation {
            self.expect(',')?;
            self.nest(Self::sum)?;
        }
        self.expect(')')?;
        self.operations.push(operation);
        Ok(())
    }

    fn nest(&mut self, inner: fn(&mut Self) -> Result<(), String>) -> Result<(), String> {
        if self.nesting == MAX_NESTING {
            return Err(self.wrong(&format!("nested more than {MAX_NESTING} deep")));
        }
        self.nesting += 1;
        inner(self)?;
        self.nesting -= 1;
        Ok(())
    }

    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.text.get(self.at..)?;
        let next = rest.trim_start();
        self.at += rest.len() - next.len();
        next.chars().next()
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.accept(wanted) { Ok(()) } else { Err(self.wrong(&format!("`{wanted}` is missing here"))) }
    }

    fn take(&mut self, belongs: fn(char) -> bool) -> String {
        let taken: String =
            self.text.get(self.at..).unwrap_or_default().chars().take_while(|&c| belongs(c)).collect();
        self.at += taken.len();
        taken
    }

    fn wrong(&self, what: &str) -> String {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        format!("{what} (character {} of `{}`)", before.chars().count() + 1, self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(text: &str, x: f64, length: f64) -> f64 {
        Expression::parse(text).unwrap().value(x, length)
    }

    #[test]
    fn computes_what_it_says() {
        for (text, expected) in [
            ("1 + 2*3", 7.0),
            ("(1+2)*3", 9.0),
            ("2^3^2", 512.0),
            ("10 - 2 - 3", 5.0),
            ("16/4/2", 2.0),
            ("5 + -x^2", 1.0),
            ("2^-1", 0.5),
            ("--3", 3.0),
            ("x*L", 20.0),
            (".5 + 1.25", 1.75),
            ("min(x, L) + max(x,L)", 12.0),
            ("abs(-4) + sqrt(9)", 7.0),
            ("x", 2.0),
        ] {
            assert_eq!(value(text, 2.0, 10.0), expected, "{text}");
        }
        for (text, expected) in
            [("ln(e)", 1.0), ("log10(1000)", 3.0), ("exp(ln(7))", 7.0), ("sin(pi/2)", 1.0)]
        {
            assert!((value(text, 1.0, 1.0) - expected).abs() < 1e-12, "{text}");
        }
        assert!((value("cos(2*pi*x/L)+1", 25.0, 100.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_no_weight_can_be_counts_as_nothing() {
        for text in ["-1", "1/0", "0/0", "ln(0)", "sqrt(-1)", "exp(999)", "(0-2)^0.5", "cos(10^99)"] {
            assert_eq!(value(text, 1.0, 1.0), 0.0, "{text}");
        }
    }

    #[test]
    fn errors_name_the_place() {
        for (text, what, place) in [
            ("", "ends too early", "character 1 "),
            ("1 +", "ends too early", "character 4 "),
            ("2 x", "`x` is not expected", "character 3 "),
            ("(1", "`)` is missing", "character 3 "),
            ("tan(x)", "unknown name `tan`", "character 1 "),
            ("max(1)", "`,` is missing", "character 6 "),
            ("ln x", "`(` is missing", "character 4 "),
            ("1.2.3", "no number", "character 6 "),
            ("x + é", "`é` is not expected", "character 5 "),
        ] {
            let error = Expression::parse(text).unwrap_err();
            assert!(error.contains(what) && error.contains(place), "{text}: {error}");
        }
    }

    #[test]
    fn hostile_formulas_are_refused() {
        for text in ["(".repeat(200), "-".repeat(200), "2^".repeat(120) + "2", "1+".repeat(500) + "1"] {
            assert!(Expression::parse(&text).is_err(), "{text}");
        }
        let deep = "1+2*(".repeat(8) + "1+2" + &")".repeat(8);
        assert!(Expression::parse(&deep).unwrap_err().contains("too deeply"));
        assert_eq!(value(&("1+".repeat(100) + "1"), 1.0, 1.0), 101.0, "long but flat");
    }

    proptest! {
        #[test]
        fn no_text_panics_and_no_value_is_unfit(
            text in "([xLe0-9.+*/^(), -]|pi|ln|exp|sqrt|cos|min|max|é){0,40}", x in any::<f64>(), length in any::<f64>()
        ) {
            if let Ok(expression) = Expression::parse(&text) {
                let value = expression.value(x, length);
                prop_assert!(value.is_finite() && value >= 0.0, "{} gives {}", text, value);
            }
        }
    }
}
