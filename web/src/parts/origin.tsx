import { timeOf } from "../lib/fields";
import { date } from "../lib/format";
import type { Stored } from "../lib/types";
import type { Fact } from "./facts";
import { Outward } from "./outward";

/** Where a document comes from, as far as it tells. */
export function originOf(stored: Stored): Fact[] {
  const { url, type, source } = stored.document;
  const when = timeOf(stored);
  const facts: Fact[] = [
    ["Address", typeof url === "string" && <Outward url={url} />],
    ["Date", when !== undefined && date(when)],
    ["Type", typeof type === "string" && type],
    ["Source", typeof source === "string" && source !== "" && <span dir="auto">{source}</span>],
  ];
  return facts.filter(([, value]) => value);
}
