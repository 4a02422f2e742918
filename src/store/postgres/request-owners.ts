import type { BookOp } from "../../ledger/books/book-op.ts";
import type { RequestOwner } from "../batch/load-locked.ts";

/** The most requests that are remembered. The owner of a forgotten request is read from the database. */
const REMEMBERED = 50_000;

/** The accounts and keys of the running requests that this node admitted: a batch that ends them need not look them up before it takes its locks. */
export class RequestOwners {
  readonly #owners = new Map<string, RequestOwner>();

  ownerOf(request_id: string): RequestOwner | undefined {
    return this.#owners.get(request_id);
  }

  note(ops: readonly BookOp[], results: readonly { readonly outcome: string }[]): void {
    for (const [index, op] of ops.entries()) {
      if (op.op === "settle" || op.op === "void") this.#owners.delete(op.request_id);
      if (op.op !== "admit" || results[index]?.outcome !== "admitted") continue;
      if (this.#owners.size >= REMEMBERED) this.#owners.clear();
      this.#owners.set(op.request_id, { account_id: op.account_id, key_id: op.key_id });
    }
  }
}
