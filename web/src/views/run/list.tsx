/** All runs, the newest first. */

import { useState } from "preact/hooks";

import { useData } from "../../lib/data";
import { duration, moment, percent } from "../../lib/format";
import { isUnderWay, kindNames, methodText, sourceText, stateNames } from "../../lib/jobs";
import { usePoll } from "../../lib/poll";
import { Link } from "../../lib/router";
import type { Job, JobState, Jobs } from "../../lib/types";
import { Button, type Column, Empty, Failed, Loading, Table } from "../../parts";

const SHOWN = 30;

const stateClasses: Record<JobState, string> = {
  queued: "tag",
  running: "tag warn",
  done: "tag good",
  failed: "tag bad",
  cancelled: "tag",
};

export function RunList() {
  const { data, error, loading, reload } = useData<Jobs>("/api/jobs");
  const [all, setAll] = useState(false);
  usePoll(reload, data?.jobs.some(isUnderWay) ?? false, data);
  const jobs = data?.jobs ?? [];
  return (
    <section class="card">
      <h2>Runs</h2>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={5} />}
      {data !== undefined && jobs.length === 0 && (
        <Empty title="Nothing here yet: no run was started.">Fill in the form, and the run is listed here.</Empty>
      )}
      {jobs.length > 0 && (
        <Table caption="Runs, the newest first" columns={columns} rows={all ? jobs : jobs.slice(0, SHOWN)} rowKey={(job) => job.id} />
      )}
      {!all && jobs.length > SHOWN && <Button onClick={() => setAll(true)}>Show all {jobs.length}</Button>}
    </section>
  );
}

const columns: Column<Job>[] = [
  {
    title: "Run",
    heading: true,
    class: "wide",
    cell: (job) => (
      <>
        <Link to={["run", job.id]}>
          {job.id}: {kindNames[job.spec.kind]}
        </Link>
        <About text={methodText(job.spec)} />
        <About text={sourceText(job.spec.testing ?? job.spec.training)} />
      </>
    ),
  },
  { title: "State", cell: (job) => <StateTag job={job} /> },
  { title: "Started", class: "when", cell: (job) => moment(job.started ?? job.created) },
  { title: "Took", number: true, cell: (job) => tookText(job) },
];

function About({ text }: { text: string }) {
  return (
    <span class="name muted" dir="auto" title={text}>
      {text}
    </span>
  );
}

export function StateTag({ job }: { job: Job }) {
  const share = job.state === "running" && job.progress ? ` ${percent(job.progress.done)}` : "";
  return <span class={stateClasses[job.state]}>{stateNames[job.state] + share}</span>;
}

export function tookText({ started, finished }: Job): string {
  if (started === undefined || finished === undefined) return "–";
  // Times are whole seconds.
  return finished === started ? "< 1 s" : duration(finished - started);
}
