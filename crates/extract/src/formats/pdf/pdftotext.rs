//! Poppler's `pdftotext`, for those who want what it says rather than what we say.

use std::io::{ErrorKind, Read, Write};
use std::process::{Command, Stdio};

use crate::options::Limits;
use crate::reason::Reason;

/// The text of the file as the program gives it, in UTF-8.
pub fn run(bytes: &[u8], limits: &Limits) -> Result<String, Reason> {
    let mut child = Command::new("pdftotext")
        .args(["-q", "-enc", "UTF-8", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                Reason::Io("the program pdftotext, which was asked to read it, is not installed".to_owned())
            }
            _ => Reason::Io(format!("the program pdftotext cannot be started: {error}")),
        })?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Reason::Io("the program pdftotext has no input or output".to_owned()));
    };
    // Both pipes are used at once, since either side may fill one before it looks at the other.
    let mut text = Vec::new();
    let most = limits.output_bytes;
    let read = std::thread::scope(|scope| {
        // A program that stops reading has seen enough; what it then says decides.
        scope.spawn(move || input.write_all(bytes).ok());
        let read = output.take(most.saturating_add(1)).read_to_end(&mut text);
        // One that says more than is wanted would wait for us, and we for it.
        if text.len() as u64 > most {
            child.kill().ok();
        }
        read
    });
    let status = child.wait();
    read.map_err(|error| Reason::Io(error.to_string()))?;
    if text.len() as u64 > most {
        return Err(Reason::Limit(format!("more than {} MB of text or unpacked data", most >> 20)));
    }
    let status = status.map_err(|error| Reason::Io(error.to_string()))?;
    if !status.success() && text.is_empty() {
        return Err(match status.code() {
            // 3 is its word for permissions and passwords.
            Some(3) => Reason::Encrypted,
            _ => Reason::damaged("pdftotext cannot read it"),
        });
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}
