import type { LedgerOp, LedgerResult } from "../../core/ledger.ts";
import type { LedgerStore } from "../../core/ports.ts";
import { commitAlone } from "../batch/commit-batch.ts";
import type { OwnerOf } from "../batch/load-locked.ts";
import type { SharedTexts } from "../batch/shared-texts.ts";
import { toBookOp } from "../batch/to-book-op.ts";
import type { NodeWatch } from "../node-watch.ts";
import { beatSteps, markGone } from "../recover.ts";
import type { EarlyRelease } from "./early-release.ts";
import { OpenRequests } from "./open-requests.ts";
import type { OwnBeat } from "./own-beat.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import type { RecentCommits } from "./recent-commits.ts";
import { commitError } from "./store-trouble.ts";
import { buryNode, sweepNodes } from "./sweep-nodes.ts";

export interface LedgerParts {
  readonly node_id: string;
  /** The connection that commits, and nothing else. */
  readonly books: PostgresDatabase;
  readonly pool: PostgresDatabase;
  readonly texts: SharedTexts;
  readonly recent: RecentCommits;
  readonly release: EarlyRelease;
  readonly watch: NodeWatch;
  readonly beat: OwnBeat;
}

/** The ledger's port on PostgreSQL. */
export function ledgerStore({ node_id, books, pool, texts, recent, release, watch, beat }: LedgerParts): LedgerStore {
  const open = new OpenRequests();
  const ownerOf: OwnerOf = (request_id) => open.ownerOf(request_id);
  return {
    async commit(ops: readonly LedgerOp[]) {
      const booked = ops.map(toBookOp);
      try {
        const began = beat.moment();
        let carried = false;
        const results = await books.write(() => {
          carried = beat.isOld() && booked.some(({ op }) => op === "admit");
          // Holds become visible together with a new beat of their node: no other node sees them beside the old beat.
          return commitAlone(booked, { texts, ownerOf, beside: carried ? beatSteps(node_id) : [] });
        });
        if (carried) beat.cameThrough(began);
        recent.note(booked, results);
        open.note(booked, results);
        return results as LedgerResult[];
      } catch (thrown) {
        throw commitError(thrown);
      }
    },
    sweep: (own_id, localStateOf = () => "unknown") =>
      sweepNodes({
        ...{ database: pool, node_id: own_id, watch, beat, localStateOf },
        onHolders: (others) => {
          release.is_shared = others > 0;
        },
      }),
    bury: (dead_id) => buryNode(pool, dead_id),
    leave: (gone_id) => pool.write(() => markGone(gone_id)),
  };
}
