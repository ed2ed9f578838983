pub fn page(_t: &str, _c: &str, _e: &super::Evaluated, _p: &[super::Profile]) -> String { String::new() }
