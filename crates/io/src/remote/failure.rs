//! What goes wrong with stores, in one sentence each.

use std::error::Error as _;
use std::fmt;

use lookalike_core::Error;

use super::address::Address;
use super::credentials::advice;

/// Why an object cannot be read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub what: What,
    sentence: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// There is no such object.
    NoObject,
    /// The object is another one than before.
    Changed,
    /// A web server that does not send parts of a file, or does not tell its length.
    OnlyWhole,
    /// Anything else: no rights, no answer, a bucket that does not exist.
    Other,
}

/// Where clouds give machines credentials of their own.
const MACHINE: &str = "169.254.169.254";

/// How much of what a server says is repeated.
const QUOTED: usize = 300;

impl Failure {
    pub fn new(what: What, sentence: impl Into<String>) -> Failure {
        Failure { what, sentence: sentence.into() }
    }

    pub fn changed() -> Failure {
        Failure::new(What::Changed, "changed while it was being read; run again when it is complete")
    }

    /// What a store answered about something at an address.
    pub fn of(error: &object_store::Error, address: &Address) -> Failure {
        use object_store::Error as Told;
        let text = chain(error);
        let code = code_of(&text);
        let status = match error {
            Told::PermissionDenied { .. } => "403",
            Told::Unauthenticated { .. } => "401",
            _ => "refused",
        };
        let denied = || {
            let said = code.map_or(status.to_owned(), |code| format!("{status}, {code}"));
            Failure::new(
                What::Other,
                format!(
                    "access is denied ({said}): the credentials in the environment are missing, wrong or expired, or \
                     have no right to this; {}",
                    advice(address.kind)
                ),
            )
        };
        match (error, code) {
            (_, Some("NoSuchBucket" | "ContainerNotFound")) => {
                Failure::new(What::Other, format!("there is no bucket {}", address.store))
            }
            // S3 answers some of these with 400.
            (
                _,
                Some(
                    "ExpiredToken"
                    | "InvalidToken"
                    | "InvalidAccessKeyId"
                    | "SignatureDoesNotMatch"
                    | "AccessDenied"
                    | "TokenRefreshRequired"
                    | "AuthenticationFailed"
                    | "ExpiredTokenException",
                ),
            ) => denied(),
            (Told::NotFound { .. }, _) => Failure::new(What::NoObject, "there is no such object"),
            (Told::PermissionDenied { .. } | Told::Unauthenticated { .. }, _) => denied(),
            (Told::Precondition { .. }, _) => Failure::changed(),
            _ if text.contains("Range request not supported")
                || text.contains("non-partial response")
                || text.contains("Content-Range header")
                || text.contains("CONTENT_RANGE header")
                || text.contains("416 Range Not Satisfiable")
                || text.contains("Content-Length Header missing") =>
            {
                Failure::new(What::OnlyWhole, "the server does not send parts of this file")
            }
            _ if text.contains("Received redirect without LOCATION") => Failure::new(
                What::Other,
                "the bucket is in another region than the one that was asked; set AWS_REGION to that of the bucket",
            ),
            _ if text.contains(MACHINE) => Failure::new(
                What::Other,
                format!(
                    "there are no credentials in the environment, and this machine has none to give; {}",
                    advice(address.kind)
                ),
            ),
            _ => {
                Failure::new(What::Other, format!("the store does not answer as it should: {}", short(&text)))
            }
        }
    }

    /// The error that a run ends with.
    pub fn error(&self, name: &str) -> Error {
        match self.what {
            What::Changed => Error::Incompatible(format!("{name} {}", self.sentence)),
            _ => Error::Io { path: name.into(), source: std::io::Error::other(self.sentence.clone()) },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.sentence)
    }
}

impl std::error::Error for Failure {}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::new(What::Other, error.to_string())
    }
}

/// An error says little; what caused it says more, and may repeat it.
fn chain(error: &object_store::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let told = inner.to_string();
        if !text.contains(&told) {
            text = format!("{text}: {told}");
        }
        cause = inner.source();
    }
    text
}

/// The code in the XML of an error.
fn code_of(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<Code>")?;
    rest.split_once("</Code>").map(|(code, _)| code)
}

/// One line of bounded length.
fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Failure {
        let source = text.to_owned().into();
        let address = Address::parse("s3://bucket/key").unwrap();
        Failure::of(&object_store::Error::Generic { store: "S3", source }, &address)
    }

    #[test]
    fn answers_become_sentences() {
        for (answer, sentence) in [
            ("404 <Error><Code>NoSuchBucket</Code></Error>", "there is no bucket s3://bucket"),
            ("400 <Error>\n<Code>ExpiredToken</Code></Error>", "access is denied (refused, ExpiredToken)"),
            ("Received redirect without LOCATION", "set AWS_REGION"),
            ("PUT http://169.254.169.254/latest/api/token: 403 Forbidden", "this machine has none to give; "),
            ("something\n  else", "as it should: Generic S3 error: something else"),
        ] {
            let failure = told(answer).to_string();
            assert!(failure.contains(sentence) && !failure.contains('\n'), "{failure}");
        }
        assert!(told(&"x".repeat(10_000)).to_string().len() < 500);
        assert_eq!(told("Received non-partial response when range requested").what, What::OnlyWhole);
    }
}
