//! Who is asking: the credentials in the environment.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use lookalike_core::{Error, Result};

use super::address::{Address, Kind};
use super::profile::variables_of_profile;
use super::variables::Variables;

/// With the keys of a profile, if there are none in the environment.
pub fn with_profile(variables: &Variables) -> Result<Variables> {
    if has_credentials(variables, Kind::S3) {
        return Ok(variables.clone());
    }
    let is_new = |(name, _): &(String, String)| {
        let is_region = name == "AWS_REGION" && variables.get("AWS_DEFAULT_REGION").is_some();
        !is_region && variables.get(name).is_none()
    };
    Ok(variables.and(variables_of_profile(variables)?.into_iter().filter(is_new)))
}

/// Whether they say who is asking, or that nobody has to know.
fn has_credentials(variables: &Variables, kind: Kind) -> bool {
    let any = |names: &[&str]| names.iter().any(|name| variables.get(name).is_some());
    match kind {
        Kind::S3 => any(&[
            "AWS_ACCESS_KEY_ID",
            "AWS_SKIP_SIGNATURE",
            "AWS_WEB_IDENTITY_TOKEN_FILE",
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AWS_METADATA_ENDPOINT",
        ]),
        Kind::Google => {
            let usual = ".config/gcloud/application_default_credentials.json";
            any(&[
                "GOOGLE_SERVICE_ACCOUNT",
                "GOOGLE_SERVICE_ACCOUNT_PATH",
                "GOOGLE_SERVICE_ACCOUNT_KEY",
                "GOOGLE_APPLICATION_CREDENTIALS",
                "GOOGLE_SKIP_SIGNATURE",
            ]) || variables.get("HOME").is_some_and(|home| Path::new(home).join(usual).exists())
        }
        Kind::Azure => any(&[
            "AZURE_STORAGE_ACCOUNT_KEY",
            "AZURE_STORAGE_ACCESS_KEY",
            "AZURE_STORAGE_MASTER_KEY",
            "AZURE_STORAGE_SAS_KEY",
            "AZURE_STORAGE_SAS_TOKEN",
            "AZURE_STORAGE_TOKEN",
            "AZURE_STORAGE_CLIENT_ID",
            "AZURE_CLIENT_ID",
            "AZURE_FEDERATED_TOKEN_FILE",
            "AZURE_MSI_ENDPOINT",
            "AZURE_IDENTITY_ENDPOINT",
            "AZURE_SKIP_SIGNATURE",
            "AZURE_USE_AZURE_CLI",
            "AZURE_STORAGE_USE_EMULATOR",
        ]),
        Kind::Http => true,
    }
}

/// Without credentials the libraries ask the machine's own service for some, which only machines in a cloud have; elsewhere
/// they would ask for minutes. So it is an error at once.
pub fn check_credentials(variables: &Variables, address: &Address) -> Result<()> {
    const SERVICE: SocketAddr =
        SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::new(169, 254, 169, 254)), 80);
    let is_asked = address.kind != Kind::S3 || variables.get("AWS_EC2_METADATA_DISABLED") != Some("true");
    let answers = || TcpStream::connect_timeout(&SERVICE, Duration::from_secs(1)).is_ok();
    if has_credentials(variables, address.kind) || (is_asked && answers()) {
        return Ok(());
    }
    Err(Error::config(format!(
        "{}: there are no credentials in the environment; {}",
        address.store,
        advice(address.kind)
    )))
}

/// Which variables to set.
pub fn advice(kind: Kind) -> &'static str {
    match kind {
        Kind::S3 => {
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE, or AWS_SKIP_SIGNATURE=true if the bucket \
             is public"
        }
        Kind::Google => {
            "set GOOGLE_APPLICATION_CREDENTIALS, or GOOGLE_SKIP_SIGNATURE=true if the bucket is public"
        }
        Kind::Azure => {
            "set AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN, or \
             AZURE_SKIP_SIGNATURE=true if the container is public"
        }
        Kind::Http => "use an address that needs no login, or a signed one",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(all: &[(&str, &str)]) -> Variables {
        Variables::new(all.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    #[test]
    fn credentials_are_recognised() {
        let other = variables(&[("AWS_REGION", "x"), ("AZURE_STORAGE_ACCOUNT_NAME", "x")]);
        for (kind, name) in [
            (Kind::S3, "AWS_ACCESS_KEY_ID"),
            (Kind::S3, "AWS_SKIP_SIGNATURE"),
            (Kind::Google, "GOOGLE_APPLICATION_CREDENTIALS"),
            (Kind::Azure, "AZURE_STORAGE_SAS_TOKEN"),
        ] {
            assert!(has_credentials(&variables(&[(name, "x")]), kind), "{name}");
            assert!(!has_credentials(&variables(&[(name, "")]), kind), "{name} is empty");
            assert!(!has_credentials(&other, kind));
        }
    }

    #[test]
    fn without_credentials_it_is_told_what_to_set() {
        let address = Address::parse("s3://bucket/key").unwrap();
        let nobody = variables(&[("AWS_EC2_METADATA_DISABLED", "true")]);
        let told = check_credentials(&nobody, &address).unwrap_err().to_string();
        assert!(
            told.starts_with("s3://bucket: there are no credentials") && told.contains("AWS_PROFILE"),
            "{told}"
        );
        check_credentials(&variables(&[("AWS_ACCESS_KEY_ID", "a")]), &address).unwrap();
    }

    #[test]
    fn the_environment_goes_before_a_profile() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("credentials");
        std::fs::write(&file, "[default]\naws_access_key_id=file\naws_secret_access_key=s\nregion=there\n")
            .unwrap();
        let file = file.to_string_lossy().into_owned();
        let of = |more: &[(&str, &str)]| {
            let all = [&[("AWS_SHARED_CREDENTIALS_FILE", &file[..])], more].concat();
            let found = with_profile(&variables(&all)).unwrap();
            [found.get("AWS_ACCESS_KEY_ID").map(str::to_owned), found.get("AWS_REGION").map(str::to_owned)]
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(of(&[]), [some("file"), some("there")]);
        assert_eq!(of(&[("AWS_ACCESS_KEY_ID", "own")]), [some("own"), None]);
        assert_eq!(of(&[("AWS_DEFAULT_REGION", "here")]), [some("file"), None]);
        assert_eq!(of(&[("AWS_SKIP_SIGNATURE", "true")]), [None, None]);
    }
}
