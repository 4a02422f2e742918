import type { Configuration } from "../../core/catalog/catalog.ts";
import type { Clock } from "../../core/clock.ts";
import type { Environment } from "../../core/environment.ts";
import type { IncidentRecord } from "../../core/operations/incidents.ts";
import type { OnProgress } from "../../core/operations/on-progress.ts";
import type { Books } from "../../core/store/books.ts";
import type { AddedCell, DrainedCell, ListedCell, MovedAccount } from "../../core/store/cells.ts";

/** Options of `camino serve` from the command line. An absent option comes from the environment. */
export interface ServeOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  readonly database?: string;
  readonly data?: string;
  readonly workers?: string;
  readonly json?: boolean;
}

/** Options of `camino simulate`. */
export interface SimulateOptions {
  readonly host?: string;
  readonly port?: string;
  readonly json?: boolean;
}

/** Options of `camino doctor`. */
export interface DoctorOptions {
  readonly config?: string;
  readonly database?: string;
  readonly data?: string;
  readonly url?: string;
  readonly json?: boolean;
}

/** Options that say which database is meant. */
export type DatabaseOptions = Pick<DoctorOptions, "database" | "data">;

/** How `serve` would run. */
export interface Serving {
  readonly url: string;
  readonly workers: number;
  /** The address that answers health, readiness and metrics, if it is not `url`. */
  readonly operations_url: string | null;
}

/** A configuration as `serve` would use it. */
export interface FoundConfiguration {
  readonly configuration: Configuration;
  /** The environment that it was read with, secrets from files included. */
  readonly env: Environment;
  /** The file of the configuration; null where no file was found. */
  readonly file: string | null;
  /** Whether no model is configured, so that the built-in simulator answers. */
  readonly first_run: boolean;
  /** The other settings that `serve` reads from the same options and environment. Throws a sentence about the first that it would refuse. */
  readonly serving?: () => Serving;
  /** The cells among which accounts are spread, the directory first; none where there is one database. Throws likewise. */
  readonly cells?: () => readonly CellShare[];
  /** Stops what was started for the configuration, such as the built-in simulator. */
  readonly close: () => Promise<void>;
}

/** A cell, and how many of the new accounts it gets in proportion to the others. */
export interface CellShare {
  readonly name: string;
  readonly weight: number;
}

/** A copy of a database that was verified. */
interface CopiedDatabase {
  readonly database: string;
  /** The file of the secret without which no API key of the copy works. */
  readonly secret: string;
  readonly accounts: number;
  /** Findings and open incidents of its books. */
  readonly problems: readonly string[];
}

/** Options of `camino migrate-store`. */
export interface MigrateStoreOptions {
  readonly from: string;
  readonly to: string;
  readonly data?: string;
  readonly replaceNul?: true;
}

/** An embedded database that PostgreSQL has now. */
export interface MigratedStore {
  /** The new database, without the user's name and password. */
  readonly database: string;
  /** The file of the secret that its API keys and vendors' credentials need. */
  readonly secret: string;
  /** Whether an earlier run had copied everything already. */
  readonly was_complete: boolean;
  /** How many rows each table has, in both databases. */
  readonly tables: Readonly<Record<string, number>>;
  readonly accounts: number;
  readonly problems: readonly string[];
}

/** Tools for the embedded database's file itself. Each rejects with a sentence for the operator. */
export interface DatabaseTools {
  backUp(options: DatabaseOptions, file: string, onProgress: OnProgress): Promise<CopiedDatabase & { bytes: number }>;
  /** `moved`: where the files of the database that was there before are now. */
  restore(
    options: DatabaseOptions,
    file: string,
    how: { readonly replace: boolean; readonly onProgress: OnProgress },
  ): Promise<CopiedDatabase & { moved: readonly string[] }>;
  /** `onNotice` gets the repairs that opening the embedded database made. */
  migrateStore(
    options: MigrateStoreOptions,
    how: { readonly onProgress: OnProgress; readonly onNotice: (message: string) => void },
  ): Promise<MigratedStore>;
  /** Returns what was missing or could not be proven; empty when nothing was. */
  acceptLoss(options: DatabaseOptions): Promise<readonly string[]>;
  /** Makes the secret that a gateway would have here the one of the database, in place of the one that its keys were made with. Returns where the secret is. */
  acceptSecret(options: DatabaseOptions): Promise<string>;
  /** The incidents that are open, the oldest first. */
  listIncidents(options: DatabaseOptions): Promise<readonly IncidentRecord[]>;
  /** False when no such incident is open. */
  closeIncident(options: DatabaseOptions, id: number, note: string): Promise<boolean>;
}

/** Options that say which directory is meant, and where its cells are named. */
export type CellOptions = Pick<DoctorOptions, "database" | "config">;

/** Tools for cells, on their databases themselves. Each rejects with a sentence for the operator. */
export interface CellAdministration extends AsyncDisposable {
  list(): Promise<readonly ListedCell[]>;
  add(name: string): Promise<AddedCell>;
  /** Moves an account, by its id or e-mail; `to` null: to a cell that is drawn as for a new account. */
  move(account: string, to: string | null, how: { readonly wait_ms: number }): Promise<MovedAccount>;
  drain(
    name: string,
    how: { readonly wait_ms: number; readonly onMoved: (moved: MovedAccount) => void },
  ): Promise<DrainedCell>;
}

/** The part of `fetch` that the commands use. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The dependencies of the command line, provided by the composition root. */
export interface CliDeps {
  readonly version: string;
  /** How a reader of a message starts this program, in a shell (src/main/own-command.ts). For lines that can be pasted. */
  readonly command: string;
  readonly env: Environment;
  /** Writes text unchanged; so does `stderr`. */
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Runs the gateway; resolves when it has drained. */
  readonly serve: (options: ServeOptions) => Promise<void>;
  /** Runs the simulator; resolves when it has stopped. */
  readonly simulate: (options: SimulateOptions) => Promise<void>;
  /** Reads the configuration. Throws an error whose message lists every problem. */
  readonly readConfiguration: (options: Pick<DoctorOptions, "config">) => Promise<FoundConfiguration>;
  /**
   * Opens the database that `serve` would open with these options, for reading alone; null where there is none yet. Changes
   * nothing, also while a gateway runs on it.
   */
  readonly openBooks: (options: DatabaseOptions) => Promise<Books | null>;
  /** Loaded when first needed. */
  readonly databaseTools: () => Promise<DatabaseTools>;
  /** Loaded when first needed. Rejects where no cells are set. */
  readonly cellTools: (options: CellOptions) => Promise<CellAdministration>;
}
