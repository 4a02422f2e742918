import type { StoreCondition, StoreEvent } from "../../core/store/store-events.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { commitBatch } from "../batch/commit-batch.ts";
import { sql } from "../sql/statement.ts";
import { row, type Work } from "../sql/work.ts";
import { findLost, type RecentCommits } from "./recent-commits.ts";
import type { Session } from "./session.ts";
import { messageOf } from "./store-trouble.ts";

/** The state that a server reports of itself. */
export interface ServerState {
  readonly is_replica: boolean;
  readonly read_only: string;
  readonly synchronous_commit: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  /** The same for a primary and its standbys. */
  readonly system: string;
  /** Grows when a standby becomes the primary; null on a standby. */
  readonly timeline: string | null;
  /** Whether it is part of a Citus cluster (docs/scale.md), and the part that keeps no rows of a cell itself. */
  readonly is_citus: boolean;
  readonly is_coordinator: boolean;
}

const inspect = sql(
  `SELECT pg_is_in_recovery() AS is_replica, current_setting('transaction_read_only') AS read_only,
    current_setting('synchronous_commit') AS synchronous_commit, current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS full_page_writes,
    (SELECT system_identifier::text FROM pg_control_system()) AS system,
    CASE WHEN pg_is_in_recovery() THEN NULL ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline,
    to_regproc('citus_version') IS NOT NULL AS is_citus`,
);
// Citus' own table: its coordinator has the group 0.
const inspectGroup = sql("SELECT groupid = 0 AS is_coordinator FROM pg_dist_local_group");
const commitForSure = sql("SET synchronous_commit = on");

export function* inspectServer(): Work<ServerState> {
  const state = yield* row<Omit<ServerState, "is_coordinator">>(inspect);
  if (state === null) throw new Error("the server says nothing of itself");
  const group = state.is_citus ? yield* row<Pick<ServerState, "is_coordinator">>(inspectGroup) : null;
  return { ...state, is_coordinator: group?.is_coordinator ?? false };
}

/** Throws where the server takes no changes. */
export function requireWritable({ is_replica, read_only }: ServerState): void {
  if (!is_replica && read_only !== "on") return;
  const what = is_replica
    ? "is a read-only replica: give the address of the primary"
    : "takes no changes: it is set to be read-only";
  throw new StoreUnavailable("read_only", `the server ${what}`, { nothing_happened: true });
}

const UNSAFE = {
  fsync: "fsync is off: a crash of the database's machine may lose or damage what was acknowledged.",
  full_page_writes: "full_page_writes is off: a crash of the database's machine may damage pages beyond repair.",
  synchronous_commit:
    "synchronous_commit is off: a crash of the database would lose what was acknowledged last. Camino's ledger switches it on for itself.",
} as const;

const COORDINATOR: StoreCondition = {
  code: "citus_coordinator",
  text: "The address is a Citus coordinator's, at which a failover of the worker that has the rows is not noticed: give the worker's.",
};

/** Settings and addresses that put acknowledged commits at risk. */
export function conditionsOf(state: ServerState): StoreCondition[] {
  const names = ["fsync", "full_page_writes", "synchronous_commit"] as const;
  const off = names.filter((name) => state[name] === "off");
  const unsafe = off.map((name): StoreCondition => ({ code: `${name}_off`, text: UNSAFE[name] }));
  return state.is_coordinator ? [...unsafe, COORDINATOR] : unsafe;
}

/**
 * Checks each server that the ledger's connection reaches before anything is committed there. A replica is refused, and so is a database
 * other than the one that was opened. After a failover it searches for the operations that were acknowledged to this node and commits the
 * missing ones again: an operation takes effect once, however often it is committed.
 */
export class ServerWatch {
  readonly #recent: RecentCommits;
  readonly #report: (event: StoreEvent) => void;
  #system: string;
  #timeline: string | null;
  #conditions: readonly StoreCondition[];

  constructor(first: ServerState, recent: RecentCommits, report: (event: StoreEvent) => void) {
    this.#recent = recent;
    this.#report = report;
    this.#system = first.system;
    this.#timeline = first.timeline;
    this.#conditions = [];
    this.#note(conditionsOf(first));
  }

  get conditions(): readonly StoreCondition[] {
    return this.#conditions;
  }

  /** Called with each new connection of the ledger's, before its first use. */
  async greet(session: Session): Promise<void> {
    const state = await session.read(inspectServer);
    requireWritable(state);
    if (state.system !== this.#system) {
      const found = `the address leads to another database (${state.system}) than at the start (${this.#system})`;
      throw new StoreUnavailable("other_database", found, { nothing_happened: true });
    }
    this.#note(conditionsOf(state));
    if (state.synchronous_commit === "off") await session.read(() => row(commitForSure));
    if (state.timeline === this.#timeline) return;
    const event = await this.#mend(session);
    this.#timeline = state.timeline;
    this.#report(event);
  }

  /** After a failover, searches for the operations that were acknowledged to this node and commits the missing ones again. */
  async #mend(session: Session): Promise<StoreEvent> {
    const lost = await session.read(() => findLost(this.#recent.all()));
    const [oldest] = this.#recent.all();
    const may_be_more = this.#recent.isFull && oldest !== undefined && lost.includes(oldest);
    const ids = (ops: typeof lost): string[] => [...new Set(ops.map(({ request_id }) => request_id))];
    if (lost.length === 0) return { kind: "failover", mended: [], lost: [], may_be_more, problem: null };
    const mended = new Set<(typeof lost)[number]>();
    let problem: string | null = null;
    try {
      const results = await session.write(() => commitBatch("postgres", lost));
      for (const [index, op] of lost.entries())
        if (/^(admitted|settled|voided)$/.test(results[index]?.outcome ?? "")) mended.add(op);
    } catch (thrown) {
      if (thrown instanceof StoreUnavailable) throw thrown;
      problem = messageOf(thrown);
    }
    const gone = lost.filter((op) => !mended.has(op));
    return { kind: "failover", mended: ids([...mended]), lost: ids(gone), may_be_more, problem };
  }

  #note(conditions: readonly StoreCondition[]): void {
    const known = new Set(this.#conditions.map(({ code }) => code));
    this.#conditions = conditions;
    for (const condition of conditions) if (!known.has(condition.code)) this.#report({ kind: "condition", condition });
  }
}
