import type { CreditReceipt } from "../core/ledger/entries.ts";
import type { UserStore } from "../core/people/users.ts";
import type { AccountRecord } from "../core/store/ports.ts";
import { FIRST_ADMINISTRATOR } from "../people/links/first-administrator.ts";

/** The receipt of a credit goes to each owner of the account whose address takes mail. */
export async function receiptFor(
  users: Pick<UserStore, "listMembers">,
  { id, name, email }: Pick<AccountRecord, "id" | "name" | "email">,
  currency: string,
): Promise<CreditReceipt> {
  const owners = (await users.listMembers(id)).filter(
    (each) => each.role === "owner" && each.status === "active" && each.email !== FIRST_ADMINISTRATOR.email,
  );
  return { account_name: name || email, currency, owners: owners.map(({ user_id }) => user_id) };
}
