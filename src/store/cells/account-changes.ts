import { creditReceipts } from "../../alerts/credit-receipts.ts";
import type { EntryRecord, NewEntry } from "../../core/ledger/entries.ts";
import type { ProjectChange, ProjectRecord } from "../../core/people/projects.ts";
import { DIRECTORY } from "../../core/store/cells.ts";
import { type AccountRecord, type AccountStore, StoreConflict } from "../../core/store/ports.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { idInUse } from "../accounts/entries.ts";
import type { Cell, Cells } from "./cells.ts";
import { ofProject } from "./found-in-cells.ts";
import type { Asking } from "./routes.ts";

/**
 * Changes of accounts that the directory takes part in. It has a row of each account, with the e-mail, which is unique over all cells, and the cell's name;
 * rows of projects, by which members are shown with them; and all mails.
 */

/**
 * The directory's row comes first. A process that dies between the two leaves an account that is whole for whoever looks for it next, since the look
 * makes the cell's row (docs/rulings.md 240).
 */
export async function createAccount(
  { cells, ask }: Asking<AccountStore["createAccount"]>,
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
  { cells, ask }: Asking<AccountStore["findAccount"]>,
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

/** Makes the cell's row of an account whose creation was interrupted. Where two processes do so at once, one of them makes it. */
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
  { cells, ask }: Asking<AccountStore["renameAccount"]>,
  account_id: string,
  names: { name?: string; email?: string },
): Promise<AccountRecord | null> {
  const cell = await cells.homeOf(account_id);
  if (cell === cells.directory) return await ask(cell, account_id, names);
  const { store: _is_there } = cell;
  if ((await cells.directory.store.accounts.renameAccount(account_id, names)) === null) return null;
  return await ask(cell, account_id, names);
}

/**
 * An id of a caller's books one entry over all cells. The account's cell sees to repeats by itself; an id that was used for another account is looked
 * for in every cell that is there. Two that come at one moment with one id, for accounts of two cells, are both booked, as each asks for.
 */
export async function addEntry(
  { cells, ask }: Asking<AccountStore["addEntry"]>,
  entry: NewEntry,
): Promise<EntryRecord> {
  const { booking_id, account_id } = entry;
  if (booking_id !== undefined && booking_id !== null) {
    const booked = await cells.present((cell) => cell.store.accounts.bookedFor(booking_id));
    if (booked.some(({ result }) => result !== null && result !== account_id)) throw idInUse(booking_id);
  }
  const home = await cells.homeOf(account_id);
  if (home === cells.directory || entry.receipt === undefined) return await ask(home, entry);
  // Mails are the directory's: what they tell of is in another database, and comes first.
  const { receipt, ...alone } = entry;
  const made = await ask(home, alone);
  for (const each of creditReceipts(made, receipt)) await cells.directory.store.deliveries.addDelivery(each);
  return made;
}

/** Renames the directory's row of the project too. A change that it missed while it was away is made when the project is named there the next time. */
export async function updateProject(
  { cells, ask }: Asking<AccountStore["updateProject"]>,
  project_id: string,
  change: ProjectChange,
): Promise<ProjectRecord | null> {
  const cell = await ofProject(cells, project_id);
  const project = await ask(cell, project_id, change);
  if (project !== null && change.name !== undefined) await mirror(cells, cell, project, false);
  return project;
}

export async function deleteProject(
  { cells, ask }: Asking<AccountStore["deleteProject"]>,
  project_id: string,
): Promise<boolean> {
  const found = await cells.first((cell) => cell.store.accounts.findProject(project_id));
  const cell = found?.cell ?? cells.directory;
  const is_gone = await ask(cell, project_id);
  if (is_gone && found !== null) await mirror(cells, cell, found.found, true);
  return is_gone;
}

async function mirror(cells: Cells, cell: Cell, project: ProjectRecord, is_deleted: boolean): Promise<void> {
  if (cell === cells.directory) return;
  const { id, account_id, name, created_ms } = project;
  try {
    await cells.directory.store.users.mirrorProject({ id, account_id, name, created_ms, is_deleted });
  } catch (thrown) {
    if (!(thrown instanceof StoreUnavailable)) throw thrown;
  }
}
