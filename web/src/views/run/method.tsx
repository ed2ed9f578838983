/** The method of a run with its parameters, or a recipe of one's own. */

import { useMemo } from "preact/hooks";

import { stagesOf, withClassifier, withClustering } from "../../lib/recipe";
import { Link } from "../../lib/router";
import type { Methods } from "../../lib/types";
import { Field } from "../../parts";
import { Settings } from "../../parts/settings";
import type { Draft } from "./draft";

interface MethodFieldsProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  errorOf: (place: string) => string | undefined;
  methods: Methods;
}

export function MethodFields({ draft, change, errorOf, methods }: MethodFieldsProps) {
  const method = methods.methods.find((one) => one.name === draft.method);
  const stages = useMemo(() => {
    if (method === undefined) return [];
    const clustered = draft.clustering === "" ? method.recipe : withClustering(method.recipe, draft.clustering);
    if (draft.classifier === "") return stagesOf(methods, clustered, draft.changes);
    // The service gives the model it has just trained.
    const decided = stagesOf(methods, withClassifier(clustered), draft.changes);
    return decided.map((stage) =>
      stage.name === "decide"
        ? { ...stage, parts: [], settings: stage.settings.filter((setting) => setting.key !== "decide.model") }
        : stage,
    );
  }, [methods, method, draft.clustering, draft.classifier, draft.changes]);

  return (
    <fieldset class="run-group">
      <legend>Method</legend>
      <Field label="Method" error={errorOf("method")}>
        {(input) => (
          <select
            {...input}
            value={draft.method}
            onChange={(event) => change({ method: event.currentTarget.value, changes: {} })}
          >
            {methods.methods.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
            <option value="">A recipe of my own</option>
          </select>
        )}
      </Field>
      {method !== undefined && (
        <>
          <p>
            {method.summary}. {method.paper && <span class="muted">Paper: {method.paper}. </span>}
            <Link to="methods" query={{ name: method.name }}>
              More
            </Link>
          </p>
          <Settings {...{ stages, errorOf }} changes={draft.changes} change={(changes) => change({ changes })} />
        </>
      )}
      {draft.method === "" && (
        <Field label="Recipe" help="TOML, as in a recipe file. What it leaves out has its default." error={errorOf("recipe")}>
          {(input) => (
            <textarea
              {...input}
              class="mono"
              rows={12}
              spellcheck={false}
              value={draft.recipe}
              onInput={(event) => change({ recipe: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </fieldset>
  );
}
