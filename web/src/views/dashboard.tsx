/** The state of the index at a glance, and what another threshold would change. */

import { useData } from "../lib/data";
import { count, date, moment, percent, plural } from "../lib/format";
import { nameOf } from "../lib/names";
import { toCluster } from "../lib/places";
import { Link } from "../lib/router";
import type { SourceLoss, Survey, Warning } from "../lib/types";
import { Button, Empty, Failed, Histogram, Loading, Numbers, Page } from "../parts";
import { type Figure, Figures } from "../parts/figures";
import { SourceTable } from "../parts/source-table";
import { ThresholdExplorer } from "./dashboard/threshold";

export default function Dashboard() {
  const { data, error, loading, reload } = useData<Survey>("/api/survey");
  const actions = (
    <>
      {data && <span class="muted">As of {moment(data.as_of)}</span>}
      <Button onClick={reload} busy={loading}>
        Refresh
      </Button>
    </>
  );
  return (
    <Page title="Overview" actions={actions}>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={12} />}
      {data?.documents === 0 && (
        <Empty title="Nothing here yet: the index holds no documents.">
          <p>
            Send some to <code>POST /api/documents</code> or <code>/api/documents/bulk</code>, or see what is known of one in{" "}
            <Link to="check">Check</Link>.
          </p>
        </Empty>
      )}
      {data !== undefined && data.documents > 0 && <Overview survey={data} />}
    </Page>
  );
}

function Overview({ survey }: { survey: Survey }) {
  return (
    <>
      <Figures figures={figuresOf(survey)} />
      <ThresholdExplorer survey={survey} />
      <div class="columns">
        <Warnings warnings={survey.warnings} />
        <Growth growth={survey.growth} />
      </div>
      <Sources sources={survey.sources} />
    </>
  );
}

function figuresOf(survey: Survey): Figure[] {
  return [
    ["Documents", count(survey.documents), `found with ${survey.method}`],
    ["Clusters", count(survey.clusters), "of two documents or more"],
    ["Duplicates", percent(survey.duplicates / survey.documents), `${plural(survey.duplicates, "document")} could go`],
    ["Pairs", count(survey.pairs), "that are alike"],
  ];
}

function Warnings({ warnings }: { warnings: Warning[] }) {
  return (
    <section class="card">
      <h2>Worth a look</h2>
      {warnings.length === 0 && <p class="muted">Nothing unusual was found.</p>}
      <ul class="warnings">
        {warnings.map((warning, place) => (
          <li key={place}>
            <span class="tag warn">{kinds[warning.kind]}</span>{" "}
            {warning.cluster === null ? (
              <span dir="auto">{warning.message}</span>
            ) : (
              <Link {...toCluster(nameOf({ id: warning.cluster, labels: warning.labels }))} dir="auto">
                {warning.message}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const kinds: Record<Warning["kind"], string> = { giant: "Giant", loose: "Loose", short: "Short", source: "Source" };

function Growth({ growth }: { growth: Survey["growth"] }) {
  const { by, start, interval, documents, duplicates } = growth;
  const isStated = by === "stated";
  const day = (place: number) => date(start + place * interval);
  const added = documents.reduce((sum, one) => sum + one, 0);
  const what = isStated ? "Documents dated" : "Documents added";
  const label = `${what} from ${day(0)} to ${day(documents.length)}: ${count(added)}. Dark: duplicates.`;
  const share = duplicates.reduce((sum, one) => sum + one, 0) / Math.max(1, added);
  return (
    <section class="card">
      <h2>{isStated ? "Documents over time" : "Growth"}</h2>
      {isStated && <p class="muted">All were added at once, so this is by the dates that {plural(added, "document")} state.</p>}
      {documents.length === 0 ? (
        <p class="muted">No document tells when it was added.</p>
      ) : documents.length === 1 ? (
        <p>
          {plural(added, "document")} came on {day(0)}, all at once, {percent(share)} of them duplicates. Growth shows when more come, or when
          documents state their dates (<code>time</code>, <code>date</code> or <code>timestamp</code>).
        </p>
      ) : (
        <>
          <Histogram label={label} values={documents} parts={duplicates} name={day} ticks={[day(0), day(documents.length)]} />
          <p class="legend">
            <span class="swatch soft" /> {isStated ? "dated" : "added"} <span class="swatch" /> of these duplicates
          </p>
          <Numbers
            caption={what}
            head={["From", "Documents", "Duplicates"]}
            rows={documents.map((one, place) => [day(place), count(one), count(duplicates[place] ?? 0)])}
          />
        </>
      )}
    </section>
  );
}

function Sources({ sources }: { sources: SourceLoss[] }) {
  if (sources.length === 0) return null;
  return (
    <section class="card">
      <h2>Sources that would lose most</h2>
      <SourceTable caption="Sources by the share of duplicates" lost="Duplicates" sources={sources} />
    </section>
  );
}
