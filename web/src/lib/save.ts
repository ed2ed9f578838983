/** Files that the reader gets. */

import { getBlob } from "./api";

/** An answer of the service as a file: a plain link could not carry the token. */
export async function download(path: string, fileName: string): Promise<void> {
  save(await getBlob(path), fileName);
}

/** A file that the page itself makes. */
export function saveText(text: string, type: string, fileName: string): void {
  save(new Blob([text], { type: `${type};charset=utf-8` }), fileName);
}

function save(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser may take up the file after the click is over.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
