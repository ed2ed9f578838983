/** A new run: X15's form of training set, testing set, clustering, classifier, method and parameters. */

import { useState } from "preact/hooks";

import { ApiError } from "../../lib/api";
import { refreshAll, useData } from "../../lib/data";
import { sentence } from "../../lib/format";
import { kindNames, startJob } from "../../lib/jobs";
import { go } from "../../lib/router";
import { done } from "../../lib/undo";
import type { Methods, Uploads } from "../../lib/types";
import { Button, Failed, Field, Loading } from "../../parts";
import { LearnerField } from "../../parts/learner-field";
import { type Draft, type DraftKind, jobOf, needs, placeOf } from "./draft";
import { MethodFields } from "./method";
import { SourceFields } from "./source";
import { TruthFields } from "./truth";

const kinds: Record<DraftKind, string> = {
  dedup: "Near-duplicates of the testing set are removed; what is kept and why is the result.",
  train: "A classifier learns from the training set what counts as a duplicate.",
  evaluate: "The method is judged on the testing set against what is true.",
};

export function RunForm({ initial }: { initial: Draft }) {
  const [draft, setDraft] = useState(initial);
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const methods = useData<Methods>("/api/methods");
  const uploads = useData<Uploads>("/api/uploads");
  const needed = needs(draft);
  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part });
    setError(undefined);
  };
  const message = error && sentence(error.message);
  const place = error instanceof ApiError ? placeOf(error.message) : "";
  const errorOf = (name: string) => (name === place ? message : undefined);

  const submit = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const job = await startJob(jobOf(draft));
      done(`Run ${job.id} started`);
      refreshAll();
      go(["run", job.id]);
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    } finally {
      setBusy(false);
    }
  };

  if (methods.error) return <Failed error={methods.error} retry={methods.reload} />;
  if (methods.data === undefined) return <Loading lines={10} />;
  const measures = methods.data.parts.filter((part) => part.stage === "measure").map((part) => part.name);
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void submit();
      }}
    >
      <h2>New run</h2>
      <fieldset class="run-group">
        <legend>What to do</legend>
        {(Object.keys(kinds) as DraftKind[]).map((kind) => (
          <label key={kind} class="run-check">
            <input type="radio" name="kind" checked={draft.kind === kind} onChange={() => change({ kind })} /> {kindNames[kind]}{" "}
            <span class="muted">{kinds[kind]}</span>
          </label>
        ))}
      </fieldset>
      {needed.testing && (
        <SourceFields
          title="Testing set"
          about="The documents that are compared."
          source={draft.testing}
          uploads={uploads}
          change={(testing) => change({ testing })}
          error={errorOf("testing")}
        />
      )}
      <fieldset class="run-group">
        <legend>{needed.method ? "Clustering and classifier" : "Classifier"}</legend>
        <div class="field-grid">
          {needed.method && <ClusteringField {...{ draft, change }} methods={methods.data} error={errorOf("clustering")} />}
          <ClassifierField {...{ draft, change }} methods={methods.data} error={errorOf("classifier")} />
        </div>
      </fieldset>
      {needed.training && (
        <SourceFields
          title="Training set"
          about="The documents that the classifier learns from."
          source={draft.training}
          uploads={uploads}
          change={(training) => change({ training })}
          error={errorOf("training")}
        />
      )}
      {needed.truth && (
        <TruthFields truth={draft.truth} change={(truth) => change({ truth })} measures={measures} error={errorOf("truth")} />
      )}
      {needed.method && <MethodFields {...{ draft, change, errorOf }} methods={methods.data} />}
      <div class="row">
        <Button kind="primary" type="submit" busy={busy}>
          Start
        </Button>
        <span class="field-error" role="alert">
          {message}
        </span>
      </div>
    </form>
  );
}

interface PartProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  methods: Methods;
  error: string | undefined;
}

function ClusteringField({ draft, change, methods, error }: PartProps) {
  const known = methods.parts.filter((part) => part.stage === "partition");
  const chosen = known.find((part) => part.name === draft.clustering);
  const help = chosen?.summary ?? "All candidates that the method finds are compared, wherever they stand.";
  return (
    <Field label="Clustering" help={help} error={error}>
      {(input) => (
        <select
          {...input}
          value={draft.clustering}
          // The recipe is another one then, so what was changed of it has no meaning.
          onChange={(event) => change({ clustering: event.currentTarget.value, changes: {} })}
        >
          <option value="">The method's own candidates</option>
          {known.map((part) => (
            <option key={part.name} value={part.name}>
              {part.name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function ClassifierField({ draft, change, methods, error }: PartProps) {
  const required = draft.kind === "train";
  return (
    <LearnerField
      label="Classifier"
      help={
        required
          ? "Each is tested on pairs it was not trained on."
          : "With a classifier, one is trained first and decides instead of a threshold."
      }
      error={error}
      learners={methods.learners}
      none={required ? undefined : "None, the method decides"}
      value={draft.classifier}
      choose={(classifier) => change({ classifier, changes: {} })}
    />
  );
}
