//! The persistent index: "have we seen this?", one document at a time.

mod answer;
mod ask;

pub use answer::{
    Action, Answer, ClusterView, History, Match, MemberView, Passage, Recrawl, SetVerdict, Stats, Stored,
    Verdict, Version,
};
pub use ask::{Ask, Policy, View};
