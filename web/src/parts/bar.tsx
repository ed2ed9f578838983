import { similarity } from "../lib/format";

interface BarProps {
  value: number | null;
  /** Similarities below are weak: drawn in another colour. */
  threshold?: number;
}

/** A similarity as a number with a bar beside it. */
export function Bar({ value, threshold }: BarProps) {
  const weak = value !== null && threshold !== undefined && value < threshold;
  return (
    <span class="bar">
      <span class="bar-track" aria-hidden="true">
        <span class={weak ? "bar-fill weak" : "bar-fill"} style={{ width: `${(value ?? 0) * 100}%` }} />
      </span>
      <span class="bar-text">{similarity(value)}</span>
    </span>
  );
}
