import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { PostgresServer } from "../support/postgres-server.ts";
import { DAMAGES, damageLog } from "./damage-log.ts";
import type { DatabaseProxy } from "./database-proxy.ts";
import type { HarmKind, PlannedHarm } from "./harms.ts";
import type { Node } from "./node.ts";
import type { PostgresWorld, World } from "./world.ts";

const HOUR_S = 3600;
/** Longer than any disk stays full, shorter than a killed gateway waits for its database. */
const ROOM_PATIENCE_MS = 15_000;

/** Does one harm of the plan and undoes it. Resolves when it is undone; what a harm leaves behind is for the rest to end. */
export async function doHarm(world: World, harm: PlannedHarm): Promise<void> {
  const undo = await begin(world, harm);
  await Bun.sleep(harm.for_ms);
  await undo();
}

type Undo = () => void | Promise<void>;

async function begin(world: World, harm: PlannedHarm): Promise<Undo> {
  const { kind, node: position, choice } = harm;
  const node = world.nodes[position] as Node;
  switch (kind) {
    case "kill":
      await node.kill();
      return () => node.ensureRunning();
    case "damaged log":
      await node.kill();
      damageLog(
        databaseOf(world),
        DAMAGES[Math.floor(choice * DAMAGES.length)] ?? "cut",
        (choice * DAMAGES.length) % 1,
      );
      return () => node.ensureRunning();
    case "pause":
    case "long pause":
      node.pause();
      return () => node.resume();
    case "locked database":
      return lock(databaseOf(world));
    case "full disk":
      world.disk.fill();
      return () => world.disk.free();
    case "move":
      return postgresOf(world).moves.begin(choice);
    case "clock forwards":
    case "clock backwards":
      world.clock?.move(kind === "clock forwards" ? HOUR_S : -HOUR_S);
      return () => world.clock?.move(0);
    default:
      return beginAtPostgres(postgresOf(world), { ...harm, kind });
  }
}

type PostgresHarm = Exclude<
  HarmKind,
  | "kill"
  | "damaged log"
  | "pause"
  | "long pause"
  | "locked database"
  | "full disk"
  | "move"
  | "clock forwards"
  | "clock backwards"
>;

/** Of several cells the connections of one are harmed, which `choice` names; `cell away` leaves the directory alone. */
async function beginAtPostgres(
  { proxies, server, clock }: PostgresWorld,
  { kind, choice }: PlannedHarm & { readonly kind: PostgresHarm },
): Promise<Undo> {
  const harmed = kind === "cell away" ? proxies.slice(1) : proxies;
  const proxy = harmed[Math.floor(choice * harmed.length)] as DatabaseProxy;
  const pass = (): void => {
    proxy.mode = "pass";
  };
  switch (kind) {
    case "database clock forwards":
    case "database clock backwards":
      clock?.move(kind === "database clock forwards" ? HOUR_S : -HOUR_S);
      return () => clock?.move(0);
    case "refused connections":
      proxy.mode = "refuse";
      return pass;
    case "cell away":
      proxy.mode = (choice * harmed.length) % 1 < 0.5 ? "refuse" : "hold";
      return pass;
    case "stalled connections":
    case "long outage":
      proxy.mode = "hold";
      return pass;
    case "lost commit":
      proxy.mode = "drop commit";
      return pass;
    case "lost answer to a commit":
      proxy.mode = "drop answer";
      return pass;
    case "database restart":
    case "database crash":
      await server.end(kind === "database restart" ? "SIGINT" : "SIGQUIT");
      return () => startWhenThereIsRoom(server);
    default:
      throw new Error(`this harm has no place at a database: ${kind satisfies never}`);
  }
}

/**
 * On a disk that another harm has filled the server cannot start: it is tried again until that harm is over, because a gateway that was killed
 * in the same round waits for the server as well. It is started at rest in any case.
 */
async function startWhenThereIsRoom(server: PostgresServer): Promise<void> {
  const end_ms = performance.now() + ROOM_PATIENCE_MS;
  while (performance.now() < end_ms) {
    try {
      return await server.start();
    } catch {
      await Bun.sleep(100);
    }
  }
}

function databaseOf({ disk }: World): string {
  return join(disk.path, "camino.db");
}

function postgresOf({ postgres }: World): PostgresWorld {
  if (postgres === null) throw new Error("this harm is for a world with PostgreSQL");
  return postgres;
}

/** Locks SQLite's file as another process would. */
function lock(path: string): Undo {
  const database = new Database(path);
  try {
    database.run("PRAGMA busy_timeout = 2000");
    database.run("BEGIN IMMEDIATE");
  } catch {
    // A gateway that is just starting holds the lock itself.
  }
  return () => database.close();
}
