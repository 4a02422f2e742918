import type { Configuration, Model } from "../../core/catalog/catalog.ts";
import { type Micro, ZERO } from "../../core/money/money.ts";
import type { ClassPrices, Price } from "../../core/money/price.ts";
import type { AccountStore } from "../../core/store/ports.ts";
import type { BilledCall } from "../../pipeline/call/call.ts";

/** What the gate asks the database about wallets, where it does not know that there is money. */
export class Wallets {
  readonly #accounts: Pick<AccountStore, "findAccount" | "findAutoTopUp" | "hasIdempotencyKey">;
  /** Balances that are being read, by account, so that concurrent calls share one reading. */
  readonly #balances = new Map<string, Promise<Micro>>();

  constructor(accounts: Pick<AccountStore, "findAccount" | "findAutoTopUp" | "hasIdempotencyKey">) {
    this.#accounts = accounts;
  }

  async balanceOf(account_id: string): Promise<Micro> {
    const running = this.#balances.get(account_id);
    if (running !== undefined) return await running;
    const reading = this.#accounts.findAccount(account_id).then((account) => account?.balance_micro ?? ZERO);
    this.#balances.set(account_id, reading);
    try {
      return await reading;
    } finally {
      this.#balances.delete(account_id);
    }
  }

  /** Whether a request may succeed though its wallet is empty: it may be a repeat, or the account's rule credits it. */
  async mayRunEmpty({
    key: { account_id },
    idempotency_key,
  }: Pick<BilledCall, "key" | "idempotency_key">): Promise<boolean> {
    if (idempotency_key !== null && (await this.#accounts.hasIdempotencyKey(account_id, idempotency_key))) return true;
    return (await this.#accounts.findAutoTopUp(account_id)) !== null;
  }
}

/** The result for each configuration. A changed credential replaces the configuration, so each is examined once. */
const known = new WeakMap<Configuration, boolean>();

/** Whether any model is free: an account without money may then call it, and the body that names the model has not been read yet. */
export function hasFreeModel(configuration: Configuration): boolean {
  const found = known.get(configuration);
  if (found !== undefined) return found;
  const has_free = configuration.models.values().some(isFree);
  known.set(configuration, has_free);
  return has_free;
}

function isFree({ prices }: Model): boolean {
  return prices.some((price: Price) => [price, ...price.tiers].some(costsNothing));
}

function costsNothing({ input_micro_per_mtok, output_micro_per_mtok }: ClassPrices): boolean {
  return input_micro_per_mtok === 0 && output_micro_per_mtok === 0;
}
