/** One document: its text, what it resembles, how it changed, and what weighs in it. */

import { useData, useMay } from "../lib/data";
import { named, textOf } from "../lib/fields";
import { bytes, moment, titleOf } from "../lib/format";
import { documentPath, nameOf } from "../lib/names";
import { nameIn, toDocument } from "../lib/places";
import { type ViewProps, Link, go } from "../lib/router";
import type { Stored } from "../lib/types";
import { Empty, Loading, Page, Refused } from "../parts";
import { type Fact, Facts } from "../parts/facts";
import { LongText } from "../parts/long-text";
import { originOf } from "../parts/origin";
import "../style/document.css";
import { ClusterOf } from "./document/cluster-of";
import { Fields } from "./document/fields";
import { DocumentHistory } from "./document/history";
import { RemoveDocument } from "./document/remove";
import { Weights } from "./document/weights";

export default function DocumentView(route: ViewProps) {
  const id = route.path[1] ?? "";
  const { data, error, loading, reload } = useData<Stored>(id === "" ? null : documentPath(nameIn(route, id)));
  const mayWrite = useMay("write");
  const given = Object.fromEntries(route.query);
  const change = (more: Record<string, string | null>, replace = false) => go(["documents", id], { ...given, ...more }, replace);

  return (
    <Page title={data ? titleOf(named(data)) : `Document ${id}`} actions={data && mayWrite && <RemoveDocument stored={data} />}>
      {id === "" && (
        <Empty title="No document is named.">
          <Link to="search">Search for one</Link>
        </Empty>
      )}
      {error && <Refused error={error} retry={reload} choose={(labels) => toDocument({ id, labels })} />}
      {data === undefined && loading && <Loading lines={14} />}
      {data && (
        <>
          <section class="card">
            <Facts facts={factsOf(data)} />
            <ClusterOf stored={data} />
          </section>
          <div class="document-text">
            <LongText label="Text" text={textOf(data)} />
          </div>
          <Weights name={nameOf(data)} {...{ given, change }} />
          <DocumentHistory name={nameOf(data)} />
          <Fields stored={data} />
        </>
      )}
    </Page>
  );
}

function factsOf(stored: Stored): Fact[] {
  const facts: Fact[] = [
    ["Id", <span dir="auto">{String(stored.id)}</span>],
    ...originOf(stored),
    ["Size", bytes(new Blob([textOf(stored)]).size)],
    ["Added", moment(stored.added)],
    ["Last seen", moment(stored.seen)],
    ["Forgotten", stored.expires !== undefined && moment(stored.expires)],
    ["Hits", String(stored.hits)],
    ["Set", stored.set],
    ["Labels", stored.labels.join(", ")],
  ];
  return facts.filter(([, value]) => value);
}
