//! TLS: the certificate and the key from files, read again when the service is told to.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use lookalike::{Error, Result};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// What proves to callers who the service is.
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<ServerConfig>>,
}

impl Tls {
    /// Reads the certificate, with those of its issuers after it, and its key; both PEM.
    pub fn open(certificate: &Path, key: &Path) -> Result<Tls> {
        let current = RwLock::new(read(certificate, key)?);
        Ok(Tls { certificate: certificate.to_owned(), key: key.to_owned(), current })
    }

    /// Reads both again. If that fails, the ones that were read before go on to be used.
    pub fn reload(&self) -> Result<()> {
        let new = read(&self.certificate, &self.key)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(())
    }

    /// For connections from now on.
    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn read(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>> {
    let wrong = |path: &Path, what: &str| Error::config(format!("{}: {what}", path.display()));
    let text = std::fs::read(certificate).map_err(Error::io(certificate))?;
    let chain = CertificateDer::pem_slice_iter(&text).collect::<std::result::Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| wrong(certificate, &format!("no certificate in PEM ({error})")))?;
    if chain.is_empty() {
        return Err(wrong(certificate, "has no certificate; it must be PEM, the service's own first"));
    }
    let text = std::fs::read(key).map_err(Error::io(key))?;
    let secret = PrivateKeyDer::from_pem_slice(&text)
        .map_err(|error| wrong(key, &format!("has no private key in PEM that is not encrypted ({error})")))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|error| wrong(key, &format!("does not fit {} ({error})", certificate.display())))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
