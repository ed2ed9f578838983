//! Documents out of files of any format, as lines that the engine reads like a corpus.
//!
//! [`find`](find::find) → [`Gather::run`] → [`Gathered`]. Files are read in child processes by all
//! threads at once; what comes out is kept in a [`store`], so that an unchanged file is read once.

mod corpus;
pub mod find;
pub mod line;
mod single;
mod store;

pub use corpus::{CorpusInputs, corpus};
pub use find::{Found, Inode, Sources, Unread};
pub use lookalike_engine::extraction::Extraction;
pub use lookalike_io::names::name_of;
pub use single::{Reference, read_document};

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use lookalike_core::threads::try_spread;
use lookalike_core::{Error, Result};
use lookalike_extract::site::{Template, TemplateLearner};
use lookalike_extract::worker::{Program, Worker};
use lookalike_extract::{ExtractOutcome, Extracted, Kind, Reason};
use lookalike_plumbing::files::AtomicFile;

use self::store::{Entry, Store};
use lookalike_engine::run::Progress;

/// Ids of documents whose text is weak, and why it is.
pub type Weak = Vec<(String, String)>;

/// How files are read.
pub struct Gather<'a> {
    /// What the recipe says of it.
    pub extraction: &'a Extraction,
    /// The program that reads files when it is started so.
    pub program: &'a Program,
    /// Files that are read at once.
    pub threads: usize,
    /// Where what was read is kept; absent: nowhere beyond this run.
    pub cache: Option<PathBuf>,
}

/// All documents of some files.
pub struct Gathered {
    /// By name, each with what came out of it.
    files: Vec<(Found, Entry)>,
    /// Folders and links that could not be looked into.
    places: Unread,
    store: Store,
    /// What the pages of each site share, and what those of any do.
    templates: HashMap<String, Template>,
    common: Template,
    /// Files that were known already.
    pub from_cache: u64,
    /// The cache could not be used, or not to the end.
    pub cache_lost: bool,
    _temporary: Option<tempfile::TempDir>,
}

impl Gather<'_> {
    /// Reads files, in children, and keeps what is in them.
    pub fn run(&self, found: Vec<Found>, places: Unread, progress: &dyn Progress) -> Result<Gathered> {
        let (store, temporary, trouble) = self.open_store()?;
        let known = |file: &Found| store.entries.get(&file.id).filter(|entry| entry.is_of(file)).cloned();
        let mut entries: Vec<Option<Entry>> = found.iter().map(known).collect();
        let mut to_read: Vec<usize> = (0..found.len()).filter(|&file| entries[file].is_none()).collect();
        let from_cache = (found.len() - to_read.len()) as u64;
        // The largest first, so that no thread is left alone with one at the end.
        to_read.sort_by_key(|&file| std::cmp::Reverse(found[file].bytes));
        progress.stage("reading files", to_read.iter().map(|&file| found[file].bytes + 1).sum());
        for (file, entry) in self.read_all(&found, &to_read, &store, progress)? {
            entries[file] = Some(entry);
        }
        let trouble = trouble.or_else(|| store.failure().map(str::to_owned));
        if let Some(trouble) = &trouble {
            progress.warn(&format!(
                "the cache cannot be written, so the next time files are read again: {trouble}"
            ));
        }
        let files = found.into_iter().zip(entries);
        let files = files.filter_map(|(file, entry)| Some((file, entry?))).collect();
        let (templates, common) = (HashMap::new(), Template::default());
        let cache_lost = trouble.is_some();
        let mut gathered = Gathered {
            files,
            places,
            store,
            templates,
            common,
            from_cache,
            cache_lost,
            _temporary: temporary,
        };
        if self.extraction.options.main && self.extraction.page_structure {
            gathered.learn_templates()?;
        }
        Ok(gathered)
    }

    /// The cache, or a store for this time only; and why the cache cannot be used.
    fn open_store(&self) -> Result<(Store, Option<tempfile::TempDir>, Option<String>)> {
        let trouble = match self.cache.as_deref().map(Store::open) {
            Some(Ok(Some(store))) => return Ok((store, None, None)),
            // Without a cache, or while another scan uses it.
            None | Some(Ok(None)) => None,
            Some(Err(error)) => Some(error.to_string()),
        };
        let temporary = tempfile::tempdir().map_err(Error::io(std::env::temp_dir()))?;
        let store = Store::open(temporary.path())?;
        let store = store.ok_or_else(|| Error::Internal("a new folder is in use".to_owned()))?;
        Ok((store, Some(temporary), trouble))
    }

    fn read_all(
        &self,
        found: &[Found],
        to_read: &[usize],
        store: &Store,
        progress: &dyn Progress,
    ) -> Result<Vec<(usize, Entry)>> {
        let threads = self.threads.min(to_read.len());
        try_spread(
            threads,
            to_read,
            || Worker::new(self.program),
            |worker, &file| {
                let entry = self.read(worker, &found[file], store)?;
                progress.advance(found[file].bytes + 1, entry.documents)?;
                Ok((file, entry))
            },
        )
    }

    fn read(&self, worker: &mut Worker<'_>, file: &Found, store: &Store) -> Result<Entry> {
        let mut recording = store.record(file);
        let mut recorded = Ok(());
        let mut keep = |outcome: ExtractOutcome| {
            if recorded.is_ok() {
                recorded = recording.push(outcome);
            }
        };
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        worker.read(&file.path, &name, &self.extraction.options, &mut keep).map_err(|error| {
            Error::config(format!("cannot start {} to read files: {error}", self.program.path.display()))
        })?;
        recorded?;
        recording.finish()
    }
}

impl Gathered {
    /// Files looked at, readable or not.
    pub fn files(&self) -> u64 {
        (self.files.len() + self.places.len()) as u64
    }

    /// Files that gave a document.
    pub fn read(&self) -> u64 {
        self.files.iter().filter(|(_, entry)| entry.documents > 0).count() as u64
    }

    /// Documents in these files.
    pub fn documents(&self) -> u64 {
        self.files.iter().map(|(_, entry)| entry.documents).sum()
    }

    /// Files that gave more than one document.
    pub fn containers(&self) -> Vec<String> {
        let several =
            self.files.iter().filter(|(_, entry)| entry.documents + entry.unreadable.len() as u64 > 1);
        several.map(|(file, _)| file.id.clone()).collect()
    }

    /// Files that gave nothing, each with the reason; of several reasons the file's own.
    pub fn unreadable(&self) -> Unread {
        let mut all = self.places.clone();
        for (file, entry) in self.files.iter().filter(|(_, entry)| entry.documents == 0) {
            let own = entry.unreadable.iter().find(|(part, _)| part.is_none());
            let reason = own.or(entry.unreadable.first()).map_or(Reason::Empty, |(_, reason)| reason.clone());
            all.push((file.id.clone(), reason));
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// What could not be read of files that gave other documents.
    pub fn partly(&self) -> Unread {
        let read = self.files.iter().filter(|(_, entry)| entry.documents > 0);
        let parts = read.flat_map(|(file, entry)| {
            let named = move |(part, reason): &(Option<String>, Reason)| {
                (line::id_of(&file.id, part.as_deref()), reason.clone())
            };
            entry.unreadable.iter().map(named)
        });
        parts.collect()
    }

    /// Calls `visit` with every document, by file name.
    pub fn for_each(&self, mut visit: impl FnMut(&Found, Extracted) -> Result<()>) -> Result<()> {
        let mut buffer = Vec::new();
        for (file, entry) in &self.files {
            self.store.for_each_line(entry, &mut buffer, |line| visit(file, self.document(file, line)?))?;
        }
        Ok(())
    }

    /// A document without what all pages of its site have.
    fn document(&self, file: &Found, line: &[u8]) -> Result<Extracted> {
        let mut document = parse(line)?;
        if document.kind == Kind::Html {
            // Papers of one publisher are different sites with the same lines.
            self.common.doubt(&mut document);
            if let Some(template) = self.templates.get(&site_of(file, &document)) {
                template.strip(&mut document);
            }
        }
        Ok(document)
    }

    fn learn_templates(&mut self) -> Result<()> {
        let mut learners: HashMap<String, TemplateLearner> = HashMap::new();
        let mut all = TemplateLearner::default();
        let mut buffer = Vec::new();
        for (file, entry) in &self.files {
            self.store.for_each_line(entry, &mut buffer, |line| {
                // Most files are no pages and need not be parsed to tell.
                if memchr::memmem::find(line, b"\"kind\":\"html\"").is_some() {
                    let document = parse(line)?;
                    all.add(&document);
                    learners.entry(site_of(file, &document)).or_default().add(&document);
                }
                Ok(())
            })?;
        }
        let templates = learners.into_iter().map(|(site, learner)| (site, learner.finish()));
        self.templates = templates.filter(|(_, template)| !template.is_empty()).collect();
        self.common = all.finish();
        self.templates.values().for_each(|template| self.common.extend(template));
        Ok(())
    }

    /// Writes the documents as JSON lines that the engine reads, and names the weak ones.
    pub fn write_jsonl(&self, path: &Path, marked: bool) -> Result<Weak> {
        let mut out = AtomicFile::create(path)?;
        let (mut line, mut weak) = (Vec::new(), Weak::new());
        self.for_each(|file, document| {
            line.clear();
            line::write(file, &document, marked, &mut line)?;
            let reason = document.weakness();
            weak.extend(reason.map(|reason| (line::id_of(&file.id, document.part.as_deref()), reason)));
            out.write(&line)
        })?;
        out.finish()?;
        Ok(weak)
    }

    /// The texts of some documents, by id, of each at most so many bytes.
    pub fn texts(&self, ids: &HashSet<String>, most: usize) -> Result<HashMap<String, String>> {
        let mut files: HashSet<&str> = HashSet::new();
        for id in ids {
            // A name may have the sign that parts a file from its part.
            files.extend(id.match_indices('#').map(|(at, _)| &id[..at]));
            files.insert(id);
        }
        let mut texts = HashMap::new();
        let mut buffer = Vec::new();
        for (file, entry) in self.files.iter().filter(|(file, _)| files.contains(file.id.as_str())) {
            self.store.for_each_line(entry, &mut buffer, |line| {
                let mut document = self.document(file, line)?;
                let id = line::id_of(&file.id, document.part.as_deref());
                if ids.contains(&id) {
                    document.text.truncate(document.text.floor_char_boundary(most));
                    texts.insert(id, document.text);
                }
                Ok(())
            })?;
        }
        Ok(texts)
    }
}

/// The host of a page's address, or else its folder.
pub(crate) fn site_of(file: &Found, document: &Extracted) -> String {
    let folder = || file.path.parent().map(lookalike_io::names::name_of).unwrap_or_default();
    lookalike_extract::site::site_of(document).map_or_else(folder, str::to_owned)
}

fn parse(line: &[u8]) -> Result<Extracted> {
    serde_json::from_slice(line).map_err(|error| Error::Internal(format!("a kept document: {error}")))
}
