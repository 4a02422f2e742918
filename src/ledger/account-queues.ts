import type { LedgerOp } from "../core/ledger/ledger.ts";
import type { Booking } from "./booking.ts";
import { GroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import { RefusedAdmissions } from "./refused-admissions.ts";
import { SparseErrors } from "./sparse-errors.ts";

/** Operations whose account nobody named: the store finds it. */
const NOT_NAMED = "";

/**
 * A queue for each account that has something to commit (docs/adr/0075). Accounts are committed side by side: what one waits for, and what
 * fails for it, is its own. How many are committed at the same time is the store's to say.
 */
export class AccountQueues {
  readonly #options: GroupCommitOptions;
  readonly #queues = new Map<string, GroupCommit>();
  readonly #refused = new RefusedAdmissions();

  constructor(options: GroupCommitOptions) {
    const { clock, log } = options;
    // In an outage the commits of all accounts fail.
    const failures = log === null ? {} : { failures: new SparseErrors(log, clock) };
    this.#options = { ...options, ...failures, refused: this.#refused };
  }

  /** All operations that are not booked yet: one that is being committed may still wait for its turn in the store. */
  get waiting(): number {
    let waiting = 0;
    for (const queue of this.#queues.values()) waiting += queue.waiting + queue.committing;
    return waiting;
  }

  /** They are counted as waiting. */
  readonly committing = 0;

  enqueue<Op extends LedgerOp>(op: Op): Booking<Op> {
    return this.#queueOf(op.account_id ?? NOT_NAMED).enqueue(op);
  }

  async drain(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all(Array.from(this.#queues.values(), (queue) => queue.drain()));
  }

  requestIds(): Set<string> {
    const ids = new Set<string>();
    for (const queue of this.#queues.values()) for (const id of queue.requestIds()) ids.add(id);
    return ids;
  }

  wasRefused(request_id: string): boolean {
    return this.#refused.has(request_id);
  }

  #queueOf(account_id: string): GroupCommit {
    const known = this.#queues.get(account_id);
    if (known !== undefined) return known;
    const queue = new GroupCommit({ ...this.#options, onIdle: () => this.#queues.delete(account_id) });
    this.#queues.set(account_id, queue);
    return queue;
  }
}
