/** One run: how far it is, and what came out. */

import { useState } from "preact/hooks";

import { useAction } from "../../lib/action";
import { del } from "../../lib/api";
import { refreshAll, useData } from "../../lib/data";
import { moment, percent, plural, sentence } from "../../lib/format";
import { isUnderWay, jobFilePath, jobPath, kindNames, methodText, sourceText, useJob } from "../../lib/jobs";
import { Link, go } from "../../lib/router";
import { download } from "../../lib/save";
import type { Job, JobFiles, JobSummary, LabelFile, Truth } from "../../lib/types";
import { done } from "../../lib/undo";
import { Button, Dialog, Failed, Loading, Page } from "../../parts";
import { type Fact, Facts } from "../../parts/facts";
import { DedupResult } from "./dedup-result";
import { EvaluationResult } from "./evaluation-result";
import { StateTag, tookText } from "./list";
import { AppliedResult, PutToWork } from "./put-to-work";
import { TrainingResult } from "./training-result";

export function JobView({ id }: { id: string }) {
  const { data: job, error, loading, reload } = useJob(id);
  const title = job === undefined ? `Run ${id}` : `Run ${id}: ${kindNames[job.spec.kind]}`;
  return (
    <Page title={title} actions={job && <Actions job={job} />}>
      {error && <Failed error={error} retry={reload} />}
      {job === undefined && loading && <Loading lines={8} />}
      {job !== undefined && (
        <>
          <About job={job} />
          {job.state === "done" && <Result job={job} />}
          {job.state === "done" && <PutToWork job={job} />}
          {!isUnderWay(job) && <Files key={job.state} id={job.id} />}
        </>
      )}
    </Page>
  );
}

function Actions({ job }: { job: Job }) {
  const [asking, setAsking] = useState(false);
  const [cancel, cancelling] = useAction(async () => {
    await del(jobPath(job.id));
    done(`Run ${job.id} is told to stop`);
    refreshAll();
  });
  const [remove, removing] = useAction(async () => {
    await del(jobPath(job.id));
    done(`Run ${job.id} removed`);
    go("run");
  });
  return (
    <>
      <Link to="run">All runs</Link>
      {job.spec.kind !== "ask" && job.spec.of == null && (
        <Link class="button" to="run" query={{ from: job.id }}>
          Run again, changed
        </Link>
      )}
      {isUnderWay(job) ? (
        <Button kind="danger" busy={cancelling} onClick={cancel}>
          Cancel
        </Button>
      ) : (
        <Button onClick={() => setAsking(true)}>Remove</Button>
      )}
      <Dialog
        title="Remove this run?"
        open={asking}
        onClose={() => setAsking(false)}
        actions={
          <Button kind="danger" busy={removing} onClick={remove}>
            Remove
          </Button>
        }
      >
        <p>Its results are removed with it. This cannot be taken back.</p>
      </Dialog>
    </>
  );
}

function About({ job }: { job: Job }) {
  const { spec } = job;
  const facts: Fact[] = [
    ["State", <StateTag job={job} />],
    ...(spec.of == null ? [["With", methodText(spec)] as const] : [["Of", <Link to={["run", spec.of]}>Run {spec.of}</Link>] as const]),
    ...(spec.testing ? [["Testing set", sourceText(spec.testing)] as const] : []),
    ...(spec.training ? [["Training set", sourceText(spec.training)] as const] : []),
    ...(spec.truth ? [["Truth", truthText(spec.truth)] as const] : []),
    ...Object.entries(spec.set ?? {}).map(([key, value]) => [key, value] as const),
    ["Created", moment(job.created)],
    ["Took", tookText(job)],
  ];
  return (
    <section class="card">
      <h2>The run</h2>
      <Facts facts={facts} />
      {spec.recipe !== undefined && (
        <details>
          <summary>Recipe</summary>
          <pre class="run-recipe">{spec.recipe}</pre>
        </details>
      )}
      {isUnderWay(job) && <Progress job={job} />}
      {job.error !== undefined && <Failed error={new Error(job.error)} />}
    </section>
  );
}

function Progress({ job }: { job: Job }) {
  const { state, progress } = job;
  const text =
    state === "queued" ? "Waits for the runs before it." : progress ? `${sentence(progress.stage)} ${percent(progress.done)}` : "Begins.";
  return (
    <div class="run-progress">
      <progress max={1} value={progress?.done ?? 0} aria-label="Progress of this stage" />
      <p role="status">{text}</p>
    </div>
  );
}

function Result({ job }: { job: Job }) {
  const summary: JobSummary = job.summary ?? {};
  return (
    <>
      {summary.report && <DedupResult report={summary.report} />}
      {summary.evaluation && <EvaluationResult evaluation={summary.evaluation} />}
      {summary.decisions && <AppliedResult applied={summary.decisions} undone={job.spec.kind === "undo"} />}
      {summary.training && <TrainingResult training={summary.training} />}
      {job.spec.kind === "ask" && (
        <p>
          The pairs wait in <Link to="label">Labelling</Link>.
        </p>
      )}
    </>
  );
}

function Files({ id }: { id: number }) {
  const { data, error, reload } = useData<JobFiles>(`${jobPath(id)}/files`);
  const [save, busy] = useAction((name: string) => download(jobFilePath(id, name), name.split("/").at(-1) ?? name));
  if (error) return <Failed error={error} retry={reload} />;
  if (data === undefined || data.files.length === 0) return null;
  return (
    <section class="card">
      <h2>{plural(data.files.length, "file")}</h2>
      <ul class="run-files">
        {data.files.map((name) => (
          <li key={name}>
            <Button class="small" disabled={busy} aria-label={`Save ${name}`} onClick={() => save(name)}>
              Save
            </Button>{" "}
            <span class="mono">{name}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function fileText(file: LabelFile): string {
  return typeof file === "string" ? file : file.upload;
}

function truthText(truth: Truth): string {
  if ("cluster_field" in truth) return `field ${truth.cluster_field}`;
  if ("pairs" in truth) return `pairs of ${fileText(truth.pairs)}`;
  if ("clusters" in truth) return `clusters of ${fileText(truth.clusters)}`;
  if ("exact" in truth) return `${truth.exact[0]} from ${truth.exact[1]}`;
  return "decisions of reviewers";
}
