import { DIRECTORY } from "../../core/store/cells.ts";
import { type AccountRecord, StoreConflict } from "../../core/store/ports.ts";
import type { Asking } from "./asking.ts";
import type { Cell } from "./cells.ts";

/**
 * Accounts that are made in a cell. The directory's row comes first: it holds the e-mail, which is unique over all cells, and the cell's name. A process
 * that dies between the two leaves an account that is whole for whoever looks for it next, since the look makes the cell's row (docs/rulings.md 240).
 */

export async function createAccount(
  { cells, ask }: Asking<"createAccount">,
  account: { readonly id: string; readonly email: string; readonly name: string },
): Promise<AccountRecord> {
  const { id, email, name } = account;
  const cell = await cells.cellForNew(id);
  if (cell.name === DIRECTORY) {
    const made = await ask(cell, { id, email, name });
    cells.noteAccount(id, made);
    return made;
  }
  // A cell that is away refuses before anything is written.
  const { store: _is_there } = cell;
  const row = await cells.directory.store.accounts.createAccount({ id, email, name, cell: cell.name });
  cells.noteAccount(id, row);
  return await ask(cell, { id, email, name, created_ms: row.created_ms });
}

export async function findAccount(
  { cells, ask }: Asking<"findAccount">,
  id_or_email: string,
): Promise<AccountRecord | null> {
  const row = await ask(cells.directory, id_or_email);
  if (row?.cell === undefined) return row;
  const cell = cells.noteAccount(row.id, row);
  const found = await ask(cell, row.id);
  if (found !== null) return found;
  // It may have moved since the directory's row was read: only what the directory still sends there is made there.
  const now = await ask(cells.directory, row.id);
  if (now === null || now.cell === row.cell) return await complete(row, cell);
  const home = cells.noteAccount(row.id, now);
  return home === cells.directory ? now : await ask(home, row.id);
}

/** Makes the cell's row of an account whose making ended half-way. Of two at once one makes it. */
async function complete(
  { id, email, name, created_ms }: AccountRecord,
  { store }: Cell,
): Promise<AccountRecord | null> {
  try {
    return await store.accounts.createAccount({ id, email, name, created_ms });
  } catch (thrown) {
    if (thrown instanceof StoreConflict) return await store.accounts.findAccount(id);
    throw thrown;
  }
}

/** The directory's row first, which knows all e-mails. Repeated where the cell could not be asked. */
export async function renameAccount(
  { cells, ask }: Asking<"renameAccount">,
  account_id: string,
  names: { name?: string; email?: string },
): Promise<AccountRecord | null> {
  const cell = await cells.homeOf(account_id);
  if (cell === cells.directory) return await ask(cell, account_id, names);
  const { store: _is_there } = cell;
  if ((await cells.directory.store.accounts.renameAccount(account_id, names)) === null) return null;
  return await ask(cell, account_id, names);
}
