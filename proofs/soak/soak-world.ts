import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { freshDatabase } from "../support/postgres.ts";
import { tortureConfiguration } from "../torture/configuration.ts";
import { type RudeVendor, startRudeVendor } from "../torture/rude-vendor.ts";
import type { SoakOptions } from "./options.ts";

/** A gateway on a database of its own, and its vendors: those of the torture, and nothing that does harm. */
export interface SoakWorld extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly simulator: Simulator;
  readonly rude: RudeVendor;
  readonly database_url: string;
  /** Whether the gateway's process still runs. */
  readonly isRunning: boolean;
}

/** More than a period's requests to vendors. */
const KEPT_REQUESTS = 100_000;

export async function startSoakWorld({ database, workers }: SoakOptions): Promise<SoakWorld> {
  await using started = new AsyncDisposableStack();
  const simulator = await startSimulator({ keep: KEPT_REQUESTS });
  started.defer(() => simulator.stop());
  const rude = startRudeVendor();
  started.defer(() => rude.stop());
  const shared = database === "postgres" ? { database: await freshDatabase() } : {};
  const config = tortureConfiguration(simulator.base_url, rude.base_url);
  const env: Record<string, string> = workers === 1 ? {} : { CAMINO_WORKERS: String(workers) };
  const gateway = await startGateway({ config, env, ...shared });
  started.defer(() => gateway[Symbol.asyncDispose]());
  const state = { running: true };
  void gateway.exited.then(() => {
    state.running = false;
  });
  const owned = started.move();
  return {
    ...{ gateway, simulator, rude },
    database_url: shared.database ?? `sqlite:${join(gateway.data, "camino.db")}`,
    get isRunning() {
      return state.running;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
