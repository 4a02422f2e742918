import type { Entry } from "../../contract/credits.ts";
import type { Receipt } from "../../contract/requests.ts";
import { eventually, pages, type Wallet } from "../suites/failures/support/scene.ts";
import type { Gateway, TestKey } from "../support/gateway.ts";
import type { AccountBook, BookEntry } from "./history.ts";

/** An account that a round uses, with its one key. */
export interface RoundKey extends TestKey {
  readonly credited_micro: number;
  /** For a month; null without a budget. */
  readonly budget_micro: number | null;
}

const MICRO = 1_000_000;

/** The round's accounts: a rich one, one whose key has a budget, a poor one, and one whose key has narrow limits. */
export async function makeRoundKeys(gateway: Gateway): Promise<RoundKey[]> {
  const make = async (credit: number, budget: number | null, fields: object = {}): Promise<RoundKey> => {
    const limits = budget === null ? fields : { ...fields, budget: { amount: String(budget), window: "month" } };
    const key = await whenServed(() => gateway.newKey({ credit: String(credit), ...limits }));
    return { ...key, credited_micro: credit * MICRO, budget_micro: budget === null ? null : budget * MICRO };
  };
  return [
    await make(1000, null),
    await make(10, 0.05),
    await make(0.05, null),
    await make(10, null, { concurrent: 3, rpm: 600 }),
  ];
}

/** A server whose clock is moved by a library dies of that library at times. Its recovery takes seconds, and gateways say 503 meanwhile. */
const RECOVERY_PATIENCE_MS = 30_000;

/** Makes what a round needs, again where the database is away for a moment. What a lost answer left behind stays unused. */
async function whenServed<Made>(make: () => Promise<Made>): Promise<Made> {
  const end_ms = performance.now() + RECOVERY_PATIENCE_MS;
  for (;;) {
    try {
      return await make();
    } catch (thrown) {
      const is_away = thrown instanceof Error && / 503 /.test(thrown.message);
      if (!is_away || performance.now() > end_ms) throw thrown;
      await Bun.sleep(250);
    }
  }
}

/** Longer than the promise that a dead process's holds end within 30 s. */
const HELD_PATIENCE_MS = 60_000;

/** Waits until nothing of the accounts is held any more, as far as it ever comes to that, and reads their books. */
export async function readBooks(gateway: Gateway, keys: readonly RoundKey[]): Promise<AccountBook[]> {
  const nothingHeld = async (): Promise<true | null> => {
    const wallets = await Promise.all(keys.map((key) => walletOf(gateway, key)));
    return wallets.every(({ uncollected_micro }) => uncollected_micro === 0) ? true : null;
  };
  // What is held for longer is found in the books.
  await eventually("the end of all holds", nothingHeld, HELD_PATIENCE_MS, 100).catch(() => null);
  return Promise.all(keys.map((key) => readBook(gateway, key)));
}

function walletOf(gateway: Gateway, { account }: TestKey): Promise<Wallet> {
  return gateway.admin<Wallet>("GET", `/accounts/${account}`);
}

/** A late end is a correction whose note names its request (docs/rulings.md 146). */
function withRequest(entry: Entry): BookEntry {
  return { ...entry, request: entry.request ?? /^late end of (req_\w+)$/.exec(entry.note)?.[1] ?? null };
}

async function readBook(gateway: Gateway, key: RoundKey): Promise<AccountBook> {
  const { balance_micro, uncollected_micro } = await walletOf(gateway, key);
  return {
    id: key.account,
    credited_micro: key.credited_micro,
    balance_micro,
    uncollected_micro,
    receipts: await pages<Receipt>(gateway, `/requests?account=${key.account}&`),
    entries: (await pages<Entry>(gateway, `/accounts/${key.account}/credits?`)).map(withRequest),
    budgets: new Map([[key.id, key.budget_micro]]),
  };
}
