import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import type { DatabaseKind } from "../../torture/harms.ts";
import { startWildVendor, type WildVendor } from "../vendor/wild-vendor.ts";
import { fuzzConfiguration } from "./fuzz-models.ts";

/** Everything that a lane needs: a gateway process on a database of its own, and its vendors. */
export interface FuzzWorld extends AsyncDisposable {
  readonly database: DatabaseKind;
  readonly database_url: string;
  readonly gateway: Gateway;
  readonly wild: WildVendor;
  readonly simulator: Simulator;
  /** The gateway's resident memory, in bytes; null where the system does not tell. */
  memoryBytes(): number | null;
  /** The lines of the log since the last call. */
  newLog(): string;
  /** Whether the process still runs. */
  readonly isRunning: boolean;
}

const KEPT_REQUESTS = 20_000;

export async function startFuzzWorld(database: DatabaseKind): Promise<FuzzWorld> {
  await using started = new AsyncDisposableStack();
  const wild = startWildVendor();
  started.defer(() => wild.stop());
  const simulator = await startSimulator({ keep: KEPT_REQUESTS });
  started.defer(() => simulator.stop());
  const shared = database === "postgres" ? { database: await freshDatabase() } : {};
  const gateway = await startGateway({ config: fuzzConfiguration(wild.url, simulator.base_url), ...shared });
  started.defer(() => gateway[Symbol.asyncDispose]());
  const state = { running: true, log_read: 0 };
  void gateway.exited.then(() => {
    state.running = false;
  });
  const owned = started.move();
  return {
    ...{ database, gateway, wild, simulator },
    database_url: shared.database ?? `sqlite:${join(gateway.data, "camino.db")}`,
    memoryBytes: () => memoryOf(gateway.pid),
    newLog: () => {
      const text = gateway.log();
      const end = text.lastIndexOf("\n") + 1;
      const fresh = text.slice(state.log_read, end);
      state.log_read = Math.max(state.log_read, end);
      return fresh;
    },
    get isRunning() {
      return state.running;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function memoryOf(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}
