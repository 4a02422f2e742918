import { randomBase62 } from "../../core/ids.ts";
import { columnsOf, int, intOrNull, readFirst, text } from "../sql/columns.ts";
import { onSqlite, sql } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";

/**
 * The chain of commits of a SQLite file (docs/adr/0023). Each commit of the writer has the next number and a digest over its
 * content and the digest before it. So two files of which one has a later commit of the other's history can be told apart from
 * two histories, and a batch of the journal whose text is not what was written is noticed.
 */
export interface ChainEnd {
  /** Which history of a database this is: new where a database is made and where a backup is restored. */
  readonly history: string;
  readonly seq: number;
  /** 64 bits, unsigned. No proof against forgers: they could write the database as well. */
  readonly digest: bigint;
  readonly at_ms: number;
}

export function newHistory(): string {
  return randomBase62(20);
}

/** The part of a journal's batch that the chain digests. */
interface BatchContent {
  readonly at_ms: number;
  readonly texts: string;
  readonly batch: string;
  readonly outcome: string;
}

/** The chain's end after a batch of the journal. */
export function linkBatch(
  { history, seq, digest }: ChainEnd,
  { at_ms, texts, batch, outcome }: BatchContent,
): ChainEnd {
  const { xxHash64 } = Bun.hash;
  const content = xxHash64(`${at_ms} ${outcome}`, xxHash64(batch, xxHash64(texts, digest)));
  return { history, seq: seq + 1, digest: content, at_ms };
}

/** The chain's end after a commit that is not in the journal. */
export function linkCommit({ history, seq, digest }: ChainEnd, at_ms: number): ChainEnd {
  return { history, seq: seq + 1, digest: Bun.hash.xxHash64(`${at_ms}`, digest), at_ms };
}

export function digestText(digest: bigint): string {
  return digest.toString(16).padStart(16, "0");
}

export function readDigest(text: string): bigint {
  return BigInt(`0x${text}`);
}

const selectChainTable = onSqlite(
  "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'commit_chain'",
);
const begin = sql("INSERT INTO commit_chain (one, history, seq, digest, at_ms) VALUES (1, ?, 0, ?, ?)");
const END = { seq: int, digest: { read: (text: unknown) => readDigest(text as string) }, at_ms: int } as const;
const CHAIN = { history: text, ...END, copied_ms: intOrNull } as const;
const select = sql(`SELECT ${columnsOf(CHAIN)} FROM commit_chain`);
const update = sql("UPDATE commit_chain SET seq = ?, digest = ?, at_ms = ?");
const touch = sql("UPDATE commit_chain SET at_ms = at_ms");
const markCopied = sql("UPDATE commit_chain SET copied_ms = ?");
const renameHistory = sql("UPDATE commit_chain SET copied_ms = NULL, history = ?");
const notCopied = sql("UPDATE commit_chain SET copied_ms = NULL");
const selectLast = sql(`SELECT ${columnsOf(END)} FROM journal ORDER BY seq DESC LIMIT 1`);

/** The last commit of a database; null where the chain has not begun. `copied_ms` is set in a backup: when it was made. */
export type LastCommit = (ChainEnd & { readonly copied_ms: number | null }) | null;

/** Whether the database has a chain: a file without tables has none. */
export function* hasChain(): Work<boolean> {
  return (yield* row(selectChainTable)) !== null;
}

export function* readChain(): Work<LastCommit> {
  return yield* readFirst(CHAIN, select);
}

/** The last commit that tables and journal have together. */
export function* readLastCommit(): Work<LastCommit> {
  const chain = yield* readChain();
  const last = yield* readFirst(END, selectLast);
  return chain === null || last === null ? chain : { ...chain, ...last };
}

export function* beginChain(history: string, at_ms: number): Work<void> {
  yield* rows(begin, [history, digestText(0n), at_ms]);
}

export function* writeChain({ seq, digest, at_ms }: Omit<ChainEnd, "history">): Work<void> {
  yield* rows(update, [seq, digestText(digest), at_ms]);
}

/** Writes a row without a change, which makes the smallest commit. */
export function* touchChain(): Work<void> {
  yield* rows(touch);
}

/** Marks a database as a backup, which nobody opens before it is restored. */
export function* markAsCopy(at_ms: number): Work<void> {
  yield* rows(markCopied, [at_ms]);
}

/** Gives a backup a history of its own: later commits of its origin are not part of it. */
export function* beginHistory(): Work<void> {
  yield* rows(renameHistory, [newHistory()]);
}

/** Makes a copy a database of its own: it is opened like any other. */
export function* endCopy(): Work<void> {
  yield* rows(notCopied);
}

const totalChanges = onSqlite("SELECT total_changes() AS changes");

/** Runs a work and, where it has changed anything, adds a link to the chain. */
export function* linked<Result>(work: Work<Result>, next: ChainEnd): Work<{ result: Result; changed: boolean }> {
  const before = yield* row<{ changes: unknown }>(totalChanges);
  const result = yield* work;
  const after = yield* row<{ changes: unknown }>(totalChanges);
  const changed = before?.changes !== after?.changes;
  if (changed) yield* writeChain(next);
  return { result, changed };
}
