import type { JSX } from "preact";

type ButtonProps = JSX.IntrinsicElements["button"] & {
  kind?: "primary" | "danger" | "quiet";
  /** The action is under way. */
  busy?: boolean;
};

export function Button({ kind, busy = false, class: more, disabled, children, ...rest }: ButtonProps) {
  const names = ["button", kind, more].filter(Boolean).join(" ");
  return (
    <button type="button" {...rest} class={names} disabled={disabled || busy} aria-busy={busy}>
      {children}
    </button>
  );
}
