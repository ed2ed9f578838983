//! The persistent index: documents come, change and go, and answers are those of a batch run over what is there.
//!
//! [`Session::create_index`](crate::Session::create_index) and [`Session::open_index`](crate::Session::open_index) give an
//! [`Index`]; a [`Reader`] asks it, a [`Writer`] changes it, a [`Surveyor`] looks at all of it.

pub use lookalike_index::survey;
pub use lookalike_index::{
    Action, Answer, Ask, ClusterMap, ClusterPlan, ClusterView, Decision, Departed, Departure, Evidence, Face,
    Filling, Held, HeldDocument, HeldMember, History, Index, Limits, Line, MapMember, Match, MemberView,
    Name, NearDuplicate, Outside, Passage, Policy, Preference, Reader, Reason, Recrawl, Refusal, Removal,
    Seen, SetVerdict, Stats, Stored, Surveyor, Verdict, Version, View, Writer,
};
