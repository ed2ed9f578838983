/** Corpora for jobs, sent with a progress that can be seen: `fetch` does not tell how much has gone. */

import { refusal, tokenHeader, unreachable, withQuery } from "./api";
import { address } from "./base";
import { parseJson } from "./json";
import type { Upload } from "./types";

const LONGEST_NAME = 100;

/** A name as the service wants it: letters, digits, dots, dashes and underscores. */
export function uploadName(fileName: string): string {
  const plain = fileName.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^\.+/, "");
  // The end tells the format.
  return plain.slice(-LONGEST_NAME) || "corpus.jsonl";
}

/** Sends a file; `progress` hears of the share that has gone. */
export function upload(file: File, progress: (share: number) => void, signal: AbortSignal): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address(withQuery("/api/uploads", { name: uploadName(file.name) })));
    // Also for Parquet: the service goes by the name.
    request.setRequestHeader("content-type", "application/x-ndjson");
    for (const [name, value] of Object.entries(tokenHeader())) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () => {
      if (request.status !== 200) {
        reject(refusal(request.status, request.responseText));
        return;
      }
      resolve(parseJson<Upload>(request.responseText));
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
