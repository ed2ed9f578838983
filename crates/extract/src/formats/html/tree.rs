//! A page's elements and text as a flat list in reading order.
//!
//! A node's descendants follow it directly, up to its `end`. So traversing is a loop, a subtree is
//! a range, and sums over subtrees are one pass backwards.
//!
//! We use our own code instead of `html5ever`: for 31 MB of saved pages its parser alone, into `RcDom`, takes
//! 0.88 s of processor time; all reading here, including choosing and writing the main content, takes 0.33 s.

use std::borrow::Cow;

use super::attribute::Attributes;
use super::element::Element;

#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub element: Element,
    pub parent: u32,
    /// Past the last descendant.
    pub end: u32,
    /// The range of its text or tag in the page.
    pub from: u32,
    pub to: u32,
}

pub struct Tree<'a> {
    pub html: &'a str,
    /// The first is the root.
    pub nodes: Vec<Node>,
}

impl<'a> Tree<'a> {
    pub fn node(&self, index: usize) -> Node {
        let nothing = Node { element: Element::Other, parent: 0, end: u32::MAX, from: 0, to: 0 };
        self.nodes.get(index).copied().unwrap_or(nothing)
    }

    /// Past the node's last descendant.
    pub fn end(&self, index: usize) -> usize {
        (self.node(index).end as usize).max(index + 1)
    }

    pub fn parent(&self, index: usize) -> usize {
        self.node(index).parent as usize
    }

    pub fn element(&self, index: usize) -> Element {
        self.node(index).element
    }

    /// Text as written, or a tag without its brackets.
    pub fn source(&self, index: usize) -> &'a str {
        let node = self.node(index);
        self.html.get(node.from as usize..node.to as usize).unwrap_or_default()
    }

    pub fn attribute(&self, index: usize, name: &str) -> Option<Cow<'a, str>> {
        Attributes::value(self.source(index), name)
    }

    /// The text below a node with its references resolved and white space collapsed, cut off at a
    /// length beyond any name or title.
    pub fn words(&self, index: usize) -> String {
        let mut words = String::new();
        for inner in (index..self.end(index)).take(1000) {
            if self.element(inner) == Element::Text {
                for word in htmlize::unescape(self.source(inner)).split_whitespace() {
                    if !words.is_empty() {
                        words.push(' ');
                    }
                    words.push_str(word);
                }
                if words.len() > 1000 {
                    break;
                }
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;

    fn shown(html: &str) -> String {
        let tree = Tree::parse(html);
        let mut out = String::new();
        let mut ends: Vec<usize> = Vec::new();
        for index in 1..tree.nodes.len() {
            while ends.last().is_some_and(|&end| end <= index) {
                ends.pop();
                out.push(')');
            }
            match tree.element(index) {
                Element::Text => out += tree.source(index).trim(),
                element => {
                    out += &format!("{element:?}(").to_lowercase();
                    ends.push(tree.end(index));
                }
            }
        }
        out + &")".repeat(ends.len())
    }

    #[test]
    fn ends_that_are_implied() {
        assert_eq!(shown("<p>a<p>b<div>c</div>d"), "p(a)p(b)div(c)d");
        assert_eq!(shown("<ul><li>a<ul><li>b</ul><li>c</ul>"), "ul(li(aul(li(b)))li(c))");
        assert_eq!(
            shown("<table><tr><td>a<td>b<tr><td>c<table><tr><td>d</table>e</table>"),
            "table(tr(td(a)td(b))tr(td(ctable(tr(td(d)))e)))"
        );
        assert_eq!(shown("<dl><dt>a<dd>b<dt>c</dl>"), "dl(dt(a)dd(b)dt(c))");
        assert_eq!(shown("<head><title>a</title>b"), "head(title(a))b");
    }

    #[test]
    fn ends_that_fit_nothing() {
        assert_eq!(shown("<div>a</span></p></td>b</div>c"), "div(ab)c");
        assert_eq!(shown("<b>a<div>b</b>c</div>d"), "b(adiv(bc)d)");
        assert_eq!(shown("<div><table><tr><td>a</div>b</table>c"), "div(table(tr(td(ab)))c)");
        assert_eq!(shown("<x-y>a<x-z>b</x-y>c"), "other(aother(b))c");
        assert_eq!(shown("<a>x<a>y</a>z"), "a(x)a(y)z");
    }

    #[test]
    fn hostile_nesting_is_cut_off() {
        let deep = "<div>".repeat(100_000) + "x" + &"</b>".repeat(100_000);
        let tree = Tree::parse(&deep);
        let text = (0..tree.nodes.len()).find(|&index| tree.element(index) == Element::Text).unwrap();
        let mut depth = 0;
        let mut index = text;
        while index != 0 {
            index = tree.parent(index);
            depth += 1;
        }
        assert!(depth <= build::DEEPEST, "{depth}");
    }
}
