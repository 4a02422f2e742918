import type { VoidOp } from "../../core/ledger/ledger.ts";
import { ZERO } from "../../core/money/money.ts";
import type { Recovery } from "../../core/store/ports.ts";
import type { BookOp, RecoverOp } from "../../ledger/books/book-op.ts";
import { commitBatch } from "../batch/commit-batch.ts";
import { now_ms } from "../sql/clock.ts";
import { type Dialect, onPostgres, onSqlite, sql } from "../sql/statement.ts";
import { toBoolean, toIntOrNull } from "../sql/values.ts";
import { rows, type Step, step, type Work } from "../sql/work.ts";
import type { SeenNode } from "./node-watch.ts";
import type { OwnHold, UnownedHolds } from "./unowned-holds.ts";

/** Marks of dead nodes are kept a while, so that a node that was only paused is known again when it wakes. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000;
/** How many holds one transaction ends. */
const BATCH = 200;
/** A hold of this node's that is younger is not looked at: its admission may still be on its way to who asked for it. */
const YOUNG_MS = 5_000;
/** A hold of this node's that no request of its process owns is abandoned when it is older than this. */
const ABANDONED_AFTER_MS = 60_000;

const beat = sql(
  "INSERT INTO nodes (id, beat_ms) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET beat_ms = excluded.beat_ms",
);
const beatNow = onPostgres(
  `INSERT INTO nodes (id, beat_ms) VALUES (?, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT))
    ON CONFLICT (id) DO UPDATE SET beat_ms = excluded.beat_ms`,
);
const renewBeat = sql("UPDATE nodes SET beat_ms = ? WHERE id = ?");
const forgetNodes = sql("DELETE FROM nodes WHERE beat_ms < ?");
const forgetNode = sql("DELETE FROM nodes WHERE id = ?");
const purgeIdempotency = sql("DELETE FROM idempotency WHERE expires_ms <= ?");

export function* markAlive(node_id: string): Work<void> {
  yield* rows(beat, [node_id, yield* now_ms()]);
}

/** PostgreSQL only: the steps that mark a node as alive, at the time of the database's own clock. */
export function beatSteps(node_id: string): readonly Step[] {
  return [step(beatNow, [node_id])];
}

/** Renews a node's mark, if it has one: proof that the database takes changes. */
function* touch(node_id: string): Work<void> {
  yield* rows(renewBeat, [yield* now_ms(), node_id]);
}

const waitShortly = onPostgres("SET LOCAL lock_timeout = 1000");
/** Takes the locks of an admission's writes, and writes nothing. */
const lockAsAdmissions = [
  ...["keys SET id = id", "key_state SET key_id = key_id", "accounts SET id = id", "projects SET id = id"],
  ...[
    "account_limits SET account_id = account_id",
    "limit_counts SET rule = rule",
    "requests SET id = id",
    "entries SET seq = seq",
  ],
  "idempotency SET key = key",
].map((change) => onPostgres(`UPDATE ${change} WHERE false`));

/** PostgreSQL only: proof that an admission would find what it needs, with no other program's lock in its way for a second (ruling 204). */
export function* proveAdmission(node_id: string): Work<void> {
  yield* rows(waitShortly);
  yield* touch(node_id);
  for (const statement of lockAsAdmissions) yield* rows(statement);
}

/** Deletes answers whose day is over, and marks of nodes that are long gone. */
export function* purge(): Work<void> {
  const now = yield* now_ms();
  yield* rows(forgetNodes, [now - FORGOTTEN_AFTER_MS]);
  yield* rows(purgeIdempotency, [now]);
}

/** Removes a node's mark: it has ended in order, or only looked in. */
export function* markGone(node_id: string): Work<void> {
  yield* rows(forgetNode, [node_id]);
}

const FOUND = "r.id, r.seq, r.progress FROM requests AS r";
const OPEN_BUT = `SELECT ${FOUND} WHERE status = 'held' AND coalesce(r.node_id, '') NOT IN`;
// A shared database has no moment at which all that is open was left behind.
const selectOpen = onSqlite(inOrder(`${OPEN_BUT} (SELECT value FROM json_each(?)) LIMIT ?`));
const selectOrphaned = sql(
  inOrder(
    `SELECT ${FOUND} LEFT JOIN nodes AS n ON n.id = r.node_id
      WHERE r.status = 'held' AND r.node_id = ? AND coalesce(n.beat_ms, -1) = ? LIMIT ?`,
  ),
);
const selectHolders = sql(
  `SELECT h.node_id AS id, n.beat_ms AS beat_ms
    FROM (SELECT DISTINCT node_id FROM requests WHERE status = 'held' AND node_id <> ?) AS h
    LEFT JOIN nodes AS n ON n.id = h.node_id`,
);
const selectOwn = sql(
  `SELECT id, CASE WHEN created_ms <= ? OR deadline_ms <= ? THEN 1 ELSE 0 END AS is_overdue FROM requests
    WHERE status = 'held' AND node_id = ? AND (created_ms <= ? OR deadline_ms <= ?)
    ORDER BY progress IS NOT NULL, seq`,
);

/**
 * Requests without a progress come first: they are voided, and the money that they give back is there for the charges of the
 * others. Each kind is in the order of admission. The rows are sorted outside of `select`, because the database would
 * otherwise walk all requests in that order to find the few that are open.
 */
function inOrder(select: string): string {
  return `SELECT id FROM (${select}) AS found ORDER BY progress IS NOT NULL, seq`;
}

export interface RecoveryStep extends Recovery {
  /** Whether there may be more holds to end. */
  readonly more: boolean;
}

/**
 * Ends holds of earlier boots: on a database with one owner, every hold that is open when it is opened, but for those of nodes that
 * live and reach the database through its owner.
 */
export function* recoverOpen(dialect: Dialect, living: readonly string[] = []): Work<RecoveryStep> {
  return yield* endFound(dialect, yield* rows<{ id: string }>(selectOpen, [JSON.stringify(living), BATCH]));
}

/** The other nodes that have open holds. */
export function* findHolders(node_id: string): Work<readonly SeenNode[]> {
  const found = yield* rows<{ id: string; beat_ms: unknown }>(selectHolders, [node_id]);
  return found.map(({ id, beat_ms }) => ({ id, beat_ms: toIntOrNull(beat_ms) }));
}

/** Ends holds of a node that died. A node that has shown another beat meanwhile keeps them. */
export function* recoverOrphaned(dialect: Dialect, { id, beat_ms }: SeenNode): Work<RecoveryStep> {
  return yield* endFound(dialect, yield* rows<{ id: string }>(selectOrphaned, [id, beat_ms ?? -1, BATCH]));
}

const selectOfNode = sql(inOrder(`SELECT ${FOUND} WHERE status = 'held' AND node_id = ? LIMIT ?`));

/** Ends holds of a node whose process is known to have ended. */
export function* recoverNode(dialect: Dialect, node_id: string): Work<RecoveryStep> {
  return yield* endFound(dialect, yield* rows<{ id: string }>(selectOfNode, [node_id, BATCH]));
}

/** The holds that this node took and that have been open for a moment: the process knows which of them its requests own. */
export function* findOwnHolds(node_id: string): Work<readonly OwnHold[]> {
  const now = yield* now_ms();
  const params = [now - ABANDONED_AFTER_MS, now, node_id, now - YOUNG_MS, now];
  const found = yield* rows<{ id: string; is_overdue: unknown }>(selectOwn, params);
  return found.map(({ is_overdue, ...hold }) => ({ ...hold, is_overdue: toBoolean(is_overdue) }));
}

/** The end of a refused admission, for which no vendor was asked: the hold is given back without a loss. */
const REFUSED = {
  op: "void",
  operator_loss_micro: ZERO,
  outcome: { attempts: [], error: "model_unavailable", queue_ms: 0, first_byte_ms: null, duration_ms: 0 },
} as const satisfies Omit<VoidOp, "request_id">;

/** Ends holds of this node's that no request owns. */
export function* recoverUnowned(dialect: Dialect, { refused, abandoned }: UnownedHolds): Work<Recovery> {
  const ops: BookOp[] = refused.map((request_id) => ({ ...REFUSED, request_id }));
  ops.push(...abandoned.map(recoveryOf));
  if (ops.length === 0) return { settled: 0, voided: 0 };
  // There are hardly ever more; the next sweep finds them.
  return count(yield* commitBatch(dialect, ops.slice(0, BATCH)));
}

function recoveryOf(request_id: string): RecoverOp {
  return { op: "recover", request_id };
}

function* endFound(dialect: Dialect, found: readonly { readonly id: string }[]): Work<RecoveryStep> {
  if (found.length === 0) return { settled: 0, voided: 0, more: false };
  const ops = found.map(({ id }) => recoveryOf(id));
  return { ...count(yield* commitBatch(dialect, ops)), more: found.length === BATCH };
}

function count(results: readonly { readonly outcome: string }[]): Recovery {
  const of = (outcome: string): number => results.filter((result) => result.outcome === outcome).length;
  return { settled: of("settled"), voided: of("voided") };
}
