//! The keys that the command line of AWS keeps in files, for who has none in the environment.

use std::path::PathBuf;

use lookalike_core::{Error, Result};

use super::variables::Variables;

/// The keys of a profile as the variables that would hold them; none if there is no such file. Roles and single sign-on are
/// not followed: that takes AWS's own tools.
pub fn variables_of_profile(variables: &Variables) -> Result<Vec<(String, String)>> {
    let asked = variables.get("AWS_PROFILE");
    let profile = asked.unwrap_or("default");
    let file = |variable: &str, usual: &str| match variables.get(variable) {
        Some(path) => Some(PathBuf::from(path)),
        None => variables.get("HOME").map(|home| PathBuf::from(home).join(usual)),
    };
    let text = |path: Option<PathBuf>| path.and_then(|path| std::fs::read_to_string(path).ok());
    let keys = text(file("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials")).unwrap_or_default();
    let settings = text(file("AWS_CONFIG_FILE", ".aws/config")).unwrap_or_default();
    // In the file of settings a profile is written `[profile name]`, except for the default.
    let section = if profile == "default" { profile.to_owned() } else { format!("profile {profile}") };
    let mut found = Vec::new();
    for (name, variable) in [
        ("aws_access_key_id", "AWS_ACCESS_KEY_ID"),
        ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY"),
        ("aws_session_token", "AWS_SESSION_TOKEN"),
        ("region", "AWS_REGION"),
        ("endpoint_url", "AWS_ENDPOINT_URL"),
    ] {
        let value = value(&keys, profile, name).or_else(|| value(&settings, &section, name));
        if let Some(value) = value {
            found.push((variable.to_owned(), value.to_owned()));
        }
    }
    let has_key = found.iter().any(|(variable, _)| variable == "AWS_ACCESS_KEY_ID");
    if let (Some(profile), false) = (asked, has_key) {
        return Err(Error::config(format!(
            "AWS_PROFILE: the profile {profile} has no access key; if it uses a role or single sign-on, put its keys \
             into the environment first: eval \"$(aws configure export-credentials --profile {profile} --format env)\""
        )));
    }
    Ok(found)
}

/// A value of a section of a file of settings.
fn value<'a>(text: &'a str, section: &str, name: &str) -> Option<&'a str> {
    let mut within = false;
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            within = header.trim() == section;
        } else if let (true, Some((key, value))) = (within, line.split_once('='))
            && key.trim() == name
        {
            return Some(value.trim());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_from_its_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        std::fs::write(
            path("credentials"),
            "[default]\naws_access_key_id = A\naws_secret_access_key=B\n\n[other]\naws_access_key_id=C\n\
             aws_secret_access_key = D=\naws_session_token=E\n",
        )
        .unwrap();
        std::fs::write(
            path("config"),
            "[default]\nregion=eu-central-1\n[profile other]\nregion = us-west-2\n",
        )
        .unwrap();
        let of = |profile: Option<&str>| {
            let mut variables = vec![
                ("AWS_SHARED_CREDENTIALS_FILE".to_owned(), path("credentials")),
                ("AWS_CONFIG_FILE".to_owned(), path("config")),
            ];
            variables.extend(profile.map(|profile| ("AWS_PROFILE".to_owned(), profile.to_owned())));
            let found = variables_of_profile(&Variables::new(variables));
            found.map(|found| found.into_iter().map(|(_, value)| value).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(of(None).unwrap(), "A B eu-central-1");
        assert_eq!(of(Some("other")).unwrap(), "C D= E us-west-2");
        assert!(of(Some("none")).unwrap_err().to_string().contains("the profile none has no access key"));
        assert_eq!(variables_of_profile(&Variables::new(Vec::new())).unwrap(), []);
    }
}
