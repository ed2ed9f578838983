//! Collects what a person sees of a message: the text of its parts in order, its images, and its
//! attachments.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::entity::Entity;
use super::transfer::{self, Transfer};
use crate::body::Body;
use crate::formats::{html, text};
use crate::picture::Picture;

/// The most parts within parts; deeper ones are not read.
const DEPTH: u32 = 24;

#[derive(Default)]
pub struct MessageContent<'a> {
    pub body: Body,
    pub links: BTreeSet<String>,
    /// Images that the pages in the message refer to, in their order.
    pub referred: Vec<Picture>,
    /// Images that are in the message.
    pub images: Vec<FilePart<'a>>,
    pub attachments: Vec<FilePart<'a>>,
    pub title: Option<String>,
    pub language: Option<String>,
    /// Whether there is an encrypted part.
    pub encrypted: bool,
    /// The encoding of text that declares none.
    pub charset: Option<String>,
    /// Whether pages are read as saved web pages: by their main content.
    pub main: bool,
}

/// A part that is not text.
pub struct FilePart<'a> {
    pub name: String,
    pub bytes: Cow<'a, [u8]>,
    pub transfer: Transfer,
    /// The names by which a page in the message refers to it: its content id or its address.
    pub referred_as: Vec<String>,
}

impl<'a> MessageContent<'a> {
    /// Collects the content of an entity. Without `shown` (an alternative that was not chosen) its
    /// text is left out.
    pub fn take(&mut self, entity: &Entity<'a>, depth: u32, shown: bool) {
        if depth > DEPTH {
            return;
        }
        if self.charset.is_none() {
            self.charset = entity.charset().filter(|label| text::encoding_named(label).is_some());
        }
        match entity.kind.as_str() {
            "multipart/encrypted" | "application/pgp-encrypted" => self.encrypted = true,
            "multipart/alternative" => self.take_alternative(entity, depth, shown),
            _ if entity.is("multipart") => self.take_parts(entity, depth, shown),
            "message/rfc822" | "message/global" | "message/news" if entity.transfer == Transfer::Plain => {
                self.take_message(entity, depth, shown);
            }
            "message/delivery-status" | "message/disposition-notification" | "message/external-body" => {}
            "text/rfc822-headers" => {}
            "application/pgp-signature" | "application/pkcs7-signature" | "application/x-pkcs7-signature" => {
            }
            "application/pgp-keys" => {}
            _ if is_text_to_show(entity, depth) && shown => self.take_text(entity),
            _ if is_text_to_show(entity, depth) => {}
            _ if entity.is("image") => self.images.push(file_part(entity, self.images.len())),
            _ if entity.name.as_deref().is_some_and(is_signature) => {}
            _ if shown || entity.name.is_some() => {
                self.attachments.push(file_part(entity, self.attachments.len()));
            }
            _ => {}
        }
    }

    /// Uses bytes as the text of a message that has no usable part.
    pub fn take_plain(&mut self, bytes: &[u8], charset: Option<&str>) {
        let decoded = text::decode(bytes, charset.or(self.charset.as_deref()));
        if seems_html(&decoded) { self.take_page(&decoded) } else { self.take_lines(&decoded) }
    }

    pub fn is_empty(&self) -> bool {
        self.body.is_empty() && self.attachments.is_empty() && self.images.is_empty()
    }

    fn take_parts(&mut self, entity: &Entity<'a>, depth: u32, shown: bool) {
        let parts = entity.parts();
        for part in parts.iter() {
            self.take(&part, depth + 1, shown);
        }
        self.take_preamble(entity, parts.preamble, shown);
    }

    /// Of alternatives, plain text is taken if there is any, otherwise the last, which is the
    /// richest.
    fn take_alternative(&mut self, entity: &Entity<'a>, depth: u32, shown: bool) {
        let parts = entity.parts();
        let plain = |part: Entity<'a>| {
            part.kind == "text/plain" && !part.is_attachment && !self.decoded(&part).trim().is_empty()
        };
        let rich = |part: Entity<'_>| part.kind == "text/html" || part.is("multipart");
        let chosen = parts.iter().position(plain).or_else(|| parts.iter().rposition(rich));
        let chosen = chosen.unwrap_or(parts.iter().len().saturating_sub(1));
        for (number, part) in parts.iter().enumerate() {
            self.take(&part, depth + 1, shown && number == chosen);
        }
        self.take_preamble(entity, parts.preamble, shown);
    }

    /// Some archives lost the boundaries, and the text comes before the parts.
    fn take_preamble(&mut self, entity: &Entity<'a>, preamble: &[u8], shown: bool) {
        if shown && self.is_empty() && !self.encrypted && !is_note(preamble) {
            let decoded = entity.transfer.decode(preamble);
            self.take_plain(&decoded, entity.charset().as_deref());
        }
    }

    /// A forwarded message becomes part of the text, with the visible lines of its header.
    fn take_message(&mut self, entity: &Entity<'a>, depth: u32, shown: bool) {
        let inner = Entity::parse(entity.body, "text/plain");
        if shown {
            self.body.block();
            for (name, label) in [("from", "From"), ("date", "Date"), ("to", "To"), ("subject", "Subject")] {
                if let Some(value) = inner.headers.text(name, self.charset.as_deref()) {
                    self.body.push(label);
                    self.body.push(": ");
                    self.body.push(&value);
                    self.body.line();
                }
            }
            self.body.block();
        }
        self.take(&inner, depth + 1, shown);
    }

    fn take_text(&mut self, entity: &Entity<'a>) {
        let decoded = self.decoded(entity);
        if entity.kind == "text/richtext" {
            // The only element used there that HTML does not have.
            self.take_page(&decoded.replace("<nl>", "<br>"));
        } else if is_page(entity) {
            self.take_page(&decoded);
        } else {
            self.take_lines(&decoded);
        }
    }

    /// An entity's text. A page may declare its encoding itself; other text is decoded like the rest of
    /// the message.
    fn decoded(&self, entity: &Entity<'a>) -> Cow<'a, str> {
        let charset = entity.charset();
        match entity.transfer.decode(entity.body) {
            Cow::Borrowed(bytes) => self.read(bytes, charset.as_deref(), is_page(entity)),
            Cow::Owned(bytes) => {
                Cow::Owned(self.read(&bytes, charset.as_deref(), is_page(entity)).into_owned())
            }
        }
    }

    fn read<'b>(&self, bytes: &'b [u8], charset: Option<&str>, is_page: bool) -> Cow<'b, str> {
        if is_page {
            html::decoded(bytes, charset)
        } else {
            text::decode(bytes, charset.or(self.charset.as_deref()))
        }
    }

    fn take_page(&mut self, html: &str) {
        let page = html::page(html, self.main);
        self.body.append(&page);
        self.links.extend(page.links);
        self.referred.extend(page.images);
        self.title = self.title.take().or(page.title);
        self.language = self.language.take().or(page.language);
    }

    /// The text without files encoded in it and without the armour of signatures.
    fn take_lines(&mut self, text: &str) {
        self.body.block();
        let mut rest = text;
        while let Some(found) = transfer::find_uuencoded(rest.as_bytes()) {
            let (before, after) = (rest.get(..found.start), rest.get(found.end..));
            let name = String::from_utf8_lossy(found.name).into_owned();
            let bytes = Cow::Owned(transfer::uudecode(found.data));
            self.attachments.push(FilePart {
                name,
                bytes,
                transfer: Transfer::Plain,
                referred_as: Vec::new(),
            });
            self.take_unarmoured(before.unwrap_or_default());
            rest = after.unwrap_or_default();
        }
        self.take_unarmoured(rest);
    }

    fn take_unarmoured(&mut self, text: &str) {
        if !text.contains("-----BEGIN PGP ") {
            self.body.lines(text);
            return;
        }
        let mut skipping = false;
        for line in text.split('\n') {
            let bare = line.trim_end();
            match bare {
                "-----BEGIN PGP MESSAGE-----" => {
                    self.encrypted = true;
                    skipping = true;
                }
                "-----BEGIN PGP SIGNATURE-----" | "-----BEGIN PGP PUBLIC KEY BLOCK-----" => skipping = true,
                "-----END PGP MESSAGE-----"
                | "-----END PGP SIGNATURE-----"
                | "-----END PGP PUBLIC KEY BLOCK-----" => {
                    skipping = false;
                }
                "-----BEGIN PGP SIGNED MESSAGE-----" => {}
                _ if skipping || bare.starts_with("Hash: ") => {}
                _ => self.body.lines(line.strip_prefix("- ").unwrap_or(line)),
            }
        }
    }
}

/// Whether an entity is text of the message itself rather than an attached file.
fn is_text_to_show(entity: &Entity<'_>, depth: u32) -> bool {
    let is_body = entity.kind == "text/plain" || is_page(entity);
    is_body && (depth == 0 || !entity.is_attachment) || entity.is("text") && entity.name.is_none()
}

/// Adds a part under its name or a number.
fn file_part<'a>(entity: &Entity<'a>, number: usize) -> FilePart<'a> {
    let bare = entity
        .name
        .as_deref()
        .map(|name| name.rsplit(['/', '\\']).next().unwrap_or_default().trim().to_owned());
    let name = bare.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("attachment {}", number + 1));
    let id =
        entity.headers.text("content-id", None).map(|id| format!("cid:{}", id.trim_matches(['<', '>', ' '])));
    let location = entity.headers.text("content-location", None);
    let referred_as = id.into_iter().chain(location).collect();
    FilePart { name, bytes: Cow::Borrowed(entity.body), transfer: entity.transfer, referred_as }
}

fn is_signature(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".p7s", ".sig", ".asc"].iter().any(|ending| name.ends_with(ending))
}

fn is_page(entity: &Entity<'_>) -> bool {
    let kinds = ["text/html", "application/xhtml+xml", "text/enriched", "text/richtext"];
    kinds.contains(&entity.kind.as_str())
}

/// Whether the text before the parts is only for programs that do not know MIME.
fn is_note(preamble: &[u8]) -> bool {
    let note = preamble.trim_ascii();
    note.len() < 200 && note.starts_with(b"This is a") && memchr::memmem::find(note, b"MIME").is_some()
}

/// Whether text without a declared type is a page.
fn seems_html(text: &str) -> bool {
    let head = text.trim_start().as_bytes();
    let head = head[..head.len().min(2000)].to_ascii_lowercase();
    [&b"<html"[..], b"<body", b"<!doctype html", b"<table", b"<div", b"<br>", b"<p>"]
        .iter()
        .any(|tag| memchr::memmem::find(&head, tag).is_some())
}
