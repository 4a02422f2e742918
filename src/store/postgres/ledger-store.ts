import type { LedgerOp, LedgerResult } from "../../core/ledger/ledger.ts";
import type { LedgerStore } from "../../core/store/ports.ts";
import type { BookOp } from "../../ledger/books/book-op.ts";
import { commitAlone } from "../batch/commit-batch.ts";
import type { RequestOwner } from "../batch/load-locked.ts";
import type { SharedTexts } from "../batch/shared-texts.ts";
import type { NodeWatch } from "../recovery/node-watch.ts";
import { beatSteps, markGone } from "../recovery/recover.ts";
import type { EarlyRelease } from "./early-release.ts";
import type { OwnBeat } from "./own-beat.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import type { RecentCommits } from "./recent-commits.ts";
import { commitError } from "./store-trouble.ts";
import { buryNode, sweepNodes } from "./sweep-nodes.ts";

/** The most requests that are remembered. The owner of a forgotten request is read from the database. */
const REMEMBERED = 50_000;

/** The accounts and keys of the running requests that this node admitted: a batch that ends them need not look them up before it takes its locks. */
class RequestOwners {
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

interface LedgerParts {
  readonly node_id: string;
  /** The connection that only commits batches, and the shared texts that are known by number. */
  readonly books: PostgresDatabase;
  readonly texts: SharedTexts;
  readonly pool: PostgresDatabase;
  readonly recent: RecentCommits;
  readonly release: EarlyRelease;
  readonly watch: NodeWatch;
  readonly beat: OwnBeat;
  /** Compares this node's clock with the server's. */
  readonly measureClock: () => Promise<void>;
}

/** The ledger's port on PostgreSQL. */
export function ledgerStore(parts: LedgerParts): LedgerStore {
  const { node_id, books, texts, pool, recent, release, watch, beat } = parts;
  const owners = new RequestOwners();
  const ownerOf = (request_id: string) => owners.ownerOf(request_id);

  const commit = async (ops: readonly LedgerOp[]): Promise<LedgerResult[]> => {
    try {
      const began = beat.moment();
      let carried = false;
      const results = await books.write(() => {
        carried = beat.isOld() && ops.some(({ op }) => op === "admit");
        // Holds become visible together with a new beat of their node: no other node sees them beside the old beat.
        return commitAlone(ops, { texts, ownerOf, beside: carried ? beatSteps(node_id) : [] });
      });
      if (carried) beat.noteWritten(began);
      recent.note(ops, results);
      owners.note(ops, results);
      return results as LedgerResult[];
    } catch (thrown) {
      throw commitError(thrown);
    }
  };

  return {
    commit,
    async sweep(own_id, localStateOf = () => "unknown") {
      const swept = await sweepNodes({
        ...{ database: pool, node_id: own_id, watch, beat, localStateOf },
        onHolders: (others) => {
          release.is_shared = others > 0;
        },
      });
      await parts.measureClock();
      return swept;
    },
    bury: (dead_id) => buryNode(pool, dead_id),
    leave: (gone_id) => pool.write(() => markGone(gone_id)),
  };
}
