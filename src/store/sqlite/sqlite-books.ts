import { type Clock, systemClock } from "../../core/clock.ts";
import type { IncidentKind, StoreNotice } from "../../core/operations/incidents.ts";
import { recordIncident } from "../recovery/incidents.ts";
import { migrate } from "../schema/migrate.ts";
import type { Synced } from "../sql/beside.ts";
import type { Work } from "../sql/work.ts";
import { Anchor } from "./anchor.ts";
import {
  beginChain,
  type ChainEnd,
  endCopy,
  linkCommit,
  linked,
  newHistory,
  readChain,
  readLastCommit,
  touchChain,
  writeChain,
} from "./chain.ts";
import {
  type Batch,
  ChangedElsewhere,
  type Committed,
  commitOnWorkingSet,
  writeSome,
  writeWaiting,
} from "./commit-on-working-set.ts";
import { requireOwnLog } from "./foreign-log.ts";
import { isRefusal, LeftBatches } from "./left-batches.ts";
import { forgetMove } from "./moved-to.ts";
import { OpenWorkingSet } from "./open-working-set.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import { type ChainIncident, findChainIncident } from "./verify-chain.ts";

interface WriterOptions {
  readonly clock?: Clock;
  /** Called with notices for the operator. */
  readonly notify?: (notice: StoreNotice) => void;
  /** Whether a database that has lost commits is opened all the same, with an incident that says so. */
  readonly accept_loss?: boolean;
  /** Whether the file is a copy that nobody has used yet, which has no anchor. */
  readonly is_copy?: boolean;
}

/** How long a successful write counts as proof that the database can be written. */
const PROBE_EVERY_MS = 2000;

/** A connection as the database thread uses it: batches of ledger operations, and all other works. */
export class SqliteBooks {
  readonly #database: SqliteDatabase;
  readonly #clock: Clock;
  readonly #notify: (notice: StoreNotice) => void;
  readonly open = new OpenWorkingSet();
  /** The anchor of the one writer; null on a reader. */
  #anchor: Anchor | null = null;
  /** The last commit; null when it must be read anew. */
  #end: ChainEnd | null = null;
  /** The commit that the anchor names. */
  #named: ChainEnd | null = null;
  /** Whether the journal may have batches that the working set has not. */
  #is_behind: boolean;
  /** Whether commits may be in the write-ahead log alone. */
  #is_unmerged = false;
  /** When something was written last, and whether everything since then could be written too. */
  #written_ms = Number.NEGATIVE_INFINITY;
  #is_sound = true;

  private constructor(path: string, mode: "writer" | "reader", { clock = systemClock, notify }: WriterOptions) {
    this.#database = new SqliteDatabase(path, mode);
    this.#clock = clock;
    this.#notify = notify ?? (() => {});
    this.#is_behind = mode === "writer";
  }

  /**
   * The one writer: brings the schema up to date, and writes the batches that an earlier process left in the journal. Throws
   * CommitsLost where commits that were acknowledged are missing, DatabaseMoved where another database goes on with the history.
   */
  static openWriter(path: string, options: WriterOptions = {}): SqliteBooks {
    requireOwnLog(path);
    const books = new SqliteBooks(path, "writer", options);
    try {
      const incident = options.is_copy ? null : findChainIncident(books.#database, path, options.accept_loss ?? false);
      books.#database.run(migrate("sqlite"));
      books.#takeAnchor(path, incident);
      books.#catchUp();
    } catch (thrown) {
      books.close();
      throw thrown;
    }
    return books;
  }

  static openReader(path: string): SqliteBooks {
    return new SqliteBooks(path, "reader", {});
  }

  /** Whether decided operations are not in their tables yet. */
  get isWaiting(): boolean {
    return this.#is_behind || this.open.isWaiting;
  }

  /** How many rows wait to be written, about. */
  get waitingRows(): number {
    return this.open.waiting.rows;
  }

  /** Whether a step would find something that need not wait any longer. */
  get hasStep(): boolean {
    return this.open.waiting.hasNext || this.open.is_shortening;
  }

  /** Whether rows that waited when the last round began may still wait. */
  get isInRound(): boolean {
    return this.open.waiting.isInRound || this.open.is_shortening;
  }

  /** Commits a batch. When it throws, nothing of it took place. Then its commit is to be named (`nameLast`). */
  commit(batch: Batch): Committed {
    const committed = this.#runOnWorkingSet((end) => commitOnWorkingSet(this.open, batch, this.#clock.now_ms(), end));
    this.#end = committed.end;
    return committed;
  }

  /** Writes the last commit to the anchor. Where the anchor cannot be written it stays behind, and the next probe meets the same fault. */
  nameLast(): void {
    try {
      if (this.#end !== null) this.#name(this.#end);
    } catch {
      this.#is_sound = false;
    }
  }

  /** Writes the operations that wait to their tables, where readers see them. */
  fold(): void {
    if (this.isWaiting) this.#runOnWorkingSet((end) => writeWaiting(this.open, end), "with the next commit");
  }

  /** Begins to write all that waits now: `foldStep` does it a few milliseconds at a time. */
  beginFold(): void {
    this.open.waiting.beginRound();
  }

  /** `most_rows`: about as many rows are written, of one account at least. */
  foldStep(most_rows?: number): void {
    if (this.isWaiting) this.#runOnWorkingSet((end) => writeSome(this.open, end, most_rows), "with the next commit");
  }

  /** Runs a work in one transaction, on tables that are up to date. Whatever it throws is thrown, and nothing of it took place. */
  run<Result>(work: Work<Result>): Result {
    if (this.#anchor === null) return this.#database.run(work);
    this.fold();
    const next = linkCommit(this.#lastCommit(), this.#clock.now_ms());
    let changed = true;
    try {
      const done = this.#attempt(() => this.#database.run(linked(work, next)));
      changed = done.changed;
      if (changed) {
        this.#is_unmerged = true;
        this.#reach(next);
      }
      return done.result;
    } finally {
      // It is unknown which rows the work has changed.
      if (changed) this.open.forget();
    }
  }

  /** Writes what waits, and merges the write-ahead log into the file as far as no reader needs it. */
  checkpoint(): void {
    this.fold();
    this.merge();
  }

  /**
   * Runs a work that neither reads nor changes the ledger's rows: operations that wait go on waiting, and the working set's rows stay
   * true. Its changes are no link of the chain of commits. They are on the disk `synced`: a power cut may take those that come with the next commit.
   */
  runBeside<Result>(work: Work<Result>, synced: Synced): Result {
    const result = this.#attempt(() => this.#database.run(work, synced));
    this.#is_unmerged = true;
    return result;
  }

  /** Runs a work that reads the ledger's rows, the waiting ones included, and changes only other rows: the working set stays as it is. */
  runAfter<Result>(work: Work<Result>): Result {
    this.fold();
    return this.runBeside(work, "at once");
  }

  /** Merges the write-ahead log into the file as far as no reader needs it. */
  merge(): void {
    if (this.#is_unmerged) this.#is_unmerged = !this.#attempt(() => this.#database.mergeLog());
  }

  /** Whether commits may be in the write-ahead log alone. */
  get isUnmerged(): boolean {
    return this.#is_unmerged || this.isWaiting;
  }

  /** Throws when the database cannot be written. Writes something where nothing was written for a while. */
  probe(): void {
    const now_ms = this.#clock.monotonic_ms();
    if (this.#is_sound && now_ms - this.#written_ms < PROBE_EVERY_MS) return;
    this.run(touchChain());
    this.checkpoint();
    this.#is_sound = true;
  }

  /** Has the anchor brought to the disk. */
  syncAnchor(): void {
    this.#anchor?.sync();
  }

  /** Writes the operations that wait, and closes. */
  close(): void {
    try {
      this.nameLast();
      if (this.#anchor !== null) this.fold();
    } catch {
      // The operations stay in the journal: the next process that opens the file writes them, or fails with the reason.
    } finally {
      this.#database.close();
      this.#anchor?.close();
      this.#anchor = null;
    }
  }

  /** Begins the chain in a database that has none, and takes over the anchor. */
  #takeAnchor(path: string, incident: ChainIncident | null): void {
    const now_ms = this.#clock.now_ms();
    if (this.#database.run(readChain()) === null) this.#database.run(beginChain(newHistory(), now_ms));
    if (incident !== null) {
      this.#database.run(endCopy());
      this.#database.run(forgetMove());
      this.#database.run(recordIncident(now_ms, incident.kind, incident.problem));
      this.#notifyError(incident.problem);
    }
    this.#anchor = Anchor.open(path);
    this.#named = this.#lastCommit();
    this.#anchor.reset(this.#named);
  }

  #runOnWorkingSet<Result>(work: (end: ChainEnd) => Work<Result>, synced: Synced = "at once"): Result {
    this.#catchUp();
    try {
      const result = this.#attempt(() => this.#database.run(work(this.#lastCommit()), synced));
      this.#is_unmerged = true;
      return result;
    } catch (thrown) {
      this.open.forget();
      this.#is_behind = true;
      if (!(thrown instanceof ChangedElsewhere)) throw thrown;
    }
    return this.#runOnWorkingSet(work, synced);
  }

  /** Takes note of a fault that is the disk's. */
  #attempt<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (thrown) {
      if (!isRefusal(thrown)) this.#is_sound = false;
      throw thrown;
    }
  }

  #lastCommit(): ChainEnd {
    this.#end ??= this.#database.run(readLastCommit());
    if (this.#end === null) throw new Error("the database has no chain of commits");
    return this.#end;
  }

  /** Takes note of a commit that is on the disk. */
  #reach(end: ChainEnd): void {
    this.#end = end;
    this.#name(end);
  }

  #name(end: ChainEnd): void {
    if (end === this.#named) return;
    this.#anchor?.write(end);
    this.#named = end;
    this.#written_ms = this.#clock.monotonic_ms();
  }

  /** Writes the journal to the tables, and goes on after the last commit that was acknowledged. */
  #catchUp(): void {
    if (!this.#is_behind) return;
    const known = this.#end;
    this.#end = null;
    const reports = {
      lost: (detail: string) => this.#report("log_lost", detail),
      notify: (message: string) => this.#notifyError(message),
    };
    new LeftBatches(this.#database, reports).write();
    if (known !== null && this.#lastCommit().seq < known.seq) this.#goOnFrom(known);
    this.#is_behind = false;
    this.#is_unmerged = true;
  }

  /** Continues after the last acknowledged commit, where another program has removed commits from the open file. */
  #goOnFrom(known: ChainEnd): void {
    const { seq } = this.#lastCommit();
    this.#report("log_lost", `Commits ${seq + 1} to ${known.seq} are gone: somebody else changed the open database.`);
    this.#database.run(writeChain(known));
    this.#end = known;
  }

  #report(kind: IncidentKind, detail: string): void {
    this.#database.run(recordIncident(this.#clock.now_ms(), kind, detail));
    this.#notifyError(detail);
  }

  #notifyError(message: string): void {
    this.#notify({ level: "error", message });
  }
}
