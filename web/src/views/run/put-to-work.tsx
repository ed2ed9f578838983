/** What a run made, put to work: its pairs as decisions of the index, its recipe as that of the index; and both undone. */

import { useEffect, useState } from "preact/hooks";

import { useAction } from "../../lib/action";
import { del, post } from "../../lib/api";
import { refreshAll, useData } from "../../lib/data";
import { count } from "../../lib/format";
import { isUnderWay, jobPath, startJob } from "../../lib/jobs";
import { usePoll } from "../../lib/poll";
import { Link, go } from "../../lib/router";
import type { AppliedDecisions, Job, Jobs, Task } from "../../lib/types";
import { done } from "../../lib/undo";
import { Button, Dialog, Failed } from "../../parts";
import { Facts } from "../../parts/facts";

export function PutToWork({ job }: { job: Job }) {
  const { kind, testing } = job.spec;
  if (kind !== "dedup" && kind !== "train") return null;
  return (
    <section class="card">
      <h2>Put to work</h2>
      {kind === "dedup" && testing?.index === true && <Pairs job={job} />}
      <Recipe job={job} />
    </section>
  );
}

function Pairs({ job }: { job: Job }) {
  const { data, error, reload } = useData<Jobs>("/api/jobs");
  const latest = data?.jobs.find((other) => other.spec.of === job.id);
  const underWay = latest !== undefined && isUnderWay(latest);
  usePoll(reload, underWay, data);
  const applied = latest?.spec.kind === "apply";
  const [start, busy] = useAction(async (kind: "apply" | "undo") => {
    const started = await startJob({ kind, of: job.id });
    go(["run", started.id]);
  });
  if (error) return <Failed error={error} retry={reload} />;
  return (
    <div>
      <h3>Its pairs</h3>
      <p>
        As decisions of the index they hold whatever its own recipe says. Decisions of people stay as they are, and so does what has
        changed since the run.
      </p>
      {latest !== undefined && (
        <p>
          Last: <Link to={["run", latest.id]}>{applied ? "applied" : "undone"} by run {latest.id}</Link>.
        </p>
      )}
      <Button busy={busy} disabled={underWay || data === undefined} onClick={() => start("apply")}>
        Apply the pairs
      </Button>{" "}
      {applied && (
        <Button busy={busy} disabled={underWay} onClick={() => start("undo")}>
          Undo
        </Button>
      )}
    </div>
  );
}

function Recipe({ job }: { job: Job }) {
  const [asking, setAsking] = useState(false);
  const [started, setStarted] = useState(false);
  const [failure, setFailure] = useState<string | undefined>();
  const { data: task, reload } = useData<Task>(started ? "/api/admin/task" : null);
  usePoll(reload, started, task);
  useEffect(() => {
    if (!started || task === undefined || task.state === "running") return;
    setStarted(false);
    setFailure(task.error?.message);
    refreshAll();
  }, [started, task]);
  const [change, busy] = useAction(async () => {
    const path = `${jobPath(job.id)}/adopt`;
    setAsking(false);
    setFailure(undefined);
    await (job.adopted ? del(path) : post(path, {}));
    setStarted(true);
    done(job.adopted ? "The index gets its former recipe back" : `The index takes over the recipe of run ${job.id}`);
  });
  return (
    <div>
      <h3>Its recipe</h3>
      <p>
        {job.adopted
          ? "The index has the recipe of this run, with the classifier and the clusters that the run made."
          : "The index is built anew by the recipe of this run, with the classifier and the clusters that it made. It answers meanwhile."}
      </p>
      {started && <p role="status">The index is built anew.</p>}
      {failure !== undefined && <Failed error={new Error(failure)} />}
      <Button busy={busy || started} onClick={() => (job.adopted ? change() : setAsking(true))}>
        {job.adopted ? "Undo: the former recipe" : "Take over the recipe"}
      </Button>
      <Dialog
        title="Build the index anew?"
        open={asking}
        onClose={() => setAsking(false)}
        actions={
          <Button kind="primary" busy={busy} onClick={change}>
            Take over
          </Button>
        }
      >
        <p>All documents are signed and compared again by this recipe. The former recipe can be given back.</p>
      </Dialog>
    </div>
  );
}

export function AppliedResult({ applied, undone }: { applied: AppliedDecisions; undone: boolean }) {
  return (
    <section class="card">
      <h2>Result</h2>
      <Facts
        facts={[
          [undone ? "Decisions withdrawn" : "Decisions made", count(applied.changed)],
          ["Decided before", count(applied.decided_before)],
          ["Left, for nothing was to be decided", count(applied.left)],
        ]}
      />
    </section>
  );
}
