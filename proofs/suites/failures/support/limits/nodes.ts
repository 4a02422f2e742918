import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import type { SystemHealth } from "../../../../../contract/health.ts";
import { newId } from "../../../../../src/core/ids.ts";
import type { AuditReport } from "../../../../../src/core/ledger/books-audit.ts";
import { openStore } from "../../../../../src/store/open-store.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../../../../support/gateway.ts";
import { freshDatabase } from "../../../../support/postgres.ts";
import { RawConnection } from "../raw-connection.ts";
import { auditOf, eventually } from "../scene.ts";

/** Two nodes of one gateway on clocks that a test moves: two gateways on one PostgreSQL, or two processes of one gateway on SQLite. */
export interface MovedNodes extends AsyncDisposable {
  /** What any of them says to an administrator. */
  readonly gateway: Gateway;
  now_ms(): number;
  move(by_ms: number): Promise<void>;
  ask(node: number, asked: Asked): Promise<Told>;
  /** Kills a node without warning, and resolves once another process has its place. */
  kill(node: number): Promise<void>;
  /** Ends both in good order, and recomputes their books. */
  audit(): Promise<AuditReport>;
}

export interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const TOKEN = "admin-token-of-both";
const TEXT_END = "\r\n\r\n";
const DEADLINES_TICK_MS = 400;
const PATIENCE_MS = 60_000;

/** The header by which an administrator asks. */
export const ADMINISTRATOR = { authorization: `Bearer ${TOKEN}` };

/** Connections to a node, each for one exchange at a time. */
class Connections {
  readonly #open: () => Promise<RawConnection>;
  #idle: RawConnection[] = [];
  #drops = 0;

  constructor(open: () => Promise<RawConnection>) {
    this.#open = open;
  }

  async exchange(asked: Asked): Promise<Told> {
    const connection = this.#idle.pop() ?? (await this.#open());
    const drops = this.#drops;
    const told = await exchangeOn(connection, asked);
    if (drops === this.#drops) this.#idle.push(connection);
    else connection[Symbol.dispose]();
    return told;
  }

  /** A server closes connections that nothing came on for long, by its clock. */
  drop(): void {
    for (const connection of this.#idle) connection[Symbol.dispose]();
    this.#idle = [];
    this.#drops += 1;
  }
}

async function exchangeOn(connection: RawConnection, { method, path, headers, body = "" }: Asked): Promise<Told> {
  connection.received = "";
  const sent = { host: "localhost", "content-type": "application/json", ...headers };
  const lines = Object.entries({ ...sent, "content-length": String(Buffer.byteLength(body)) });
  connection.send(
    `${method} ${path} HTTP/1.1\r\n${lines.map((line) => line.join(": ")).join("\r\n")}${TEXT_END}${body}`,
  );
  await connection.until(TEXT_END);
  const end = connection.received.indexOf(TEXT_END);
  const [first = "", ...rest] = connection.received.slice(0, end).split("\r\n");
  const told = new Headers(
    rest.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const length = Number(told.get("content-length"));
  const bodyNow = (): string => connection.received.slice(end + TEXT_END.length);
  while (Buffer.byteLength(bodyNow()) < length) await connection.more();
  return { status: Number(first.split(" ")[1]), headers: told, body: bodyNow() };
}

/** How far the clocks of both nodes are ahead. */
class NodesClock {
  readonly #folder: string;
  readonly #ahead: Float64Array;
  readonly env: Readonly<Record<string, string>>;
  ahead_ms: number;

  private constructor(folder: string, file: string, ahead_ms: number) {
    this.#folder = folder;
    this.#ahead = new Float64Array(Bun.mmap(file, { shared: true }).buffer, 0, 1);
    this.ahead_ms = ahead_ms;
    this.env = {
      ...{ MOVED_CLOCK: file, BUN_OPTIONS: `--preload=${join(import.meta.dir, "moved-clock.ts")}`, CLOCK_OFF_MS: "0" },
      ...{ CAMINO_SECRET: "a secret that both have, of no value", CAMINO_ADMIN_TOKEN: TOKEN },
    };
  }

  static async make(ahead_ms: number): Promise<NodesClock> {
    const folder = await mkdtemp(join(tmpdir(), "camino-moved-"));
    const file = join(folder, "ahead");
    await Bun.write(file, new Float64Array([ahead_ms]));
    return new NodesClock(folder, file, ahead_ms);
  }

  async move(by_ms: number): Promise<void> {
    this.ahead_ms += by_ms;
    this.#ahead[0] = this.ahead_ms;
    // Deadlines go by a time that is read now and then (src/wire/deadlines.ts).
    await Bun.sleep(DEADLINES_TICK_MS);
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export async function startNodes(
  database: "sqlite" | "postgres",
  config: string,
  start_ms: number,
): Promise<MovedNodes> {
  const clock = await NodesClock.make(start_ms - Date.now());
  const options = { config, env: clock.env, program: join(import.meta.dir, "../run-with-clock.ts") };
  return database === "sqlite" ? await processesOf(options, clock) : await gatewaysOf(options, clock);
}

/** Two gateways; the server's clock is moved as theirs are. */
async function gatewaysOf(options: GatewayOptions, clock: NodesClock): Promise<MovedNodes> {
  const database = await freshDatabase();
  // The tables first, as their defaults name the server's own clock.
  await (await openStore({ url: database, node_id: newId("node") })).close();
  const raw = new SQL(database, { max: 1 });
  await raw.unsafe(
    `CREATE SCHEMA moved;
      CREATE TABLE moved.clock (ahead interval NOT NULL);
      INSERT INTO moved.clock VALUES (interval '${clock.ahead_ms} milliseconds');
      CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
        AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM moved.clock';
      ALTER DATABASE ${new URL(database).pathname.slice(1)} SET search_path = public, moved, pg_catalog`,
  );
  const start = () => startGateway({ ...options, database });
  const gateways = [await start(), await start()];
  const connections = gateways.map((_, at) => new Connections(() => RawConnection.open(gateways[at]?.url ?? "")));
  return {
    get gateway() {
      return gateways[0] as Gateway;
    },
    now_ms: () => Date.now() + Math.round(clock.ahead_ms),
    async move(by_ms) {
      for (const each of connections) each.drop();
      // One right after the other: a node that asks in between would take its own clock for wrong.
      await raw.unsafe(`UPDATE moved.clock SET ahead = interval '${clock.ahead_ms + by_ms} milliseconds'`);
      await clock.move(by_ms);
    },
    ask: (node, asked) => (connections[node] as Connections).exchange(asked),
    async kill(node) {
      connections[node]?.drop();
      await gateways[node]?.stop("SIGKILL");
      await gateways[node]?.[Symbol.asyncDispose]();
      gateways[node] = await start();
    },
    async audit() {
      for (const gateway of gateways) await gateway.stop();
      return await auditOf(database);
    },
    async [Symbol.asyncDispose]() {
      for (const each of connections) each.drop();
      await Promise.all(gateways.map((gateway) => gateway[Symbol.asyncDispose]()));
      await raw.close();
      await clock.remove();
    },
  };
}

/** Two processes of one gateway, beside the one that keeps its ledger. */
async function processesOf(options: GatewayOptions, clock: NodesClock): Promise<MovedNodes> {
  const gateway = await startGateway({ ...options, env: { ...options.env, CAMINO_WORKERS: "2" } });
  /** The system spreads connections over both: another is opened until it is at the one that is meant. */
  const open = async (node: number): Promise<RawConnection> => {
    for (;;) {
      const connection = await RawConnection.open(gateway.url);
      const asked = { method: "GET", path: "/console/api/health", headers: ADMINISTRATOR } as const;
      const { workers } = JSON.parse((await exchangeOn(connection, asked)).body) as SystemHealth;
      if (workers?.find((each) => each.this)?.worker === node + 1) return connection;
      connection[Symbol.dispose]();
    }
  };
  const connections = [0, 1].map((node) => new Connections(() => open(node)));
  const placeOf = async (node: number) =>
    (await gateway.admin<SystemHealth>("GET", "/health")).workers?.find(({ worker }) => worker === node + 1);
  return {
    gateway,
    now_ms: () => Date.now() + Math.round(clock.ahead_ms),
    async move(by_ms) {
      for (const each of connections) each.drop();
      await clock.move(by_ms);
    },
    ask: (node, asked) => (connections[node] as Connections).exchange(asked),
    async kill(node) {
      connections[node]?.drop();
      const pid = (await placeOf(node))?.pid ?? 0;
      if (pid > 0) process.kill(pid, "SIGKILL");
      await eventually(
        "another process in its place",
        async () => {
          const place = await placeOf(node);
          return place?.state === "ready" && place.pid !== pid ? true : null;
        },
        PATIENCE_MS,
        50,
      );
    },
    async audit() {
      await gateway.stop();
      return await auditOf(`sqlite:${join(gateway.data, "camino.db")}`);
    },
    async [Symbol.asyncDispose]() {
      for (const each of connections) each.drop();
      await gateway[Symbol.asyncDispose]();
      await clock.remove();
    },
  };
}
