/** Offline runs: start one, follow it, see what came out. */

import "../style/run.css";
import { useData } from "../lib/data";
import { jobPath } from "../lib/jobs";
import type { ViewProps } from "../lib/router";
import type { Job } from "../lib/types";
import { Failed, Loading, Page } from "../parts";
import { draftOf, emptyDraft } from "./run/draft";
import { RunForm } from "./run/form";
import { JobView } from "./run/job";
import { RunList } from "./run/list";

export default function Run({ path, query }: ViewProps) {
  const id = path[1];
  if (id !== undefined) return <JobView id={id} />;
  return (
    <Page title="Runs" lead="Deduplicate, train and judge in the background. One run works at a time; the others wait.">
      <div class="run-page">
        <NewRun from={query.get("from")} />
        <RunList />
      </div>
    </Page>
  );
}

/** The form, filled in as another run was if one is named. */
function NewRun({ from }: { from: string | null }) {
  const { data, error, reload } = useData<Job>(from === null ? null : jobPath(from));
  if (from === null) return <RunForm key="new" initial={emptyDraft} />;
  if (error) return <Failed error={error} retry={reload} />;
  if (data === undefined) return <Loading lines={10} />;
  return <RunForm key={from} initial={draftOf(data.spec)} />;
}
