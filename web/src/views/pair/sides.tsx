import { named } from "../../lib/fields";
import { bytes, count, percent } from "../../lib/format";
import { isSame, masterOfStored, nameOf } from "../../lib/names";
import { toDocument } from "../../lib/places";
import type { Keeper, Side, Stored } from "../../lib/types";
import { Name } from "../../parts";
import type { Fact } from "../../parts/facts";
import { originOf } from "../../parts/origin";
import type { PairData } from "./load";
import { isKeeper } from "./settle";

/** Both documents by their titles and the fields that matter. */
export function Sides({ data: { pair, left, right }, keepers }: { data: PairData; keepers: readonly Keeper[] }) {
  return (
    <div class="pair-sides">
      <SideHead name="Left" stored={left} side={pair.a} isMaster={standsFor(left, right)} isKept={isKeeper(keepers, nameOf(left))} />
      <SideHead name="Right" stored={right} side={pair.b} isMaster={standsFor(right, left)} isKept={isKeeper(keepers, nameOf(right))} />
    </div>
  );
}

function standsFor(one: Stored, other: Stored): boolean {
  const master = masterOfStored(other);
  return master !== null && isSame(master, nameOf(one));
}

interface SideHeadProps {
  name: string;
  stored: Stored;
  side: Side;
  /** It stands for the other one. */
  isMaster: boolean;
  isKept: boolean;
}

function SideHead({ name, stored, side, isMaster, isKept }: SideHeadProps) {
  const facts: Fact[] = [
    ...originOf(stored),
    ["Size", `${bytes(side.bytes)}, ${count(side.words)} words`],
    ["Shared", `${percent(side.in_passages)} of its words`],
    ["Contained", `${percent(side.contained_in_other)} in the other`],
  ];
  return (
    <section class="pair-side" aria-label={name}>
      <h2>
        <Name {...named(stored)} {...toDocument(nameOf(stored))} />
        {isMaster && <span class="tag good">master</span>}
        {isKept && <span class="tag good">preferred</span>}
      </h2>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
