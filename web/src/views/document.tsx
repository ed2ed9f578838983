/** One document: its text, what it resembles, how it changed, and what weighs in it. */

import { idPath } from "../lib/api";
import { useData, useMay } from "../lib/data";
import { named, textOf } from "../lib/fields";
import { bytes, moment, titleOf } from "../lib/format";
import { type ViewProps, Link, go } from "../lib/router";
import type { Stored } from "../lib/types";
import { Empty, Failed, Loading, Page } from "../parts";
import { type Fact, Facts } from "../parts/facts";
import { LongText } from "../parts/long-text";
import { originOf } from "../parts/origin";
import "../style/document.css";
import { ClusterOf } from "./document/cluster-of";
import { Fields } from "./document/fields";
import { DocumentHistory } from "./document/history";
import { RemoveDocument } from "./document/remove";
import { Weights } from "./document/weights";

export default function DocumentView({ path, query }: ViewProps) {
  const id = path[1] ?? "";
  const { data, error, loading, reload } = useData<Stored>(id === "" ? null : `/api/documents/${idPath(id)}`);
  const mayWrite = useMay("write");
  const given = Object.fromEntries(query);
  const change = (more: Record<string, string | null>, replace = false) => go(["documents", id], { ...given, ...more }, replace);

  return (
    <Page title={data ? titleOf(named(data)) : `Document ${id}`} actions={data && mayWrite && <RemoveDocument stored={data} />}>
      {id === "" && (
        <Empty title="No document is named.">
          <Link to="search">Search for one</Link>
        </Empty>
      )}
      {error && <Failed error={error} retry={reload} />}
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
          <Weights id={data.id} {...{ given, change }} />
          <DocumentHistory id={data.id} />
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
