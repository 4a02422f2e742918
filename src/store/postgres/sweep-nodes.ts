import type { LocalRequestState, Recovery } from "../../core/store/ports.ts";
import type { NodeWatch } from "../recovery/node-watch.ts";
import {
  findHolders,
  findOwnHolds,
  markAlive,
  markGone,
  purge,
  type RecoveryStep,
  recoverNode,
  recoverOrphaned,
  recoverUnowned,
} from "../recovery/recover.ts";
import { unownedOf } from "../recovery/unowned-holds.ts";
import type { OwnBeat } from "./own-beat.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import type { MakeWork } from "./session.ts";

/** A node's sweep: it writes its beat, ends the holds of dead nodes, and its own holds that no request owns. */
interface NodeSweep {
  readonly database: PostgresDatabase;
  readonly node_id: string;
  readonly watch: Pick<NodeWatch, "see" | "next_ms">;
  readonly beat: Pick<OwnBeat, "moment" | "noteWritten">;
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
  beat.noteWritten(began);
  const holders = await database.read(() => findHolders(node_id));
  onHolders(holders.length);
  const dead = watch.see(holders);
  const own = await database.read(() => findOwnHolds(node_id));
  const total = { settled: 0, voided: 0 };
  add(total, await database.write(() => recoverUnowned("postgres", unownedOf(own, localStateOf))));
  for (const node of dead) add(total, await repeat(database, () => recoverOrphaned("postgres", node)));
  // Last, because it may take long and nothing depends on it.
  await database.write(purge);
  return { ...total, next_ms: watch.next_ms };
}

/** Ends the holds of a node whose process is known to have ended. Holds of its commits that come through later are found by its old beat. */
export async function buryNode(database: PostgresDatabase, node_id: string): Promise<Recovery> {
  const total = await repeat(database, () => recoverNode("postgres", node_id));
  await database.write(() => markGone(node_id));
  return total;
}

/** Ends holds step by step. */
async function repeat(database: PostgresDatabase, step: MakeWork<RecoveryStep>): Promise<Recovery> {
  const total = { settled: 0, voided: 0 };
  for (let more = true; more; ) {
    const done = await database.write(step);
    add(total, done);
    more = done.more;
  }
  return total;
}

function add(total: { settled: number; voided: number }, { settled, voided }: Recovery): void {
  total.settled += settled;
  total.voided += voided;
}
