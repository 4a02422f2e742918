import { systemClock } from "../../../core/clock.ts";
import { DIRECTORY, type MovedAccount } from "../../../core/store/cells.ts";
import { quoted } from "../../postgres/held-connection.ts";
import { sqlState } from "../../postgres/store-trouble.ts";
import { LEAVING } from "../../schema/0001-entries.ts";
import type { CellConnection } from "./cell-connection.ts";
import { bytesOf, copyAccount, keepBytes, raiseKeptSince, readArrived } from "./copy-account.ts";
import { dropLate } from "./late-rows.ts";
import { deleteRows, type TableDigest } from "./row-texts.ts";
import { ACCOUNT_TABLES } from "./tables.ts";

/** The steps of a move. `onStep` is called after each. */
export type MoveStep = "frozen" | "copied" | "compared" | "deleted" | "arrived" | "named" | "left" | "opened";

export interface MoveMeans {
  readonly directory: CellConnection;
  readonly cells: readonly CellConnection[];
  /** How long running calls are waited for. */
  readonly wait_ms: number;
  readonly onStep?: (step: MoveStep) => void | Promise<void>;
}

/** Thrown where a move did not take place: the account is where it was, and takes calls. */
export class MoveRefused extends Error {}

/** The row that is locked while an account leaves. */
const BEGUN = `INSERT INTO traffic_state (one, revision, counted_seq, counted_ms, is_behind) VALUES (1, 0, 0, NULL, 1) ON CONFLICT (one) DO NOTHING`;
const TRIES = 5;
const LOOK_AGAIN_MS = 20;
/** The row changed since it was read, a lock was not given, or two transactions waited for each other. */
const TRY_AGAIN = new Set(["40001", "40P01", "55P03"]);

/**
 * Moves an account's books to another cell (docs/adr/0085; docs/rulings.md 243, 244). The directory's row decides where the account is at every moment: what an interrupted move has left in
 * another cell is deleted by the next one, before it begins. Rejects with a sentence for the operator.
 */
export async function moveAccount(means: MoveMeans, account_id: string, to: CellConnection): Promise<MovedAccount> {
  const from = await mendAccount(means, account_id);
  if (from === null) throw new MoveRefused(`There is no account ${account_id}.`);
  if (from.name === to.name) return { account_id, from: from.name, to: to.name, rows: 0, stopped_ms: 0 };
  const begun_ms = systemClock.monotonic_ms();
  try {
    const rows = await new AccountMove(means, account_id, from, to).run();
    return { account_id, from: from.name, to: to.name, rows, stopped_ms: systemClock.monotonic_ms() - begun_ms };
  } catch (thrown) {
    // Whatever has taken place: the directory says it, and the rest is undone or done.
    const home = await mendAccount(means, account_id).catch(() => undefined);
    if (home === undefined) throw interrupted(account_id, thrown);
    if (home?.name !== to.name) throw thrown;
    return { account_id, from: from.name, to: to.name, rows: 0, stopped_ms: systemClock.monotonic_ms() - begun_ms };
  }
}

function interrupted(account_id: string, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Error(
    `The move of ${account_id} was interrupted: ${why}. Until it is begun again the account takes no calls: run the command once more when the databases are there.`,
    { cause },
  );
}

/**
 * Brings an account whose move was interrupted to where the directory says that it is, alone, and opens it. Returns its cell; null where there is no such account.
 */
export async function mendAccount(means: MoveMeans, account_id: string): Promise<CellConnection | null> {
  const [row] = await (await means.directory.beside).run<{ cell: string | null }>(
    "SELECT cell FROM accounts WHERE id = $1",
    [account_id],
  );
  if (row === undefined) return null;
  const home = cellNamed(means, row.cell ?? DIRECTORY);
  for (const cell of means.cells) {
    if (cell !== home && cell !== means.directory && (await hasAccount(cell, account_id)))
      await purge(cell, account_id);
  }
  await open(home, account_id);
  return home;
}

export function cellNamed({ directory, cells }: Pick<MoveMeans, "directory" | "cells">, name: string): CellConnection {
  const found = [directory, ...cells].find((cell) => cell.name === name);
  if (found === undefined) throw new MoveRefused(`There is no cell ${name}.`);
  return found;
}

async function hasAccount(cell: CellConnection, account_id: string): Promise<boolean> {
  return (await (await cell.beside).run("SELECT 1 AS one FROM accounts WHERE id = $1", [account_id])).length > 0;
}

/** Deletes what an interrupted move has left in a cell that is not the account's. */
async function purge(cell: CellConnection, account_id: string): Promise<void> {
  const connection = await cell.beside;
  await connection.transact(async () => {
    const bytes = await bytesOf(connection, account_id);
    await connection.run(`SET LOCAL ${LEAVING} = ${quoted(account_id)}`);
    await connection.run("UPDATE traffic_state SET revision = revision + 1 WHERE one = 1");
    for (const table of inOrderOfDeletion()) await connection.run(deleteRows(table, account_id));
    await connection.run("DELETE FROM accounts WHERE id = $1", [account_id]);
    await keepBytes(connection, bytes, -1);
  });
}

/** Rows that are found among those of another table go before them; a row goes before those that it refers to. */
function inOrderOfDeletion() {
  const backwards = ACCOUNT_TABLES.toReversed();
  return [
    ...backwards.filter(({ among }) => among !== undefined),
    ...backwards.filter(({ among }) => among === undefined),
  ];
}

async function open(cell: CellConnection, account_id: string): Promise<void> {
  await (await cell.beside).run("UPDATE accounts SET status = 'active' WHERE id = $1 AND status = 'moving'", [
    account_id,
  ]);
}

class AccountMove {
  readonly #means: MoveMeans;
  readonly #account_id: string;
  readonly #from: CellConnection;
  readonly #to: CellConnection;

  constructor(means: MoveMeans, account_id: string, from: CellConnection, to: CellConnection) {
    this.#means = means;
    this.#account_id = account_id;
    this.#from = from;
    this.#to = to;
  }

  /** Returns how many rows have moved. */
  async run(): Promise<number> {
    const columns = await this.#columns();
    // Opened before the account stops.
    await Promise.all([this.#from.leaving, this.#to.coming]);
    for (let tried = 1; ; tried += 1) {
      await this.#freeze();
      try {
        return await this.#carry(columns);
      } catch (thrown) {
        const again = TRY_AGAIN.has(sqlState(thrown)) || thrown instanceof StillRunning;
        if (!again || tried === TRIES) throw thrown;
      } finally {
        await (await this.#from.leaving).rollBack();
        await (await this.#to.coming).rollBack();
      }
    }
  }

  /** The columns of both cells, which must be the same, in the order of the new one. */
  async #columns(): Promise<ReadonlyMap<string, readonly string[]>> {
    const [here, there] = [await this.#from.columns(), await this.#to.columns()];
    for (const { name } of [{ name: "accounts" }, ...ACCOUNT_TABLES])
      if (here.get(name)?.toSorted().join() !== there.get(name)?.toSorted().join())
        throw new MoveRefused(
          `The tables ${name} differ: bring ${this.#from.name} and ${this.#to.name} to one version first.`,
        );
    return there;
  }

  /** From now on no call is admitted: keys that were read before have another version. Then waits for the calls that run. */
  async #freeze(): Promise<void> {
    const connection = await this.#from.beside;
    await connection.transact(async () => {
      await connection.run("UPDATE accounts SET status = 'moving' WHERE id = $1 AND status = 'active'", [
        this.#account_id,
      ]);
      await connection.run("UPDATE keys SET version = version + 1 WHERE account_id = $1", [this.#account_id]);
    });
    await this.#tell("frozen");
    const until_ms = systemClock.monotonic_ms() + this.#means.wait_ms;
    for (;;) {
      const running = await heldCount(connection, this.#account_id);
      if (running === 0) return;
      if (systemClock.monotonic_ms() >= until_ms)
        throw new MoveRefused(
          `${running === 1 ? "A call" : `${running} calls`} of ${this.#account_id} still run. Nothing has changed: try again, or wait longer for them (--wait).`,
        );
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }

  async #carry(columns: ReadonlyMap<string, readonly string[]>): Promise<number> {
    const [leaving, coming] = [await this.#from.leaving, await this.#to.coming];
    await leaving.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    // Traffic is counted before this transaction or after it: what is being counted now is given up, and read anew without the account.
    await (await this.#from.beside).run(BEGUN);
    const [state] = await leaving.run<{ counted_seq: string }>(
      "UPDATE traffic_state SET revision = revision + 1 WHERE one = 1 RETURNING counted_seq::text AS counted_seq",
    );
    // So are the events of usage.
    await leaving.run("SELECT target_id FROM usage_targets ORDER BY target_id FOR UPDATE");
    if ((await heldCount(leaving, this.#account_id)) > 0) throw new StillRunning("a call was admitted");
    const account = await this.#requireFrozen();
    await raiseKeptSince(this.#from, this.#to);
    await coming.run("BEGIN ISOLATION LEVEL READ COMMITTED");
    const dropped = await dropLate(coming, this.#account_id);
    const to_directory = this.#to === this.#means.directory;
    if (to_directory)
      await coming.run("UPDATE projects SET name = name || ' ' || id WHERE account_id = $1", [this.#account_id]);
    else await this.#addAccount(account);
    const tables = await copyAccount({
      ...{ account_id: this.#account_id, from: this.#from, to: this.#to, columns },
      counted_seq: state?.counted_seq ?? "0",
    });
    await this.#tell("copied");
    await this.#compare(tables, columns, account);
    await this.#tell("compared");
    const rows = await this.#delete(tables);
    await this.#tell("deleted");
    await keepBytes(coming, dropped, -1);
    await keepBytes(coming, tables, 1);
    // As late as possible: commits with calls of this account, and of others in the same batch, wait for its row.
    if (to_directory) await this.#takeHome(account, columns.get("accounts") ?? []);
    await this.#decide();
    await open(this.#to, this.#account_id);
    await keepBytes(await this.#from.beside, tables, -1);
    await this.#tell("opened");
    return rows;
  }

  /** The account's row as it is in the snapshot. */
  async #requireFrozen(): Promise<string> {
    const [row] = await (await this.#from.leaving).run<{ row: string; status: string }>(
      "SELECT to_jsonb(a)::text AS row, status FROM accounts AS a WHERE id = $1",
      [this.#account_id],
    );
    if (row === undefined || row.status === "active") throw new StillRunning("the account was opened meanwhile");
    return row.row;
  }

  async #addAccount(account: string): Promise<void> {
    await (await this.#to.coming).run(
      "INSERT INTO accounts SELECT r.* FROM jsonb_populate_record(NULL::accounts, $1::text::jsonb || '{\"cell\": null}') AS r",
      [account],
    );
  }

  /** The directory's row of the account, which said that it lives elsewhere, becomes the account itself. */
  async #takeHome(account: string, columns: readonly string[]): Promise<void> {
    const set = columns.filter((name) => name !== "id" && name !== "cell").map((name) => `${name} = r.${name}`);
    const moved = await (await this.#to.coming).run(
      `UPDATE accounts AS a SET cell = NULL, ${set.join(", ")} FROM jsonb_populate_record(NULL::accounts, $1::text::jsonb) AS r
        WHERE a.id = r.id AND a.cell = $2 RETURNING a.id`,
      [account, this.#from.name],
    );
    if (moved.length === 0)
      throw new MoveRefused(`The directory does not say that ${this.#account_id} is in ${this.#from.name}.`);
  }

  /** Every row by its digest, and the sum of the entries. */
  async #compare(
    here: readonly TableDigest[],
    columns: ReadonlyMap<string, readonly string[]>,
    account: string,
  ): Promise<void> {
    const coming = await this.#to.coming;
    const textOf = ({ name, rows, bytes, digest }: TableDigest): string => [name, rows, bytes, digest].join(" ");
    const arrived = await readArrived(coming, { account_id: this.#account_id, columns });
    const there = new Map(arrived.map((each) => [each.name, textOf(each)]));
    const apart = here.filter((each) => there.get(each.name) !== textOf(each));
    const more = [...there.keys()].filter((name) => here.every((each) => each.name !== name));
    apart.push(...more.map((name) => ({ name, rows: "0", bytes: "0", digest: "" })));
    if (apart.length > 0)
      throw new MoveRefused(
        `What came to ${this.#to.name} is not what ${this.#from.name} has, in ${apart.map(({ name }) => name).join(", ")}. Nothing has changed.`,
      );
    const [sums] = await coming.run<{ is_right: boolean }>(
      `SELECT a.posted_micro = coalesce((SELECT sum(e.amount_micro) FROM entries AS e WHERE e.account_id = a.id), 0)
          AND a.balance_micro = a.posted_micro AND a.held_micro = 0 AS is_right
        FROM jsonb_populate_record(NULL::accounts, $1::text::jsonb) AS a`,
      [account],
    );
    if (sums?.is_right !== true)
      throw new MoveRefused(
        `The entries of ${this.#account_id} do not make its balance: see camino audit --account. Nothing has changed.`,
      );
  }

  /** Deletes exactly what was read: a row that has changed since then ends the transaction. */
  async #delete(read: readonly TableDigest[]): Promise<number> {
    const leaving = await this.#from.leaving;
    await leaving.run(`SET LOCAL ${LEAVING} = ${quoted(this.#account_id)}`);
    const counted = new Map(read.map(({ name, rows }) => [name, rows]));
    for (const table of inOrderOfDeletion()) {
      if (!counted.has(table.name) || (table.is_mirrored && this.#from === this.#means.directory)) continue;
      const [gone] = await leaving.run<{ rows: string }>(deleteRows(table, this.#account_id));
      if (gone?.rows !== counted.get(table.name)) throw new MoveRefused(`${table.name} has changed since it was read.`);
    }
    // Last: commits with calls of this account, and of others in the same batch, wait for its row.
    if (this.#from === this.#means.directory) await this.#nameFromHome();
    else await leaving.run("DELETE FROM accounts WHERE id = $1", [this.#account_id]);
    return read.reduce((sum, { rows }) => sum + Number(rows), 1);
  }

  /** The directory's row of an account that leaves the directory, and its projects, by which members are shown with them. */
  async #nameFromHome(): Promise<void> {
    const leaving = await this.#from.leaving;
    const mirrored = ["id", "account_id", "name", "created_ms", "deleted_ms"];
    const [found] = await leaving.run<{ set: string }>(
      `SELECT string_agg(attname || ' = DEFAULT', ', ') AS set FROM pg_attribute WHERE attrelid = 'projects'::regclass AND attnum > 0
        AND NOT attisdropped AND attname NOT IN (${mirrored.map(quoted).join(", ")})`,
    );
    await leaving.run(`UPDATE projects SET ${found?.set} WHERE account_id = ${quoted(this.#account_id)}`);
    await leaving.run(
      `UPDATE accounts SET cell = $2, status = 'active', balance_micro = 0, held_micro = 0, posted_micro = 0, entry_count = 0, has_limits = 0,
        top_up_below_micro = NULL, time_zone = NULL WHERE id = $1`,
      [this.#account_id, this.#to.name],
    );
  }

  /** What came is there, then the directory says so, then what left is gone. */
  async #decide(): Promise<void> {
    const { directory } = this.#means;
    await (await this.#to.coming).run("COMMIT");
    await this.#tell("arrived");
    if (this.#to !== directory && this.#from !== directory) {
      const named = await (await directory.beside).run(
        "UPDATE accounts SET cell = $3 WHERE id = $1 AND cell = $2 RETURNING id",
        [this.#account_id, this.#from.name, this.#to.name],
      );
      if (named.length === 0)
        throw new MoveRefused(`The directory does not say that ${this.#account_id} is in ${this.#from.name}.`);
      await this.#tell("named");
    }
    await (await this.#from.leaving).run("COMMIT");
    await this.#tell("left");
  }

  async #tell(step: MoveStep): Promise<void> {
    await this.#means.onStep?.(step);
  }
}

/** A call was admitted, or a person opened the account, between two looks. */
class StillRunning extends MoveRefused {}

async function heldCount(
  connection: Pick<Awaited<CellConnection["beside"]>, "run">,
  account_id: string,
): Promise<number> {
  const [found] = await connection.run<{ held: number }>(
    "SELECT count(*)::int AS held FROM requests WHERE account_id = $1 AND status = 'held'",
    [account_id],
  );
  return found?.held ?? 0;
}
