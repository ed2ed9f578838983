//! The blocks of text of a page, with properties of each.

use super::element::Element;
use super::hints::Hints;
use super::tag_hints::hints_of;
use super::tree::Tree;

/// Text without a block element in between.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The innermost block element around it.
    pub owner: u32,
    /// Its first node, and past its last.
    pub first: u32,
    pub last: u32,
    /// Its length in letters; characters of dense scripts count double.
    pub letters: u32,
    /// Letters of links.
    pub linked: u32,
    /// Punctuation that separates clauses and sentences.
    pub stops: u32,
    /// Whether it ends like a sentence.
    pub closed: bool,
    /// Whether it ends like a text that continues elsewhere.
    pub cut: bool,
}

impl Block {
    /// Letters of running text outside of links.
    pub fn prose(&self) -> f32 {
        if self.is_prose() { self.letters.saturating_sub(self.linked) as f32 } else { 0.0 }
    }

    /// Reads like running text.
    pub fn is_prose(&self) -> bool {
        let teaser = self.cut && self.linked > 0;
        self.letters >= 40
            && (self.stops > 0 || self.letters >= 120)
            && self.linked * 2 < self.letters
            && !teaser
    }
}

pub struct Outline {
    pub hints: Vec<Hints>,
    /// Nodes that are left out together with all below them.
    pub skipped: Vec<bool>,
    pub blocks: Vec<Block>,
    /// Headings of the main part that are left out of its text, in order.
    pub aside: Vec<usize>,
    /// Elements that are left out because they are hidden, outermost only and without those that are
    /// no content anyway, each with its letters of prose.
    pub hidden: Vec<usize>,
    pub hidden_prose: f32,
    /// For each node, since blocks are found again whenever something is skipped.
    measures: Vec<Measure>,
}

impl Outline {
    pub fn of(tree: &Tree<'_>) -> Self {
        let mut hints = Vec::with_capacity(tree.nodes.len());
        let mut skipped = Vec::with_capacity(tree.nodes.len());
        let mut measures = Vec::with_capacity(tree.nodes.len());
        let mut hidden = Vec::new();
        for (index, node) in tree.nodes.iter().enumerate() {
            let (found, measure) = match node.element {
                Element::Text => (Hints::default(), Measure::of(tree.source(index))),
                element => (hints_of(element, tree.source(index)), Measure::default()),
            };
            measures.push(measure);
            if found.has(Hints::HIDDEN) && !matches!(node.element, Element::Html | Element::Body) {
                hidden.push(index);
            }
            hints.push(found);
            skipped.push(node.element.is_unread());
        }
        let mut outline = Outline {
            hints,
            skipped,
            blocks: Vec::new(),
            aside: Vec::new(),
            hidden: Vec::new(),
            hidden_prose: 0.0,
            measures,
        };
        outline.find_blocks(tree);
        outline.hide(tree, &hidden);
        outline
    }

    /// Leaves out hidden content, unless that is most of the page: then a script will show it.
    fn hide(&mut self, tree: &Tree<'_>, hidden: &[usize]) {
        if hidden.is_empty() {
            return;
        }
        let prose = self.sums(tree, 1.0, Block::prose);
        let of = |index: usize| prose.get(index).copied().unwrap_or(0.0);
        let mut shown_from = 0;
        let mut covered = 0.0;
        for &index in hidden {
            if index >= shown_from && !self.hints(index).has(Hints::ASIDE) {
                shown_from = tree.end(index);
                covered += of(index);
            }
        }
        let mostly = covered > 0.8 * of(0);
        shown_from = 0;
        for &index in hidden {
            let is_aside = self.hints(index).has(Hints::ASIDE);
            if mostly && of(index) * 10.0 >= covered && !is_aside {
                continue;
            }
            self.skip(index);
            if index >= shown_from && of(index) > 0.0 {
                shown_from = tree.end(index);
                if !is_aside || self.holds_article(tree, index) {
                    self.hidden.push(index);
                    self.hidden_prose += of(index);
                }
            }
        }
        self.find_blocks(tree);
    }

    /// Shows hidden content, as a script would, including what is hidden within it.
    pub fn show_hidden(&mut self, tree: &Tree<'_>) {
        for outer in std::mem::take(&mut self.hidden) {
            for index in outer..tree.end(outer) {
                let hints = self.hints(index);
                if hints.has(Hints::HIDDEN) && (index == outer || !hints.has(Hints::ASIDE)) {
                    self.unskip(tree, index);
                }
            }
            // It was left out because of its name.
            if let Some(hints) = self.hints.get_mut(outer) {
                *hints = hints.without(Hints::ASIDE);
            }
        }
        self.find_blocks(tree);
    }

    /// Whether there are signs of an article below a node.
    fn holds_article(&self, tree: &Tree<'_>, outer: usize) -> bool {
        (outer..tree.end(outer)).any(|index| {
            self.hints(index).has(Hints::ANY_BODY)
                || matches!(tree.element(index), Element::Article | Element::Main | Element::H1)
        })
    }

    /// For each node the sum over the blocks in it; each further level of depth reduces their
    /// weight by the factor `decay`.
    pub fn sums(&self, tree: &Tree<'_>, decay: f32, value: impl Fn(&Block) -> f32) -> Vec<f32> {
        let mut sums = vec![0.0; tree.nodes.len()];
        for block in &self.blocks {
            if let Some(sum) = sums.get_mut(block.owner as usize) {
                *sum += value(block);
            }
        }
        for index in (1..sums.len()).rev() {
            let sum = sums.get(index).copied().unwrap_or(0.0);
            if sum != 0.0
                && let Some(outer) = sums.get_mut(tree.parent(index))
            {
                let decay = if tree.element(index).is_block() { decay } else { 1.0 };
                *outer += sum * decay;
            }
        }
        sums
    }

    pub fn is_skipped(&self, index: usize) -> bool {
        self.skipped.get(index).copied().unwrap_or(true)
    }

    pub fn skip(&mut self, index: usize) {
        if let Some(skipped) = self.skipped.get_mut(index) {
            *skipped = true;
        }
    }

    fn unskip(&mut self, tree: &Tree<'_>, index: usize) {
        if let Some(skipped) = self.skipped.get_mut(index) {
            *skipped = tree.element(index).is_unread();
        }
    }

    pub fn hints(&self, index: usize) -> Hints {
        self.hints.get(index).copied().unwrap_or_default()
    }

    /// Finds the blocks outside of skipped nodes.
    pub fn find_blocks(&mut self, tree: &Tree<'_>) {
        self.blocks.clear();
        // Open elements: where they end, whether they are blocks, whether they are links.
        let mut open: Vec<(usize, usize, bool)> = Vec::new();
        let mut links = 0_u32;
        let mut owner = 0;
        let mut current: Option<Block> = None;
        let mut index = 0;
        while index < tree.nodes.len() {
            while let Some(&(end, outer, link)) = open.last()
                && end <= index
            {
                open.pop();
                links -= u32::from(link);
                if outer != usize::MAX {
                    self.blocks.extend(current.take());
                    owner = outer;
                }
            }
            if self.is_skipped(index) {
                index = tree.end(index);
                continue;
            }
            let node = tree.node(index);
            match node.element {
                Element::Text => {
                    let measured = self.measures.get(index).copied().unwrap_or_default();
                    if measured.letters > 0 {
                        let block = current.get_or_insert(Block {
                            owner: owner as u32,
                            first: index as u32,
                            last: 0,
                            letters: 0,
                            linked: 0,
                            stops: 0,
                            closed: false,
                            cut: false,
                        });
                        block.last = index as u32 + 1;
                        block.letters = block.letters.saturating_add(measured.letters);
                        block.stops += measured.stops;
                        block.closed = measured.closed;
                        block.cut = measured.cut;
                        if links > 0 {
                            block.linked = block.linked.saturating_add(measured.letters);
                        }
                    }
                }
                Element::A => {
                    open.push((tree.end(index), usize::MAX, true));
                    links += 1;
                }
                element if element.is_block() => {
                    self.blocks.extend(current.take());
                    open.push((tree.end(index), owner, false));
                    owner = index;
                }
                _ => {}
            }
            index += 1;
        }
        self.blocks.extend(current.take());
    }
}

/// Whether a text ends in dots.
fn is_cut(text: &str) -> bool {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ']' | ')'));
    ["...", "…", "&hellip;", "&#8230;"].iter().any(|dots| text.ends_with(dots))
}

/// Counts made in one pass over the bytes of a text.
#[derive(Clone, Copy, Default)]
struct Measure {
    letters: u32,
    stops: u32,
    closed: bool,
    cut: bool,
}

impl Measure {
    fn of(text: &str) -> Self {
        let mut measured = Measure { cut: is_cut(text), ..Measure::default() };
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'&' => {
                    // A character reference counts as one character; the most frequent one is a
                    // space.
                    let reference = bytes.get(at..bytes.len().min(at + 10)).unwrap_or_default();
                    if let Some(length) = memchr::memchr(b';', reference) {
                        if reference.starts_with(b"nbsp;") || reference.starts_with(b"#160;") {
                            at += length + 1;
                            continue;
                        }
                        at += length + 1;
                    }
                    measured.letters += 1;
                }
                b'.' | b',' | b'!' | b'?' | b';' | b':' => {
                    let ends = bytes.get(at).is_none_or(|next| !next.is_ascii_alphanumeric());
                    measured.stops += u32::from(ends);
                    measured.letters += 1;
                    measured.closed = byte != b',';
                }
                b'"' | b'\'' | b')' => measured.letters += 1,
                byte if byte.is_ascii_whitespace() => {}
                0xe3 | 0xef => {
                    // Ideographic and full-width stops and commas.
                    let rest = bytes.get(at..at + 2).unwrap_or_default();
                    let stop = matches!(
                        (byte, rest),
                        (0xe3, [0x80, 0x81 | 0x82]) | (0xef, [0xbc, 0x81 | 0x8c | 0x9a | 0x9b | 0x9f])
                    );
                    measured.stops += u32::from(stop);
                    measured.letters += 2;
                    measured.closed = stop;
                }
                0xe4..=0xee => {
                    measured.letters += 2;
                    measured.closed = false;
                }
                0x80..=0xbf => {}
                0xe2 => measured.letters += 1,
                _ => {
                    measured.letters += 1;
                    measured.closed = false;
                }
            }
        }
        measured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_know_their_letters_links_and_stops() {
        let tree = Tree::parse("<div>a <a>bc</a>, d.<p>e &amp; &nbsp; f</p><script>x</script>漢字。</div>");
        let outline = Outline::of(&tree);
        let found: Vec<_> = outline.blocks.iter().map(|b| (b.letters, b.linked, b.stops, b.closed)).collect();
        assert_eq!(found, [(6, 2, 2, true), (3, 0, 0, false), (6, 0, 1, true)]);
    }
}
