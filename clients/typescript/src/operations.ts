/** Made from docs/openapi.json by generate.mjs; run web/build to make it anew. */

import type { Content, Lines } from "./content.js";
import { Http, segment, type CallOptions, type Options } from "./http.js";
import type { Answer, ApplyRemoval, AuditEntries, BatchProgress, Batches, BulkAnswer, BulkDecision, Cluster, ClusterMap, ClusterShape, ClusterTable, Clusters, Decisions, Document, DueQueue, Erasure, Health, History, Id, Job, JobFiles, Jobs, Keepers, KnownWord, Lexicon, Lexicons, Me, MemberPage, Methods, Mirrors, NewBatch, NewDecision, NewDecisions, NewJob, NewKeeper, NewProfile, NewRecipe, NewRemark, NewRemoval, OpenApi, Pair, Preview, Profile, Remarks, Removal, Removals, ReviewProgress, ReviewQueue, SavedFilter, SavedFilters, SearchResult, Snapshots, Stability, Stats, Stored, Survey, Task, Upload, Uploads } from "./types.js";

/** A service of Lookalike. */
export class Lookalike {
  readonly #http: Http;

  /** `url` is the address of the service, with the path below which a proxy serves it. */
  constructor(url: string | URL, options: Options = {}) {
    this.#http = new Http(url, options);
  }

  get url(): string {
    return this.#http.url;
  }

  /** Who removed, decided and changed what, the newest first. Needs the role admin. */
  audit(query: {
      /** How many entries to list at most [100] */
      limit?: number;
    } = {}, call?: CallOptions): Promise<AuditEntries> {
    return this.#http.json<AuditEntries>({ method: "GET", path: "/api/admin/audit", query }, call);
  }

  /** Free the space of removed documents, in the background. Needs the role admin. */
  compact(call?: CallOptions): Promise<Task> {
    return this.#http.json<Task>({ method: "POST", path: "/api/admin/compact", body: {} }, call);
  }

  /** Leave nothing of documents in any file, in the background. Needs the role admin. */
  erase(body: Erasure, call?: CallOptions): Promise<Task> {
    return this.#http.json<Task>({ method: "POST", path: "/api/admin/erase", body }, call);
  }

  /** Build the index anew by another recipe, in the background. Needs the role admin. */
  resign(body: NewRecipe, call?: CallOptions): Promise<Task> {
    return this.#http.json<Task>({ method: "POST", path: "/api/admin/resign", body }, call);
  }

  /** Copy the index to the place for snapshots, in the background. Needs the role admin. */
  snapshot(call?: CallOptions): Promise<Task> {
    return this.#http.json<Task>({ method: "POST", path: "/api/admin/snapshot", body: {} }, call);
  }

  /** The snapshots there are, the oldest first. Needs the role admin. */
  snapshots(call?: CallOptions): Promise<Snapshots> {
    return this.#http.json<Snapshots>({ method: "GET", path: "/api/admin/snapshots" }, call);
  }

  /** What compact, resign, refresh or snapshot last did. Needs the role admin. */
  task(call?: CallOptions): Promise<Task> {
    return this.#http.json<Task>({ method: "GET", path: "/api/admin/task" }, call);
  }

  /** Check a document without inserting it. Needs the role read. */
  checkDocument(body: Document | Content<"message/rfc822">, query: {
      /** How many matches to list at most; all are counted [100] */
      limit?: number;
      /** Also list the shared passages and the titles of matches */
      passages?: boolean;
      /** Count this query as a hit of each match and restart its time to live */
      refresh?: boolean;
    } = {}, call?: CallOptions): Promise<Answer> {
    return this.#http.json<Answer>({ method: "POST", path: "/api/check", query, body }, call);
  }

  /** Clusters of two documents or more, a page at a time. Needs the role read. */
  listClusters(query: {
      /** `next` of the page before */
      after?: string;
      /** Clusters on a page, at most 1000 [100] */
      limit?: number;
    } = {}, call?: CallOptions): Promise<Clusters> {
    return this.#http.json<Clusters>({ method: "GET", path: "/api/clusters", query }, call);
  }

  /** The cluster of a document. Needs the role read. */
  getCluster(id: Id, query: {
      /** All access labels of the document that is meant, parted by commas or as a JSON list, empty for none: needed where several documents that the caller sees have the id */
      labels?: string;
    } = {}, call?: CallOptions): Promise<Cluster> {
    return this.#http.json<Cluster>({ method: "GET", path: `/api/clusters/${segment(id)}`, query }, call);
  }

  /** The cluster of a document from near, and what lies just outside. Needs the role read. */
  mapCluster(id: Id, query: {
      /** All access labels of the document that is meant, parted by commas or as a JSON list, empty for none: needed where several documents that the caller sees have the id */
      labels?: string;
      /** Members to tell, at most 1000 [200] */
      limit?: number;
    } = {}, call?: CallOptions): Promise<ClusterMap> {
    return this.#http.json<ClusterMap>({ method: "GET", path: `/api/clusters/${segment(id)}/map`, query }, call);
  }

  /** The members of a document's cluster, a page at a time. Needs the role read. */
  listMembers(id: Id, query: {
      /** All access labels of the document that is meant, as in /map */
      labels?: string;
      /** Members on a page, at most 1000 [100] */
      limit?: number;
      /** Members that are passed over [0] */
      offset?: number;
    } = {}, call?: CallOptions): Promise<MemberPage> {
    return this.#http.json<MemberPage>({ method: "GET", path: `/api/clusters/${segment(id)}/members`, query }, call);
  }

  /** A cluster of any size in groups of documents that are alike. Needs the role read. */
  shapeCluster(id: Id, query: {
      /** How documents are put into groups where there are more [even] */
      by?: "even" | "linked";
      /** All access labels of the document that is meant, as in /map */
      labels?: string;
      /** Groups, at most 1000 [160] */
      limit?: number;
    } = {}, call?: CallOptions): Promise<ClusterShape> {
    return this.#http.json<ClusterShape>({ method: "GET", path: `/api/clusters/${segment(id)}/shape`, query }, call);
  }

  /** What people decided of pairs. Needs the role read. */
  listDecisions(query: {
      /** Also tell the titles of the documents [false] */
      titles?: boolean;
    } = {}, call?: CallOptions): Promise<Decisions> {
    return this.#http.json<Decisions>({ method: "GET", path: "/api/decisions", query }, call);
  }

  /** Decide that two documents are duplicates or not, or take a decision back. Needs the role reviewer. */
  async decide(body: NewDecision, call?: CallOptions): Promise<void> {
    await this.#http.text({ method: "POST", path: "/api/decisions", body }, call);
  }

  /** Decide the same of many pairs at once, or take such decisions back. Needs the role reviewer. */
  decideAll(body: NewDecisions, call?: CallOptions): Promise<BulkDecision> {
    return this.#http.json<BulkDecision>({ method: "POST", path: "/api/decisions/bulk", body }, call);
  }

  /** Check a document and insert it, in one atomic step. Needs the role write. */
  addDocument(body: Document, query: {
      /** How many matches to list at most; all are counted [100] */
      limit?: number;
      /** Also list the shared passages and the titles of matches */
      passages?: boolean;
      /** What happens to a document that resembles a known one */
      policy?: "report" | "reject" | "replace" | "keep-best" | "version";
      /** Count this query as a hit of each match and restart its time to live */
      refresh?: boolean;
      /** Seconds until the document is forgotten */
      ttl?: number;
    } = {}, call?: CallOptions): Promise<Answer> {
    return this.#http.json<Answer>({ method: "POST", path: "/api/documents", query, body }, call);
  }

  /** Insert a stream of documents, one JSON object a line. Needs the role write. */
  addDocuments(body: Lines<Document>, query: {
      /** How many matches to list at most; all are counted [100] */
      limit?: number;
      /** Also list the shared passages and the titles of matches */
      passages?: boolean;
      /** What happens to a document that resembles a known one */
      policy?: "report" | "reject" | "replace" | "keep-best" | "version";
      /** Count this query as a hit of each match and restart its time to live */
      refresh?: boolean;
      /** Seconds until the document is forgotten */
      ttl?: number;
    } = {}, call?: CallOptions): AsyncGenerator<BulkAnswer, void, undefined> {
    return this.#http.exchange({ method: "POST", path: "/api/documents/bulk", query }, body, call);
  }

  /** Remove a document. Needs the role write. */
  async removeDocument(id: Id, query: {
      /** All access labels of the document that is meant, parted by commas or as a JSON list, empty for none: needed where several documents that the caller sees have the id */
      labels?: string;
    } = {}, call?: CallOptions): Promise<void> {
    await this.#http.text({ method: "DELETE", path: `/api/documents/${segment(id)}`, query }, call);
  }

  /** A stored document. Needs the role read. */
  getDocument(id: Id, query: {
      /** All access labels of the document that is meant, parted by commas or as a JSON list, empty for none: needed where several documents that the caller sees have the id */
      labels?: string;
    } = {}, call?: CallOptions): Promise<Stored> {
    return this.#http.json<Stored>({ method: "GET", path: `/api/documents/${segment(id)}`, query }, call);
  }

  /** Versions of a document, and when to fetch it again. Needs the role read. */
  documentHistory(id: Id, query: {
      /** All access labels of the document that is meant, parted by commas or as a JSON list, empty for none: needed where several documents that the caller sees have the id */
      labels?: string;
    } = {}, call?: CallOptions): Promise<History> {
    return this.#http.json<History>({ method: "GET", path: `/api/documents/${segment(id)}/history`, query }, call);
  }

  /** Documents that should be fetched again, the most urgent first. Needs the role read. */
  listDue(query: {
      /** What is due by then, in seconds since 1970 [now] */
      at?: number;
      /** Documents to list, at most 1000 [100] */
      limit?: number;
    } = {}, call?: CallOptions): Promise<DueQueue> {
    return this.#http.json<DueQueue>({ method: "GET", path: "/api/due", query }, call);
  }

  /** All jobs, the newest first. Needs the role admin. */
  listJobs(call?: CallOptions): Promise<Jobs> {
    return this.#http.json<Jobs>({ method: "GET", path: "/api/jobs" }, call);
  }

  /** Start an offline run: dedup, train, evaluate, ask, apply or undo. Needs the role admin. */
  submitJob(body: NewJob, call?: CallOptions): Promise<Job> {
    return this.#http.json<Job>({ method: "POST", path: "/api/jobs", body }, call);
  }

  /** Stop a job; remove one that has ended, with its results. Needs the role admin. */
  async cancelJob(id: Id, call?: CallOptions): Promise<void> {
    await this.#http.text({ method: "DELETE", path: `/api/jobs/${segment(id)}` }, call);
  }

  /** State, progress and result of a job. Needs the role admin. */
  getJob(id: Id, call?: CallOptions): Promise<Job> {
    return this.#http.json<Job>({ method: "GET", path: `/api/jobs/${segment(id)}` }, call);
  }

  /** Give the index the recipe back that it had before a job's. Needs the role admin. */
  undoAdoption(id: Id, call?: CallOptions): Promise<Task> {
    return this.#http.json<Task>({ method: "DELETE", path: `/api/jobs/${segment(id)}/adopt` }, call);
  }

  /** Build the index anew by the recipe of a job, with the classifier and clusters it made. Needs the role admin. */
  adoptJob(id: Id, call?: CallOptions): Promise<Task> {
    return this.#http.json<Task>({ method: "POST", path: `/api/jobs/${segment(id)}/adopt`, body: {} }, call);
  }

  /** One file of a job's result. Needs the role admin. */
  getJobFile(id: Id, query: {
      /** As the list of files has it */
      name?: string;
    } = {}, call?: CallOptions): Promise<Response> {
    return this.#http.response({ method: "GET", path: `/api/jobs/${segment(id)}/file`, query }, call);
  }

  /** The names of a job's files. Needs the role admin. */
  listJobFiles(id: Id, call?: CallOptions): Promise<JobFiles> {
    return this.#http.json<JobFiles>({ method: "GET", path: `/api/jobs/${segment(id)}/files` }, call);
  }

  /** Documents that people want to stand for their clusters. Needs the role read. */
  listKeepers(call?: CallOptions): Promise<Keepers> {
    return this.#http.json<Keepers>({ method: "GET", path: "/api/keepers" }, call);
  }

  /** Let a document stand for its cluster whatever the keep rules say, or no longer. Needs the role write. */
  async keep(body: NewKeeper, call?: CallOptions): Promise<void> {
    await this.#http.text({ method: "POST", path: "/api/keepers", body }, call);
  }

  /** Lexicons that a recipe can name. Needs the role read. */
  listLexicons(call?: CallOptions): Promise<Lexicons> {
    return this.#http.json<Lexicons>({ method: "GET", path: "/api/lexicons" }, call);
  }

  /** A lexicon: its words by how rare they are. Needs the role read. */
  getLexicon(name: Id, call?: CallOptions): Promise<Lexicon> {
    return this.#http.json<Lexicon>({ method: "GET", path: `/api/lexicons/${segment(name)}` }, call);
  }

  /** What a lexicon knows of a word. Needs the role read. */
  lookUpWord(name: Id, query: {
      /** One word */
      word?: string;
    } = {}, call?: CallOptions): Promise<KnownWord> {
    return this.#http.json<KnownWord>({ method: "GET", path: `/api/lexicons/${segment(name)}/word`, query }, call);
  }

  /** Who the caller is and what it may do. Needs the role read. */
  me(call?: CallOptions): Promise<Me> {
    return this.#http.json<Me>({ method: "GET", path: "/api/me" }, call);
  }

  /** Every method, part and learner, with parameters and paper. Needs the role read. */
  listMethods(call?: CallOptions): Promise<Methods> {
    return this.#http.json<Methods>({ method: "GET", path: "/api/methods" }, call);
  }

  /** Hosts whose documents are in clusters together. Needs the role read. */
  listMirrors(query: {
      /** Least number of clusters with documents of both hosts [3] */
      clusters?: number;
      /** Pairs of hosts to list, at most 1000 [100] */
      limit?: number;
      /** Least share of the documents of each host that is in such clusters [0.5] */
      share?: number;
    } = {}, call?: CallOptions): Promise<Mirrors> {
    return this.#http.json<Mirrors>({ method: "GET", path: "/api/mirrors", query }, call);
  }

  /** This document */
  openapi(call?: CallOptions): Promise<OpenApi> {
    return this.#http.json<OpenApi>({ method: "GET", path: "/api/openapi.json" }, call);
  }

  /** Everything that can be said of two documents. Needs the role read. */
  explainPair(a: Id, b: Id, query: {
      /** The labels of the first, as `labels` of /api/documents/{id} */
      a_labels?: string;
      /** The labels of the second */
      b_labels?: string;
    } = {}, call?: CallOptions): Promise<Pair> {
    return this.#http.json<Pair>({ method: "GET", path: `/api/pairs/${segment(a)}/${segment(b)}`, query }, call);
  }

  /** The features of a document and their weights. Needs the role read. */
  profile(body: NewProfile, call?: CallOptions): Promise<Profile> {
    return this.#http.json<Profile>({ method: "POST", path: "/api/profile", body }, call);
  }

  /** Removals that were carried out. Needs the role read. */
  listRemovals(call?: CallOptions): Promise<Removals> {
    return this.#http.json<Removals>({ method: "GET", path: "/api/removals" }, call);
  }

  /** Remove from the index all but one document of every cluster. Needs the role write. */
  applyRemovals(body: ApplyRemoval, call?: CallOptions): Promise<Removal> {
    return this.#http.json<Removal>({ method: "POST", path: "/api/removals", body }, call);
  }

  /** What would go, with the evidence, as a file. Needs the role read. */
  exportRemovals(query: {
      /** Which clusters, as in /api/survey/clusters */
      filter?: string;
      /** The format of the file [jsonl] */
      format?: "jsonl" | "csv" | "html";
      /** Keep rules, such as longest,newest; those of the index if left out */
      keep?: string;
    } = {}, call?: CallOptions): Promise<Response> {
    return this.#http.response({ method: "GET", path: "/api/removals/export", query }, call);
  }

  /** What would go if every cluster kept one document. Needs the role read. */
  previewRemovals(body: NewRemoval, call?: CallOptions): Promise<Preview> {
    return this.#http.json<Preview>({ method: "POST", path: "/api/removals/preview", body }, call);
  }

  /** Put back what a removal took. Needs the role write. */
  undoRemoval(id: Id, call?: CallOptions): Promise<Removal> {
    return this.#http.json<Removal>({ method: "POST", path: `/api/removals/${segment(id)}/undo`, body: {} }, call);
  }

  /** Pairs that people are to decide of, and how far they got. Needs the role read. */
  listBatches(call?: CallOptions): Promise<Batches> {
    return this.#http.json<Batches>({ method: "GET", path: "/api/review/batches" }, call);
  }

  /** Give people the next pairs of the queue that are in no other batch. Needs the role write. */
  addBatch(body: NewBatch, call?: CallOptions): Promise<BatchProgress> {
    return this.#http.json<BatchProgress>({ method: "POST", path: "/api/review/batches", body }, call);
  }

  /** Forget a batch; what was decided stays. Needs the role write. */
  async dropBatch(id: Id, call?: CallOptions): Promise<void> {
    await this.#http.text({ method: "DELETE", path: `/api/review/batches/${segment(id)}` }, call);
  }

  /** The filters that the caller saved. Needs the role read. */
  listFilters(call?: CallOptions): Promise<SavedFilters> {
    return this.#http.json<SavedFilters>({ method: "GET", path: "/api/review/filters" }, call);
  }

  /** Save a filter under a name, for the caller alone. Needs the role reviewer. */
  async saveFilter(body: SavedFilter, call?: CallOptions): Promise<void> {
    await this.#http.text({ method: "POST", path: "/api/review/filters", body }, call);
  }

  /** Remove a saved filter. Needs the role reviewer. */
  async dropFilter(name: Id, call?: CallOptions): Promise<void> {
    await this.#http.text({ method: "DELETE", path: `/api/review/filters/${segment(name)}` }, call);
  }

  /** Pairs that wait for a decision, across all clusters. Needs the role read. */
  nextPairs(query: {
      /** `next` of the page before */
      after?: string;
      /** The number of a batch: its pairs that the caller has not decided of, in their order */
      batch?: number;
      /** Pairs whose last decision contradicts what others had said before, until somebody decides once more */
      disputed?: boolean;
      /** Which clusters, as in /api/survey/clusters */
      filter?: string;
      /** Pairs on a page, at most 1000 [20] */
      limit?: number;
      /** Which pairs come first [uncertain] */
      order?: "uncertain" | "size";
      /** Pairs with this tag */
      tag?: string;
    } = {}, call?: CallOptions): Promise<ReviewQueue> {
    return this.#http.json<ReviewQueue>({ method: "GET", path: "/api/review/next", query }, call);
  }

  /** Who decided how much, and whether they agree. Needs the role read. */
  reviewProgress(call?: CallOptions): Promise<ReviewProgress> {
    return this.#http.json<ReviewProgress>({ method: "GET", path: "/api/review/progress" }, call);
  }

  /** Note something of a pair, or give it tags. Needs the role reviewer. */
  remark(body: NewRemark, call?: CallOptions): Promise<Remarks> {
    return this.#http.json<Remarks>({ method: "POST", path: "/api/review/remarks", body }, call);
  }

  /** Full-text search in which near-duplicates are collapsed. Needs the role read. */
  search(query: {
      /** Only the cluster of this document */
      cluster?: string;
      /** Its labels, as `labels` of /api/documents/{id} */
      cluster_labels?: string;
      /** Show each cluster once [true] */
      collapse?: boolean;
      /** Fields to count by, parted by commas */
      facets?: string;
      /** field:value or field:"a value, with a comma"; several parted by commas */
      filter?: string;
      /** Hits on a page, at most 1000 [10] */
      limit?: number;
      /** Hits that are passed over [0] */
      offset?: number;
      /** Words, "phrases", -without, title:word, one OR other */
      q?: string;
    } = {}, call?: CallOptions): Promise<SearchResult> {
    return this.#http.json<SearchResult>({ method: "GET", path: "/api/search", query }, call);
  }

  /** How likely one of several I-Match signatures survives changed words. Needs the role read. */
  stability(query: {
      /** The part of the words that each further lexicon lacks [0.33] */
      dropped?: number;
    } = {}, call?: CallOptions): Promise<Stability> {
    return this.#http.json<Stability>({ method: "GET", path: "/api/stability", query }, call);
  }

  /** Figures about the documents that the caller sees. Needs the role read. */
  stats(call?: CallOptions): Promise<Stats> {
    return this.#http.json<Stats>({ method: "GET", path: "/api/stats" }, call);
  }

  /** The index at a glance, and what other thresholds would find. Needs the role read. */
  survey(call?: CallOptions): Promise<Survey> {
    return this.#http.json<Survey>({ method: "GET", path: "/api/survey" }, call);
  }

  /** Clusters as a table, filtered and sorted. Needs the role read. */
  surveyClusters(query: {
      /** The largest first [true] */
      descending?: boolean;
      /** size:>3 sim:<0.9 type:pdf source:x master:id after:2024-01-01 decided:yes, and words */
      filter?: string;
      /** Clusters on a page, at most 1000 [100] */
      limit?: number;
      /** Clusters that are passed over [0] */
      offset?: number;
      /** What the clusters are sorted by [size] */
      sort?: "size" | "weakest" | "median" | "newest" | "oldest";
    } = {}, call?: CallOptions): Promise<ClusterTable> {
    return this.#http.json<ClusterTable>({ method: "GET", path: "/api/survey/clusters", query }, call);
  }

  /** Delete an upload. Needs the role admin. */
  async deleteUpload(query: {
      /** The name that jobs call it by */
      name?: string;
    } = {}, call?: CallOptions): Promise<void> {
    await this.#http.text({ method: "DELETE", path: "/api/uploads", query }, call);
  }

  /** What was uploaded, the newest first. Needs the role admin. */
  listUploads(call?: CallOptions): Promise<Uploads> {
    return this.#http.json<Uploads>({ method: "GET", path: "/api/uploads" }, call);
  }

  /** Store a corpus or a file of labels for jobs. Needs the role admin. */
  uploadCorpus(body: Lines<Document> | Content<"application/vnd.apache.parquet" | "application/x-parquet" | "text/csv">, query: {
      /** The name that jobs call it by */
      name?: string;
    } = {}, call?: CallOptions): Promise<Upload> {
    return this.#http.json<Upload>({ method: "POST", path: "/api/uploads", query, body }, call);
  }

  /** Whether the service runs */
  health(call?: CallOptions): Promise<Health> {
    return this.#http.json<Health>({ method: "GET", path: "/healthz" }, call);
  }

  /** Figures for Prometheus; needs a token that sees all labels. Needs the role read. */
  metrics(call?: CallOptions): Promise<string> {
    return this.#http.text({ method: "GET", path: "/metrics" }, call);
  }

  /** Whether the service takes requests */
  ready(call?: CallOptions): Promise<Health> {
    return this.#http.json<Health>({ method: "GET", path: "/readyz" }, call);
  }
}
