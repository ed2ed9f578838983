//! Builds the tree of elements from the tags.
//!
//! Nesting errors are repaired by the few rules that pages rely on (a new paragraph ends the last
//! one, a cell ends a cell, a stray end tag is ignored). Unlike a browser this moves no element
//! elsewhere, which makes no difference to the text.

use std::ops::Range;

use super::element::Element;
use super::scan::{Scanner, Token};
use super::tree::{Node, Tree};

/// Elements nested deeper become siblings, as in browsers.
pub const DEEPEST: usize = 256;
/// How many levels up the beginning of an element without a known name is looked for.
const HIGHEST: usize = 32;
/// The most nodes that are read.
const MOST_NODES: usize = 4 << 20;

impl<'a> Tree<'a> {
    pub fn parse(html: &'a str) -> Self {
        tree_of(html)
    }
}

fn tree_of(html: &str) -> Tree<'_> {
    // Places are kept in 32 bits.
    let html = html.get(..html.floor_char_boundary(u32::MAX as usize >> 1)).unwrap_or(html);
    let xml = html.trim_start().starts_with("<?xml");
    let mut builder = Builder {
        tree: Tree { html, nodes: Vec::with_capacity(html.len() / 24) },
        open: Vec::with_capacity(DEEPEST),
        counts: [0; Element::COUNT],
        xml,
    };
    builder.add(Element::Other, 0..0);
    builder.open.push(0);
    for token in Scanner::new(html) {
        if builder.tree.nodes.len() >= MOST_NODES {
            break;
        }
        match token {
            Token::Text(range) => builder.text(range),
            Token::Start { element, tag, closed } => builder.start(element, tag, closed),
            Token::End { element, name } => builder.end(element, name),
        }
    }
    while builder.pop() {}
    let mut tree = builder.tree;
    let last = tree.nodes.len() as u32;
    if let Some(root) = tree.nodes.first_mut() {
        root.end = last;
    }
    tree
}

struct Builder<'a> {
    tree: Tree<'a>,
    /// Nodes whose end has not come, the root first.
    open: Vec<u32>,
    /// How many of each element are open, so that a stray end tag costs nothing.
    counts: [u32; Element::COUNT],
    xml: bool,
}

impl Builder<'_> {
    fn add(&mut self, element: Element, source: Range<usize>) -> u32 {
        let index = self.tree.nodes.len() as u32;
        let parent = self.open.last().copied().unwrap_or(0);
        let (from, to) = (source.start as u32, source.end as u32);
        self.tree.nodes.push(Node { element, parent, end: index + 1, from, to });
        index
    }

    fn top(&self) -> Element {
        self.open.last().map_or(Element::Other, |&index| self.tree.element(index as usize))
    }

    fn count(&mut self, element: Element) -> &mut u32 {
        &mut self.counts[element as usize]
    }

    fn pop(&mut self) -> bool {
        if self.open.len() <= 1 {
            return false;
        }
        let Some(index) = self.open.pop() else { return false };
        let last = self.tree.nodes.len() as u32;
        if let Some(node) = self.tree.nodes.get_mut(index as usize) {
            node.end = last;
            let element = node.element;
            let count = self.count(element);
            *count = count.saturating_sub(1);
        }
        true
    }

    /// Ends open elements down to and with the one at this place of the stack.
    fn pop_to(&mut self, place: usize) {
        while self.open.len() > place.max(1) && self.pop() {}
    }

    /// The innermost open element that is `wanted`, unless one that is a `barrier` stands before it.
    fn find(&self, wanted: impl Fn(Element) -> bool, barrier: impl Fn(Element) -> bool) -> Option<usize> {
        for (place, &index) in self.open.iter().enumerate().skip(1).rev() {
            let element = self.tree.element(index as usize);
            if wanted(element) {
                return Some(place);
            }
            if barrier(element) {
                return None;
            }
        }
        None
    }

    fn close(&mut self, element: Element, barrier: impl Fn(Element) -> bool) {
        if *self.count(element) > 0
            && let Some(place) = self.find(|other| other == element, barrier)
        {
            self.pop_to(place);
        }
    }

    fn leave_head(&mut self) {
        if *self.count(Element::Head) > 0 {
            self.close(Element::Head, |_| false);
        }
    }

    fn text(&mut self, range: Range<usize>) {
        let raw = self.top().is_raw();
        if !raw && *self.count(Element::Head) > 0 {
            let text = self.tree.html.get(range.clone()).unwrap_or_default();
            if text.trim().is_empty() {
                return;
            }
            self.leave_head();
        }
        self.add(Element::Text, range);
    }

    fn start(&mut self, element: Element, tag: Range<usize>, closed: bool) {
        use Element::*;
        // These stay open to the end, so a second one is ignored.
        if matches!(element, Html | Body | Head)
            && (*self.count(element) > 0 || element == Head && *self.count(Body) > 0)
        {
            return;
        }
        if !element.is_for_head() && *self.count(Svg) == 0 {
            self.leave_head();
        }
        self.end_what_this_ends(element);
        let index = self.add(element, tag);
        let in_vector = element != Svg && *self.count(Svg) + *self.count(Math) > 0;
        let ended =
            element.is_void() || closed && (self.xml || in_vector || matches!(element, Other | Svg | Script));
        if !ended && self.open.len() < DEEPEST {
            self.open.push(index);
            *self.count(element) += 1;
        }
    }

    /// Start tags that imply end tags.
    fn end_what_this_ends(&mut self, element: Element) {
        use Element::*;
        match element {
            Li => self.close(Li, |other| other.is_list() || other.is_scope()),
            Dd | Dt => {
                self.close(Dd, |other| matches!(other, Dl | Dt) || other.is_scope());
                self.close(Dt, |other| matches!(other, Dl | Dd) || other.is_scope());
            }
            Option | Optgroup => self.close(Option, |other| other == Select || other.is_scope()),
            Td | Th => {
                self.close(Td, |other| matches!(other, Table | Tr));
                self.close(Th, |other| matches!(other, Table | Tr));
            }
            Tr => self.close(Tr, |other| other == Table),
            Thead | Tbody | Tfoot => {
                self.close(Thead, |other| other == Table);
                self.close(Tbody, |other| other == Table);
                self.close(Tfoot, |other| other == Table);
            }
            A => self.close(A, |other| other.is_block()),
            heading if heading.is_heading() && self.top().is_heading() => {
                self.pop();
            }
            _ => {}
        }
        if element.is_block() {
            self.close(P, |other| other.is_scope() || other == Button);
        }
    }

    fn end(&mut self, element: Element, name: Range<usize>) {
        use Element::*;
        match element {
            // Content after these end tags still belongs to the page.
            Html | Body => {}
            Br => {
                self.add(Br, name);
            }
            Other => self.end_other(name),
            heading if heading.is_heading() => {
                if let Some(place) = self.find(Element::is_heading, |other| other.is_scope() || other == Div)
                {
                    self.pop_to(place);
                }
            }
            Table | Td | Th | Tr | Thead | Tbody | Tfoot | Caption => {
                self.close(element, |other| other == Table && element != Table);
            }
            block
                if block.is_block()
                    || block.is_scope()
                    || matches!(block, Head | Select | Button | Noframes) =>
            {
                self.close(element, |other| other.is_scope() && other != element);
            }
            // The end tag of an inline element does not end the block around it.
            _ => self.close(element, |other| other.is_block() || other.is_scope()),
        }
    }

    fn end_other(&mut self, name: Range<usize>) {
        if *self.count(Element::Other) == 0 {
            return;
        }
        let name = self.tree.html.get(name).unwrap_or_default().as_bytes();
        // Names are compared one by one, so the search does not go all the way up.
        for (place, &index) in self.open.iter().enumerate().skip(1).rev().take(HIGHEST) {
            let node = self.tree.node(index as usize);
            if node.element == Element::Other {
                let tag = self.tree.source(index as usize).as_bytes();
                let (start, rest) = tag.split_at(name.len().min(tag.len()));
                let ends = rest.first().is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'/');
                if start.eq_ignore_ascii_case(name) && ends {
                    self.pop_to(place);
                    return;
                }
            }
            if node.element.is_scope() {
                return;
            }
        }
    }
}
