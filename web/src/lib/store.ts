/** A value outside of components that components can follow. */

import { useEffect, useState } from "preact/hooks";

export interface Store<T> {
  get(): T;
  set(value: T): void;
  follow(listener: () => void): () => void;
}

export function store<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let current = initial;
  return {
    get: () => current,
    set(value) {
      current = value;
      for (const listener of [...listeners]) listener();
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(of: Store<T>): T {
  // The value is wrapped, since a state that is a function would be called.
  const [seen, see] = useState({ value: of.get() });
  useEffect(() => {
    const look = () => see((old) => (old.value === of.get() ? old : { value: of.get() }));
    look();
    return of.follow(look);
  }, [of]);
  return seen.value;
}
