/** Sending corpora to the service. */

import { useEffect, useRef, useState } from "preact/hooks";

import { refreshAll } from "../../lib/data";
import { bytes, percent, sentence } from "../../lib/format";
import { done } from "../../lib/undo";
import { upload } from "../../lib/upload";
import { Button } from "../../parts";
import { DropZone } from "../../parts/drop-zone";

interface Sending {
  name: string;
  size: number;
  share: number;
}

/** Files go one after the other; `added` is told the name that jobs call each by. */
export function NewUploads({ added }: { added: (name: string) => void }) {
  const [sending, setSending] = useState<Sending | null>(null);
  const [error, setError] = useState<string>();
  const stop = useRef<AbortController>(undefined);
  const latest = useRef(added);
  latest.current = added;
  useEffect(() => () => stop.current?.abort(), []);

  const take = async (files: File[]) => {
    stop.current?.abort();
    const current = new AbortController();
    stop.current = current;
    setError(undefined);
    try {
      for (const file of files) {
        const tell = (share: number) => setSending({ name: file.name, size: file.size, share });
        tell(0);
        const { name } = await upload(file, tell, current.signal);
        done(`Uploaded ${name}`);
        latest.current(name);
        refreshAll();
      }
    } catch (failure) {
      if (!current.signal.aborted) setError(sentence(failure instanceof Error ? failure.message : String(failure)));
    } finally {
      if (stop.current === current) setSending(null);
    }
  };

  return (
    <>
      <DropZone
        label="Upload a corpus"
        help="JSONL (.jsonl, .jsonl.gz, .jsonl.zst) or Parquet. Drop files here or choose them; the name must tell the format."
        error={error}
        accept=".jsonl,.ndjson,.gz,.zst,.parquet"
        multiple
        take={(files) => void take(files)}
      />
      {sending && (
        <div class="row run-sending">
          <progress max={1} value={sending.share} aria-label={`Sending ${sending.name}`} />
          <span>
            <span dir="auto">{sending.name}</span>, {percent(sending.share)} of {bytes(sending.size)}
          </span>
          <Button onClick={() => stop.current?.abort()}>Stop</Button>
        </div>
      )}
    </>
  );
}
