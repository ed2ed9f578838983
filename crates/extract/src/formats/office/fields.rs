//! Word's fields: hidden instructions, followed by the result that is shown; they may be nested.

#[derive(Default)]
pub struct Fields {
    open: Vec<Field>,
    /// How many open fields are still in their instruction.
    instructions: usize,
}

#[derive(Default)]
struct Field {
    instruction: String,
    at_result: bool,
    is_link: bool,
}

impl Fields {
    pub fn begin(&mut self, instruction: &str) {
        self.open.push(Field { instruction: instruction.to_owned(), ..Field::default() });
        self.instructions += 1;
    }

    /// Takes text that is not shown: a piece of the instruction, if one is open.
    pub fn text(&mut self, text: &str) {
        if let Some(field) = self.open.last_mut().filter(|field| !field.at_result) {
            field.instruction.push_str(text);
        }
    }

    /// Begins the result. If the field is a link out of the document, returns its target.
    pub fn result(&mut self) -> Option<Option<String>> {
        let field = self.open.last_mut().filter(|field| !field.at_result)?;
        field.at_result = true;
        self.instructions = self.instructions.saturating_sub(1);
        let link = field.instruction.trim().strip_prefix("HYPERLINK")?.trim_start();
        field.is_link = true;
        Some(match link.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().map(str::to_owned),
            None => link.split_whitespace().next().filter(|word| !word.starts_with('\\')).map(str::to_owned),
        })
    }

    /// The field ends; returns whether it was a link.
    pub fn end(&mut self) -> bool {
        let Some(field) = self.open.pop() else { return false };
        if !field.at_result {
            self.instructions = self.instructions.saturating_sub(1);
        }
        field.is_link
    }

    /// Whether text is shown here.
    pub fn is_result(&self) -> bool {
        self.instructions == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_all_forms() {
        for (instruction, expected) in [
            (" HYPERLINK \"http://a.test/x y\" \\o \"tip\" ", Some(Some("http://a.test/x y"))),
            ("HYPERLINK http://a.test \\t _blank", Some(Some("http://a.test"))),
            ("HYPERLINK \\l \"within\"", Some(None)),
            ("PAGE", None),
        ] {
            let mut fields = Fields::default();
            fields.begin("");
            fields.text(instruction);
            assert!(!fields.is_result());
            assert_eq!(fields.result(), expected.map(|target| target.map(str::to_owned)), "{instruction}");
            assert!(fields.is_result());
            assert_eq!(fields.end(), expected.is_some());
        }
    }

    #[test]
    fn a_field_in_an_instruction_is_not_shown() {
        let mut fields = Fields::default();
        fields.begin("IF");
        fields.begin("PAGE");
        fields.result();
        assert!(!fields.is_result());
        fields.end();
        fields.result();
        assert!(fields.is_result());
        assert!(!fields.end() && !fields.end() && fields.is_result());
    }
}
