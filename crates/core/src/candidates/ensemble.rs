//! Several methods look for candidates together.
//!
//! ```toml
//! method = "ensemble"
//! [candidates]
//! methods = ["minhash", "simhash"]
//! rule = "union"
//! [candidates.simhash.decide]     # any section of a member's recipe
//! distance = 6
//! ```
//!
//! Each member signs the documents in its own way and proposes pairs. A pair that enough members
//! propose is verified once, on the ensemble's own features. So the report can say which member
//! found what.

use toml::Table;

use crate::error::{Error, Result};
use crate::part::{Param, Params, PartInfo};

/// The methods of an ensemble, and how many of them must propose a pair.
pub struct Ensemble {
    /// The methods that propose.
    pub members: Vec<EnsembleMember>,
    /// How many members must propose a pair.
    pub votes: usize,
}

/// One method of an ensemble.
pub struct EnsembleMember {
    /// The name of the method.
    pub method: String,
    /// Sections that change the method's recipe.
    pub changes: Table,
    /// A lexicon that replaces the method's own, if the method uses one.
    pub lexicon: Option<String>,
}

/// The most members: a pair's mask has a bit for each, and some bits are reserved for images, links
/// and the like.
const MOST_MEMBERS: usize = 27;

impl Ensemble {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "ensemble",
        summary: "Several methods propose candidates, which are verified once",
        paper: "X15 §2",
        params: &[
            Param {
                name: "methods",
                default: "[\"minhash\", \"simhash\", \"imatch\"]",
                help: "methods that propose",
            },
            Param {
                name: "rule",
                default: "\"union\"",
                help: "union: what any method proposes; vote: what at least `votes` methods propose",
            },
            Param {
                name: "votes",
                default: "2",
                help: "how many methods must propose a pair under rule vote",
            },
            Param {
                name: "lexicon",
                default: "each its own",
                help: "lexicon for all methods that use one: english, native (two passes), or a file",
            },
            Param { name: "METHOD", default: "", help: "sections that change a member's recipe" },
        ],
    };

    /// Reads the section `candidates` of a recipe; `table` is the same section, for the members' own tables.
    pub fn read(mut params: Params, table: &Table) -> Result<Ensemble> {
        params.text("type", Self::INFO.name)?;
        let mut methods = params.texts("methods")?;
        if !table.contains_key("methods") {
            methods = ["minhash", "simhash", "imatch"].map(str::to_owned).to_vec();
        }
        let rule = params.choice("rule", "union", &["union", "vote"])?;
        if rule == "union" && table.contains_key("votes") {
            return Err(Error::config("candidates.votes goes with candidates.rule = \"vote\""));
        }
        let votes = params.integer("votes", 2)? as usize;
        let mut sorted = methods.clone();
        sorted.sort();
        sorted.dedup();
        if methods.is_empty() || sorted.len() < methods.len() || methods.len() > MOST_MEMBERS {
            return Err(Error::config(format!(
                "candidates.methods must name 1 to {MOST_MEMBERS} different methods"
            )));
        }
        let votes = if rule == "union" { 1 } else { votes };
        if votes == 0 || votes > methods.len() {
            return Err(Error::config(format!(
                "candidates.votes is {votes}, it must be from 1 to the number of methods, {}",
                methods.len()
            )));
        }
        let lexicon = params.optional_text("lexicon");
        let members = methods
            .into_iter()
            .map(|method| {
                let changes = params.table(&method)?;
                Ok(EnsembleMember { method, changes, lexicon: lexicon.clone() })
            })
            .collect::<Result<_>>()?;
        let known = ["type", "methods", "rule", "votes", "lexicon", "and a section for each method"];
        params.finish(known.into_iter())?;
        Ok(Ensemble { members, votes })
    }
}
