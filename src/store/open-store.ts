import type { CellSettings } from "../core/catalog/cell-settings.ts";
import type { Clock } from "../core/clock.ts";
import type { StoreNotice } from "../core/operations/incidents.ts";
import type { Store } from "../core/store/ports.ts";
import type { StoreEvent } from "../core/store/store-events.ts";
import { openSqlite } from "./sqlite/open-sqlite.ts";

interface StoreOptions {
  /** `sqlite:PATH` or `postgres://…`. */
  readonly url: string;
  /** The socket of the process that owns the embedded database, for its workers; null or absent: this process owns it. */
  readonly ledger_socket?: string | null;
  /** The cells beside the database, which is then their directory; null or absent: there is one database. */
  readonly cells?: CellSettings | null;
  /** This process, new at each start: who holds what, for recovery (docs/rulings.md 43). */
  readonly node_id: string;
  /** Measures how long another node has been silent. */
  readonly clock?: Pick<Clock, "monotonic_ms"> & Partial<Clock>;
  /** Hears what a person must know, as it happens. */
  readonly notify?: (notice: StoreNotice) => void;
  /** Told of what happens to the database, for the log and the metrics. */
  readonly onEvent?: (event: StoreEvent) => void;
}

/**
 * Opens the database that a URL names, brings its schema up to date, and ends what earlier processes left behind. Rejects
 * with a sentence for the operator when it cannot be used.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, node_id, ledger_socket = null } = options;
  if (url.startsWith("sqlite:")) {
    const through = ledger_socket === null ? null : { ledger_socket, node_id };
    return openSqlite(url.slice("sqlite:".length), options.notify, through);
  }
  // A gateway on the embedded database runs no work itself, and loads none.
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { cells = null } = options;
    if (cells !== null) return (await import("./cells/open-cells.ts")).openCells(options, cells);
    return (await import("./postgres/open-postgres.ts")).openPostgres(options);
  }
  throw new Error(`The database URL must begin with "sqlite:" or "postgres://".`);
}
