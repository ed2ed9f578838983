import { Hint } from "../../parts";

const grammar: [example: string, finds: string][] = [
  ["size:>3, size:2..5", "clusters of that many documents"],
  ["sim:<0.9", "clusters whose weakest similarity is below"],
  ["type:pdf", "with a document of the type"],
  ["source:newsroom", "with a document of the source"],
  ["differs:numbers", "with a document that differs from the master in numbers (dates, names, case, order, added, cut, replaced)"],
  ["contradicts:images", "with a document whose images are not the master's, though the text is alike (links, metadata, structure)"],
  ["master:abc", "the cluster that this document stands for"],
  ["after:2024-01-01", "with a document from that day or later"],
  ["before:2024-12-31", "with a document from before that day"],
  ["decided:yes, decided:no", "with or without decisions of people"],
  ["ferry delay", "with these words in a title or text"],
];

/** What can be typed into the filter. */
export function FilterHelp() {
  return (
    <Hint label="Help">
      <p>Parts of a filter stand side by side; a cluster must satisfy all of them.</p>
      <dl class="grammar">
        {grammar.map(([example, finds]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{finds}</dd>
          </div>
        ))}
      </dl>
    </Hint>
  );
}
