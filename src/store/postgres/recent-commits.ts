import type { BookOp } from "../../ledger/books/book-op.ts";
import { partLookup } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";

/** How many of the last acknowledged operations are remembered: a standby lags behind by less. */
const REMEMBERED = 512;

/** Operations whose loss shows in the request's row, and which can be committed again. */
type SeenOp = Extract<BookOp, { op: "admit" | "settle" | "void" }>;

const EFFECTIVE: ReadonlySet<string> = new Set(["admitted", "settled", "voided"]);

/**
 * The last operations that the database acknowledged to this node. A failover to a standby that lagged behind silently loses the newest
 * commits: these operations show whether that happened, and can be committed again.
 */
export class RecentCommits {
  readonly #ops: (SeenOp | undefined)[] = [];
  #next = 0;

  note(ops: readonly BookOp[], results: readonly { readonly outcome: string }[]): void {
    for (const [index, op] of ops.entries()) {
      if (!isSeen(op) || !EFFECTIVE.has(results[index]?.outcome ?? "")) continue;
      // Stored answers are left out: they may be large, and losing one costs nobody money.
      this.#ops[this.#next] = op.op === "settle" && op.answer !== null ? { ...op, answer: null } : op;
      this.#next = (this.#next + 1) % REMEMBERED;
    }
  }

  /** Oldest first. */
  all(): readonly SeenOp[] {
    return [...this.#ops.slice(this.#next), ...this.#ops.slice(0, this.#next)].filter((op) => op !== undefined);
  }

  get isFull(): boolean {
    return this.#ops.length === REMEMBERED;
  }
}

function isSeen(op: BookOp): op is SeenOp {
  return op.op === "admit" || op.op === "settle" || op.op === "void";
}

const selectStatus = partLookup("SELECT id, status FROM requests", ["id", "text"]);

/** Operations that the database has no trace of. */
export function* findLost(recent: readonly SeenOp[]): Work<readonly SeenOp[]> {
  const ids = new Set(recent.map(({ request_id }) => request_id));
  const found = yield* rows<{ id: string; status: string }>(
    selectStatus,
    [...ids].map((id) => [id]),
  );
  const statuses = new Map(found.map(({ id, status }) => [id, status]));
  return recent.filter(({ op, request_id }) => {
    const status = statuses.get(request_id);
    return status === undefined || (op !== "admit" && status === "held");
  });
}
