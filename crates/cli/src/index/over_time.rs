//! `lookalike index history`, `due` and `mirrors`: documents over time, and what a crawl can leave out.

use anyhow::bail;
use clap::Args;
use jiff::Timestamp;
use lookalike::Session;
use lookalike::index::survey::{Attributes, MirrorQuery, MirroredHost};
use lookalike::index::{DocumentName, QueryOptions, Recrawl, View};

use super::{Folder, Labels, known_id};
use crate::out::{count, print, print_json, similarity, table};

#[derive(Args)]
pub struct HistoryArgs {
    #[command(flatten)]
    place: Folder,
    /// Id of a document
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    labels: Labels,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub struct DueArgs {
    #[command(flatten)]
    place: Folder,
    /// Documents to list
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// What is due by then, as seconds since 1970 [default: now]
    #[arg(long, value_name = "SECONDS")]
    at: Option<u64>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub struct MirrorsArgs {
    #[command(flatten)]
    place: Folder,
    /// Pairs of hosts to list
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Least number of clusters with documents of both hosts [default: 3]
    #[arg(long, value_name = "N")]
    clusters: Option<u64>,
    /// Least share of the documents of each host that is in such clusters, 0 to 1 [default: 0.5]
    #[arg(long, value_name = "X")]
    share: Option<f64>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the versions of a document, the oldest first.
pub fn history(session: &Session, arguments: &HistoryArgs) -> anyhow::Result<()> {
    let index = session.open_index(&arguments.place.folder)?;
    let labels = arguments.labels.list();
    let id = known_id(&index, &arguments.id, labels.as_deref())?;
    let name = DocumentName { id: &id, labels: labels.as_deref() };
    let Some(history) = index.reader().history(name, &View::All)? else {
        bail!("no document has the id {}", arguments.id);
    };
    if arguments.json {
        return print_json(&history);
    }
    let time = |seconds: u64| {
        let known = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
        known.map_or_else(|| seconds.to_string(), |time| time.to_string())
    };
    let mut rows =
        vec![["version", "fingerprint", "bits", "similarity", "what changed"].map(str::to_owned).to_vec()];
    let last = history.versions.len().saturating_sub(1);
    rows.extend(history.versions.iter().enumerate().map(|(place, version)| {
        let dash = || "\u{2013}".to_owned();
        // The first version differs from nothing; of versions from before this was recorded it is not known.
        let unknown = || match (place, version.distance) {
            (0, _) => dash(),
            (_, Some(_)) => "another text".to_owned(),
            (_, None) => "not known".to_owned(),
        };
        let changed = version.difference.map_or_else(unknown, |difference| difference.to_string());
        let back = version.came_back_to.map(|then| format!("; as it was {}", time(then)));
        // The text of the last version is there, so if it has none it has no words.
        let no_print = || if place == last { dash() } else { "not known".to_owned() };
        vec![
            time(version.time),
            version.fingerprint.clone().unwrap_or_else(no_print),
            version.distance.map_or_else(dash, |bits| bits.to_string()),
            version.similarity.map_or_else(dash, similarity),
            changed + &back.unwrap_or_default(),
        ]
    }));
    let unchanged = count(history.unchanged);
    print(&format!("{}it came again unchanged since then: {unchanged}\n", table(&rows)))
}

pub fn due(session: &Session, arguments: &DueArgs) -> anyhow::Result<()> {
    let index = session.open_index(&arguments.place.folder)?;
    let now = arguments.at.unwrap_or(QueryOptions::default().now);
    let queue = index.reader().due(&View::All, now, arguments.limit)?;
    if arguments.json {
        return print_json(&queue);
    }
    let mut rows = vec![["document", "crawl", "index", "overdue, hours"].map(str::to_owned).to_vec()];
    rows.extend(queue.documents.iter().map(|document| {
        let Recrawl { due, crawl_priority, index_priority, .. } = document.recrawl;
        let hours = now.saturating_sub(due) / 3600;
        vec![
            document.id.display().into_owned(),
            format!("{crawl_priority:.2}"),
            format!("{index_priority:.2}"),
            count(hours),
        ]
    }));
    print(&format!("{}{} of {} documents that are due\n", table(&rows), rows.len() - 1, count(queue.due)))
}

/// Prints the hosts that mirror each other.
pub fn mirrors(session: &Session, arguments: &MirrorsArgs) -> anyhow::Result<()> {
    let query = MirrorQuery::new(arguments.clusters, arguments.share, arguments.limit)?;
    let index = session.open_index(&arguments.place.folder)?;
    let mut attributes = Attributes::default();
    index.surveyor().read_attributes(&mut attributes, &|| false)?;
    let survey = index.surveyor().survey(&View::All, &attributes)?;
    let mirrors = index.surveyor().mirrors(&survey, &attributes, &query);
    if arguments.json {
        return print_json(&mirrors);
    }
    let head = ["host", "and host", "saved", "clusters", "same paths", "shares", "for example"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(mirrors.pairs.iter().map(|pair| {
        let example = |one: &MirroredHost| one.example.as_ref().map(|id| id.display().into_owned());
        let examples: Vec<String> = [&pair.a, &pair.b].into_iter().filter_map(example).collect();
        vec![
            pair.a.host.clone(),
            pair.b.host.clone(),
            count(pair.saved),
            count(pair.clusters),
            count(pair.same_paths),
            format!("{:.2} {:.2}", pair.a.share, pair.b.share),
            examples.join(" "),
        ]
    }));
    let listed = rows.len() - 1;
    let mut told = table(&rows);
    for group in &mirrors.groups {
        told += &format!("{} hosts together: {}\n", count(group.size), group.hosts.join(" "));
    }
    told += &format!(
        "{listed} of {} pairs of hosts that mirror each other, of {} hosts\n",
        count(mirrors.found),
        count(mirrors.hosts)
    );
    if mirrors.left_out > 0 {
        let clusters = count(mirrors.left_out);
        told += &format!("clusters left out because they have more than 64 hosts: {clusters}\n");
    }
    print(&told)
}
