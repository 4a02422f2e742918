import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { makePostgres, type PostgresServer } from "../support/postgres-server.ts";
import { tortureConfiguration } from "./configuration.ts";
import { DatabaseProxy } from "./database-proxy.ts";
import { type Databases, makeDatabases } from "./databases.ts";
import type { DatabaseKind, Facts, HarmKind } from "./harms.ts";
import { type MovableClock, makeMovableClock } from "./movable-clock.ts";
import { Moves } from "./moves.ts";
import { Node } from "./node.ts";
import { type RudeVendor, startRudeVendor } from "./rude-vendor.ts";
import { makeSmallDisk, type SmallDisk } from "./small-disk.ts";

/** Everything that a lane of the torture needs: gateways, their database, vendors, and what does harm to them. */
export interface World extends AsyncDisposable {
  readonly facts: Facts;
  readonly nodes: readonly Node[];
  readonly simulator: Simulator;
  readonly rude: RudeVendor;
  readonly disk: SmallDisk;
  /** The clock of the nodes; null where clocks cannot be moved. */
  readonly clock: MovableClock | null;
  /** Null with the embedded database. */
  readonly postgres: PostgresWorld | null;
  /** The database without a proxy before it, for audits. Of cells the directory. */
  readonly database_url: string;
  /** What names the cells without proxies before them; empty where there are none. */
  readonly cells_env: Readonly<Record<string, string>>;
}

export interface PostgresWorld {
  readonly server: PostgresServer;
  /** One before each database: of cells the directory's first. */
  readonly proxies: readonly DatabaseProxy[];
  readonly databases: Databases;
  /** Of accounts from cell to cell. */
  readonly moves: Moves;
  readonly clock: MovableClock | null;
}

/** Both nodes of a shared database have them alike. */
const SHARED = {
  CAMINO_SECRET: "torture-secret-0123456789abcdef-0123456789",
  CAMINO_ADMIN_TOKEN: "torture-admin-token-0123456789",
};
const SQLITE_DISK_MB = 96;
const POSTGRES_DISK_MB = 192;
/** Small, for the small disk, and durable: what is lost in a crash must be lost by the gateway. */
const POSTGRES_SETTINGS = ["shared_buffers=32MB", "max_connections=150", "max_wal_size=32MB", "min_wal_size=8MB"];
/** More than a round's requests to vendors. */
const KEPT_REQUESTS = 100_000;

export interface WorldOptions {
  readonly database: DatabaseKind;
  /** The path of libfaketime; null where there is none. */
  readonly faketime: string | null;
  /** The only harms that are done; null: all that are possible. */
  readonly only: readonly HarmKind[] | null;
}

export async function startWorld({ database, faketime, only }: WorldOptions): Promise<World> {
  await using started = new AsyncDisposableStack();
  const simulator = await startSimulator({ keep: KEPT_REQUESTS });
  started.defer(() => simulator.stop());
  const rude = startRudeVendor();
  started.defer(() => rude.stop());
  const clockOf = (): MovableClock | null => {
    const clock = faketime === null ? null : makeMovableClock(faketime);
    started.defer(() => clock?.remove());
    return clock;
  };
  const clock = clockOf();
  const disk = await makeSmallDisk(database === "sqlite" ? SQLITE_DISK_MB : POSTGRES_DISK_MB);
  started.defer(() => disk.remove());
  const postgres = database === "sqlite" ? null : await startPostgres({ database, disk, clock: clockOf() }, started);
  const direct = postgres?.databases.at(postgres.databases.names.map(() => postgres.server.port));

  const config = tortureConfiguration(simulator.base_url, rude.base_url);
  const nodes: Node[] = [];
  started.defer(async () => void (await Promise.all(nodes.map((node) => node.kill()))));
  for (let index = 0; index < (postgres === null ? 1 : 2); index += 1) {
    const data = postgres === null ? disk.path : await mkdtemp(join(tmpdir(), "camino-torture-node-"));
    if (postgres !== null) started.defer(() => rm(data, { recursive: true, force: true }));
    const through = postgres?.databases.at(postgres.proxies.map(({ port }) => port));
    // One of the nodes has several processes, which share its connections to each cell.
    const workers = database === "cells" && index === 1 ? { CAMINO_WORKERS: "2" } : {};
    const env = { ...SHARED, ...clock?.env, ...workers, ...through?.cells_env };
    nodes.push(await Node.start(index, { config, data, env, ...(through && { database: through.database_url }) }));
  }
  const facts = { database, nodes: nodes.length, clock: faketime !== null, small_disk: disk.can_be_filled, only };
  const owned = started.move();
  return {
    ...{ facts, nodes, simulator, rude, disk, clock, postgres },
    database_url: direct?.database_url ?? `sqlite:${join(disk.path, "camino.db")}`,
    cells_env: direct?.cells_env ?? {},
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface PostgresPlace extends Pick<WorldOptions, "database"> {
  readonly disk: SmallDisk;
  readonly clock: MovableClock | null;
}

async function startPostgres(
  { database, disk, clock }: PostgresPlace,
  started: AsyncDisposableStack,
): Promise<PostgresWorld> {
  const server = await makePostgres(disk.path, {
    settings: POSTGRES_SETTINGS,
    wal_segment_mb: 1,
    env: clock?.env ?? {},
  });
  started.defer(() => server.remove());
  await server.start();
  const databases = await makeDatabases(server.port, database === "cells");
  const proxies = databases.names.map(() => new DatabaseProxy({ hostname: "127.0.0.1", port: server.port }));
  started.defer(() => {
    for (const proxy of proxies) proxy.stop();
  });
  const moves = new Moves(databases.at(databases.names.map(() => server.port)), databases.cells);
  return { server, proxies, databases, moves, clock };
}
