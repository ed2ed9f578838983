/** Made from docs/openapi.json by generate.mjs; run web/build to make it anew. */

/** What was done with the document. */
export type Action = "checked" | "inserted" | "updated" | "unchanged" | "rejected";

export type Agreement = {
  /** Pairs of which both decided. */
  both: number;
  /** Cohen's kappa; null where chance alone would agree always. */
  kappa: number | null;
  one: string;
  other: string;
  /** Of these, those of which they decided the same. */
  same: number;
  share: number;
};

/** The answer to a check or an insert. */
export type Answer = {
  /** What was done with it. */
  action: Action;
  /** The name of the cluster, which is its master's. */
  cluster: Id | null;
  /** The id of the document; null when it has none. */
  id: Id | null;
  /** The master of its cluster; null for a document that is alone or unknown. */
  master: Id | null;
  /** The access labels of the master, which belong to its name; left out if it has none. */
  master_labels?: string[];
  /** The most similar first. */
  matches: Match[];
  /** How many documents match. May be more than `matches` lists. */
  matching: number;
  /** Why it is unreadable or was rejected. */
  reason?: string;
  /** The documents that were removed in favour of this one. */
  replaced?: Id[];
  /** The access labels of each of them; left out if none has any. */
  replaced_labels?: string[][];
  /** The set of prototypes that the best match belongs to, such as known spam. */
  set?: SetVerdict;
  /** The text of the document, if passages were requested in a check. */
  text?: string;
  /** Whether it is a duplicate. */
  verdict: Verdict;
  /** If the id was known: how this version differs from the last. */
  version?: Version;
};

/** The words in which a text differs from that of the master, cut short. */
export type Apart = {
  /** Words of the master that it has not. */
  masters: string;
  /** Words that the master has not, those first that the fewest of the documents told beside it have; empty where the master only has more. */
  own: string;
};

/** What became of the pairs of a job. */
export type AppliedDecisions = {
  /** Decisions that were made, or withdrawn. */
  changed: number;
  /** Pairs that somebody had decided on already; that stays. */
  decided_before: number;
  /** Pairs about which there is nothing to decide: one of the two has been changed or removed since, is not in the index, or is an exact copy of the other. */
  left: number;
};

/** What is to be done: a plan that was shown, or what the rules say now. */
export type ApplyRemoval = {
  /** Which clusters, as in /api/survey/clusters */
  filter?: string | null;
  /** Keep rules, such as longest,newest; those of the index if left out */
  keep?: string | null;
  /** `plan` of a preview: exactly the versions that it named go, but for those that changed since */
  plan?: string | null;
};

export type Assignee = {
  /** Pairs of which this person decided. */
  decided: number;
  name: string;
};

export type AuditEntries = {
  entries: AuditEntry[];
};

/** Something that somebody did. */
export type AuditEntry = {
  action: string;
  /** The address of the client. */
  address?: string;
  /** The name of a token; `local` without tokens, `command line` for what was done on the machine. */
  by: string;
  /** The id of the request, as in the log. */
  request?: string;
  /** Seconds since 1970. */
  time: number;
  /** What it was done to. */
  what: unknown;
};

export type BatchProgress = {
  assignees: Assignee[];
  batch: number;
  /** Who made it. */
  by: string;
  name: string;
  /** Pairs of which both documents are still there. */
  pairs: number;
  /** Seconds since 1970. */
  time: number;
};

export type Batches = {
  batches: BatchProgress[];
};

/** A line for each document, in their order */
export type BulkAnswer = {
  /** What was done with it. */
  action: Action;
  /** The name of the cluster, which is its master's. */
  cluster: Id | null;
  /** The id of the document; null when it has none. */
  id: Id | null;
  line: number;
  /** The master of its cluster; null for a document that is alone or unknown. */
  master: Id | null;
  /** The access labels of the master, which belong to its name; left out if it has none. */
  master_labels?: string[];
  /** The most similar first. */
  matches: Match[];
  /** How many documents match. May be more than `matches` lists. */
  matching: number;
  /** Why it is unreadable or was rejected. */
  reason?: string;
  /** The documents that were removed in favour of this one. */
  replaced?: Id[];
  /** The access labels of each of them; left out if none has any. */
  replaced_labels?: string[][];
  /** The set of prototypes that the best match belongs to, such as known spam. */
  set?: SetVerdict;
  /** The text of the document, if passages were requested in a check. */
  text?: string;
  /** Whether it is a duplicate. */
  verdict: Verdict;
  /** If the id was known: how this version differs from the last. */
  version?: Version;
} | BulkError;

export type BulkDecision = {
  decided: number;
  /** Pairs of which nothing was decided, with the reason. */
  refused: RefusedPair[];
};

export type BulkError = {
  error: ErrorBody;
  /** Null for what ends the whole stream. */
  line: number | null;
};

/** One of several documents with the same id. */
export type Choice = {
  id: Id;
  /** Its access labels, which tell it from the others. */
  labels: string[];
};

/** A cluster, limited to the members that the caller may see. */
export type Cluster = {
  /** The name of the cluster, which is its master's. */
  cluster: Id;
  /** The access labels of the master, which belong to its name; left out if it has none. */
  labels?: string[];
  /** The best document of the cluster. */
  master: Id;
  /** The most similar first; the master is not among them. */
  members: ClusterMember[];
  /** How many documents it has, including the master. */
  size: number;
  /** The lowest similarity of a member to the master; 0 if some were never compared, as in a chain. */
  weakest: number;
};

/** A cluster as a drawing needs it. */
export type ClusterMap = {
  /** The name of the cluster: the id of its master. */
  cluster: Id;
  /** The master first, then the most similar to it. */
  members: MapMember[];
  /** Documents that the cluster may have missed, the most similar first. */
  outside: Outside[];
  /** Places of two members, and how alike they are. */
  pairs: [number, number, number][];
  /** Of the whole cluster, of which `members` may be a part. */
  size: number;
};

/** A document of a cluster. */
export type ClusterMember = {
  /** How it differs from the master; left out in lists of clusters. */
  difference?: Difference;
  /** The id of the document. */
  id: Id;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  /** To the master; null when the two were never compared, as in a chain. */
  similarity: number | null;
  /** How its images, links and other streams agree with the master's; left out if they have none in common. */
  streams?: StreamAgreement;
};

export type ClusterRow = {
  /** The name of the cluster, which is its master's. */
  cluster: Id;
  /** Decisions about its documents. */
  decided: number;
  /** Seconds since 1970 of the earliest document. */
  first: number;
  /** The access labels of the master, which belong to its name; left out if it has none. */
  labels?: string[];
  /** Seconds since 1970 of the latest document. */
  last: number;
  median: number;
  size: number;
  title: string | null;
  /** Types of its documents with how many have each, the most frequent first. */
  types: [string, number][];
  weakest: number;
};

/** A cluster as a picture shows it. */
export type ClusterShape = {
  /** The name of the cluster: the id of its master. */
  cluster: Id;
  /** Different contents of the cluster: exact copies are one. */
  contents: number;
  /** In an order in which neighbours are alike; the first has the master. */
  groups: ShapeGroup[];
  /** Places of two groups, the mean similarity of the pairs of contents between them that were compared, and how many these are. The same place twice: within the group. Left out where nothing was compared. */
  pairs: [number, number, number, number][];
  /** How many of these are in groups: the most similar to the master, if there are very many. */
  shown: number;
  /** Documents of the cluster. */
  size: number;
  /** The lowest similarity of two contents that were compared; null if none were. */
  weakest: number | null;
};

/** How large the found clusters are. */
export type ClusterSizes = {
  /** Their average size. */
  average: number | null;
  /** The average, over all documents, of the size of the cluster that a document is in. */
  average_of_documents: number | null;
  /** Clusters of two documents or more. */
  clusters: number;
  /** Sizes from small to large, each with the number of clusters that have it. Single documents are the clusters of size 1. */
  histogram: [number, number][];
  /** Documents in the largest. */
  largest: number;
};

export type ClusterTable = {
  clusters: ClusterRow[];
  offset: number;
  /** Clusters that the filter leaves. */
  total: number;
};

export type Clusters = {
  clusters: Cluster[];
  /** For `after`, to get the next page; null on the last. */
  next: string | null;
};

/** Pairs by verdict and truth; not whole numbers if a row stands for several. If there is nothing to find, or nothing was found, no error of that kind was made: the figure is 1. */
export type Confusion = {
  /** True and not found. */
  false_negatives: number;
  /** Found and not true. */
  false_positives: number;
  /** Neither. */
  true_negatives: number;
  /** Found and true. */
  true_positives: number;
};

/** Judged pairs. */
export type Counts = {
  /** True and not found. */
  false_negatives: number;
  /** Found and not true. */
  false_positives: number;
  /** Neither. */
  true_negatives: number;
  /** Found and true. */
  true_positives: number;
};

/** The figures of the pairs with at least this similarity. */
export type CurvePoint = {
  /** The harmonic mean of both. */
  f1: number;
  /** The share of these that is true. */
  precision: number;
  /** The share of what is true that is among them. */
  recall: number;
  /** Pairs from this similarity on count as found. */
  threshold: number;
};

/** A person's decision about two documents, and the texts that they have. */
export type Decision = {
  /** The first document. */
  a: Id;
  /** The access labels of the first, which belong to its name; left out if it has none. */
  a_labels?: string[];
  /** The digest of the text of the first. */
  a_text: TextDigest;
  /** The second document. */
  b: Id;
  /** The access labels of the second, which belong to its name; left out if it has none. */
  b_labels?: string[];
  /** The digest of the text of the second. */
  b_text: TextDigest;
  /** Who decided. */
  by: string;
  /** Whether they are duplicates. */
  duplicate: boolean;
  /** Seconds since 1970. */
  time: number;
};

/** How many decisions of people were applied. */
export type DecisionCounts = {
  /** Decisions about a text that has changed since. */
  stale: number;
  /** Decisions about exact copies of each other, documents with nothing to compare, or two documents of the corpus compared against: there is nothing to decide. */
  undecidable: number;
  /** Decisions about documents that the run does not have. */
  unknown: number;
  /** Decisions that applied to documents of this run. */
  used: number;
};

export type Decisions = {
  decisions: TitledDecision[];
};

export type Difference = DifferenceKind[];

/** One way in which a text differs from another. */
export type DifferenceKind = "none" | "case" | "numbers" | "dates" | "names" | "order" | "added" | "cut" | "replaced";

/** A document. To be inserted it needs an id. */
export type Document = {
  /** A file of any format in base64, instead of text */
  content?: string | null;
  /** Further fields, for keep rules and recipes; they may as well stand beside it */
  fields?: Record<string, unknown> | null;
  id?: Id | null;
  /** Its images: perceptual hashes of 16 hexadecimal digits, digests or addresses, as a list or parted by white space */
  images?: (string | number | Record<string, unknown>)[] | string | null;
  /** Who may see it: callers with one of these; without labels everybody */
  labels?: string[] | null;
  /** Where its links lead, as a list or parted by white space */
  links?: (string | number | Record<string, unknown>)[] | string | null;
  /** The set of prototypes it belongs to, such as known spam */
  set?: string | null;
  text?: string | null;
  time?: string | number | null;
  title?: string | null;
  url?: string | null;
};

/** A document that should be fetched again. */
export type DueDocument = {
  /** How urgent a visit is, from 0 to 1: near-duplicates of a better document can wait. */
  crawl_priority: number;
  /** Seconds since 1970. */
  due: number;
  /** The id of the document. */
  id: Id;
  /** How useful it is to index the document, from 0 to 1: near-duplicates of a better document bring nothing new, and a version brings as much as it differs from the one before. */
  index_priority: number;
  /** Advised seconds between visits. */
  interval: number;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
};

/** What should be fetched again. */
export type DueQueue = {
  /** The first of them, the most urgent first. */
  documents: DueDocument[];
  /** How many documents are due. */
  due: number;
};

export type ErasedDocument = {
  id: Id;
  /** All its access labels, where several documents have the id */
  labels?: string[] | null;
};

export type Erasure = {
  documents: ErasedDocument[];
};

/** The answer to a request that failed. */
export type Error = {
  error: ErrorBody;
};

export type ErrorBody = {
  /** With `ambiguous`: the documents that have the id. */
  choices?: Choice[];
  /** Says what kind of error it is, and never changes. */
  code: string;
  /** A sentence for people. */
  message: string;
};

/** What the labels of a sample say about all candidates. */
export type Estimate = {
  /** None if no pair reaches the threshold. */
  precision: Interval | null;
  /** None if no label is a near-duplicate. */
  recall: Interval | null;
  /** The confidence from which on a pair counts as found. */
  threshold: number;
};

/** The results of an evaluation. */
export type Evaluated = {
  /** Documents that were judged. */
  documents: number;
  /** Resamples behind the intervals. */
  resamples: number;
  /** One for each contestant. */
  results: Judged[];
  /** The seed of queries and resamples. */
  seed: number;
  /** What is taken as true. */
  truth: string;
};

export type Facet = {
  count: number;
  value: string;
};

/** What one method of an ensemble contributed. */
export type FoundBy = {
  /** Pairs it proposed. */
  candidates: number;
  /** The method. */
  method: string;
  /** Verified pairs that it would have missed without the other methods. */
  missed: number;
  /** How many of these no other method proposed. */
  only: number;
  /** How many verified pairs it proposed. */
  pairs: number;
};

/** Documents by when they were added, or, where all were added at once, by the times that they state. */
export type Growth = {
  /** Which times these are. */
  by: "added" | "stated";
  /** Documents of each interval. */
  documents: number[];
  /** How many of them are duplicates by now. */
  duplicates: number[];
  /** The seconds of each interval. */
  interval: number;
  /** The start of the first interval, in seconds since 1970. */
  start: number;
};

export type Health = {
  status: string;
};

/** Documents by their highest similarity to another. */
export type Histogram = {
  /** Documents without any near-duplicate. */
  alone: number;
  /** Documents in each bin. */
  documents: number[];
  /** The lower end of the first bin. */
  low: number;
  /** The width of a bin. */
  step: number;
};

/** The versions of a document. */
export type History = {
  /** The id of the document. */
  id: Id;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  /** When to fetch it again. */
  recrawl: Recrawl;
  /** How often it came again unchanged since the last version. */
  unchanged: number;
  /** The oldest first. */
  versions: Version[];
};

export type Hit = {
  /** Of the best member of the cluster that the caller may see. */
  id: Id;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  /** Where the words of the query stand in the snippet, in bytes. */
  marks: [number, number][];
  /** Members of the cluster that match. */
  matching: number;
  near_duplicates: NearDuplicate[];
  score: number;
  snippet: string;
  /** Of that member, or the beginning of its text. */
  title: string | null;
};

/** A text or a number: 17 and "17" are two ids */
export type Id = string | number | bigint;

/** A threshold on one component. */
export type Instead = {
  /** The similarity that decides alone. */
  component: string;
  /** The recipe that decides by it over the same candidates, if there is one. */
  recipe: string | null;
  /** The value from which it says near-duplicate. */
  threshold: number;
};

/** An estimate with the interval that holds the true figure with 95 % confidence. */
export type Interval = {
  /** The upper end. */
  high: number;
  /** The lower end. */
  low: number;
  /** The figure itself. */
  value: number;
};

/** Intervals of the figures of [`Quality`]. */
export type Intervals = {
  /** Of F1. */
  f1: Interval | null;
  /** Of the precision. */
  precision: Interval | null;
  /** Of the recall. */
  recall: Interval | null;
};

/** A job as its folder has it. */
export type Job = {
  /** Whether the index has the recipe of this job. */
  adopted?: boolean;
  /** Seconds since 1970. */
  created: number;
  error?: string;
  finished?: number;
  id: number;
  /** The progress of a running job. */
  progress?: JobProgress;
  spec: NewJob;
  started?: number;
  state: JobState;
  /** The result in short; the files are in the folder of the job. */
  summary?: JobSummary;
};

export type JobFiles = {
  files: string[];
};

export type JobKind = "dedup" | "train" | "evaluate" | "ask" | "apply" | "undo";

/** The progress of a running job. */
export type JobProgress = {
  /** From 0 to 1. */
  done: number;
  stage: string;
};

/** Where documents come from. */
export type JobSource = {
  /** The documents of the index. */
  index?: boolean;
  /** Corpora in folders that the service may read. */
  paths?: string[];
  /** Corpora that were uploaded, by name. */
  uploads?: string[];
};

export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

/** Which of it is there depends on the kind of the job. */
export type JobSummary = {
  /** Of `apply` and `undo`. */
  decisions?: AppliedDecisions;
  /** How good the confidences are, judged by the labelled pairs; null while there are too few. */
  estimate?: Estimate;
  /** Of `evaluate`. */
  evaluation?: Evaluated;
  /** How many pairs have a label. */
  labelled?: number;
  questions?: PairQuestion[];
  /** Of `dedup`, as `report.json` has it. */
  report?: Report;
  /** Whether confidences come from a classifier that was trained on the labels. */
  trained?: boolean;
  /** Of a classifier that was trained. */
  training?: TrainingReport;
};

export type Jobs = {
  jobs: Job[];
};

/** The results of one recipe. */
export type Judged = {
  /** Pairs that it compared. */
  candidates: number;
  /** Precision and recall at every threshold above its own. */
  curve?: CurvePoint[];
  /** How many signatures begin with each byte, for methods that compare bits (S09 Figure 6-1). */
  first_bytes?: number[];
  /** Its figures. */
  judgement: Judgement;
  /** The name of the recipe. */
  name: string;
  /** What comparing within clusters only saved and cost, if candidates were found that way. */
  narrowing?: Narrowed[];
  /** How many documents have how many near-duplicates, including themselves (S09 Figure 6-2). */
  neighbourhoods: [number, number][];
  /** How many documents the method calls near-duplicates of a document, on average (S09 Table 6.2). */
  neighbours: number;
  /** The most memory it used. */
  peak_memory_bytes: number;
  /** The recipe with every default. */
  recipe: Record<string, unknown>;
  /** What its signatures are made by. */
  scheme: string;
  /** How long it took. */
  seconds: number;
  /** The settings of sweeps, by key. */
  settings: [string, string][];
  /** How long each stage took. */
  stages: Record<string, number>;
  /** The least similarity that it calls near-duplicate. */
  threshold: number;
};

/** Figures are `None` where they are not defined, such as the precision when nothing was found. */
export type Judgement = {
  /** The share of all judged pairs that are decided rightly. */
  accuracy: Interval | null;
  /** How well found and true clusters agree beyond chance; only if the truth is complete. */
  ari: number | null;
  /** How large the found clusters are. */
  cluster_sizes: ClusterSizes;
  /** The numbers of judged pairs. */
  counts: Counts;
  /** The harmonic mean of precision and recall. */
  f1: Interval | null;
  /** Groups of two or more documents that belong together, which the intervals are based on. */
  groups: number;
  /** Distinct legitimate documents that were found for a query that is not legitimate. */
  legitimate_matched: number | null;
  /** The share of what is found that is true. */
  precision: Interval | null;
  /** The share of found clusters, of two or more documents, in which all judged pairs are true (K08 §7.1). Clusters without a judged pair do not count. */
  pure_clusters: Interval | null;
  /** The same by document instead of by pair. */
  queries: Queries;
  /** The share of what is true that is found. */
  recall: Interval | null;
  /** The average gain of a query (K08 eq. 5); only if legitimate documents are marked. */
  utility: number | null;
  /** None if all groups agree: nothing then shows how far another might differ. */
  utility_interval: Interval | null;
};

/** A document that a person prefers as the master of its cluster. */
export type Keeper = {
  /** Who prefers it. */
  by: string;
  /** The id of the document. */
  id: Id;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  /** The digest of its text. */
  text: TextDigest;
  /** Seconds since 1970. */
  time: number;
};

export type Keepers = {
  keepers: Keeper[];
};

export type KnownWord = {
  df: number;
  in_window: boolean;
  nidf: number;
  /** Terms that occur in more documents, and one; null for a word that the lexicon does not have. */
  rank: number | null;
  word: string;
};

/** A file of labels, as `train` and `evaluate` read it: JSON lines or CSV. */
export type LabelFile = string | {
  upload: string;
};

/** A learner for classifiers. */
export type Learner = {
  about: string;
  name: string;
};

/** What is found at one threshold. */
export type Level = {
  /** Clusters of two or more documents. */
  clusters: number;
  /** Verified pairs, as a batch run counts them: pairs of contents, and each further copy of a content with the first. */
  pairs: number;
  /** Documents that are not the master of their cluster. */
  removed: number;
  /** The similarity from which on pairs count. */
  threshold: number;
};

export type Lexicon = {
  counted: string;
  documents: number;
  /** Terms by normalised inverse document frequency, from 0 to 1. */
  histogram: LexiconHistogram;
  name: string;
  terms: number;
  /** What I-Match uses unless told otherwise. */
  window: LexiconWindow;
};

export type LexiconEntry = {
  counted: string;
  documents: number;
  id: string;
  name: string;
  rules: string;
  terms: number;
};

export type LexiconHistogram = {
  step: number;
  terms: number[];
};

/** Where a lexicon comes from. */
export type LexiconKind = "native" | "built-in" | "file";

/** A lexicon, and how well it knows the documents that came since. */
export type LexiconStats = {
  /** When they were counted, in seconds since 1970; only known of a native lexicon. */
  counted?: number;
  /** The documents that were counted. */
  documents: number;
  /** Documents that were added or changed since it was counted, or since it is used if it is not native. */
  documents_since: number;
  /** What schemes call it. */
  id: string;
  /** Where it comes from. */
  kind: LexiconKind;
  /** `native`, `english`, or the name of a file without its folder and ending. */
  name: string;
  /** How a native lexicon is kept up to date. */
  refresh?: RefreshStats;
  /** The share of terms in these that it does not have, each counted as often as it occurs; absent if there are none. */
  unknown_terms?: number;
};

export type LexiconWindow = {
  high: number;
  low: number;
};

export type Lexicons = {
  lexicons: LexiconEntry[];
};

/** Pairs of some similarity, and how many of them were not compared. */
export type Lost = {
  /** The least cosine of the pairs. */
  cosine: number;
  /** How many of these were not compared. */
  lost: number;
  /** Pairs with at least this similarity. */
  pairs: number;
};

/** A member of a cluster. */
export type MapMember = {
  /** In which words its text is another than the master's; left out for itself and for the same words. */
  apart?: Apart;
  /** Of its text. */
  bytes: number;
  /** Whether a member before it has the same content. */
  copy: boolean;
  /** How it differs from the master; null for itself. */
  difference: Difference | null;
  /** The id of the document. */
  id: Id;
  /** Whether a person wants it to stand for the cluster. */
  kept: boolean;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  /** To the master; null for itself and where the two were never compared. */
  similarity: number | null;
  /** The field `source`. */
  source: string | null;
  /** How its images, links and other streams agree with the master's; left out if they have none in common. */
  streams?: StreamAgreement;
  /** Seconds since 1970 that the document names as its time. */
  time: number | null;
  /** The title, or else the beginning of the text; null for an empty one. */
  title: string | null;
  /** The field `type`. */
  type: string | null;
};

/** A known document that matches. */
export type Match = {
  /** What weighed most, where a classifier decides. */
  because?: string[];
  /** The share of the query document's features that this one has; null for an estimate. */
  contained_in: number | null;
  /** The share of this document's features that the query document has; null for an estimate. */
  contains: number | null;
  /** How the query document differs from this one; null for an estimate. */
  difference: Difference | null;
  /** The id of the known document. */
  id: Id;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  /** The methods that proposed the pair, or `exact` for an exact copy, or `decision` for a person's decision. */
  method: string;
  /** The shared passages, if they were requested. */
  passages?: Passage[];
  /** The set of prototypes that it belongs to. */
  set?: string;
  /** Verified on the full feature sets, unless the recipe estimates. */
  similarity: number;
  /** How their images, links and other streams agree; left out if they have none in common. */
  streams?: StreamAgreement;
  /** The title, or else the beginning of the text; left out unless passages were requested. */
  title?: string;
};

export type Me = {
  /** Null for one that sees everything. */
  labels: string[] | null;
  name: string;
  role: Role;
};

/** One measure on one kind of features. */
export type Measured = {
  /** The kind of features. */
  features: string;
  /** The measure by name. */
  measure: string;
  /** From 0 to 1. */
  similarity: number;
};

/** The share of near-duplicate pairs that a run found, estimated from a sample of documents. Pairs are those of different contents: exact copies are found by definition and are counted as one document. */
export type MeasuredRecall = {
  /** Documents that it was drawn from, copies counted once. */
  documents: number;
  /** An estimate of all near-duplicate pairs of the corpus. */
  estimated_pairs: number;
  /** How many of them the run found. */
  found: number;
  /** Its upper end. */
  high: number | null;
  /** The share of pairs whose documents are in one cluster, whether or not the pair itself was found, with its interval. */
  in_one_cluster: Interval | null;
  /** The lower end of the interval that holds the true share with 95 % confidence. */
  low: number | null;
  /** Near-duplicate pairs of the sampled documents that were seen. */
  pairs: number;
  /** The share that was found; absent if the sample has no pair. */
  recall: number | null;
  /** Documents in the sample. */
  sampled: number;
};

/** Some members of a cluster. */
export type MemberPage = {
  /** The name of the cluster: the id of its master. */
  cluster: Id;
  /** The master first, then the most similar to it. */
  members: MapMember[];
  /** How many members come before these. */
  offset: number;
  /** Of the whole cluster. */
  size: number;
};

export type MethodEntry = {
  name: string;
  paper: string;
  recipe: Record<string, unknown>;
  summary: string;
};

/** What one method says, and why. */
export type MethodVerdict = {
  /** What weighed most, if the decider gives reasons. */
  because?: string[];
  /** Its measure by name. */
  measure: string;
  /** The method by name. */
  method: string;
  /** The signatures by which a search would have found the pair. */
  signatures: SignaturePair[];
  /** By its measure, from 0 to 1. */
  similarity: number;
  /** The similarity from which on it says near-duplicate. */
  threshold: number;
  /** What it says. */
  verdict: PairVerdict;
};

export type Methods = {
  learners: Learner[];
  methods: MethodEntry[];
  parts: PartEntry[];
};

/** Hosts that are connected by pairs. */
export type MirrorGroup = {
  /** Their names, in alphabetical order; the first 100. */
  hosts: string[];
  /** How many hosts it has. */
  size: number;
};

/** Two hosts that mirror each other. */
export type MirrorPair = {
  /** The first host, by name. */
  a: MirroredHost;
  /** The second host. */
  b: MirroredHost;
  /** Clusters with documents of both. */
  clusters: number;
  /** How often documents of both in one cluster have the same path, which is the strongest sign. */
  same_paths: number;
  /** Documents that need not be fetched, whichever of the two is left out. */
  saved: number;
};

/** One of two hosts that mirror each other. */
export type MirroredHost = {
  /** Its documents. */
  documents: number;
  /** A document that is in a cluster with the example of the other host; null if it was removed meanwhile. */
  example: Id | null;
  /** The access labels of the example, which belong to its name; left out if it has none. */
  example_labels?: string[];
  /** Its name, with its port unless that is the usual one. */
  host: string;
  /** The share of its documents that these are. */
  share: number;
  /** Those of them that are in clusters with documents of the other. */
  shared: number;
};

/** Hosts that mirror each other. */
export type Mirrors = {
  /** How many pairs of hosts are mirrors. */
  found: number;
  /** Three or more hosts that are connected by pairs; the largest groups come first. */
  groups: MirrorGroup[];
  /** Hosts that documents come from. */
  hosts: number;
  /** Clusters of more than 64 hosts, which say nothing about mirrors and were left out. */
  left_out: number;
  /** The first of them; those that save most come first. */
  pairs: MirrorPair[];
  /** Documents whose address is not known yet, because it is still being read. */
  unread: number;
};

/** A method that did not compare every pair, and what that saved and cost. */
export type Narrowed = {
  /** Pairs of documents there are. */
  all_pairs: number;
  /** What narrowed the search, such as `fuzzy-c-means`. */
  clustering: string;
  /** Clusters that were found. */
  clusters: number;
  /** In how many clusters a document is on average. */
  clusters_each: number;
  /** Pairs of documents that were compared. */
  comparisons: number;
  /** Documents that were clustered. */
  documents: number;
  /** Rounds of moving the centres. */
  iterations: number;
  /** Documents in the largest cluster. */
  largest: number;
  /** What was lost of the pairs that the drawn documents form with all others, by similarity. */
  lost: Lost[];
  /** The method that compared within clusters only. */
  method: string;
  /** Documents drawn to measure what was lost. */
  sampled: number;
  /** The share of all pairs that was not compared. */
  saved: number;
  /** What a person should know before trusting the clusters. */
  warnings: string[];
};

/** Another document of the cluster of a master. */
export type NearDuplicate = {
  /** The id of the document. */
  id: Id;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  /** To the master; null when the two were never compared, as in a chain. */
  similarity: number | null;
  /** The title, or else the beginning of the text; null if no titles were requested. */
  title: string | null;
};

export type NewBatch = {
  /** Names of tokens. Each of them decides of all pairs. */
  assignees: string[];
  /** Which clusters, as in /api/survey/clusters */
  filter?: string;
  /** The most pairs, at most 10000 [100] */
  limit?: number | null;
  name: string;
  /** Which pairs come first [uncertain] */
  order?: "uncertain" | "size" | null;
};

export type NewDecision = {
  a: Id;
  /** All access labels of the first, where several documents have the id */
  a_labels?: string[] | null;
  b: Id;
  /** All access labels of the second, where several documents have the id */
  b_labels?: string[] | null;
  /** Null withdraws a decision. The field is required, so that nobody does that by omission. */
  duplicate: boolean | null;
};

export type NewDecisions = {
  /** Of each of the pairs; null withdraws the decisions. */
  duplicate: boolean | null;
  /** At most 10000 */
  pairs: TwoDocuments[];
};

/** The specification of a job. Unknown fields are refused, so that no setting is silently ignored. */
export type NewJob = {
  /** Let a classifier decide that is trained first: a learner by name, or `best`. */
  classifier?: string | null;
  /** Compare only within clusters that this finds. */
  clustering?: "fuzzy-c-means" | "k-means" | "none" | null;
  kind: JobKind;
  /** A method by name; `recipe` says more. */
  method?: string | null;
  /** The job whose result is applied or undone. */
  of?: number | null;
  /** How many pairs to ask for. */
  questions?: number | null;
  /** TOML, as in a recipe file. */
  recipe?: string | null;
  /** Recipe keys, such as `decide.threshold`. */
  set?: Record<string, string>;
  /** The documents that are compared, or judged. */
  testing?: JobSource;
  /** The documents that a classifier learns from. */
  training?: JobSource;
  /** What is true of the documents, for training and judging. */
  truth?: Truth | null;
};

export type NewKeeper = {
  id: Id;
  /** False takes it back. */
  keep: boolean;
  /** All access labels of the document that is meant, where several have the id */
  labels?: string[] | null;
};

export type NewProfile = {
  id?: Id | null;
  /** All access labels of the document that is meant, where several have the id */
  labels?: string[] | null;
  /** A method by name; the index's own recipe if left out */
  method?: string | null;
  /** Recipe keys, such as `features.shingle` */
  set?: Record<string, string>;
  /** A text, instead of a document */
  text?: string | null;
};

export type NewRecipe = {
  /** TOML, as in a recipe file; without a `method` what is to be changed of the recipe that the index has. A lexicon `native` is counted from the documents of the index. */
  recipe: string;
};

export type NewRemark = {
  a: Id;
  /** All access labels of the first, where several documents have the id */
  a_labels?: string[] | null;
  b: Id;
  /** All access labels of the second, where several documents have the id */
  b_labels?: string[] | null;
  /** Replaces the caller's note; an empty one takes it away */
  note?: string | null;
  /** Replaces the tags of the pair */
  tags?: string[] | null;
};

/** Which documents of clusters go. */
export type NewRemoval = {
  /** Which clusters, as in /api/survey/clusters */
  filter?: string;
  /** Keep rules, such as longest,newest; those of the index if left out */
  keep?: string | null;
};

/** What a person noted of a pair. */
export type Note = {
  by: string;
  text: string;
  /** Seconds since 1970. */
  time: number;
};

export type Nothing = Record<string, never>;

/** An OpenAPI document. */
export type OpenApi = {
  components: Record<string, unknown>;
  info: Record<string, unknown>;
  openapi: string;
  paths: Record<string, unknown>;
  servers: unknown[];
};

/** A document outside of a cluster that resembles a member. */
export type Outside = {
  /** The place of the member that it is most like. */
  beside: number;
  /** Of its text. */
  bytes: number;
  /** The master of its own cluster; null for a document alone. */
  cluster: Id | null;
  /** The access labels of that master, which belong to its name; left out if it has none. */
  cluster_labels?: string[];
  /** The id of the document. */
  id: Id;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  /** To the member that it is most similar to. */
  similarity: number;
  /** The field `source`. */
  source: string | null;
  /** Seconds since 1970 that the document names as its time. */
  time: number | null;
  /** The title, or else the beginning of the text; null for an empty one. */
  title: string | null;
  /** The field `type`. */
  type: string | null;
};

/** The result of comparing two documents. */
export type Pair = {
  /** The first document. */
  a: Side;
  /** The second. */
  b: Side;
  /** What a person decided of the two; null if nobody did. */
  decision: Decision | null;
  /** How the second differs from the first. */
  difference: Difference;
  /** Whether their texts are the same to the last byte. */
  identical: boolean;
  /** Every measure on every kind of features. */
  measures: Measured[];
  /** What each method says. */
  methods: MethodVerdict[];
  /** At most one of each person, by name. */
  notes: Note[];
  /** Words that only the first has, with how often. */
  only_in_a: [string, number][];
  /** The same for the second. */
  only_in_b: [string, number][];
  /** Runs of words that both have, in the order of the first document. */
  passages: SharedPassage[];
  /** How their images, links and other streams agree; left out if they have none in common. */
  streams?: StreamAgreement;
  tags: string[];
};

/** A pair to be labelled. */
export type PairQuestion = {
  a: Id;
  b: Id;
  confidence: number;
  /** Why this pair. */
  reason: string;
};

/** What a method says of two documents. */
export type PairVerdict = "duplicate" | "near-duplicate" | "different" | "missed" | "kept-apart" | "empty" | "weak";

export type Param = {
  default: string;
  help: string;
  name: string;
};

/** A part that can do a stage of a recipe. */
export type PartEntry = {
  name: string;
  paper: string;
  params: Param[];
  stage: string;
  summary: string;
};

/** A passage that both documents share, as byte offsets into their texts. */
export type Passage = {
  /** In the query document: start and end, in bytes. */
  asked: [number, number];
  /** In the known one: start and end, in bytes. */
  known: [number, number];
  /** How many words it has. */
  words: number;
};

/** Files that a run did not read. */
export type PassedOver = {
  /** How many files. */
  files: number;
  /** The first of them by name. */
  first: string[];
};

export type Preview = {
  /** Of the documents that go. */
  bytes: number;
  /** Clusters that would keep another document than the one that stands for them today. */
  changed: number;
  clusters: number;
  examples: RemovalExample[];
  /** The name of this plan, for callers who may apply it. */
  plan?: string;
  removed: number;
  sources: SourceLoss[];
  /** Documents that are not like the one that is kept, or whose readers may not see that, and stay. */
  stay: number;
};

/** The features that a method finds in a document. */
export type Profile = {
  /** How many there are in all. */
  distinct: number;
  /** Distinct ones, in the order of their first occurrence. */
  features: WeighedFeature[];
  /** What the features are, in the words of a recipe. */
  variant: string;
};

/** Figures of verdicts compared with labels. */
export type Quality = {
  /** The share of pairs that are decided rightly. */
  accuracy: number;
  /** The numbers behind these figures. */
  counts: Confusion;
  /** Their harmonic mean. */
  f1: number;
  /** Their intervals; reports of older versions have none. */
  intervals?: Intervals;
  /** The share of what is found that is true. */
  precision: number;
  /** The share of what is true that is found. */
  recall: number;
};

/**
 * A query never counts as its own duplicate, and only judged pairs count.
 *
 * As in the paper, a query without a true duplicate has no recall and is left out of that average; one that finds nothing has the recall 0, but no precision, and is left out of that average.
 */
export type Queries = {
  /** How many queries there are. */
  asked: number;
  /** The average of found divided by true duplicates, right or wrong. That is what eq. 3 literally says; it may exceed 1, and equals the recall when nothing wrong is found. */
  found_by_true: number | null;
  /** The average share of true duplicates among what a query finds (eq. 4). */
  precision: Interval | null;
  /** The average share of its true duplicates that a query finds. */
  recall: Interval | null;
  /** Queries for which something was found. */
  with_found: number;
  /** Queries that have a near-duplicate. */
  with_true: number;
};

/** When to fetch a document again, and how urgently. */
export type Recrawl = {
  /** How urgent a visit is, from 0 to 1: near-duplicates of a better document can wait. */
  crawl_priority: number;
  /** Seconds since 1970. */
  due: number;
  /** How useful it is to index the document, from 0 to 1: near-duplicates of a better document bring nothing new, and a version brings as much as it differs from the one before. */
  index_priority: number;
  /** Advised seconds between visits. */
  interval: number;
};

/** How a native lexicon is kept up to date. */
export type RefreshStats = {
  /** It is due after so many documents; absent if their number does not matter. */
  after?: number;
  /** How many of these are still to come. */
  documents_left?: number;
  /** Whether that is due. */
  due: boolean;
  /** How often it was counted again by itself. */
  refreshes: number;
  /** Whether it is being counted again by itself now. */
  running: boolean;
  /** It is due when the share of unknown terms is above this; absent if the share does not matter. */
  unknown?: number;
};

/** A document that stayed as it was. */
export type Refused = {
  id: Id;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  reason: string;
};

export type RefusedPair = {
  a: Id;
  b: Id;
  reason: string;
};

/** What people said of a pair beside the decision. */
export type Remarks = {
  /** At most one of each person, by name. */
  notes: Note[];
  tags: string[];
};

/** A removal that was applied, or at least started. */
export type Removal = {
  by: string;
  /** False if the service ended before all were removed; `undo` puts back those that were. */
  complete: boolean;
  documents: number;
  filter: string;
  /** The format of the stored files. */
  format: number;
  keep: string | null;
  /** Documents that could not be put back. */
  not_restored?: Refused[];
  /** Documents of the plan that changed since it was made: they stayed. */
  refused?: Refused[];
  removal: number;
  /** Seconds since 1970. */
  time: number;
  undone: boolean;
};

export type RemovalExample = {
  /** The name of the cluster: the id in `kept_before`. */
  cluster: Id;
  keeps: Id;
  /** Access labels of the one that is kept, which belong to its name; left out if it has none. */
  keeps_labels?: string[];
  kept_before: Id;
  /** Access labels of the one that was kept before; left out if it has none. */
  kept_before_labels?: string[];
  removes: Id[];
  /** Access labels of each of those that go. */
  removes_labels: string[][];
  title: string | null;
};

export type Removals = {
  removals: Removal[];
};

/** What a run did and found: `report.json`. */
export type Report = {
  /** Documents of the corpus compared against; not counted in `documents`. */
  against: number;
  /** Pairs that were compared. */
  candidates: number;
  /** Clusters of two documents or more. */
  clusters: number;
  /** For how many removed documents each stream contradicts: the text is alike, but not the images or the links. */
  contradictions?: Record<string, number>;
  /** How many decisions of people were applied, if any were given. */
  decisions?: DecisionCounts;
  /** How many removed documents differ from their keepers in each way; a document may differ in several. */
  differences: Record<string, number>;
  /** Documents that were read. */
  documents: number;
  /** Documents with nothing to compare: they are kept and never match. */
  empty: number;
  /** Removed documents that are exact copies, feature by feature, of their keeper. */
  exact_copies: number;
  /** The chance that a pair right at the threshold was found, if it is known. */
  expected_recall: number | null;
  /** For an ensemble: which method found what. */
  found_by?: FoundBy[];
  /** The recipe as it was given, by which the run can be made again */
  given: Record<string, unknown>;
  /** The field that had the ids. */
  id_field: string;
  /** How much it read. */
  input_bytes: number;
  /** Files, folders and patterns that were read, and the fields that ids and texts were in. */
  inputs: string[];
  /** Documents that stay. */
  kept: number;
  /** The share of pairs that was found, measured on a sample, if that was asked for. */
  measured_recall?: MeasuredRecall;
  /** The method that the recipe began as. */
  method: string;
  /** What clusters saved and cost, for each method that compared within clusters only. */
  narrowing?: Narrowed[];
  /** Records of web archives that are no texts and were passed over, by their type. */
  other_records?: Record<string, number>;
  /** Verified pairs. */
  pairs: number;
  /** Files in the input folders that are no corpora and were not read. */
  passed_over: PassedOver;
  /** The most memory it used. */
  peak_memory_bytes: number;
  /** The recipe with every default and choice spelled out. */
  recipe: Record<string, unknown>;
  /** Lines that are no documents. */
  rejected: number;
  /** Documents that go. */
  removed: number;
  /** Whether an earlier, interrupted run was continued. */
  resumed: boolean;
  /** Identifies inputs and settings together. */
  run: string;
  /** Identifies what made the signatures. */
  scheme: string;
  /** How long it took. */
  seconds: number;
  /** Seconds by stage. */
  stages: Record<string, number>;
  /** The field that had the texts. */
  text_field: string;
  /** Worker threads. */
  threads: number;
  /** The least similarity of near-duplicates. */
  threshold: number;
  /** Documents with features but without a signature, of which only exact copies are found. */
  unsigned: number;
  /** The version of the program. */
  version: string;
  /** Warnings for readers of the figures. */
  warnings: string[];
  /** How many of these come from files of which too little could be read to compare them. */
  weak: WeakText[];
};

/** What people said of a pair beside the decision. */
export type ReviewPair = {
  /** The one that stands for the cluster; of a pair in a batch, with a tag or disputed, either. */
  a: ReviewSide;
  b: ReviewSide;
  /** At most one of each person, by name. */
  notes: Note[];
  /** Null if the two were never compared, or not found alike. */
  similarity: number | null;
  /** Documents of the cluster; left out for pairs of a batch, with a tag or disputed. */
  size?: number;
  tags: string[];
};

/** How far people got. */
export type ReviewProgress = {
  /** Each two who decided of the same pairs. */
  agreement: Agreement[];
  /** Pairs whose last decision contradicts what others had said before. */
  disputed: number;
  /** Those that nobody decided of. */
  left: number;
  /** By name; `job N` stands for decisions that were taken over from a run. */
  people: Reviewer[];
  /** Tags, and how many pairs have them. */
  tags: Record<string, number>;
  /** Pairs of documents with the one that stands for their cluster; of copies one. */
  total: number;
};

/** Pairs that wait for a decision. */
export type ReviewQueue = {
  /** Pairs that wait, these included. */
  left: number;
  /** To be given as `after` for the pairs that come then; null if there are none. */
  next: string | null;
  pairs: ReviewPair[];
  /** The same and those that were decided. */
  total: number;
};

/** What lists show of a document. */
export type ReviewSide = {
  /** Of its text. */
  bytes: number;
  /** Documents with this content, itself included: a decision holds for all of them. */
  copies: number;
  id: Id;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  /** The field `source`. */
  source: string | null;
  /** Seconds since 1970 that the document names as its time. */
  time: number | null;
  /** The title, or else the beginning of the text; null for an empty one. */
  title: string | null;
  /** The field `type`. */
  type: string | null;
};

export type Reviewer = {
  /** Pairs that are no duplicates. */
  different: number;
  duplicates: number;
  /** Seconds since 1970 of the last decision. */
  last: number;
  name: string;
};

export type Role = "read" | "write" | "admin" | "reviewer";

/** A filter that a person has given a name. */
export type SavedFilter = {
  /** As in /api/survey/clusters. */
  filter: string;
  name: string;
};

export type SavedFilters = {
  filters: SavedFilter[];
};

export type SearchResult = {
  facets: Record<string, Facet[]>;
  hits: Hit[];
  total: number;
};

/** The set of prototypes that a document belongs to. */
export type SetVerdict = {
  /** How often the matching prototypes of this set have been hit so far. */
  hits: number;
  /** The name of the set. */
  name: string;
  /** To the most similar prototype. */
  similarity: number;
};

/** Some contents of a cluster. */
export type ShapeGroup = {
  /** Of its text. */
  bytes: number;
  /** Different contents of the group. */
  contents: number;
  /** Documents of the group, copies included. */
  documents: number;
  /** The best document of the first content. */
  id: Id;
  /** Its access labels, which belong to its name; left out if it has none. */
  labels?: string[];
  /** The field `source`. */
  source: string | null;
  /** Seconds since 1970 that the document names as its time. */
  time: number | null;
  /** The title, or else the beginning of the text; null for an empty one. */
  title: string | null;
  /** The field `type`. */
  type: string | null;
};

/** A run of words that is in both. */
export type SharedPassage = {
  /** In the first document: start and end, in bytes. */
  a: [number, number];
  /** In the second: start and end, in bytes. */
  b: [number, number];
  /** The words as they stand in the first document. */
  text: string;
  /** How many words it has. */
  words: number;
};

/** One of the two documents. */
export type Side = {
  /** The length of its text. */
  bytes: number;
  /** The part of this document's word 5-grams that the other has. */
  contained_in_other: number;
  /** The part of this document's words that stands in shared passages. */
  in_passages: number;
  /** What the caller calls it. */
  name: string;
  /** Why its text is weak, if it is: then no method calls it a duplicate. */
  weak?: string;
  /** Words of its text. */
  words: number;
};

/** The signatures of one branch. */
export type SignaturePair = {
  /** The first document's signature in hexadecimal; absent when the method has none. */
  a?: string;
  /** The second document's. */
  b?: string;
  /** Whether the pair is a candidate of this method. */
  candidate: boolean;
  /** The method that signs; one of several in an ensemble. */
  method: string;
  /** How the two signatures compare, for people. */
  says: string;
};

/** What there is to tell of a snapshot. */
export type SnapshotInfo = {
  /** Bytes of all files. */
  bytes: number;
  /** Living documents. */
  documents: number;
  /** How many files it has. */
  files: number;
  /** The version of the program that took it. */
  program: string;
  /** Its name, which is its time in UTC. */
  snapshot: string;
  /** Seconds since 1970. */
  taken: number;
};

export type Snapshots = {
  snapshots: SnapshotInfo[];
};

/** How many documents a source loses. */
export type SourceLoss = {
  /** Documents of the source. */
  documents: number;
  /** How many of them are not the master of their cluster. */
  removed: number;
  /** The name of the source. */
  source: string;
};

export type Stability = {
  /** Words that were added to or removed from the document. */
  changes: number[];
  curves: StabilityCurve[];
  /** The part of the words that each further lexicon lacks. */
  dropped: number;
};

export type StabilityCurve = {
  /** Further lexicons, each with a signature of its own. */
  lexicons: number;
  /** For each of the changes. */
  survive: number[];
};

/** Figures about the documents that the caller sees. Sizes and operations are those of the whole index and would reveal hidden documents, so they are only given to callers who see everything. */
export type Stats = {
  /** Clusters of two documents or more. */
  clusters: number;
  /** Documents that differ from all others in some feature. */
  contents: number;
  /** Bytes of texts that `compact` would free. */
  dead_bytes?: number;
  decisions?: number;
  documents: number;
  /** Documents in clusters that are not the master. */
  duplicates: number;
  /** Fields that search counts and filters by */
  facets: string[];
  generation: number;
  /** Bytes on disk beside the stored texts. */
  index_bytes?: number;
  /** The lexicons by which documents are signed. */
  lexicons?: LexiconStats[];
  /** Operations since the last checkpoint: what opening after a crash replays. */
  log_operations?: number;
  method: string;
  pairs: number;
  /** How far a new generation is, while one is built. */
  resigning?: number;
  scheme: string;
  text_bytes?: number;
  threshold: number;
};

/** A stored document. */
export type Stored = {
  /** Seconds since 1970. */
  added: number;
  /** The document as it was inserted. */
  document: Record<string, unknown>;
  /** When it expires, in seconds since 1970; left out if never. */
  expires?: number;
  /** How often it was hit. */
  hits: number;
  /** The id of the document. */
  id: Id;
  /** Its access labels: callers with one of these may see it; everyone if there is none. */
  labels: string[];
  /** The master of its cluster; null if it has no words to compare. */
  master: Id | null;
  /** The access labels of the master, which belong to its name; left out if it has none. */
  master_labels?: string[];
  /** When it was last inserted or hit, in seconds since 1970. */
  seen: number;
  /** The set of prototypes that it belongs to. */
  set?: string;
};

/** As results write it. */
export type StreamAgreement = {
  /** The streams of which both have several items and nearly none in common; left out if there is none. */
  contradict?: StreamKind[];
  /** How alike their images are, from 0 to 1; left out unless both have some. */
  images?: number;
  /** How alike their links are. */
  links?: number;
  /** How alike their metadata are. */
  metadata?: number;
  /** How alike they are built. */
  structure?: number;
};

/** A part of a document beside its text. */
export type StreamKind = "images" | "links" | "metadata" | "structure";

/** The index as a view sees it at one moment. */
export type Survey = {
  /** Seconds since 1970. */
  as_of: number;
  /** Clusters of two or more documents. */
  clusters: number;
  /** Visible documents. */
  documents: number;
  /** Documents that are not the master of their cluster. */
  duplicates: number;
  /** Documents over time. */
  growth: Growth;
  /** Documents by their highest similarity. */
  histogram: Histogram;
  /** What other thresholds would find, by rising threshold from the index's own on. */
  levels: Level[];
  /** The method of the index. */
  method: string;
  /** Verified pairs, as a batch run counts them: pairs of contents, and each further copy of a content with the first. */
  pairs: number;
  /** The sources that lose most documents first. */
  sources: SourceLoss[];
  /** The threshold of the index. */
  threshold: number;
  /** What a person should look at. */
  warnings: Warning[];
};

/** The running task, or the last one. */
export type Task = {
  /** Why it failed. */
  error?: ErrorBody;
  /** Absent while it runs. */
  seconds?: number;
  /** Seconds since 1970. */
  started: number;
  state: TaskState;
  task: TaskKind;
};

export type TaskKind = "compact" | "resign" | "refresh" | "snapshot" | "erase";

export type TaskState = "running" | "done" | "failed";

/** Tells whether a text is still the same */
export type TextDigest = string;

/** A person's decision about two documents, and the texts that they have. */
export type TitledDecision = {
  /** The first document. */
  a: Id;
  /** The access labels of the first, which belong to its name; left out if it has none. */
  a_labels?: string[];
  /** The digest of the text of the first. */
  a_text: TextDigest;
  /** The title of the first, or the beginning of its text; left out unless asked for. */
  a_title?: string;
  /** The second document. */
  b: Id;
  /** The access labels of the second, which belong to its name; left out if it has none. */
  b_labels?: string[];
  /** The digest of the text of the second. */
  b_text: TextDigest;
  /** The title of the second; left out unless asked for. */
  b_title?: string;
  /** Who decided. */
  by: string;
  /** Whether they are duplicates. */
  duplicate: boolean;
  /** Seconds since 1970. */
  time: number;
};

/** Reports of older versions lack some of it. */
export type TrainingReport = {
  /** The best single threshold, chosen and tested in the same way. */
  best_threshold: Quality;
  /** How far calibrated confidences are from the truth, on held-out candidates. */
  brier: number;
  /** By how much confidence and share of near-duplicates differ on average. */
  calibration_error: number;
  /** How often each was chosen in the test of the choice. */
  chosen: [string, number][];
  /** Documents of the corpus. */
  documents: number;
  /** Into how many parts the groups are divided; each is tested by a model trained on the others. */
  folds: number;
  /** By how much the F1 of the model exceeds that of the threshold. */
  gain: Interval | null;
  /** Groups of documents that share no near-duplicate and no text with each other. */
  groups: number;
  /** Candidates of the recipe that are no near-duplicates. */
  hard_negatives: number;
  /** How much each component moves F on average, the most important first. */
  importance: [string, number][];
  /** The single threshold chosen on all pairs. */
  instead: Instead | null;
  /** Near-duplicates that the recipe does not propose: no model finds them. */
  missed: number;
  /** How many of them are near-duplicates. */
  near_duplicates: number;
  /** Warnings for readers of the figures. */
  notes: string[];
  /** Pairs used for training. */
  pairs: number;
  /** The recipe on whose candidates the model was trained and tested, as a file would have it. */
  recipe: string;
  /** Whether the model is worth its cost: whether it does better than a single threshold. */
  recommended: boolean;
  /** The seed of everything random. */
  seed: number;
  /** The expected quality of a run on as many documents of other groups: learner and zero are chosen without the test data. */
  tested: Quality;
  /** Every learner that was tried, each on its own. */
  tried: [string, Quality][];
  /** What was taken as the truth. */
  truth: string;
};

export type Truth = {
  cluster_field: string;
} | {
  pairs: LabelFile;
} | {
  clusters: LabelFile;
} | {
  decisions: true;
} | {
  exact: [string, string];
};

/** Two documents by their names. */
export type TwoDocuments = {
  a: Id;
  /** All access labels of the first, where several documents have the id */
  a_labels?: string[] | null;
  b: Id;
  /** All access labels of the second, where several documents have the id */
  b_labels?: string[] | null;
};

/** An uploaded file. */
export type Upload = {
  bytes: number;
  name: string;
  /** When it was complete, in seconds since 1970. */
  time: number;
};

export type Uploads = {
  uploads: Upload[];
};

/** Whether a document is a duplicate of a known one. */
export type Verdict = "new" | "near-duplicate" | "duplicate" | "unreadable";

/** One version of a document. */
export type Version = {
  /** Bytes of the document. */
  bytes: number;
  /** If it has come back: when the earlier version with its fingerprint came, in seconds since 1970. Another was between them. */
  came_back_to?: number;
  /** Whether any byte differs from the version before; true for the first. */
  changed: boolean;
  /** How its text differs from that of the version before; null for the first, for one that is no near-duplicate of the version before, and if it is not known, as the distance then is. */
  difference: Difference | null;
  /** In how many bits its simhash differs from that of the version before; null where one of the two is not known. */
  distance: number | null;
  /** Its simhash, in hexadecimal digits; null if it has nothing to compare or went before fingerprints were recorded. */
  fingerprint: string | null;
  /** To the version before; null for the first, and if the two cannot be compared. */
  similarity: number | null;
  /** Seconds since 1970. */
  time: number;
};

/** Something that a person should look at. */
export type Warning = {
  /** The name of the cluster; null if the warning is not about one cluster. */
  cluster: Id | null;
  /** What the warning is about. */
  kind: WarningKind;
  /** The access labels of the master of the cluster, which belong to its name; left out if it has none. */
  labels?: string[];
  /** A sentence for people. */
  message: string;
};

/** The kinds of warnings. */
export type WarningKind = "giant" | "loose" | "short" | "source";

/** A document whose text is weak. */
export type WeakText = {
  /** The document. */
  id: string;
  /** Why its text is weak. */
  reason: string;
};

/** A feature of a document with its weight. */
export type WeighedFeature = {
  /** Where it occurs first, counted in features. */
  place: number;
  /** The words it stands for, if it stands for words. */
  text: string;
  /** The weight of all its occurrences together. */
  weight: number;
};
