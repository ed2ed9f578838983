/** A body that is no JSON: its type, and what it is. */
export class Content<Type extends string = string> {
  constructor(
    readonly type: Type,
    readonly data: string | Uint8Array | ArrayBuffer | Blob,
  ) {}
}

/** What goes line by line: a list, or what gives one after the other. */
export type Lines<T> = Iterable<T> | AsyncIterable<T>;
