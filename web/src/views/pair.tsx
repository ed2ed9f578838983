/** Two documents side by side: what they share, where they differ, and what to make of them. */

import { useEffect } from "preact/hooks";

import { useAction } from "../lib/action";
import { refreshAll, useData, useMay, useMe } from "../lib/data";
import { named } from "../lib/fields";
import { titleOf } from "../lib/format";
import { useKeys } from "../lib/keys";
import type { DocumentName, Labels } from "../lib/names";
import type { PairNames } from "../lib/pairs";
import { nameIn, toPair } from "../lib/places";
import { type Place, type ViewProps, Link, go, visit } from "../lib/router";
import type { Keepers } from "../lib/types";
import { done } from "../lib/undo";
import { Button, Empty, Loading, Page, Refused, Tabs } from "../parts";
import "../style/pair.css";
import { Details } from "./pair/details";
import { DiffTab } from "./pair/diff-tab";
import { Judge } from "./pair/judge";
import { type PairData, fetchAhead, usePair } from "./pair/load";
import { Measures } from "./pair/measures";
import { Passages } from "./pair/passages";
import { useQueue } from "./pair/queue";
import { type Choice, messageFor, stepsFor, take, takeBack } from "./pair/settle";
import { Sides } from "./pair/sides";

/** From here on the differences say more than what is shared. */
const ALMOST_THE_SAME = 0.8;

const tabs = [
  { id: "passages", label: "Shared passages" },
  { id: "diff", label: "Differences" },
  { id: "measures", label: "Measures" },
  { id: "details", label: "Fields" },
];

export default function PairView(route: ViewProps) {
  const [a, b] = [nameIn(route, route.path[1] ?? "", "a_labels"), nameIn(route, route.path[2] ?? "", "b_labels")];
  const given = Object.fromEntries(route.query);
  const { data, error, loading, reload } = usePair(a, b);
  const keepers = useData<Keepers>("/api/keepers").data?.keepers ?? [];
  const me = useMe();
  const mayDecide = useMay("reviewer");
  const mayKeep = useMay("write");
  // A decision may change the cluster, so none is taken before its pairs are known.
  const { before, after, text, back, isLoading } = useQueue(a, b, route);

  useEffect(() => {
    if (after !== undefined && data !== undefined) fetchAhead(after);
  }, [after, data]);

  /** Another pair, shown in the same way. */
  const beside = (one: DocumentName, other: DocumentName): Place => {
    const { to, query } = toPair(one, other);
    return { to, query: { ...given, ...query } };
  };
  const move = (to: PairNames | undefined) => to && visit(beside(...to));
  const [settle, settling] = useAction(async (choice: Choice) => {
    if (data === undefined || isLoading) return;
    const steps = await stepsFor(choice, data, me?.name);
    if (steps.length > 0) {
      await take(steps);
      done(messageFor(choice, data), async () => {
        await takeBack(steps);
        // Who goes through pairs sees again what is open again.
        if (location.hash.startsWith("#/pairs/")) visit(beside(a, b));
      });
    }
    if (choice !== "none" && after !== undefined) move(after);
    else if (choice !== "none" && back !== undefined) go(back);
    else refreshAll();
  });
  const decide = (choice: Choice) => mayDecide && settle(choice);
  const keep = (choice: Choice) => mayKeep && settle(choice);

  useKeys(
    {
      j: () => move(after),
      k: () => move(before),
      d: () => decide("duplicate"),
      x: () => decide("different"),
      l: () => keep("left"),
      r: () => keep("right"),
    },
    {
      "j / k": "Next or previous pair",
      ...(mayDecide && { d: "Duplicates", x: "Not duplicates" }),
      ...(mayKeep && { l: "Duplicates, keep the left one", r: "Duplicates, keep the right one" }),
    },
  );

  const change = (more: Record<string, string | null>) => go(["pairs", a.id, b.id], { ...given, ...more });
  const choose = (labels: Labels, id: string) => {
    const isLeft = a.labels === undefined && a.id === id;
    return isLeft ? beside({ id, labels }, b) : beside(a, { id, labels });
  };
  const actions = text !== undefined && (
    <>
      <span class="muted">{text}</span>
      <Button disabled={before === undefined} aria-keyshortcuts="k" onClick={() => move(before)}>
        Previous
      </Button>
      <Button disabled={after === undefined} aria-keyshortcuts="j" onClick={() => move(after)}>
        Next
      </Button>
    </>
  );
  return (
    <Page title={data ? `${titleOf(named(data.left))} – ${titleOf(named(data.right))}` : "Pair"} fill actions={actions}>
      {a.id === "" || b.id === "" ? (
        <Empty title="A pair needs two documents.">
          <Link to="clusters">Choose one in a cluster</Link>
        </Empty>
      ) : (
        <div class="pair">
          {error && <Refused error={error} retry={reload} choose={choose} />}
          {(data === undefined ? loading : isLoading) && <Loading lines={14} />}
          {data && !isLoading && (
            <>
              <Judge {...{ data, keepers, settling, mayDecide, mayKeep, settle }} />
              <Sides data={data} keepers={keepers} />
              <PairTabs {...{ data, given, change }} />
            </>
          )}
        </div>
      )}
    </Page>
  );
}

interface PairTabsProps {
  data: PairData;
  given: Record<string, string>;
  change: (more: Record<string, string | null>) => void;
}

function PairTabs({ data, given, change }: PairTabsProps) {
  const alike = (data.pair.methods[0]?.similarity ?? 0) >= ALMOST_THE_SAME;
  const asked = tabs.find((tab) => tab.id === given["tab"])?.id;
  const current = asked ?? (alike ? "diff" : "passages");
  return (
    <Tabs label="What is shown of the pair" tabs={tabs} current={current} select={(tab) => change({ tab })}>
      {current === "passages" && <Passages data={data} />}
      {current === "diff" && <DiffTab {...{ data, given, change }} />}
      {current === "measures" && <Measures data={data} />}
      {current === "details" && <Details data={data} />}
    </Tabs>
  );
}
