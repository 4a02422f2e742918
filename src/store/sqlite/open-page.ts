import { ZERO } from "../../core/money.ts";
import { dayOf } from "../../limits/windows.ts";
import { newPage, type Page, type RequestState } from "../batch/page.ts";

/** When more accounts and keys than this have come together, they are read anew as they are needed. */
const KEPT_AT_MOST = 2000;

/**
 * The page of a database's one writer, which stays open from one batch to the next: what a batch has decided waits on it,
 * with the journal as the proof of it, until much of it is written at once (docs/adr/0015). The rows that were loaded or
 * written stay as well, accounts and keys that a batch concerned and holds that are open: the writer wrote them itself, so
 * reading them again would tell it nothing new (docs/adr/0013).
 *
 * Page and journal together are what the books say, or the page is thrown away: by a batch that fails, and by whatever
 * another connection has written, which the database tells at the start of each transaction.
 */
export class OpenPage {
  #page = emptyPage();
  #waiting_ops = 0;
  #data_version: unknown = null;
  #passed = 0;

  get page(): Page {
    return this.#page;
  }

  /** Operations that were decided and are not in their tables yet. */
  get waiting_ops(): number {
    return this.#waiting_ops;
  }

  /** Throws everything away. What waited is in the journal still. */
  forget(): void {
    this.#page = emptyPage();
    this.#waiting_ops = 0;
  }

  /** Whether the data is still of the version that the page was read from. */
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
    this.#page.now_ms = now_ms;
    this.#page.day = dayOf(now_ms);
  }

  /** Takes note that so many operations more were decided, and are in the journal. */
  letWait(ops: number): void {
    this.#waiting_ops += ops;
  }

  /** Takes note that all is written: the rows stay, nothing of them is new any more. */
  written(): void {
    const { accounts, keys, requests, ...page } = this.#page;
    for (const account of page.changed_accounts) account.changed = false;
    // Few have a rule, which has a state of its own.
    for (const { id } of page.ruled_accounts) accounts.delete(id);
    for (const key of page.changed_keys) key.changed = false;
    for (const request of page.loaded_requests) keepRow(requests, request);
    for (const request of page.changed_requests) keepRow(requests, request);
    this.#passed += page.changed_requests.length;
    this.#waiting_ops = 0;
    if (accounts.size + keys.size > KEPT_AT_MOST) {
      this.#page = emptyPage();
      return;
    }
    this.#page = newPage(page.now_ms, { accounts, keys, requests: this.#thinned(requests) });
  }

  /** A Map that much passes through keeps it from young collections (core/crowd.ts tells why): a new one does not. */
  #thinned(requests: Map<string, RequestState>): Map<string, RequestState> {
    if (this.#passed <= 100 + 2 * requests.size) return requests;
    this.#passed = 0;
    return new Map(requests);
  }
}

function emptyPage(): Page {
  return newPage(0, { accounts: new Map(), keys: new Map(), requests: new Map() });
}

function keepRow(requests: Map<string, RequestState>, request: RequestState): void {
  if (request.status !== "held") requests.delete(request.id);
  request.changed = false;
  request.hold_changed = false;
  request.admitted = null;
  request.extended_micro = ZERO;
}
