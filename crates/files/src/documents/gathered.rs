//! All documents of some files, to be visited in order and read again one by one.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::{Error, Result};
use lookalike_extract::site::{Template, TemplateLearner};
use lookalike_extract::{Extracted, Kind, Reason};
use lookalike_plumbing::files::AtomicFile;

use super::WeakTexts;
use super::find::{Found, Unread};
use super::held::HeldDocuments;
use super::in_links::InLinks;
use super::line::{self, FileDocument};
use super::store::{Entry, LinePlace, Store};

/// All documents of some files.
pub struct Gathered {
    /// By name, each with its documents.
    files: Vec<GatheredFile>,
    /// Folders and links that could not be opened.
    places: Unread,
    store: Store,
    /// What the pages of each site share, and what the pages of all sites share.
    templates: HashMap<String, Template>,
    common: Template,
    /// What links say of documents.
    anchors: InLinks,
    /// Files that were read from the cache.
    pub from_cache: u64,
    /// Whether the cache could not be used, or failed meanwhile.
    pub cache_lost: bool,
    /// The memory that documents take.
    pub held_bytes: u64,
    _temporary: Option<tempfile::TempDir>,
}

/// A file with its documents.
pub struct GatheredFile {
    pub found: Found,
    pub entry: Entry,
    /// Its documents, without what all pages of their site share; absent if they are in the store
    /// only.
    pub held: Option<Vec<Extracted>>,
}

/// Where a document is.
#[derive(Clone, Copy, Debug)]
pub struct DocumentPlace {
    file: u32,
    at: Location,
}

#[derive(Clone, Copy, Debug)]
enum Location {
    Memory(u32),
    Store(LinePlace),
}

impl Gathered {
    pub(super) fn new(
        files: Vec<GatheredFile>,
        places: Unread,
        store: Store,
        temporary: Option<tempfile::TempDir>,
    ) -> Self {
        Gathered {
            files,
            places,
            store,
            templates: HashMap::new(),
            common: Template::default(),
            anchors: InLinks::default(),
            from_cache: 0,
            cache_lost: false,
            held_bytes: 0,
            _temporary: temporary,
        }
    }

    /// How many files there are, readable or not.
    pub fn files(&self) -> u64 {
        (self.files.len() + self.places.len()) as u64
    }

    /// How many files gave a document.
    pub fn read(&self) -> u64 {
        self.files.iter().filter(|file| file.entry.documents > 0).count() as u64
    }

    /// How many documents there are.
    pub fn documents(&self) -> u64 {
        self.files.iter().map(|file| file.entry.documents).sum()
    }

    /// Files that gave more than one document.
    pub fn containers(&self) -> Vec<String> {
        let several =
            self.files.iter().filter(|file| file.entry.documents + file.entry.unreadable.len() as u64 > 1);
        several.map(|file| file.found.id.clone()).collect()
    }

    /// Files that gave no document, each with the reason; of several reasons the file's own.
    pub fn unreadable(&self) -> Unread {
        let mut all = self.places.clone();
        for GatheredFile { found, entry, .. } in self.files.iter().filter(|file| file.entry.documents == 0) {
            let own = entry.unreadable.iter().find(|(part, _)| part.is_none());
            let reason = own.or(entry.unreadable.first()).map_or(Reason::Empty, |(_, reason)| reason.clone());
            all.push((found.id.clone(), reason));
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Parts that could not be read of files that gave other documents.
    pub fn partly(&self) -> Unread {
        let read = self.files.iter().filter(|file| file.entry.documents > 0);
        let parts = read.flat_map(|file| {
            let named = move |(part, reason): &(Option<String>, Reason)| {
                (line::id_of(&file.found.id, part.as_deref()), reason.clone())
            };
            file.entry.unreadable.iter().map(named)
        });
        parts.collect()
    }

    /// Calls `visit` with every document, by file name.
    pub fn for_each(
        &self,
        mut visit: impl FnMut(DocumentPlace, &Found, Cow<'_, Extracted>) -> Result<()>,
    ) -> Result<()> {
        let mut buffer = Vec::new();
        for (file, number) in self.files.iter().zip(0..) {
            self.for_each_of(file, &mut buffer, |at, document| {
                visit(DocumentPlace { file: number, at }, &file.found, document)
            })?;
        }
        Ok(())
    }

    /// Reads a document again; `buffer` is reused.
    pub fn document(
        &self,
        place: DocumentPlace,
        buffer: &mut Vec<u8>,
    ) -> Result<(&Found, Cow<'_, Extracted>)> {
        let unknown = || Error::Internal("a document that was not gathered".to_owned());
        let file = self.files.get(place.file as usize).ok_or_else(unknown)?;
        let document = match place.at {
            Location::Memory(number) => {
                let held = file.held.as_ref().and_then(|held| held.get(number as usize));
                Cow::Borrowed(held.ok_or_else(unknown)?)
            }
            Location::Store(line) => {
                self.store.read_line(&file.entry, line, buffer)?;
                Cow::Owned(self.parse(&file.found, buffer)?)
            }
        };
        Ok((&file.found, document))
    }

    /// Writes the documents as JSON lines that the engine reads, and names the weak ones.
    pub fn write_jsonl(&self, path: &Path, marked: bool) -> Result<WeakTexts> {
        let mut out = AtomicFile::create(path)?;
        let (mut line, mut weak) = (Vec::new(), WeakTexts::new());
        self.for_each(|_, file, document| {
            line.clear();
            let document = FileDocument { file, document: &document, marked, is_compared: true };
            document.write(&mut line)?;
            let reason = document.document.weakness();
            weak.extend(reason.map(|reason| (document.id(), reason)));
            out.write(&line)
        })?;
        out.finish()?;
        Ok(weak)
    }

    /// The texts of some documents, by id, each of at most `bytes` bytes.
    pub fn texts(&self, ids: &HashSet<String>, most: usize) -> Result<HashMap<String, String>> {
        let mut files: HashSet<&str> = HashSet::new();
        for id in ids {
            // A file name may contain the separator between file and part.
            files.extend(id.match_indices('#').map(|(at, _)| &id[..at]));
            files.insert(id);
        }
        let mut texts = HashMap::new();
        let mut buffer = Vec::new();
        for file in self.files.iter().filter(|file| files.contains(file.found.id.as_str())) {
            self.for_each_of(file, &mut buffer, |_, document| {
                let id = line::id_of(&file.found.id, document.part.as_deref());
                if ids.contains(&id) {
                    let text = &document.text;
                    texts.insert(id, text[..text.floor_char_boundary(most)].to_owned());
                }
                Ok(())
            })?;
        }
        Ok(texts)
    }

    /// Loads what an earlier scan left in the store into memory, as far as there is room.
    pub(super) fn hold_more(&mut self, room: &AtomicU64) -> Result<()> {
        let mut buffer = Vec::new();
        for file in self.files.iter_mut().filter(|file| file.held.is_none()) {
            if file.entry.length() > room.load(Ordering::Relaxed) {
                continue;
            }
            let mut holding = HeldDocuments::new(room);
            self.store.for_each_line(&file.entry, &mut buffer, |_, line| {
                holding.push(parse(line)?, line.len() as u64);
                Ok(())
            })?;
            file.held = holding.finish();
        }
        Ok(())
    }

    pub(super) fn learn_templates(&mut self) -> Result<()> {
        let mut learners: HashMap<String, TemplateLearner> = HashMap::new();
        let mut all = TemplateLearner::default();
        let mut learn = |found: &Found, document: &Extracted| {
            if document.kind == Kind::Html {
                all.add(document);
                learners.entry(site_of(found, document)).or_default().add(document);
            }
        };
        let mut buffer = Vec::new();
        for GatheredFile { found, entry, held } in &self.files {
            if let Some(held) = held {
                held.iter().for_each(|document| learn(found, document));
                continue;
            }
            self.store.for_each_line(entry, &mut buffer, |_, line| {
                // Most files are no pages, which can be seen without parsing them.
                if memchr::memmem::find(line, b"\"kind\":\"html\"").is_some() {
                    learn(found, &parse(line)?);
                }
                Ok(())
            })?;
        }
        let templates = learners.into_iter().map(|(site, learner)| (site, learner.finish()));
        self.templates = templates.filter(|(_, template)| !template.is_empty()).collect();
        self.common = all.finish();
        self.templates.values().for_each(|template| self.common.extend(template));
        let Gathered { files, templates, common, .. } = self;
        for GatheredFile { found, held, .. } in files {
            held.iter_mut().flatten().for_each(|document| strip(found, document, common, templates));
        }
        Ok(())
    }

    /// Gathers what links between the documents say of those that they lead to, as their field `anchors`.
    pub(super) fn learn_anchors(&mut self) -> Result<()> {
        let mut links = InLinks::default();
        self.for_each(|_, file, document| {
            links.know(&file.id, &document);
            Ok(())
        })?;
        self.for_each(|_, file, document| {
            links.follow(&file.id, &document);
            Ok(())
        })?;
        for GatheredFile { found, held, .. } in &mut self.files {
            held.iter_mut().flatten().for_each(|document| links.describe(&found.id, document));
        }
        self.anchors = links;
        Ok(())
    }

    fn for_each_of(
        &self,
        file: &GatheredFile,
        buffer: &mut Vec<u8>,
        mut visit: impl FnMut(Location, Cow<'_, Extracted>) -> Result<()>,
    ) -> Result<()> {
        match &file.held {
            Some(held) => {
                let mut numbered = held.iter().zip(0..);
                numbered.try_for_each(|(document, number)| {
                    visit(Location::Memory(number), Cow::Borrowed(document))
                })
            }
            None => self.store.for_each_line(&file.entry, buffer, |place, line| {
                visit(Location::Store(place), Cow::Owned(self.parse(&file.found, line)?))
            }),
        }
    }

    /// A document of the store, without what all pages of its site share.
    fn parse(&self, file: &Found, line: &[u8]) -> Result<Extracted> {
        let mut document = parse(line)?;
        strip(file, &mut document, &self.common, &self.templates);
        self.anchors.describe(&file.id, &mut document);
        Ok(document)
    }
}

/// Removes from a page what all pages of its site share.
fn strip(file: &Found, document: &mut Extracted, common: &Template, templates: &HashMap<String, Template>) {
    if document.kind != Kind::Html {
        return;
    }
    // Newspapers of one publisher are different sites with the same lines.
    common.doubt(document);
    if let Some(template) = templates.get(&site_of(file, document)) {
        template.strip(document);
    }
}

/// The host of a page's address, or otherwise its folder.
pub fn site_of(file: &Found, document: &Extracted) -> String {
    let folder = || file.path.parent().map(lookalike_io::names::name_of).unwrap_or_default();
    lookalike_extract::site::site_of(document).map_or_else(folder, str::to_owned)
}

fn parse(line: &[u8]) -> Result<Extracted> {
    serde_json::from_slice(line).map_err(|error| Error::Internal(format!("a kept document: {error}")))
}

#[cfg(test)]
mod tests {
    use lookalike_extract::ExtractOutcome;

    use super::*;

    /// Two files of a site whose pages share some lines; `room` is how much may stay in memory.
    fn gathered(folder: &Path, room: u64) -> Gathered {
        let store = Store::open(folder).unwrap().unwrap();
        let shared = "a menu that all pages have\n\nread more about us and our partners\n\n";
        let room = AtomicU64::new(room);
        let file = |number: usize| {
            let found =
                Found { id: format!("{number}.html"), path: "site/x.html".into(), ..Found::default() };
            let (mut recording, mut holding) = (store.record(&found), HeldDocuments::new(&room));
            for part in 0..2 {
                // Lines that differ in digits only count as the same when templates are learned.
                let word = |length: usize| "abcdefghijklmnopqrst"[number..].repeat(4)[..length].to_owned();
                let own = |line: usize| format!("page {number} says {} in {part}\n\n", word(line + 3));
                let own: String = (0..40).map(own).collect();
                let document = Extracted {
                    part: Some(part.to_string()),
                    kind: Kind::Html,
                    text: format!("{shared}{own}"),
                    ..Extracted::default()
                };
                let bytes = recording.push(&ExtractOutcome::Document(Box::new(document.clone()))).unwrap();
                holding.push(document, bytes);
            }
            GatheredFile { found, entry: recording.finish().unwrap(), held: holding.finish() }
        };
        let files = (0..8).map(file).collect();
        let mut gathered = Gathered::new(files, Unread::new(), store, None);
        gathered.learn_templates().unwrap();
        gathered
    }

    #[test]
    fn a_document_is_the_same_out_of_memory_and_out_of_the_store() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str, room: u64| {
            let gathered = gathered(&folder.path().join(name), room);
            let held = gathered.files.iter().filter(|file| file.held.is_some()).count();
            let mut all: Vec<(String, Extracted)> = Vec::new();
            let mut buffer = Vec::new();
            gathered
                .for_each(|place, file, document| {
                    let (again, same) = gathered.document(place, &mut buffer)?;
                    assert_eq!((again, &same), (file, &document), "read again");
                    all.push((file.id.clone(), document.into_owned()));
                    Ok(())
                })
                .unwrap();
            let ids = HashSet::from(["3.html#1".to_owned()]);
            (held, all, gathered.texts(&ids, 1000).unwrap())
        };
        let (all, some, none) = (read("all", u64::MAX), read("some", 12_000), read("none", 0));
        assert_eq!((all.0, none.0), (8, 0));
        assert!((1..8).contains(&some.0), "{}", some.0);
        assert_eq!(all.1.len(), 16);
        assert!(
            all.1[0].1.text.starts_with("page 0 says"),
            "without what all pages have: {}",
            all.1[0].1.text
        );
        assert_eq!((&all.1, &all.2), (&some.1, &some.2));
        assert_eq!((&all.1, &all.2), (&none.1, &none.2));
    }

    #[test]
    fn what_an_earlier_scan_left_is_taken_into_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut gathered = gathered(folder.path(), 0);
        let room = AtomicU64::new(gathered.files[0].entry.length());
        gathered.hold_more(&room).unwrap();
        assert_eq!(gathered.files.iter().filter(|file| file.held.is_some()).count(), 1);
        assert_eq!(gathered.files[0].held.as_ref().map(Vec::len), Some(2));
        assert!(room.load(Ordering::Relaxed) < 4, "only line ends take no room");
    }
}
