import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PLAIN, type Place } from "../drive.ts";
import { type Gateway, makeKeys, serveGateway, type Variant } from "../gateway.ts";
import { treeCpuMs } from "../process-meter.ts";
import { type Program, startServer } from "../programs.ts";
import type { DatabaseName, Setting } from "./lane.ts";
import { type OwnPostgres, startPostgres } from "./own-postgres.ts";

/** A program that is measured: where it is called, and whose processor time counts as its own. */
export interface Subject extends Place {
  /** Its name in the rounds: `gateway on sqlite`. */
  readonly name: string;
  readonly program: Program;
  /** The processor time so far of the database beside it; 0 where it is in the program. */
  databaseMs(): number;
}

/** A Camino that is measured. */
export interface Served extends Subject {
  readonly variant: Variant;
  readonly database: DatabaseName;
  readonly home: DataHome;
  readonly gateway: Gateway;
}

/** A database that is there, and its server. */
export interface Database {
  /** Null: SQLite. */
  readonly postgres: OwnPostgres | null;
  /** Null: a file in the gateway's own folder. */
  readonly database_url: string | null;
  /** What names the cells where the database is their directory. */
  readonly cells_env?: Readonly<Record<string, string>>;
}

/** Where a gateway has its configuration and data. */
export interface DataHome extends Database {
  readonly folder: string;
}

/** A new Camino on a new database, with one caller. It and its PostgreSQL end with `scope`. */
export async function serve(
  setting: Setting,
  scope: AsyncDisposableStack,
  variant: Variant,
  database: DatabaseName,
): Promise<Served> {
  const postgres = database === "sqlite" ? null : await startPostgres(setting, scope);
  return await serveOn(setting, scope, variant, postgres);
}

/** A new Camino on a new database of a server that runs; on SQLite without one. */
export async function serveOn(
  setting: Setting,
  scope: AsyncDisposableStack,
  variant: Variant,
  postgres: OwnPostgres | null,
): Promise<Served> {
  const database_url = postgres === null ? null : await postgres.create();
  const served = await serveBeside(setting, scope, variant, { postgres, database_url });
  const [key = ""] = await makeKeys(served.gateway, 1);
  return { ...served, key };
}

/** A new Camino on a database that is there, perhaps beside others; it has no key to be called with yet. */
export async function serveBeside(
  setting: Setting,
  scope: AsyncDisposableStack,
  variant: Variant,
  database: Database,
): Promise<Served> {
  return await serveIn(setting, scope, variant, { ...database, folder: nextFolder(setting, variant.name) });
}

/** Ends a Camino and starts it again on its data, with the key that it had. */
export async function serveAgain(setting: Setting, scope: AsyncDisposableStack, served: Served): Promise<Served> {
  await served.program.stop();
  return { ...(await serveIn(setting, scope, served.variant, served.home)), key: served.key };
}

async function serveIn(
  { vendor_url }: Setting,
  scope: AsyncDisposableStack,
  variant: Variant,
  home: DataHome,
): Promise<Served> {
  const { folder, database_url, postgres, cells_env = {} } = home;
  const { command, sections = {} } = variant;
  const options = { command, sections, vendor_url, folder, env: cells_env };
  const gateway = await serveGateway(database_url === null ? options : { ...options, database: database_url });
  scope.defer(() => gateway.program.stop());
  const database = postgres === null ? "sqlite" : "postgres";
  return {
    ...PLAIN,
    ...{ variant, gateway, database, home, key: "", program: gateway.program },
    name: `${variant.name} on ${database}`,
    url: `${gateway.origin}/v1`,
    databaseMs: () => postgres?.cpuMs() ?? 0,
  };
}

/** The name of the bare proxy in the rounds of each lane: its spread is the machine's noise. */
export const BARE = "bare";
const BARE_KEY = "bench-key";

/** The bare proxy, which ends with `scope`. */
export function serveBare(setting: Setting, scope: AsyncDisposableStack): Promise<Subject> {
  return serveProxy(setting, scope, BARE, () => []);
}

/** The plain biller's name in the rounds. */
export const BILLED = "billed";

/** The same proxy with books, which ends with `scope`. */
export function serveBilled(setting: Setting, scope: AsyncDisposableStack): Promise<Subject> {
  return serveProxy(setting, scope, BILLED, (folder) => [join(folder, "plain-books.db")]);
}

async function serveProxy(
  setting: Setting,
  scope: AsyncDisposableStack,
  name: string,
  more: (folder: string) => readonly string[],
): Promise<Subject> {
  const folder = nextFolder(setting, name);
  await mkdir(folder);
  const program = await startServer("bare-proxy.ts", [setting.vendor_url, BARE_KEY, ...more(folder)], folder);
  scope.defer(() => program.stop());
  const url = `http://127.0.0.1:${program.port}/v1`;
  return { ...PLAIN, name, url, key: BARE_KEY, program, databaseMs: () => 0 };
}

/** Processor time that a subject has used so far: its own and its database's. */
export function cpuOf(subject: Subject): { readonly own_ms: number; readonly database_ms: number } {
  return { own_ms: treeCpuMs(subject.program.pid), database_ms: subject.databaseMs() };
}

let folders = 0;

/** The path of a folder that nobody has used. */
export function nextFolder({ folder }: Setting, name: string): string {
  folders += 1;
  return join(folder, `${name}-${folders}`);
}
