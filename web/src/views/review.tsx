/** Review: pairs of all clusters that wait for a decision, one after another. */

import { useEffect, useState } from "preact/hooks";

import { ApiError, del, post } from "../lib/api";
import { useAction } from "../lib/action";
import { useData, useMay } from "../lib/data";
import { count, plural, sentence } from "../lib/format";
import { type ViewProps, Link, go } from "../lib/router";
import type { Batches, ReviewProgress, SavedFilters } from "../lib/types";
import { Button, Empty, Failed, Field, Loading, Page } from "../parts";
import { FilterField } from "../parts/filter-field";
import "../style/pair.css";
import "../style/review.css";
import { FilterHelp } from "./clusters/filter-help";
import { Card } from "./review/card";
import { type Narrowed, type Review, pairKey, useReview } from "./review/queue";
import { Team } from "./review/team";

export default function ReviewView(route: ViewProps) {
  return route.path[1] === "team" ? <Team /> : <QueueView {...route} />;
}

const orders: Record<string, string> = { "": "Most uncertain first", size: "Largest clusters first" };
/** Two columns are too narrow below. */
const NARROW = "(max-width: 700px)";

function QueueView({ query }: ViewProps) {
  const of = (name: keyof Narrowed) => query.get(name) ?? "";
  const narrowed: Narrowed = { order: of("order"), filter: of("filter"), batch: of("batch"), tag: of("tag"), disputed: of("disputed") };
  const review = useReview(narrowed);
  const mayDecide = useMay("reviewer");
  const [given, setGiven] = useState<Record<string, string>>(() => ({ only: "changes", ...(matchMedia(NARROW).matches && { view: "unified" }) }));
  const change = (more: Record<string, string | null>) =>
    setGiven((old) => Object.fromEntries(Object.entries({ ...old, ...more }).filter((entry): entry is [string, string] => entry[1] !== null)));
  const [pair, next] = review.pairs;
  const wrong = review.error instanceof ApiError && review.error.status === 400 ? sentence(review.error.message) : undefined;
  return (
    <Page title="Review" fill actions={<Link to={["review", "team"]}>People and batches</Link>}>
      <Controls {...{ narrowed, wrong }} />
      <ProgressLine review={review} isBatch={narrowed.batch !== ""} />
      {review.error && wrong === undefined && <Failed error={review.error} retry={review.restart} />}
      {pair === undefined && review.loading && <Loading lines={12} />}
      {pair === undefined && !review.loading && !review.error && <Finished review={review} />}
      {pair !== undefined && <Card key={pairKey(pair)} {...{ pair, next, review, given, change, mayDecide }} />}
    </Page>
  );
}

/** A batch has so many pairs and no others. Of clusters a decision may make other pairs, so what was done here is told. */
function ProgressLine({ review, isBatch }: { review: Review; isBatch: boolean }) {
  const { total, left, skipped } = review;
  if (total === undefined || total === 0) return null;
  const decided = isBatch ? Math.max(0, total - left) : review.decided;
  return (
    <div class="review-progress">
      <progress max={decided + left} value={decided} aria-label="Decided" />
      <span aria-live="off">
        {isBatch ? `${count(decided)} of ${plural(total, "pair")} decided` : `${plural(decided, "pair")} decided here`}, {count(left)} left
        {skipped > 0 && `, ${count(skipped)} skipped`}
      </span>
    </div>
  );
}

function Finished({ review }: { review: Review }) {
  if (review.skipped > 0) {
    return (
      <Empty title="All other pairs are decided.">
        <Button kind="primary" onClick={review.restart}>
          Show the {plural(review.skipped, "pair")} that you skipped
        </Button>
      </Empty>
    );
  }
  return (
    <Empty title={review.total === 0 && review.decided === 0 ? "Nothing here yet: there are no pairs to decide." : "Done: every pair here is decided."}>
      <Link to="decisions">All decisions</Link>
    </Empty>
  );
}

function Controls({ narrowed, wrong }: { narrowed: Narrowed; wrong: string | undefined }) {
  const { order, filter, batch, tag, disputed } = narrowed;
  const batches = useData<Batches>("/api/review/batches").data?.batches ?? [];
  const progress = useData<ReviewProgress>("/api/review/progress").data;
  const tags = Object.keys(progress?.tags ?? {});
  const show = (more: Partial<Narrowed>) => go(["review"], { ...narrowed, ...more }, true);
  const among = batch !== "" ? `batch ${batch}` : tag !== "" ? `tag ${tag}` : disputed !== "" ? "disputed true" : "";
  /** A batch has its own pairs in its own order, and so have a tag and what is disputed. */
  const choose = (value: string) => {
    const [kind, ...rest] = value.split(" ");
    go(["review"], kind === "" ? { order, filter } : { [kind ?? ""]: rest.join(" ") }, true);
  };
  return (
    <form class="review-controls" role="search" onSubmit={(event) => event.preventDefault()}>
      <Field label="Which pairs" hideLabel>
        {(field) => (
          <select {...field} value={among} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">All clusters</option>
            {(disputed !== "" || (progress?.disputed ?? 0) > 0) && <option value="disputed true">Disputed: {count(progress?.disputed ?? 0)}</option>}
            {batches.map((one) => (
              <option key={one.batch} value={`batch ${one.batch}`}>
                Batch: {one.name} ({one.assignees.map(({ name }) => name).join(", ")})
              </option>
            ))}
            {tags.map((name) => (
              <option key={name} value={`tag ${name}`}>
                Tag: {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {among === "" && (
        <>
          <FilterField
            placeholder="Filter: words, size:>3, sim:<0.9, type:pdf …"
            value={filter}
            set={(typed) => show({ filter: typed })}
            error={wrong}
          />
          <FilterHelp />
          <Field label="Order" hideLabel>
            {(field) => (
              <select {...field} value={order} onChange={(event) => show({ order: event.currentTarget.value })}>
                {Object.entries(orders).map(([name, label]) => (
                  <option key={name} value={name}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Saved filter={filter} use={(saved) => show({ filter: saved })} />
        </>
      )}
    </form>
  );
}

/** Filters with a name, of this reader alone. */
function Saved({ filter, use }: { filter: string; use: (filter: string) => void }) {
  const { data, reload } = useData<SavedFilters>("/api/review/filters");
  const mayDecide = useMay("reviewer");
  const [name, setName] = useState("");
  const current = data?.filters.find((saved) => saved.filter === filter);
  useEffect(() => setName(""), [filter]);
  const [save, saving] = useAction(async () => {
    await post("/api/review/filters", { name: name.trim(), filter });
    setName("");
    reload();
  });
  const [remove, removing] = useAction(async (which: string) => {
    await del(`/api/review/filters/${encodeURIComponent(which)}`);
    reload();
  });
  const saved = data?.filters ?? [];
  return (
    <>
      {saved.length > 0 && (
        <Field label="Saved filters" hideLabel>
          {(field) => (
            <select {...field} value={current?.name ?? ""} onChange={(event) => use(saved.find((one) => one.name === event.currentTarget.value)?.filter ?? "")}>
              <option value="">Saved filters</option>
              {saved.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {mayDecide && filter !== "" && current === undefined && (
        <>
          <Field label="Name for this filter" hideLabel>
            {(field) => (
              <input {...field} type="text" placeholder="Name for this filter" value={name} onInput={(event) => setName(event.currentTarget.value)} />
            )}
          </Field>
          <Button class="small" disabled={name.trim() === ""} busy={saving} onClick={save}>
            Save filter
          </Button>
        </>
      )}
      {mayDecide && current !== undefined && (
        <Button class="small" busy={removing} onClick={() => remove(current.name)}>
          Forget “{current.name}”
        </Button>
      )}
    </>
  );
}
