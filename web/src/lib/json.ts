/** JSON as the client has it, so that ids stay what they are. */

export { parseJson, toJson } from "../../../clients/typescript/src/json";
