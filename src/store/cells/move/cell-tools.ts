import type { CellSettings } from "../../../core/catalog/cell-settings.ts";
import { MS_PER_DAY, systemClock } from "../../../core/clock.ts";
import { newId, requestIdsFrom } from "../../../core/ids.ts";
import {
  type AddedCell,
  DIRECTORY,
  type DrainedCell,
  type ListedCell,
  type MovedAccount,
} from "../../../core/store/cells.ts";
import { HeldConnection } from "../../postgres/held-connection.ts";
import { describe, openPostgres } from "../../postgres/open-postgres.ts";
import { messageOf } from "../../postgres/store-trouble.ts";
import { drawCell } from "../cells.ts";
import { CellConnection } from "./cell-connection.ts";
import { bringLate, lateAccounts } from "./late-rows.ts";
import { cellNamed, type MoveMeans, MoveRefused, type MoveStep, moveAccount } from "./move-account.ts";

export interface MoveOptions {
  readonly wait_ms: number;
  readonly onStep?: (step: MoveStep) => void | Promise<void>;
  readonly onMoved?: (moved: MovedAccount) => void;
}

/** How long a gateway may take an account to be where it was (store/cells/cells.ts). */
const LATE_MS = 3000;
const PAGE = 200;
/** The server notices the end of a command that was killed within this. */
const LOCK_MS = 2000;
const MOVED_BY_ANOTHER =
  "Another command moves accounts right now. Let it come to its end, or stop it and run this again.";

/** What administrators do with cells, on the databases themselves: gateways that run on them need not be told. */
export class CellTools implements AsyncDisposable {
  readonly #url: string;
  readonly #settings: CellSettings;
  readonly #directory: CellConnection;
  readonly #cells: readonly CellConnection[];
  readonly #late_ms: number;
  #lock: HeldConnection | null = null;

  /** `late_ms`: how long after a move rows are looked for that came to the old place. */
  constructor(url: string, settings: CellSettings, late_ms = LATE_MS) {
    this.#late_ms = late_ms;
    this.#url = url;
    this.#settings = settings;
    this.#directory = new CellConnection({ name: DIRECTORY, url });
    this.#cells = settings.cells.map((cell) => new CellConnection(cell));
  }

  async list(): Promise<ListedCell[]> {
    const drained = await this.#drained();
    const all = [{ name: DIRECTORY, url: this.#url, weight: this.#settings.directory_weight }, ...this.#settings.cells];
    return await Promise.all(
      all.map(async ({ name, url, weight }) => {
        const base = { name, database: describe(url), weight, accounts: 0, moving: [], requests_today: 0 };
        try {
          const counts = await countsOf(this.#cell(name));
          return { ...base, ...counts, state: drained.has(name) ? "drained" : "ready" };
        } catch (thrown) {
          return { ...base, state: messageOf(thrown) };
        }
      }),
    );
  }

  /**
   * Makes the tables of a cell that the settings name, and marks it as that cell; one that is there takes new accounts again. Rejects where the database is another
   * cell, or has accounts that are no cell's.
   */
  async add(name: string): Promise<AddedCell> {
    const found = this.#settings.cells.find((cell) => cell.name === name);
    if (found === undefined)
      throw new MoveRefused(
        `There is no cell ${name}. Name it in the section cells of the configuration file, or in CAMINO_CELLS, and run this again.`,
      );
    const was_there = await isCell(this.#cell(name));
    const node_id = newId("node");
    const store = await openPostgres({ url: found.url, node_id, as_cell: name });
    try {
      await store.ledger.leave(node_id);
    } finally {
      await store.close();
    }
    await (await this.#directory.beside).run("DELETE FROM drained_cells WHERE name = $1", [name]);
    return { name, database: describe(found.url), was_there };
  }

  /** Moves an account to a cell, or to one that is drawn as for a new account. */
  async move(id_or_email: string, to: string | null, options: MoveOptions): Promise<MovedAccount> {
    const [found] = await (await this.#directory.beside).run<{ id: string; cell: string | null }>(
      "SELECT id, cell FROM accounts WHERE id = $1 OR email_key = lower($1)",
      [id_or_email],
    );
    if (found === undefined) throw new MoveRefused(`There is no account ${id_or_email}.`);
    const home = found.cell ?? DIRECTORY;
    return await this.#alone(async () => {
      const target = to ?? ((await this.#isMoving(home, found.id)) ? home : await this.#drawn(found.id, home));
      const moved = await moveAccount(this.#means(options), found.id, this.#cell(target));
      await this.#follow([moved]);
      return moved;
    });
  }

  /** From now on a cell gets no new accounts; moves all that it has to the others, one after the other. May be stopped and begun again at any time. */
  async drain(name: string, options: MoveOptions): Promise<DrainedCell> {
    const cell = this.#cell(name);
    return await this.#alone(async () => {
      await (await this.#directory.beside).run(
        "INSERT INTO drained_cells (name, drained_ms) VALUES ($1, $2::text::bigint) ON CONFLICT (name) DO NOTHING",
        [name, String(systemClock.now_ms())],
      );
      const moved: MovedAccount[] = [];
      const left: { account_id: string; why: string }[] = [];
      for (let after = ""; ; ) {
        const page = await accountsAfter(cell, after);
        for (const account_id of page) {
          try {
            const to = this.#cell(await this.#drawn(account_id, name));
            const done = await moveAccount(this.#means(options), account_id, to);
            moved.push(done);
            options.onMoved?.(done);
          } catch (thrown) {
            if (!(thrown instanceof MoveRefused)) throw thrown;
            left.push({ account_id, why: thrown.message });
          }
        }
        const last = page.at(-1);
        if (last === undefined) break;
        after = last;
      }
      await this.#follow(moved);
      for (const account_id of await lateAccounts(cell)) await this.#bring(cell, account_id);
      return { name, moved, left };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lock?.close();
    await Promise.all([this.#directory, ...this.#cells].map((cell) => cell.close()));
  }

  #cell(name: string): CellConnection {
    return cellNamed({ directory: this.#directory, cells: this.#cells }, name);
  }

  /** Whether a move was interrupted: without another word it ends where the directory says that the account is. */
  async #isMoving(home: string, account_id: string): Promise<boolean> {
    const found = await (await this.#cell(home).beside).run(
      "SELECT 1 AS one FROM accounts WHERE id = $1 AND status = 'moving'",
      [account_id],
    );
    return found.length > 0;
  }

  #means({ wait_ms, onStep }: MoveOptions): MoveMeans {
    return { directory: this.#directory, cells: this.#cells, wait_ms, ...(onStep && { onStep }) };
  }

  async #drained(): Promise<ReadonlySet<string>> {
    const found = await (await this.#directory.beside).run<{ name: string }>("SELECT name FROM drained_cells");
    return new Set(found.map(({ name }) => name));
  }

  /** The cell that an account goes to from another one: as a new account would come to it. */
  async #drawn(account_id: string, from: string): Promise<string> {
    const drained = await this.#drained();
    const all = [{ name: DIRECTORY, weight: this.#settings.directory_weight }, ...this.#settings.cells];
    const open = all.filter(({ name, weight }) => name !== from && weight > 0 && !drained.has(name));
    const drawn = drawCell(open, account_id);
    if (drawn !== null) return drawn.name;
    throw new MoveRefused(
      "No other cell takes accounts: each has weight 0 or is drained. Name one with --to, or add one.",
    );
  }

  /** One process at a time moves accounts. */
  async #alone<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#lock ??= await HeldConnection.open(this.#url);
    const until_ms = systemClock.monotonic_ms() + LOCK_MS;
    while (!(await isTaken(this.#lock))) {
      if (systemClock.monotonic_ms() >= until_ms) throw new MoveRefused(MOVED_BY_ANOTHER);
      await Bun.sleep(LOCK_MS / 20);
    }
    try {
      return await run();
    } finally {
      await this.#lock.run("SELECT pg_advisory_unlock_all()").catch(() => {});
    }
  }

  /** Waits until every gateway knows where the accounts are, and brings what was written to the old place meanwhile. */
  async #follow(moved: readonly MovedAccount[]): Promise<void> {
    const gone = moved.filter(({ from, to }) => from !== to);
    if (gone.length === 0) return;
    await Bun.sleep(this.#late_ms);
    for (const { account_id, from } of gone) await this.#bring(this.#cell(from), account_id);
  }

  async #bring(from: CellConnection, account_id: string): Promise<void> {
    const [row] = await (await this.#directory.beside).run<{ cell: string | null }>(
      "SELECT cell FROM accounts WHERE id = $1",
      [account_id],
    );
    const to = row && this.#cell(row.cell ?? DIRECTORY);
    if (to !== undefined && to !== from) await bringLate(from, to, account_id);
  }
}

async function isTaken(lock: HeldConnection): Promise<boolean> {
  const [taken] = await lock.run<{ is_taken: boolean }>(
    "SELECT pg_try_advisory_lock(hashtext('camino cell'), hashtext(current_schema())) AS is_taken",
  );
  return taken?.is_taken === true;
}

async function countsOf(cell: CellConnection): Promise<Pick<ListedCell, "accounts" | "moving" | "requests_today">> {
  const connection = await cell.beside;
  const now_ms = systemClock.now_ms();
  const [counts] = await connection.run<{ accounts: number; requests: number }>(
    `SELECT (SELECT count(*)::int FROM accounts WHERE cell IS NULL) AS accounts,
      (SELECT count(*)::int FROM requests WHERE id >= $1) AS requests`,
    [requestIdsFrom(now_ms - (now_ms % MS_PER_DAY))],
  );
  const moving = await connection.run<{ id: string }>(
    "SELECT id FROM accounts WHERE status = 'moving' ORDER BY id LIMIT 100",
  );
  return {
    accounts: counts?.accounts ?? 0,
    requests_today: counts?.requests ?? 0,
    moving: moving.map(({ id }) => id),
  };
}

/** Whether a database is a cell. Throws where it has accounts and is none. */
async function isCell(cell: CellConnection): Promise<boolean> {
  const connection = await cell.beside;
  const [tables] = await connection.run<{ has: boolean }>("SELECT to_regclass('marks') IS NOT NULL AS has");
  if (tables?.has !== true) return false;
  const [found] = await connection.run<{ is_cell: boolean; has_accounts: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM marks WHERE name = 'cell') AS is_cell, EXISTS (SELECT 1 FROM accounts) AS has_accounts`,
  );
  if (found?.is_cell !== true && found?.has_accounts === true)
    throw new MoveRefused(
      `The database of ${cell.name} has accounts of a gateway without cells. Name a database that is empty.`,
    );
  return found?.is_cell === true;
}

async function accountsAfter(cell: CellConnection, after: string): Promise<string[]> {
  const found = await (await cell.beside).run<{ id: string }>(
    `SELECT id FROM accounts WHERE cell IS NULL AND id > $1 ORDER BY id LIMIT ${PAGE}`,
    [after],
  );
  return found.map(({ id }) => id);
}
