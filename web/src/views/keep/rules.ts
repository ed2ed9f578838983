/** Rules that say which document of a cluster stays, as the service writes them: `longest,max:score,source:wiki>web`. */

export interface Rule {
  /** Stays the same when rules change places. */
  key: number;
  name: string;
  argument: string;
}

export interface Kind {
  name: string;
  label: string;
  /** What stands behind the colon; absent: nothing does. */
  argument?: { label: string; example: string };
}

export const kinds: readonly Kind[] = [
  { name: "longest", label: "Longest text" },
  { name: "newest", label: "Newest" },
  { name: "first", label: "First that came" },
  { name: "shortest-url", label: "Shortest address" },
  { name: "max", label: "Largest number in a field", argument: { label: "Field", example: "score" } },
  { name: "min", label: "Smallest number in a field", argument: { label: "Field", example: "rank" } },
  { name: "source", label: "By source", argument: { label: "Sources, the best first", example: "newsroom>wire>web" } },
];

let keys = 0;

export function kindOf(name: string): Kind {
  // A rule that the page does not know yet is left as it is.
  return kinds.find((kind) => kind.name === name) ?? { name, label: name };
}

export function newRule(name: string, argument = ""): Rule {
  keys += 1;
  return { key: keys, name, argument };
}

export function parseRules(text: string): Rule[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter(Boolean).map((part) => {
    const [name = "", ...behind] = part.split(":");
    return newRule(name, behind.join(":"));
  });
}

export function rulesText(rules: readonly Rule[]): string {
  return rules.map(({ name, argument }) => (kindOf(name).argument || argument ? `${name}:${argument.trim()}` : name)).join(",");
}

/** What is missing before the rule can be used. */
export function wrongWith({ name, argument }: Rule): string | undefined {
  const wanted = kindOf(name).argument;
  if (wanted === undefined) return undefined;
  if (argument.trim() === "") return `Such as ${wanted.example}.`;
  return argument.includes(",") ? "A comma would end the rule." : undefined;
}

export function moved(rules: readonly Rule[], from: number, to: number): Rule[] {
  const rule = rules[from];
  if (rule === undefined || to < 0 || to >= rules.length) return [...rules];
  return rules.toSpliced(from, 1).toSpliced(to, 0, rule);
}
