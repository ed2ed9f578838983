import type { Pair } from "../../lib/types";

/** Longer signatures are cut: nobody reads on. */
const MOST_DIGITS = 512;

/** How each branch came to propose the pair or not, with both signatures. */
export function Signatures({ method }: { method: Pair["methods"][number] }) {
  return (
    <div class="signatures">
      {method.signatures.map((one, place) => (
        <div key={place}>
          <p>
            <strong>{one.method}</strong>{" "}
            <span class={one.candidate ? "tag good" : "tag"}>{one.candidate ? "proposed the pair" : "did not propose it"}</span> {one.says}
          </p>
          {one.a !== undefined && one.b !== undefined && (
            <details>
              <summary>Signatures of {one.method}</summary>
              <Digits label="Left" only="del" digits={one.a} other={one.b} />
              <Digits label="Right" only="ins" digits={one.b} other={one.a} />
            </details>
          )}
        </div>
      ))}
    </div>
  );
}

/** A signature, with the digits marked that differ from the other. */
function Digits({ label, only: Only, digits, other }: { label: string; only: "del" | "ins"; digits: string; other: string }) {
  const shown = digits.slice(0, MOST_DIGITS);
  const parts: { text: string; differs: boolean }[] = [];
  for (let place = 0; place < shown.length; place += 1) {
    const differs = shown[place] !== other[place];
    const last = parts.at(-1);
    if (last?.differs === differs) last.text += shown.charAt(place);
    else parts.push({ text: shown.charAt(place), differs });
  }
  return (
    <p class="digits differences">
      <span class="muted">{label}</span>{" "}
      <code>
        {parts.map((part, place) => (part.differs ? <Only key={place}>{part.text}</Only> : part.text))}
        {digits.length > MOST_DIGITS && "…"}
      </code>
    </p>
  );
}
