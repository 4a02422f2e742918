import { ZERO } from "../../core/money.ts";
import type { AccountState, KeyState, Page, RequestState } from "./page.ts";

/** When more accounts and keys than this have come together, they are read anew as they are needed. */
const KEPT_AT_MOST = 2000;

/**
 * Rows that the one writer of a database leaves on the page for its next batch: accounts and keys that a batch concerned,
 * and holds that are open. It wrote them itself, so reading them again would tell it nothing new (docs/adr/0013).
 *
 * They are what the database says, or they are not there. Whatever else the writer does than the next batch, and a batch
 * that fails, throws them away; so does the next batch when another connection has written meanwhile, which the database
 * tells at its start, inside the transaction.
 */
export class KeptRows {
  readonly accounts = new Map<string, AccountState>();
  readonly keys = new Map<string, KeyState>();
  /** Open holds. */
  requests = new Map<string, RequestState>();
  #data_version: unknown = null;
  #passed = 0;

  clear(): void {
    this.accounts.clear();
    this.keys.clear();
    this.requests.clear();
  }

  /** Throws the rows away unless the data is still of the version that they were read from. */
  holdTo(data_version: unknown): void {
    if (data_version !== this.#data_version) this.clear();
    this.#data_version = data_version;
  }

  /** Keeps the rows of a page that has been written. */
  keep(page: Page): void {
    for (const account of page.changed_accounts) account.changed = false;
    // Few have a rule, which has a state of its own.
    for (const { id } of page.ruled_accounts) this.accounts.delete(id);
    for (const key of page.changed_keys) key.changed = false;
    for (const request of page.loaded_requests) this.#keepRequest(request);
    for (const request of page.changed_requests) this.#keepRequest(request);
    if (this.accounts.size + this.keys.size > KEPT_AT_MOST) this.clear();
    this.#passed += page.changed_requests.length;
    // A Map that much passes through keeps it from young collections (core/crowd.ts tells why): a new one does not.
    if (this.#passed > 100 + 2 * this.requests.size) {
      this.requests = new Map(this.requests);
      this.#passed = 0;
    }
  }

  #keepRequest(request: RequestState): void {
    if (request.status !== "held") this.requests.delete(request.id);
    request.changed = false;
    request.hold_changed = false;
    request.admitted = null;
    request.extended_micro = ZERO;
  }
}
