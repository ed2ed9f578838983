/**
 * Makes the types and the operations of the client from the OpenAPI document; the page has its types from here. `node generate.mjs`
 * writes them, `node generate.mjs --check` tells whether they are current.
 */

import { readFileSync, writeFileSync } from "node:fs";

const DOCUMENT = new URL("../../docs/openapi.json", import.meta.url);
const MADE = "/** Made from docs/openapi.json by generate.mjs; run web/build to make it anew. */\n";

/** Whole numbers that JavaScript cannot hold are read as bigints; see json.ts. */
const OURS = { Id: "string | number | bigint" };

/** A schema as a type, with each line after the first indented. */
function type(schema, indent) {
  if (schema === true) return "unknown";
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? (schema.properties ? undefined : schema.oneOf);
  if (choices) return union(choices.map((choice) => type(choice, indent)));
  return union([schema.type ?? "any"].flat().map((kind) => ofKind(kind, schema, indent)));
}

function ofKind(kind, schema, indent) {
  switch (kind) {
    case "integer":
      return "number";
    case "array":
      return list(schema, indent);
    case "object":
      return object(schema, indent);
    case "any":
      return "unknown";
    default:
      return kind;
  }
}

function list(schema, indent) {
  if (schema.prefixItems) return `[${schema.prefixItems.map((item) => type(item, indent)).join(", ")}]`;
  const item = type(schema.items ?? true, indent);
  // Start and end, a pair, three numbers: as many as there always are.
  if (schema.minItems > 0 && schema.minItems === schema.maxItems) return `[${Array(schema.minItems).fill(item).join(", ")}]`;
  return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function object(schema, indent) {
  if (!schema.properties) {
    const { additionalProperties: rest = true } = schema;
    return rest === false ? "Record<string, never>" : `Record<string, ${type(rest, indent)}>`;
  }
  const inner = `${indent}  `;
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const optional = schema.required?.includes(name) ? "" : "?";
    return `${comment(field.description, inner)}${inner}${name}${optional}: ${type(field, inner)};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}

function union(types) {
  return [...new Set(types)].join(" | ");
}

function comment(text, indent) {
  if (!text) return "";
  const lines = text.split("\n");
  if (lines.length === 1) return `${indent}/** ${text} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** The files of the page are for browsers. */
const isForPrograms = ([path]) => path !== "/" && !path.startsWith("/assets/");

/** The types of the document that a method names. */
const named = new Set();

function typeOf(schema) {
  const text = type(schema, "    ");
  for (const name of text.match(/\b[A-Z]\w*/g) ?? []) if (name in components.schemas) named.add(name);
  return text;
}

function operation(path, method, { operationId: name, summary, description, parameters = [], requestBody, responses }) {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const body = bodyOf(requestBody);
  const answer = answerOf(responses);
  const query = inQuery.map(
    (parameter) => `${comment(parameter.description, "      ")}      ${parameter.name}?: ${typeOf(parameter.schema)};\n`,
  );
  // What is in the path is an id, or a name, of what there is.
  if (inPath.length > 0) named.add("Id");
  const given = [
    ...inPath.map((parameter) => `${parameter.name}: Id`),
    ...(body?.type ? [`body: ${body.type}`] : []),
    ...(query.length > 0 ? [`query: {\n${query.join("")}    } = {}`] : []),
    "call?: CallOptions",
  ];
  const filled = inPath.reduce((text, { name }) => text.replace(`{${name}}`, `\${segment(${name})}`), path);
  const isStream = answer.by === "exchange";
  const fields = [
    `method: ${JSON.stringify(method.toUpperCase())}`,
    `path: ${inPath.length > 0 ? `\`${filled}\`` : JSON.stringify(path)}`,
    ...(query.length > 0 ? ["query"] : []),
    ...(body && !isStream ? [body.type ? "body" : "body: {}"] : []),
  ];
  const call = `this.#http.${answer.by}({ ${fields.join(", ")} }, ${isStream ? "body, " : ""}call)`;
  const about = comment([summary, description].filter(Boolean).join(". "), "  ");
  if (answer.type === "void") return `${about}  async ${name}(${given.join(", ")}): Promise<void> {\n    await ${call};\n  }\n`;
  return `${about}  ${name}(${given.join(", ")}): ${answer.type} {\n    return ${call};\n  }\n`;
}

const isLines = (kind) => /ndjson|jsonl/.test(kind);

/** What a method takes; without a type the body is an empty object. */
function bodyOf(requestBody) {
  if (!requestBody) return undefined;
  const content = requestBody.content;
  const json = content["application/json"]?.schema;
  if (json?.$ref?.endsWith("/Nothing")) return {};
  const lines = Object.keys(content).find(isLines);
  const others = Object.keys(content).filter((kind) => kind !== "application/json" && !isLines(kind));
  return {
    type: union([
      ...(json ? [typeOf(json)] : []),
      ...(lines ? [`Lines<${typeOf(content[lines].schema)}>`] : []),
      ...(others.length > 0 ? [`Content<${union(others.map((kind) => JSON.stringify(kind)))}>`] : []),
    ]),
  };
}

/** What a method gives, and by which way of asking. */
function answerOf(responses) {
  const good = Object.entries(responses).find(([status]) => status.startsWith("2"))[1];
  const [kind, { schema }] = Object.entries(good.content ?? {})[0] ?? ["", {}];
  if (kind === "") return { type: "void", by: "text" };
  if (kind === "application/json") {
    const type = typeOf(schema);
    return { type: `Promise<${type}>`, by: `json<${type}>` };
  }
  if (isLines(kind) && schema.$ref) return { type: `AsyncGenerator<${typeOf(schema)}, void, undefined>`, by: "exchange" };
  if (kind.startsWith("text/")) return { type: "Promise<string>", by: "text" };
  return { type: "Promise<Response>", by: "response" };
}

const { components, paths } = JSON.parse(readFileSync(DOCUMENT, "utf8"));
const types = Object.entries(components.schemas).map(
  ([name, schema]) => `${comment(schema.description, "")}export type ${name} = ${OURS[name] ?? type(schema, "")};\n`,
);
const operations = Object.entries(paths)
  .filter(isForPrograms)
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, about]) => operation(path, method, about)));

const files = {
  "src/types.ts": `${MADE}\n${types.join("\n")}`,
  "src/operations.ts": `${MADE}
import type { Content, Lines } from "./content.js";
import { Http, segment, type CallOptions, type Options } from "./http.js";
import type { ${[...named].sort().join(", ")} } from "./types.js";

/** A service of Lookalike. */
export class Lookalike {
  readonly #http: Http;

  /** \`url\` is the address of the service, with the path below which a proxy serves it. */
  constructor(url: string | URL, options: Options = {}) {
    this.#http = new Http(url, options);
  }

  get url(): string {
    return this.#http.url;
  }

${operations.join("\n")}}
`,
};

for (const [name, text] of Object.entries(files)) {
  const place = new URL(name, import.meta.url);
  if (!process.argv.includes("--check")) writeFileSync(place, text);
  else if (readFileSync(place, "utf8") !== text) {
    console.error(`clients/typescript/${name} is not what docs/openapi.json says: run web/build and commit it`);
    process.exit(1);
  }
}
