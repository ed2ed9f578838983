//! `lookalike methods`

use clap::{Args, Subcommand};
use lookalike::files::Extraction;
use lookalike::files::Kind;
use lookalike::judge::choices;
use lookalike::{Registry, Session};
use lookalike_core::method::Method;
use lookalike_core::registry::{PartInfo, unknown};
use serde_json::{Value, json};

use crate::out::{print, print_json, table};
use crate::papers::explained;

#[derive(Args)]
pub struct MethodsArgs {
    #[command(subcommand)]
    pub action: Option<MethodsAction>,
    /// Print as JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum MethodsAction {
    /// Explain a method or a part: parameters, defaults, its paper
    Show { name: String },
}

pub fn run(session: &Session, arguments: &MethodsArgs) -> anyhow::Result<()> {
    let registry = session.registry();
    let parts: Vec<(&str, Vec<PartInfo>)> =
        std::iter::once(("extract", extractors())).chain(registry.all_parts()).collect();
    let Some(MethodsAction::Show { name }) = &arguments.action else {
        return list(registry, &parts, arguments.json);
    };
    let method = registry.methods().find(|method| method.name == *name);
    let named: Vec<(&str, PartInfo)> = parts
        .iter()
        .flat_map(|(stage, infos)| infos.iter().map(move |info| (*stage, *info)))
        .filter(|(_, info)| info.name == *name)
        .collect();
    if method.is_none() && named.is_empty() {
        let methods = registry.methods().map(|method| method.name.clone());
        let all = parts.iter().flat_map(|(_, infos)| infos.iter().map(|info| info.name.to_owned()));
        let mut known: Vec<String> = methods.chain(all).collect();
        known.sort();
        known.dedup();
        return Err(unknown("method or part", name, known).into());
    }
    if arguments.json {
        let parts: Vec<Value> = named.iter().map(|(stage, info)| part_json(stage, info)).collect();
        return print_json(&json!({ "method": method.map(method_json), "parts": parts }));
    }
    let mut text = String::new();
    if let Some(method) = method {
        text += &format!("{}: {}\n", method.name, method.summary);
        if !method.paper.is_empty() {
            text += &format!("Paper: {}\n", method.paper);
        }
        text += &format!("\nRecipe:\n{}", method.recipe);
        for (stage, infos) in &parts {
            let kind = method.recipe.get(*stage).and_then(|section| section.get("type")?.as_str());
            text += &infos
                .iter()
                .filter(|info| Some(info.name) == kind)
                .map(|info| format!("\n{}", part_text(stage, info)))
                .collect::<String>();
        }
    }
    for (stage, info) in named.iter().filter(|_| method.is_none()) {
        text += &part_text(stage, info);
    }
    text += &explained(&text);
    print(&text)
}

/// How files are read, and each format.
fn extractors() -> Vec<PartInfo> {
    let formats = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Unknown);
    let info = |kind: Kind| PartInfo { name: kind.name(), summary: kind.summary(), paper: "", params: &[] };
    std::iter::once(Extraction::INFO).chain(formats.map(info)).collect()
}

fn list(registry: &Registry, parts: &[(&'static str, Vec<PartInfo>)], as_json: bool) -> anyhow::Result<()> {
    if as_json {
        let methods: Vec<Value> = registry.methods().map(method_json).collect();
        let parts: Vec<Value> =
            parts.iter().flat_map(|(stage, infos)| infos.iter().map(|info| part_json(stage, info))).collect();
        let learners = choices().into_iter().map(|(name, about)| json!({ "name": name, "about": about }));
        let learners: Vec<Value> = learners.collect();
        return print_json(&json!({ "methods": methods, "parts": parts, "learners": learners }));
    }
    let mut rows = vec![vec!["METHOD".to_owned(), "what it finds".to_owned()]];
    rows.extend(registry.methods().map(|method| vec![method.name.clone(), method.summary.clone()]));
    let mut text = table(&rows);
    let mut rows = vec![vec!["STAGE".to_owned(), "part".to_owned(), "what it does".to_owned()]];
    for (stage, infos) in parts {
        rows.extend(infos.iter().map(|info| [stage, info.name, info.summary].map(str::to_owned).to_vec()));
    }
    text += &format!("\n{}\n`lookalike methods show NAME` explains one.\n", table(&rows));
    print(&text)
}

fn part_text(stage: &str, info: &PartInfo) -> String {
    let mut text = format!("[{stage}] {}: {}\n", info.name, info.summary);
    if !info.paper.is_empty() {
        text += &format!("  paper: {}\n", info.paper);
    }
    let rows: Vec<Vec<String>> = info
        .params
        .iter()
        .map(|param| vec![format!("  {stage}.{} = {}", param.name, param.default), param.help.to_owned()])
        .collect();
    text + &table(&rows)
}

fn part_json(stage: &str, info: &PartInfo) -> Value {
    let params: Vec<Value> = info
        .params
        .iter()
        .map(|param| json!({ "name": param.name, "default": param.default, "help": param.help }))
        .collect();
    json!({ "stage": stage, "name": info.name, "summary": info.summary, "paper": info.paper, "params": params })
}

fn method_json(method: &Method) -> Value {
    json!({ "name": method.name, "summary": method.summary, "paper": method.paper, "recipe": method.recipe })
}
