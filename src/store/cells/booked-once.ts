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
  return await ask(await cells.homeOf(account_id), entry);
}
