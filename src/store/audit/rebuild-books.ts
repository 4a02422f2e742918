import type { RebuildAsked, RebuildPart, RebuiltCount } from "../../core/ledger/books-audit.ts";
import type { AuditSlices } from "./audit-slices.ts";
import type { RebuildMethods } from "./rebuild-calls.ts";

const ACCOUNTS_AT_ONCE = 50;

/**
 * Rebuilds for a while and says where to go on. A day is compared beside the books first, and only what differs is written, so
 * that calls wait for a wrong day and for no other.
 */
export async function rebuildBooks(
  methods: RebuildMethods,
  slices: Pick<AuditSlices, "auditDay">,
  { account_id, after, for_ms }: RebuildAsked,
): Promise<RebuildPart> {
  const stop_ms = performance.now() + for_ms;
  const changed: RebuiltCount[] = [];
  // Reports read the days themselves until the sums are made again, so nothing waits for them.
  if (after === null) await methods.forgetUsageSums();
  let place = readPlace(after);
  let accounts = 0;
  // A part that is late before its first day compares that day all the same: otherwise no part would ever get further.
  let has_begun = false;
  for (;;) {
    const page = account_id === null ? await accountsFrom(methods, place) : [account_id];
    for (const id of page) {
      const from_day = id === place.account_id ? place.day : 0;
      for (const day of await methods.daysOf(id)) {
        if (day < from_day) continue;
        if (has_begun && performance.now() > stop_ms) return { accounts, changed, next: `${id} ${day}` };
        has_begun = true;
        const { findings } = await slices.auditDay({ account_id: id, day });
        if (findings.length > 0) changed.push(...(await methods.rebuildDay({ account_id: id, day })));
      }
      changed.push(...(await methods.rebuildKeys(id)));
      accounts += 1;
      place = { account_id: id, day: Number.MAX_SAFE_INTEGER };
    }
    if (account_id !== null || page.length < ACCOUNTS_AT_ONCE) return { accounts, changed, next: null };
  }
}

interface RebuildPlace {
  readonly account_id: string;
  readonly day: number;
}

/** Where an earlier part ended: the account and its next day. */
function readPlace(after: string | null): RebuildPlace {
  const [account_id = "", day = "0"] = (after ?? "").split(" ");
  return { account_id, day: Number(day) || 0 };
}

/** The account that an earlier part did not finish, then those after it. */
async function accountsFrom(methods: RebuildMethods, { account_id, day }: RebuildPlace): Promise<readonly string[]> {
  const is_open = account_id !== "" && day !== Number.MAX_SAFE_INTEGER;
  const others = await methods.accountsAfter(account_id, ACCOUNTS_AT_ONCE - (is_open ? 1 : 0));
  return is_open ? [account_id, ...others] : others;
}
