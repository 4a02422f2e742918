import type { LedgerOp, LedgerResult } from "../../core/ledger/ledger.ts";
import type { LedgerStore } from "../../core/store/ports.ts";
import type { BookResult } from "../../ledger/books/decide.ts";
import { commitAlone } from "../batch/commit-batch.ts";
import type { OwnerOf } from "../batch/load-locked.ts";
import type { SharedTexts } from "../batch/shared-texts.ts";
import type { NodeWatch } from "../recovery/node-watch.ts";
import { beatSteps, markGone } from "../recovery/recover.ts";
import { addTextsAside } from "./add-texts-aside.ts";
import { commitAccounts, OpenRequests } from "./commit-accounts.ts";
import { DEADLINE_MS } from "./deadline.ts";
import type { EarlyRelease } from "./early-release.ts";
import { FairPool } from "./fair-pool.ts";
import type { OwnBeat } from "./own-beat.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import type { RecentCommits } from "./recent-commits.ts";
import { commitError } from "./store-trouble.ts";
import { buryNode, sweepNodes } from "./sweep-nodes.ts";

/** A connection that only commits batches, and the shared texts that it knows by number. */
export interface Committer {
  readonly books: PostgresDatabase;
  readonly texts: SharedTexts;
}

export interface LedgerParts {
  readonly node_id: string;
  /** One, or several where each account has transactions of its own. */
  readonly committers: readonly [Committer, ...Committer[]];
  /** Whether accounts never share a transaction. */
  readonly by_account: boolean;
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
  const { node_id, committers, by_account, pool, recent, release, watch, beat } = parts;
  const open = new OpenRequests();
  const ownerOf: OwnerOf = (request_id) => open.ownerOf(request_id);

  /** Commits operations in one transaction. */
  const commitTogether = async ({ books, texts }: Committer, ops: readonly LedgerOp[]): Promise<LedgerResult[]> => {
    try {
      const began = beat.moment();
      let carried = false;
      const commit = (): Promise<BookResult[]> =>
        books.write(() => {
          carried = beat.isOld() && ops.some(({ op }) => op === "admit");
          // Holds become visible together with a new beat of their node: no other node sees them beside the old beat.
          return commitAlone(ops, { texts, ownerOf, beside: carried ? beatSteps(node_id) : [] });
        });
      const results = await addTextsAside(pool, commit);
      if (carried) beat.cameThrough(began);
      recent.note(ops, results);
      open.note(ops, results);
      return results as LedgerResult[];
    } catch (thrown) {
      throw commitError(thrown);
    }
  };
  const free_committers = new FairPool(committers, DEADLINE_MS);
  const commitBatch = (ops: readonly LedgerOp[]): Promise<LedgerResult[]> =>
    free_committers.use((committer) => commitTogether(committer, ops));

  return {
    by_account,
    commit: (ops) =>
      by_account ? commitAccounts({ pool, open, commitBatch }, ops) : commitTogether(committers[0], ops),
    async sweep(own_id, localStateOf = () => "unknown") {
      const swept = await sweepNodes({
        ...{ database: pool, node_id: own_id, by_account, watch, beat, localStateOf },
        onHolders: (others) => {
          release.is_shared = others > 0;
        },
      });
      await parts.measureClock();
      return swept;
    },
    bury: (dead_id) => buryNode({ database: pool, by_account }, dead_id),
    leave: (gone_id) => pool.write(() => markGone(gone_id)),
  };
}
