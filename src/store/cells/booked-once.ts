import { creditReceipts } from "../../alerts/credit-receipts.ts";
import type { EntryRecord, NewEntry } from "../../core/ledger/entries.ts";
import { idInUse } from "../accounts/entries.ts";
import type { Asking } from "./asking.ts";

/**
 * An id of a caller's books one entry over all cells. The account's cell sees to repeats by itself; an id that was used for another account is looked
 * for in every cell that is there. Two that come at one moment with one id, for accounts of two cells, are both booked, as each asks for.
 */
export async function addEntry({ cells, ask }: Asking<"addEntry">, entry: NewEntry): Promise<EntryRecord> {
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
