//! Connections to stores, made by what the environment says.

use std::sync::Arc;
use std::time::Duration;

use lookalike_core::{Error, Result};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};

use super::address::{Address, Kind};
use super::credentials::{check_credentials, with_profile};
use super::runtime::choose_encryption;
use super::variables::Variables;

pub type Store = Arc<dyn ObjectStore>;

/// How often and how long a request is tried: about ten seconds if the store answers at once.
fn retry() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(5),
            base: 2.0,
        },
        max_retries: 8,
        retry_timeout: Duration::from_secs(180),
    }
}

/// A slow line may take minutes for a part; one that brings nothing at all for half a minute is dead.
fn client() -> ClientOptions {
    ClientOptions::new().with_timeout(Duration::from_secs(300)).with_read_timeout(Duration::from_secs(30))
}

/// Sets what the environment says; what a store does not know is for other programs.
macro_rules! configured {
    ($builder:expr, $settings:expr) => {{
        let mut builder = $builder;
        for (name, value) in $settings {
            if let Ok(key) = name.parse() {
                builder = builder.with_config(key, value);
            }
        }
        builder
    }};
}

/// Connects to the store of an address. Nothing is asked of it yet.
pub fn connect(address: &Address, variables: &Variables) -> Result<Store> {
    choose_encryption();
    let wrong = |error: object_store::Error| {
        let told = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        Error::config(format!("{}: the settings in the environment do not fit: {told}", address.store))
    };
    // The libraries look for the endings of hosts in the whole address, so it gets no key.
    let url = format!("{}/", address.store);
    Ok(match address.kind {
        Kind::S3 => {
            let variables = with_profile(variables)?;
            check_credentials(&variables, address)?;
            let settings = variables.settings("AWS_");
            // Who names an endpoint without encryption has decided that.
            let plain = settings
                .iter()
                .any(|(name, value)| name.starts_with("aws_endpoint") && value.starts_with("http://"));
            let builder = AmazonS3Builder::new().with_client_options(client().with_allow_http(plain));
            let builder = configured!(builder, settings).with_url(url).with_retry(retry());
            Arc::new(builder.build().map_err(wrong)?)
        }
        Kind::Google => {
            check_credentials(variables, address)?;
            let builder = GoogleCloudStorageBuilder::new().with_client_options(client());
            let builder =
                configured!(builder, variables.settings("GOOGLE_")).with_url(url).with_retry(retry());
            Arc::new(builder.build().map_err(wrong)?)
        }
        Kind::Azure => {
            check_credentials(variables, address)?;
            let settings = variables.settings("AZURE_");
            let plain = settings
                .iter()
                .any(|(name, value)| name.ends_with("endpoint") && value.starts_with("http://"));
            let builder = MicrosoftAzureBuilder::new().with_client_options(client().with_allow_http(plain));
            let builder = configured!(builder, settings).with_url(url).with_retry(retry());
            Arc::new(builder.build().map_err(wrong)?)
        }
        Kind::Http => {
            let plain = address.store.starts_with("http://");
            let builder = HttpBuilder::new().with_url(&address.store).with_retry(retry());
            let builder = builder.with_client_options(client().with_allow_http(plain));
            Arc::new(builder.build().map_err(wrong)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connected(address: &str, all: &[(&str, &str)]) -> Result<String> {
        let variables = all.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        // No file of the machine that runs the test plays a part.
        let nowhere = [
            ("AWS_SHARED_CREDENTIALS_FILE".to_owned(), "/nowhere".to_owned()),
            ("AWS_CONFIG_FILE".to_owned(), "/nowhere".to_owned()),
        ];
        let variables = Variables::new(nowhere.into_iter().chain(variables).collect());
        connect(&Address::parse(address)?, &variables).map(|store| store.to_string())
    }

    #[test]
    fn every_kind_of_store_takes_what_the_environment_says() {
        let s3 = [("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b"), ("AWS_UNKNOWN", "c")];
        assert_eq!(connected("s3://bucket/key", &s3).unwrap(), "AmazonS3(bucket)");
        let local = [&s3[..], &[("AWS_ENDPOINT_URL", "http://127.0.0.1:9000")]].concat();
        assert_eq!(connected("s3a://bucket/key", &local).unwrap(), "AmazonS3(bucket)");
        let google = [("GOOGLE_SKIP_SIGNATURE", "true")];
        assert_eq!(connected("gs://bucket", &google).unwrap(), "GoogleCloudStorage(bucket)");
        let key = "Zm9vYmFy";
        let azure = [("AZURE_STORAGE_ACCOUNT_NAME", "account"), ("AZURE_STORAGE_ACCOUNT_KEY", key)];
        let made = "MicrosoftAzure { account: account, container: box }";
        assert_eq!(connected("az://box/a", &azure).unwrap(), made);
        assert_eq!(connected("abfs://box/a", &azure).unwrap(), made);
        let named = "abfss://box@account.dfs.core.windows.net/a";
        assert_eq!(connected(named, &azure[1..]).unwrap(), made);
        assert_eq!(connected("https://host/a?b=c", &[]).unwrap(), "HttpStore");
        assert_eq!(connected("http://host/a", &[]).unwrap(), "HttpStore");
    }

    #[test]
    fn settings_that_cannot_be_are_told() {
        let told = connected("az://box/a", &[("AZURE_STORAGE_ACCOUNT_KEY", "Zm9v")]).unwrap_err().to_string();
        assert!(told.starts_with("az://box: the settings in the environment"), "{told}");
        assert!(!told.contains('\n'), "{told}");
    }
}
