/** Light or dark: the system's choice until the reader makes one. */

import { recall, remember } from "./storage";
import { store, useStore } from "./store";

export type Theme = "light" | "dark";

const THEME = "theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const current = store<Theme>(chosen() ?? systems());

system.addEventListener("change", () => {
  if (chosen() === null) apply(systems());
});

export function useTheme(): Theme {
  return useStore(current);
}

export function startTheme(): void {
  apply(current.get());
}

export function toggleTheme(): void {
  const next = current.get() === "dark" ? "light" : "dark";
  // Who goes back to what the system has follows it again.
  remember(THEME, next === systems() ? null : next, "always");
  apply(next);
}

function apply(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
  current.set(theme);
}

function chosen(): Theme | null {
  const stored = recall(THEME, "always");
  return stored === "light" || stored === "dark" ? stored : null;
}

function systems(): Theme {
  return system.matches ? "dark" : "light";
}
