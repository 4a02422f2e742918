import type { LedgerOp, LedgerResult } from "../../core/ledger/ledger.ts";
import type { LedgerStore } from "../../core/store/ports.ts";
import { commitAlone } from "../batch/commit-batch.ts";
import type { SharedTexts } from "../batch/shared-texts.ts";
import type { NodeWatch } from "../recovery/node-watch.ts";
import { beatSteps, markGone } from "../recovery/recover.ts";
import type { EarlyRelease } from "./early-release.ts";
import type { OwnBeat } from "./own-beat.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import type { RecentCommits } from "./recent-commits.ts";
import { RequestOwners } from "./request-owners.ts";
import { commitError } from "./store-trouble.ts";
import { buryNode, sweepNodes } from "./sweep-nodes.ts";

export interface LedgerParts {
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
      if (carried) beat.cameThrough(began);
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
