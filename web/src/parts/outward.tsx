/** An address from a document: a link only where it leads to the web, so that none can run a script. */
export function Outward({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) {
    return (
      <span class="name" dir="ltr" title={url}>
        {url}
      </span>
    );
  }
  return (
    <a class="name" dir="ltr" href={url} title={url} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  );
}
