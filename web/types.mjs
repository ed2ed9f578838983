/**
 * Makes the page's types from the OpenAPI document: `node types.mjs` writes them, `node types.mjs --check` tells whether
 * the file is current.
 */

import { readFileSync, writeFileSync } from "node:fs";

const DOCUMENT = new URL("../docs/openapi.json", import.meta.url);
const TYPES = new URL("src/lib/api-types.ts", import.meta.url);

/** Whole numbers that JavaScript cannot hold are read as bigints; see lib/json.ts. */
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

const { components } = JSON.parse(readFileSync(DOCUMENT, "utf8"));
const types = Object.entries(components.schemas).map(
  ([name, schema]) => `${comment(schema.description, "")}export type ${name} = ${OURS[name] ?? type(schema, "")};\n`,
);
const text = `/** Made from docs/openapi.json by types.mjs; run web/build to make it anew. */\n\n${types.join("\n")}`;

if (process.argv.includes("--check")) {
  if (readFileSync(TYPES, "utf8") !== text) {
    console.error("src/lib/api-types.ts is not what docs/openapi.json says: run web/build and commit it");
    process.exit(1);
  }
} else {
  writeFileSync(TYPES, text);
}
