//! Counts the items of lists and headings, numbered by their styles.

use std::collections::HashMap;

use crate::formats::office::written;

use super::styles::{LEVELS, ListStyle, Styles};

pub struct Lists<'a> {
    styles: &'a Styles,
    /// The styles of the lists that are open, outermost first.
    open: Vec<Option<String>>,
    counters: HashMap<String, [Option<u32>; LEVELS]>,
    headings: [Option<u32>; LEVELS],
    /// The label of the item that was opened and has no paragraph yet.
    label: Option<String>,
}

impl<'a> Lists<'a> {
    pub fn new(styles: &'a Styles) -> Self {
        Lists {
            styles,
            open: Vec::new(),
            counters: HashMap::new(),
            headings: Default::default(),
            label: None,
        }
    }

    pub fn open_list(&mut self, style: Option<String>, goes_on: bool) {
        let level = self.open.len();
        let style = style.or_else(|| self.open.last().cloned().flatten());
        if let Some(counters) =
            style.as_ref().and_then(|style| self.counters.get_mut(style)).filter(|_| !goes_on)
        {
            counters.iter_mut().skip(level).for_each(|counter| *counter = None);
        }
        self.open.push(style);
    }

    pub fn close_list(&mut self) {
        self.open.pop();
    }

    pub fn is_in_list(&self) -> bool {
        !self.open.is_empty()
    }

    pub fn open_item(&mut self, start: Option<u32>) {
        self.label = None;
        let Some(level) = self.open.len().checked_sub(1) else { return };
        let Some(Some(name)) = self.open.last() else { return };
        let Some(style) = self.styles.list(name) else { return };
        let counters = self.counters.entry(name.clone()).or_default();
        self.label = count(style, counters, level, start);
    }

    /// The label of the paragraph, if it is the first of its item.
    pub fn take_label(&mut self) -> Option<String> {
        self.label.take()
    }

    /// The number of a heading outside of lists.
    pub fn heading(&mut self, level: usize) -> Option<String> {
        count(&self.styles.outline, &mut self.headings, level.checked_sub(1)?, None)
    }
}

/// Counts at a level; returns the label if the level has numbers.
fn count(
    style: &ListStyle,
    counters: &mut [Option<u32>; LEVELS],
    level: usize,
    start: Option<u32>,
) -> Option<String> {
    let first = |at: usize| style.get(at).and_then(Option::as_ref).map_or(1, |level| level.start);
    let counted = match (start, counters.get(level).copied().flatten()) {
        (Some(start), _) => start,
        (None, Some(count)) => count.saturating_add(1),
        (None, None) => first(level),
    };
    for (at, counter) in counters.iter_mut().enumerate() {
        match at {
            at if at < level => *counter = Some(counter.unwrap_or_else(|| first(at))),
            at if at == level => *counter = Some(counted),
            _ => *counter = None,
        }
    }
    let this = style.get(level)?.as_ref()?;
    let numbers: Vec<String> = (level + 1 - this.shown.min(level + 1)..=level)
        .filter_map(|at| {
            let format = style.get(at)?.as_ref()?.format;
            Some(written(counters.get(at).copied().flatten()?, format))
        })
        .collect();
    Some(format!("{}{}{}", this.prefix, numbers.join("."), this.suffix))
}
