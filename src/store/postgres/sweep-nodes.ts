import type { LocalRequestState, Recovery } from "../../core/store/ports.ts";
import { SharedTexts } from "../batch/shared-texts.ts";
import type { NodeWatch } from "../recovery/node-watch.ts";
import {
  findHeldAccounts,
  findHolders,
  findOwnHolds,
  markAlive,
  markGone,
  type OwnHold,
  purge,
  type RecoveryStep,
  recoverNode,
  recoverOrphaned,
  recoverUnowned,
  unownedOf,
} from "../recovery/recover.ts";
import type { Work } from "../sql/work.ts";
import { addTextsAside } from "./add-texts-aside.ts";
import type { OwnBeat } from "./own-beat.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import type { MakeWork } from "./session.ts";

/** The database in which holds are ended, and whether each account's are ended in a transaction of its own. */
export interface Ending {
  readonly database: PostgresDatabase;
  readonly by_account: boolean;
}

/** A node's sweep: it writes its beat, ends the holds of dead nodes, and its own holds that no request owns. */
export interface NodeSweep extends Ending {
  readonly node_id: string;
  readonly watch: Pick<NodeWatch, "see" | "next_ms">;
  readonly beat: Pick<OwnBeat, "moment" | "cameThrough">;
  readonly localStateOf: (request_id: string) => LocalRequestState;
  /** Called with the number of other nodes that have running requests. */
  readonly onHolders: (others: number) => void;
}

/**
 * Marks the node as alive, and ends the holds of nodes that died and its own holds that no request owns. The others' beats are
 * read after this node's own beat was written: a node that cannot write its beat judges no other node (docs/rulings.md 147).
 */
export async function sweepNodes(sweep: NodeSweep): Promise<Recovery> {
  const { database, node_id, watch, beat, localStateOf, onHolders } = sweep;
  const began = beat.moment();
  await database.write(() => markAlive(node_id));
  beat.cameThrough(began);
  const holders = await database.read(() => findHolders(node_id));
  onHolders(holders.length);
  const dead = watch.see(holders);
  const own = await database.read(() => findOwnHolds(node_id));
  const total = { settled: 0, voided: 0 };
  add(total, await endUnowned(sweep, own, localStateOf));
  for (const node of dead)
    add(total, await endAll(sweep, node.id, (account_id) => recoverOrphaned("postgres", node, account_id)));
  // Last, because it may take long and nothing depends on it.
  await database.write(purge);
  return { ...total, next_ms: watch.next_ms };
}

/** Ends the holds of a node whose process is known to have ended. Holds of its commits that come through later are found by its old beat. */
export async function buryNode(ending: Ending, node_id: string): Promise<Recovery> {
  const total = await endAll(ending, node_id, (account_id) => recoverNode("postgres", node_id, account_id));
  await ending.database.write(() => markGone(node_id));
  return total;
}

async function endUnowned(
  { database, by_account }: Ending,
  own: readonly OwnHold[],
  localStateOf: NodeSweep["localStateOf"],
): Promise<Recovery> {
  if (!by_account) return await database.write(() => recoverUnowned("postgres", unownedOf(own, localStateOf)));
  const accounts = Map.groupBy(own, ({ account_id }) => account_id);
  return await eachAlone([...accounts.values()], (holds) => {
    const unowned = unownedOf(holds, localStateOf);
    if (unowned.refused.length + unowned.abandoned.length === 0) return NOTHING;
    const texts = new SharedTexts({ is_aside: true });
    return addTextsAside(database, () => database.write(() => recoverUnowned("postgres", unowned, texts)));
  });
}

const NOTHING: Recovery = { settled: 0, voided: 0 };

/** Ends a node's holds step by step: those of all accounts together, or account by account. */
async function endAll(
  { database, by_account }: Ending,
  node_id: string,
  step: (account_id: string | null) => Work<RecoveryStep>,
): Promise<Recovery> {
  const accounts = by_account ? await database.read(() => findHeldAccounts(node_id)) : [null];
  return await eachAlone(accounts, (account_id) => repeat(database, () => step(account_id)));
}

/** Ends the holds of each item in turn. Where one fails, the others are still done before its error is thrown. */
async function eachAlone<Each>(
  all: readonly Each[],
  end: (each: Each) => Recovery | Promise<Recovery>,
): Promise<Recovery> {
  const total = { settled: 0, voided: 0 };
  const failed: unknown[] = [];
  for (const each of all) {
    try {
      add(total, await end(each));
    } catch (thrown) {
      failed.push(thrown);
    }
  }
  if (failed.length > 0) throw failed[0];
  return total;
}

async function repeat(database: PostgresDatabase, step: MakeWork<RecoveryStep>): Promise<Recovery> {
  const total = { settled: 0, voided: 0 };
  for (let more = true; more; ) {
    const done = await addTextsAside(database, () => database.write(step));
    add(total, done);
    more = done.more;
  }
  return total;
}

function add(total: { settled: number; voided: number }, { settled, voided }: Recovery): void {
  total.settled += settled;
  total.voided += voided;
}
