/** A method's recipe as settings that can be shown and changed: its own values, and the defaults of the parts it names. */

import type { Methods } from "./types";

export type Recipe = Record<string, unknown>;
/** By key, such as `decide.threshold`. */
export type Changes = Readonly<Record<string, string>>;

export interface Setting {
  key: string;
  /** What holds as long as nothing is given. */
  standard: string;
  help: string;
  /** Absent: anything. */
  choices?: readonly string[];
}

export interface Stage {
  name: string;
  /** The part that fills it, and those that could. A stage with one part has no choice. */
  part: string;
  standardPart: string;
  parts: readonly string[];
  summary: string;
  settings: readonly Setting[];
}

type Part = Methods["parts"][number];

/** The stages of a recipe, each with the part that fills it unless another is named. */
const stageParts: readonly (readonly [stage: string, part: string])[] = [
  ["features", "shingles"],
  ["sign", "minhash"],
  ["candidates", "bands"],
  ["decide", "threshold"],
  ["cluster", "star"],
  ["keep", "rule"],
];

/** What the service sets itself for a job with a clustering: the recipe compares only within clusters then. */
export function withClustering(recipe: Recipe, clustering: string): Recipe {
  return {
    ...recipe,
    features: { ...ofType(recipe, "features", "terms"), stop_words: "english", weight: "idf", lexicon: "english" },
    candidates: { ...ofType(recipe, "candidates", "clusters"), clustering, floor: 0.2 },
    decide: { ...section(recipe, "decide"), measure: "weighted-cosine" },
  };
}

/** What the service sets itself for a job with a classifier, but for the model. */
export function withClassifier(recipe: Recipe): Recipe {
  return { ...recipe, decide: ofType(recipe, "decide", "classifier") };
}

export function stagesOf({ parts }: Methods, recipe: Recipe, changes: Changes = {}): Stage[] {
  const finder = changes["candidates.type"] ?? section(recipe, "candidates")["type"];
  return stageParts.flatMap(([name, usual]) => {
    // An ensemble leaves signing to its members.
    if (name === "sign" && finder === "ensemble") return [];
    const given = section(recipe, name);
    const standardPart = typeof given["type"] === "string" ? given["type"] : usual;
    const chosen = changes[`${name}.type`] ?? standardPart;
    const known = parts.filter((part) => part.stage === name);
    const part = known.find((one) => one.name === chosen);
    if (part === undefined) return [];
    // Another part does not know the settings of the one before.
    const own = chosen === standardPart ? given : {};
    const settings = part.params.filter(isSetting).map((param) => ({
      key: `${name}.${param.name}`,
      standard: Object.hasOwn(own, param.name) ? valueText(own[param.name]) : defaultText(param.default),
      help: param.help,
      choices: choicesOf(`${name}.${param.name}`, param.default, parts),
    }));
    const names = known.map((one) => one.name);
    return [{ name, part: chosen, standardPart, parts: names, summary: part.summary, settings }];
  });
}

/** The changes with one more; an empty value takes one back. Another part forgets what was changed of the one before. */
export function changed(changes: Changes, key: string, value: string): Changes {
  const replaced = (name: string) => (key.endsWith(".type") ? name.split(".")[0] === key.split(".")[0] : name === key);
  const kept = Object.entries(changes).filter(([name]) => !replaced(name));
  return Object.fromEntries(value === "" ? kept : [...kept, [key, value]]);
}

/** As it would be written in a recipe, but texts without their quotes. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function defaultText(text: string): string {
  return /^"[^"]*"$/.test(text) ? text.slice(1, -1) : text;
}

/** Names in capitals stand for something, such as the sections of an ensemble's members. */
function isSetting(param: Part["params"][number]): boolean {
  return param.name !== param.name.toUpperCase();
}

function choicesOf(key: string, standard: string, parts: readonly Part[]): readonly string[] | undefined {
  const ofStage = (stage: string) => parts.filter((part) => part.stage === stage).map((part) => part.name);
  if (key === "decide.measure") return ofStage("measure");
  if (key === "candidates.clustering") return ofStage("partition");
  return standard === "true" || standard === "false" ? ["true", "false"] : undefined;
}

/** A section filled by this part. Another part's settings are forgotten. */
function ofType(recipe: Recipe, name: string, type: string): Record<string, unknown> {
  const given = section(recipe, name);
  return given["type"] === type ? given : { type };
}

function section(recipe: Recipe, name: string): Record<string, unknown> {
  const found = recipe[name];
  return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
}
