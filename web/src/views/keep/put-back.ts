import { post } from "../../lib/api";
import { plural } from "../../lib/format";
import { failed } from "../../lib/undo";
import type { Removal } from "../../lib/types";

/** Puts back what a removal took, and tells of what could not be. How many came back is the answer. */
export async function putBack(removal: number): Promise<number> {
  const { documents, not_restored: lost = [] } = await post<Removal>(`/api/removals/${removal}/undo`, {});
  if (lost.length > 0) failed(new Error(`${plural(lost.length, "document")} could not be put back; the list of removals tells why`));
  return documents - lost.length;
}
