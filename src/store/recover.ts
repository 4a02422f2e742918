import type { Recovery } from "../core/ports.ts";
import type { BookRecovery } from "../ledger/books/book-op.ts";
import { commitBatch } from "./batch/commit-batch.ts";
import { now_ms } from "./sql/clock.ts";
import { type Dialect, type Statement, sql } from "./sql/statement.ts";
import { rows, type Work } from "./sql/work.ts";

/** A node whose mark is older than this is dead: several beats were missed. */
export const DEAD_AFTER_MS = 15_000;
/** Marks of dead nodes are kept a while, so that a node that was only paused is known again when it wakes. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000;
/** How many holds one transaction ends. */
const BATCH = 200;

const beat = sql(
  "INSERT INTO nodes (id, beat_ms) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET beat_ms = excluded.beat_ms",
);
const forgetNodes = sql("DELETE FROM nodes WHERE beat_ms < ?");
const forgetNode = sql("DELETE FROM nodes WHERE id = ?");
const purgeIdempotency = sql("DELETE FROM idempotency WHERE expires_ms <= ?");

/** Marks a node as alive. */
export function* markAlive(node_id: string): Work<void> {
  yield* rows(beat, [node_id, yield* now_ms()]);
}

/** Deletes answers whose day is over, and marks of nodes that are long gone. */
export function* purge(): Work<void> {
  const now = yield* now_ms();
  yield* rows(forgetNodes, [now - FORGOTTEN_AFTER_MS]);
  yield* rows(purgeIdempotency, [now]);
}

export function* markGone(node_id: string): Work<void> {
  yield* rows(forgetNode, [node_id]);
}

const FOUND = "r.id, r.seq, r.progress FROM requests AS r";
const selectOpen = inOrder(`SELECT ${FOUND} WHERE status = 'held' LIMIT ?`);
const selectLate = inOrder(`SELECT ${FOUND} WHERE status = 'held' AND deadline_ms <= ? LIMIT ?`);
const selectOrphaned = inOrder(
  `SELECT ${FOUND} LEFT JOIN nodes AS n ON n.id = r.node_id
    WHERE r.status = 'held' AND (n.beat_ms IS NULL OR n.beat_ms < ?) LIMIT ?`,
);

/**
 * Requests without a progress come first: they are voided, and the money that they give back is there for the charges of the
 * others. Each kind is in the order of admission. The rows are sorted outside of `select`, because the database would
 * otherwise walk all requests in that order to find the few that are open.
 */
function inOrder(select: string): Statement {
  return sql(`SELECT id FROM (${select}) AS found ORDER BY progress IS NOT NULL, seq`);
}

export interface RecoveryStep extends Recovery {
  /** Whether there may be more holds to end. */
  readonly more: boolean;
}

/** Ends holds of earlier boots: on a database with one owner, every hold that is open when it is opened. */
export function* recoverOpen(dialect: Dialect): Work<RecoveryStep> {
  return yield* end(dialect, "dead_node", yield* rows<{ id: string }>(selectOpen, [BATCH]));
}

/** Ends holds of nodes that died. */
export function* recoverOrphaned(dialect: Dialect): Work<RecoveryStep> {
  const dead_since = (yield* now_ms()) - DEAD_AFTER_MS;
  return yield* end(dialect, "dead_node", yield* rows<{ id: string }>(selectOrphaned, [dead_since, BATCH]));
}

/** Ends holds past their deadline. */
export function* recoverLate(dialect: Dialect): Work<RecoveryStep> {
  return yield* end(dialect, "deadline", yield* rows<{ id: string }>(selectLate, [yield* now_ms(), BATCH]));
}

function* end(
  dialect: Dialect,
  reason: BookRecovery["reason"],
  found: readonly { readonly id: string }[],
): Work<RecoveryStep> {
  if (found.length === 0) return { settled: 0, voided: 0, more: false };
  const ops = found.map(({ id }): BookRecovery => ({ op: "recover", request_id: id, reason }));
  const results = yield* commitBatch(dialect, ops);
  const count = (outcome: string): number => results.filter((result) => result.outcome === outcome).length;
  return { settled: count("settled"), voided: count("voided"), more: found.length === BATCH };
}
