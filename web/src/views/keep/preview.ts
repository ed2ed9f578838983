/** What a choice of rules and filter would remove. */

import { post } from "../../lib/api";
import { type Data, useAsk } from "../../lib/data";
import { toJson } from "../../lib/json";
import type { Preview, RemovalChoice } from "../../lib/types";

/** The service looks at every cluster, so it is not asked with every key. */
const TYPING_MILLISECONDS = 300;

/** Null: the choice cannot be used as it is. */
export function usePreview(choice: RemovalChoice | null): Data<Preview> {
  return useAsk(choice && toJson(choice), (signal) => post<Preview>("/api/removals/preview", choice, signal), {
    wait: TYPING_MILLISECONDS,
  });
}
