//! `lookalike check`: one document or mail against an index, for mail filters and scripts.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use lookalike::index::QueryOptions;
use lookalike::{CheckedFile, Session};
use serde_json::Value;

use crate::host;
use crate::http;
use crate::out::{print, similarity};

pub const CHECK_HELP: &str = "\
Examples:
  lookalike check --index seen contract.pdf
  lookalike check --server http://127.0.0.1:8080 --mail < message.eml
  :0 Wc                                     # in a procmail recipe: exit 0 means known spam
  | lookalike check --server http://127.0.0.1:8080 --mail

With --mail the exit code is that of razor-check: 0 when the message is known spam, 1 when it is not, 2 after an error
(let the mail through then). Without it: 0 when nothing like the document is known, 1 when something is.
A token for the server is taken from the environment variable LOOKALIKE_TOKEN.";

#[derive(Args)]
pub struct CheckArgs {
    /// A file of any format; `-` reads standard input
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    file: String,
    /// Folder of an index that no other process uses
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, required_unless_present = "server")]
    index: Option<PathBuf>,
    /// Address of a running `lookalike serve`, such as http://127.0.0.1:8080
    #[arg(long, value_name = "URL", conflicts_with = "index")]
    server: Option<String>,
    /// The document is a mail (RFC 822); the exit code tells whether it is known spam
    #[arg(long)]
    mail: bool,
    /// With --mail: the set of prototypes that count as spam; any match if there are no sets
    #[arg(long, value_name = "NAME", default_value = "spam")]
    set: String,
    /// Print the answer as JSON instead of a line
    #[arg(long)]
    json: bool,
}

pub fn run(session: &Session, arguments: &CheckArgs) -> anyhow::Result<u8> {
    let mut content = Vec::new();
    if arguments.file == "-" {
        host::standard_input()?.lock().read_to_end(&mut content).context("standard input")?;
    } else {
        content = std::fs::read(&arguments.file).with_context(|| arguments.file.clone())?;
    }
    let answer = match (&arguments.index, &arguments.server) {
        (Some(folder), _) => ask_index(session, folder, arguments, &content)?,
        (None, Some(server)) => ask_server(server, arguments, &content)?,
        (None, None) => bail!("name an index (--index DIR) or a server (--server URL)"),
    };
    if arguments.json {
        print(&format!("{answer}\n"))?;
    } else {
        print(&format!("{}\n", in_words(&answer)))?;
    }
    let matched = answer["matching"].as_u64().unwrap_or(0) > 0;
    let known = match (&answer["set"]["name"], arguments.mail) {
        (Value::String(set), true) => *set == arguments.set,
        _ => matched,
    };
    Ok(u8::from(known != arguments.mail))
}

fn in_words(answer: &Value) -> String {
    let mut line = answer["verdict"].as_str().unwrap_or("unknown").to_owned();
    if let Some(set) = answer["set"]["name"].as_str() {
        line += &format!(" of {set}");
    }
    for one in answer["matches"].as_array().into_iter().flatten().take(10) {
        let id = one["id"].as_str().map_or_else(|| one["id"].to_string(), str::to_owned);
        line += &format!("\t{id} {}", similarity(one["similarity"].as_f64().unwrap_or(0.0)));
    }
    if let Some(reason) = answer["reason"].as_str() {
        line += &format!("\t{reason}");
    }
    line
}

fn ask_server(server: &str, arguments: &CheckArgs, content: &[u8]) -> anyhow::Result<Value> {
    let (kind, body) = if arguments.mail {
        ("message/rfc822", content.to_vec())
    } else {
        let name = Path::new(&arguments.file).file_name().map(|name| name.to_string_lossy().into_owned());
        let document = serde_json::json!({ "content": http::base64(content), "title": name });
        ("application/json", document.to_string().into_bytes())
    };
    let token = std::env::var("LOOKALIKE_TOKEN").ok();
    let (status, body) = http::post(server, "/api/check?refresh=true", kind, token.as_deref(), &body)?;
    if (300..400).contains(&status) {
        bail!("{server} redirects, which is not followed; give the address to which it leads");
    }
    let answer: Value = serde_json::from_slice(&body).with_context(|| {
        format!(
            "{server} answered with status {status} and no JSON; is a service there, and is the path of its proxy in the address?"
        )
    })?;
    if status != 200 {
        bail!("{server}: {}", answer["error"]["message"].as_str().unwrap_or("an error without a message"));
    }
    Ok(answer)
}

fn is_table(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("csv") || ending.eq_ignore_ascii_case("tsv"))
}

fn ask_index(
    session: &Session,
    folder: &Path,
    arguments: &CheckArgs,
    content: &[u8],
) -> anyhow::Result<Value> {
    let index = session.open_index(folder)?;
    let room = tempfile::tempdir().context("a temporary folder")?;
    let name = match Path::new(&arguments.file).file_name() {
        _ if arguments.mail => "message.eml".to_owned(),
        // A table is one document here, not a corpus of its rows.
        Some(name) if is_table(Path::new(name)) => "table.txt".to_owned(),
        Some(name) if arguments.file != "-" => name.to_string_lossy().into_owned(),
        _ => "document".to_owned(),
    };
    let path = room.path().join(name);
    std::fs::write(&path, content).with_context(|| path.display().to_string())?;
    let ask = QueryOptions { refresh: true, ..QueryOptions::default() };
    let checked = session.check_file(&index, &path, &ask)?;
    index.close()?;
    Ok(match checked {
        CheckedFile::Answered(answer) => serde_json::to_value(answer)?,
        CheckedFile::Unreadable(reason) => {
            serde_json::json!({ "verdict": "unreadable", "reason": reason, "matching": 0, "matches": [] })
        }
    })
}
