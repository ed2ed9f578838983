export { Content, type Lines } from "./content.js";
export { LookalikeError } from "./errors.js";
export type { CallOptions, Options } from "./http.js";
export { parseJson, toJson } from "./json.js";
export { linesOf } from "./lines.js";
export * from "./operations.js";
export type * from "./types.js";
