/** What a choice of rules and filter would remove. */

import { post } from "../../lib/api";
import { type Data, useAsk } from "../../lib/data";
import { parseJson, toJson } from "../../lib/json";
import type { Preview, NewRemoval } from "../../lib/types";

/** What a choice would do. The next choice may be made before it is known what that would. */
export interface Previewed {
  choice: NewRemoval;
  preview: Preview;
}

/** The service looks at every cluster, so it is not asked with every key. */
const TYPING_MILLISECONDS = 300;

/** Null: the choice cannot be used as it is. */
export function usePreview(choice: NewRemoval | null): Data<Previewed> {
  const ask = async (signal: AbortSignal, question: string) => {
    const asked = parseJson<NewRemoval>(question);
    return { choice: asked, preview: await post<Preview>("/api/removals/preview", asked, signal) };
  };
  return useAsk(choice && toJson(choice), ask, { wait: TYPING_MILLISECONDS });
}
