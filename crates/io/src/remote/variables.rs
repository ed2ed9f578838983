//! The variables of the environment, as values.

/// Names and values.
#[derive(Clone, Debug)]
pub struct Variables(Vec<(String, String)>);

impl Variables {
    pub fn new(variables: Vec<(String, String)>) -> Variables {
        Variables(variables)
    }

    pub fn of_process() -> Variables {
        let readable = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Variables::new(std::env::vars_os().filter_map(readable).collect())
    }

    /// A value; an empty one is none.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, value)| known == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// These and others.
    pub fn and(&self, more: impl Iterator<Item = (String, String)>) -> Variables {
        Variables(self.0.iter().cloned().chain(more).collect())
    }

    /// Those that begin with a prefix, in small letters, as the stores' libraries know them.
    pub fn settings(&self, prefix: &str) -> Vec<(String, String)> {
        let of_store = self.0.iter().filter(|(name, value)| name.starts_with(prefix) && !value.is_empty());
        of_store.map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect()
    }
}
