import { newId } from "../../core/ids.ts";
import type { AdmitOp, AdmitResult, LedgerOp, LedgerResult, SettleOp, VoidOp } from "../../core/ledger/ledger.ts";
import { type Micro, micro, ZERO } from "../../core/money/money.ts";
import { costOf, type Price } from "../../core/money/price.ts";
import { NO_USAGE, totalInput, type Usage } from "../../core/money/usage.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { AccountRecord, NewKey, Store } from "../../core/store/ports.ts";

/** A database for a test of the suite, whichever it is. */
export interface TestDatabase {
  readonly store: Store;
  /** The node that `store` was opened as. */
  readonly node_id: string;
  /**
   * Runs a statement past the store, as an operator's mistake or the passing of time would. Rejects when refused. Of several databases it runs
   * where the account lives; without one where an insertion's account does, anything else in all.
   */
  execute(sql: string, account_id?: string): Promise<readonly unknown[]>;
  /** Gives the store up as a process does that dies, and opens the database anew, with all that a start recovers. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

export type OpenTestDatabase = () => Promise<TestDatabase>;

export const PRICE: Price = {
  version: "p1",
  from_ms: 0,
  input_micro_per_mtok: 1_000_000,
  output_micro_per_mtok: 2_000_000,
  cache_read_micro_per_mtok: 1_000_000,
  cache_write_micro_per_mtok: 1_000_000,
  tiers: [],
};

export const OUTCOME = { attempts: [], error: null, queue_ms: 1, first_byte_ms: 20, duration_ms: 30 } as const;

/** A customer of a test: an account with credit and one key. */
export class Customer {
  readonly database: TestDatabase;
  readonly account: AccountRecord;
  key: KeyRecord;

  constructor(database: TestDatabase, account: AccountRecord, key: KeyRecord) {
    this.database = database;
    this.account = account;
    this.key = key;
  }

  get #store(): Store {
    return this.database.store;
  }

  async commit<Op extends LedgerOp>(...ops: Op[]): Promise<LedgerResult<Op>[]> {
    return (await this.#store.ledger.commit(ops)) as LedgerResult<Op>[];
  }

  admitOp(fields: Partial<AdmitOp> = {}): AdmitOp {
    return {
      op: "admit",
      request_id: newId("req"),
      client_request_id: null,
      account_id: this.account.id,
      key_id: this.key.id,
      key_version: this.key.version,
      endpoint: "chat.completions",
      stream: false,
      requested_model: "acme/swift",
      model: "acme/swift",
      price: PRICE,
      hold_micro: micro(100),
      bound_tokens: 50,
      rpm: null,
      tpm: null,
      concurrent: null,
      budget: this.key.budget,
      node_id: this.database.node_id,
      ttl_ms: 3_600_000,
      idempotency: null,
      ...fields,
    };
  }

  async admit(fields: Partial<AdmitOp> = {}): Promise<AdmitResult & { readonly request_id: string }> {
    const op = this.admitOp(fields);
    const [result] = await this.commit(op);
    if (!result) throw new Error("no result");
    return { request_id: op.request_id, ...result };
  }

  /** Admits a request that must be admitted. */
  async hold(fields: Partial<AdmitOp> = {}): Promise<string> {
    const { request_id, outcome } = await this.admit(fields);
    if (outcome !== "admitted") throw new Error(`expected to be admitted, not ${outcome}`);
    return request_id;
  }

  async settle(request_id: string, fields: Partial<SettleOp> = {}) {
    const [result] = await this.commit(settleOp(request_id, fields));
    return result;
  }

  async void(request_id: string, fields: Partial<VoidOp> = {}) {
    const [result] = await this.commit<VoidOp>({
      op: "void",
      request_id,
      outcome: OUTCOME,
      operator_loss_micro: ZERO,
      ...fields,
    });
    return result;
  }

  async extend(request_id: string, add: number) {
    const [result] = await this.commit({ op: "extend", request_id, add_micro: micro(add) });
    return result;
  }

  async progress(request_id: string, charge: number, tokens: Partial<Usage> = {}): Promise<void> {
    const usage = countedUsage({ ...NO_USAGE, ...tokens }, charge);
    const price = priceFor(usage, BigInt(charge));
    const told = { model: "acme/swift", price, usage, charge_micro: micro(charge), ttl_ms: 3_600_000 };
    await this.commit({ op: "progress", request_id, ...told });
  }

  async wallet(): Promise<{ balance: number; held: number }> {
    const account = await this.#store.accounts.findAccount(this.account.id);
    return { balance: Number(account?.balance_micro), held: Number(account?.held_micro) };
  }

  async credit(amount: number): Promise<void> {
    await credit(this.#store, this.account.id, micro(amount));
  }

  async changeKey(patch: Parameters<Store["accounts"]["updateKey"]>[1]): Promise<void> {
    const changed = await this.#store.accounts.updateKey(this.key.id, patch);
    if (changed !== null) this.key = changed;
  }
}

/**
 * The audit's findings in an account's own books. An audit of all books takes as long as there are accounts, and every test makes
 * some: the last suite audits all of them, once (model.suite.ts).
 */
export async function problemsOf({ database, account }: Customer): Promise<readonly string[]> {
  return (await database.store.audit({ account_id: account.id })).problems;
}

/** A settlement whose charge is what its usage costs at its price, as every settlement of a gateway: the audit recomputes it. */
export function settleOp(request_id: string, fields: Partial<SettleOp> = {}): SettleOp {
  const is_whole = fields.price !== undefined && fields.usage !== undefined;
  const { charge_micro = is_whole ? costOf(fields.usage, fields.price) : micro(40) } = fields;
  const usage = countedUsage(
    fields.usage ?? { ...NO_USAGE, input_tokens: 10, output_tokens: 15 },
    Number(charge_micro),
  );
  return {
    op: "settle",
    request_id,
    model: "acme/swift",
    price: fields.price ?? priceFor(usage, charge_micro),
    estimated: false,
    charge_micro,
    outcome: OUTCOME,
    success: true,
    answer: null,
    ...fields,
    usage,
  };
}

/** A usage that can cost something. */
function countedUsage(usage: Usage, charge: number): Usage {
  return totalInput(usage) + usage.output_tokens === 0 && charge > 0 ? { ...usage, input_tokens: 1 } : usage;
}

/** `PRICE` where a usage costs so much by it, else a price by which it does. */
function priceFor(usage: Usage, charge_micro: bigint): Price {
  if (costOf(usage, PRICE) === charge_micro) return PRICE;
  const free = { input_micro_per_mtok: 0, output_micro_per_mtok: 0 };
  const price = { ...PRICE, ...free, cache_read_micro_per_mtok: 0, cache_write_micro_per_mtok: 0 };
  const classes = { input: usage.input_tokens, output: usage.output_tokens } as const;
  for (const name of ["input", "output"] as const) {
    if (classes[name] === 0) continue;
    const per_mtok = Number((charge_micro * 1_000_000n) / BigInt(classes[name]));
    return { ...price, [`${name}_micro_per_mtok`]: per_mtok };
  }
  return price;
}

async function credit(store: Store, account_id: string, amount_micro: Micro): Promise<void> {
  await store.accounts.addEntry({ account_id, kind: "credit", amount_micro, note: "", actor: "test" });
}

export async function newCustomer(
  database: TestDatabase,
  balance: number,
  fields: Partial<NewKey> = {},
): Promise<Customer> {
  const { accounts } = database.store;
  const id = newId("acct");
  const account = await accounts.createAccount({ id, email: `${id}@example.com`, name: "Test" });
  if (balance > 0) await credit(database.store, id, micro(balance));
  return new Customer(database, account, await accounts.createKey(newKey(id, fields)));
}

export function newKey(account_id: string, fields: Partial<NewKey> = {}): NewKey {
  return {
    id: newId("key"),
    account_id,
    name: "key",
    hash: newId("key"),
    hint: "abcd",
    aliases: [],
    prefix_aliases: [],
    models: null,
    rpm: null,
    tpm: null,
    concurrent: null,
    budget: null,
    expires_ms: null,
    ...fields,
  };
}

/**
 * The value with which a promise rejects; undefined when it resolves. In place of `expect().rejects`, which spins the event loop by
 * hand and never sees a message from a worker.
 */
export function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
