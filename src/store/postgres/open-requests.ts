import type { BookOp } from "../../ledger/books/book-op.ts";
import type { RequestOwner } from "../batch/load-locked.ts";

/** How many requests are remembered at most. Of a request that is forgotten the database is asked. */
const REMEMBERED = 50_000;

/** The accounts of the running requests that this node admitted: a batch that ends them need not look them up before it takes its locks. */
export class OpenRequests {
  readonly #owners = new Map<string, RequestOwner>();

  ownerOf(request_id: string): RequestOwner | undefined {
    return this.#owners.get(request_id);
  }

  /** Takes note of a request that another process admitted, or that was forgotten. */
  learn(request_id: string, owner: RequestOwner): void {
    if (this.#owners.size >= REMEMBERED) this.#owners.clear();
    this.#owners.set(request_id, owner);
  }

  note(ops: readonly BookOp[], results: readonly { readonly outcome: string }[]): void {
    for (const [index, op] of ops.entries()) {
      if (op.op === "settle" || op.op === "void") this.#owners.delete(op.request_id);
      if (op.op !== "admit" || results[index]?.outcome !== "admitted") continue;
      this.learn(op.request_id, { account_id: op.account_id, key_id: op.key_id });
    }
  }
}
