import type { LedgerOp, LedgerResult } from "../../core/ledger.ts";
import type { LedgerStore } from "../../core/ports.ts";
import { commitAlone } from "../batch/commit-batch.ts";
import type { OwnerOf } from "../batch/load-locked.ts";
import { addTexts, type SharedTexts } from "../batch/shared-texts.ts";
import { toBookOp } from "../batch/to-book-op.ts";
import type { NodeWatch } from "../recovery/node-watch.ts";
import { beatSteps, markGone } from "../recovery/recover.ts";
import { commitAccounts } from "./commit-accounts.ts";
import { DEADLINE_MS } from "./deadline.ts";
import type { EarlyRelease } from "./early-release.ts";
import { Lent } from "./lent.ts";
import { OpenRequests } from "./open-requests.ts";
import type { OwnBeat } from "./own-beat.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import type { RecentCommits } from "./recent-commits.ts";
import { commitError } from "./store-trouble.ts";
import { buryNode, sweepNodes } from "./sweep-nodes.ts";

/** A connection that commits, and nothing else, and the texts that it has met. */
export interface Committer {
  readonly books: PostgresDatabase;
  readonly texts: SharedTexts;
}

export interface LedgerParts {
  readonly node_id: string;
  /** Several where accounts never share a transaction. */
  readonly committers: readonly [Committer, ...Committer[]];
  /** Whether accounts never share a transaction. */
  readonly by_account: boolean;
  readonly pool: PostgresDatabase;
  readonly recent: RecentCommits;
  readonly release: EarlyRelease;
  readonly watch: NodeWatch;
  readonly beat: OwnBeat;
}

/** The ledger's port on PostgreSQL. */
export function ledgerStore(parts: LedgerParts): LedgerStore {
  const { node_id, committers, by_account, pool, recent, release, watch, beat } = parts;
  const open = new OpenRequests();
  const ownerOf: OwnerOf = (request_id) => open.ownerOf(request_id);

  /** Commits operations in one transaction. */
  const commitTogether = async ({ books, texts }: Committer, ops: readonly LedgerOp[]): Promise<LedgerResult[]> => {
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
  };
  const lent = new Lent(committers, DEADLINE_MS);
  const commitPart = (ops: readonly LedgerOp[]): Promise<LedgerResult[]> =>
    lent.use(async (committer) => {
      const results = await commitTogether(committer, ops);
      const missing = committer.texts.takeMissing();
      // Nobody waits for them: where it fails, the next batch that has them misses them, too.
      if (missing.size > 0) pool.write(() => addTexts(missing)).catch(() => {});
      return results;
    });

  return {
    by_account,
    commit: (ops) =>
      by_account ? commitAccounts({ pool, open, commitPart }, ops) : commitTogether(committers[0], ops),
    sweep: (own_id, localStateOf = () => "unknown") =>
      sweepNodes({
        ...{ database: pool, node_id: own_id, by_account, watch, beat, localStateOf },
        onHolders: (others) => {
          release.is_shared = others > 0;
        },
      }),
    bury: (dead_id) => buryNode({ database: pool, by_account }, dead_id),
    leave: (gone_id) => pool.write(() => markGone(gone_id)),
  };
}
