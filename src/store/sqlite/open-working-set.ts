import { ZERO } from "../../core/money.ts";
import { dayOf } from "../../limits/windows.ts";
import { SharedTexts } from "../batch/shared-texts.ts";
import { newWorkingSet, type WorkingSet, type RequestState } from "../../ledger/books/working-set.ts";

/** When more accounts and keys than this have come together, they are read anew as they are needed. */
const KEPT_AT_MOST = 2000;

/**
 * The working set of a database's one writer, which stays open from one batch to the next. The changes that a batch decided
 * wait in it, with the journal as their proof, until many of them are written at once (docs/adr/0015). The rows that were
 * loaded or written stay as well (accounts and keys that a batch concerned, and holds that are open): the writer wrote them
 * itself, so reading them again would bring nothing new (docs/adr/0013).
 *
 * Working set and journal together are what the books say. The working set is thrown away when a batch fails and when another
 * connection has written anything, which the database says at the start of each transaction.
 */
export class OpenWorkingSet {
  readonly texts = new SharedTexts();
  #working = emptyWorkingSet();
  #waiting_ops = 0;
  #data_version: unknown = null;
  #passed = 0;

  get working(): WorkingSet {
    return this.#working;
  }

  /** How many operations were decided and are not in their tables yet. */
  get waiting_ops(): number {
    return this.#waiting_ops;
  }

  /** Throws everything away. The operations that waited are still in the journal. */
  forget(): void {
    this.#working = emptyWorkingSet();
    this.#waiting_ops = 0;
    this.texts.forget();
  }

  /** Whether the data is still of the version that the working set was read from. */
  isOf(data_version: unknown): boolean {
    return data_version === this.#data_version;
  }

  /** Begins anew, on data of a version. */
  begin(data_version: unknown): void {
    this.forget();
    this.#data_version = data_version;
  }

  /** Goes on to a batch of another moment. */
  turnTo(now_ms: number): void {
    this.#working.now_ms = now_ms;
    this.#working.day = dayOf(now_ms);
  }

  /** Takes note that so many more operations were decided, and are in the journal. */
  letWait(ops: number): void {
    this.#waiting_ops += ops;
  }

  /** Takes note that all changes are written: the rows stay, and none of them is new any more. */
  written(): void {
    const { accounts, keys, requests, ...changes } = this.#working;
    for (const account of changes.changed_accounts) account.changed = false;
    // Few accounts have a rule of top-ups, and its state is read anew for each batch.
    for (const { id } of changes.ruled_accounts) accounts.delete(id);
    for (const key of changes.changed_keys) key.changed = false;
    for (const { limits } of changes.changed_limits) if (limits !== null) limits.changed = false;
    for (const request of changes.loaded_requests) keepRow(requests, request);
    for (const request of changes.changed_requests) keepRow(requests, request);
    this.#passed += changes.changed_requests.length;
    this.#waiting_ops = 0;
    if (accounts.size + keys.size > KEPT_AT_MOST) {
      this.#working = emptyWorkingSet();
      return;
    }
    this.#working = newWorkingSet(changes.now_ms, { accounts, keys, requests: this.#thinned(requests) });
  }

  /** A Map that many members passed through slows down every young collection (core/bag.ts says why); a new Map does not. */
  #thinned(requests: Map<string, RequestState>): Map<string, RequestState> {
    if (this.#passed <= 100 + 2 * requests.size) return requests;
    this.#passed = 0;
    return new Map(requests);
  }
}

function emptyWorkingSet(): WorkingSet {
  return newWorkingSet(0, { accounts: new Map(), keys: new Map(), requests: new Map() });
}

function keepRow(requests: Map<string, RequestState>, request: RequestState): void {
  if (request.status !== "held") requests.delete(request.id);
  request.changed = false;
  request.hold_changed = false;
  request.admitted = null;
  request.extended_micro = ZERO;
}
