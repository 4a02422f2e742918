import type { AuditNote } from "../../core/people/audit.ts";
import type { UserStore } from "../../core/people/users.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { accountOfCredit } from "../../people/links/invited-credit.ts";
import type { Cells } from "./cells.ts";

/**
 * Users, their ways to sign in and the audit log belong to the directory. What a change of a user means for an account of another cell is done there in
 * a transaction of its own: none crosses cells (docs/adr/0085).
 */
export function usersInCells(cells: Cells): UserStore {
  const { users } = cells.directory.store;
  const afterwards = async <Result>(result: Promise<Result>, note: AuditNote): Promise<Result> => {
    const done = await result;
    await bookOwedElsewhere(cells, note);
    return done;
  };
  return {
    ...users,
    spendLink: (use, note) => afterwards(users.spendLink(use, note), note),
    joinByLink: (token_hash, user_id, note) => afterwards(users.joinByLink(token_hash, user_id, note), note),
    signInByIdentity: (sign_in, note) => afterwards(users.signInByIdentity(sign_in, note), note),
    async createLink(link, note) {
      await mirrorProject(cells, link.account_id, link.project_id);
      return await users.createLink(link, note);
    },
    async setMembership(user_id, wanted, note) {
      await mirrorProject(cells, wanted.account_id, wanted.project_id);
      return await users.setMembership(user_id, wanted, note);
    },
    async removeMembership(user_id, account_id, note) {
      // The key before the membership: nobody who has left an account has a key of it.
      await endPlaygroundKey(cells, account_id, user_id);
      return await users.removeMembership(user_id, account_id, note);
    },
  };
}

/** Gives the directory a row of a project of another cell, by which members and invitations are shown with it. */
async function mirrorProject(cells: Cells, account_id: string | null, project_id: string | null | undefined) {
  if (account_id === null || project_id === null || project_id === undefined) return;
  const cell = await cells.homeOf(account_id);
  if (cell === cells.directory) return;
  const project = await cell.store.accounts.findProject(project_id, account_id);
  if (project !== null) await cells.directory.store.users.mirrorProject({ ...project, is_deleted: false });
}

async function endPlaygroundKey(cells: Cells, account_id: string, user_id: string): Promise<void> {
  const cell = await cells.homeOf(account_id);
  if (cell === cells.directory) return;
  const { accounts } = cell.store;
  const key = (await accounts.listKeys(account_id)).find(({ playground_of }) => playground_of === user_id);
  if (key !== undefined) await accounts.deleteKey(key.id);
}

/**
 * Books the credit of accepted invitations whose accounts live in other cells. Each is booked once, by its booking id, and noted in the
 * directory afterwards; what a cell that is away would get waits for the next time.
 */
export async function bookOwedElsewhere(cells: Cells, note: AuditNote): Promise<void> {
  const { users, accounts } = cells.directory.store;
  for (const owing of await users.listOwingElsewhere()) {
    const account = await accounts.findAccount(accountOfCredit(owing));
    if (account?.cell === undefined) continue;
    try {
      await cells.named(account.cell).store.users.bookOwing(owing, account.id, note);
      await users.noteCreditBooked(owing.id);
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable)) throw thrown;
    }
  }
}
