import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export interface Tab {
  id: string;
  label: string;
}

interface TabsProps {
  /** What the tabs are of, for screen readers. */
  label: string;
  tabs: readonly Tab[];
  current: string;
  select: (id: string) => void;
  /** The content of the current tab. */
  children?: ComponentChildren;
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

export function Tabs({ label, tabs, current, select, children }: TabsProps) {
  const base = useId();
  const name = (id: string) => `${base}-${id}`;

  const move = (event: KeyboardEvent) => {
    const place = tabs.findIndex((tab) => tab.id === current);
    const step = steps[event.key];
    const edge = event.key === "Home" ? tabs[0] : event.key === "End" ? tabs.at(-1) : undefined;
    const next = step === undefined ? edge : tabs[(place + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    select(next.id);
    document.getElementById(name(next.id))?.focus();
  };

  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={name(tab.id)}
            type="button"
            role="tab"
            aria-selected={tab.id === current}
            aria-controls={`${base}-panel`}
            tabIndex={tab.id === current ? 0 : -1}
            onClick={() => select(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" aria-labelledby={name(current)} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}
