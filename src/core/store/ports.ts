import type { ContentSwitchStore } from "../answer/contents.ts";
import type { ResponseStore } from "../answer/stored-responses.ts";
import type { ConfigurationStore } from "../catalog/configuration-elements.ts";
import type { VendorCredentialStore } from "../catalog/vendor-credential-store.ts";
import type { DeliveryStore } from "../deliveries/delivery-store.ts";
import type { BilledEndpoint } from "../endpoints.ts";
import type { AccountReports, LimitCounts } from "../ledger/account-sums.ts";
import type { AuditOptions, AuditReport, RebuildAsked, RebuildPart } from "../ledger/books-audit.ts";
import type { EntryQuery, EntryRecord, NewEntry } from "../ledger/entries.ts";
import type { LedgerOp, LedgerResult, RequestOutcome, RequestRecord, RequestStatus } from "../ledger/ledger.ts";
import type { Micro } from "../money/money.ts";
import type { UnitCount } from "../money/price-classes.ts";
import type { UpkeepStore } from "../operations/upkeep.ts";
import type { AuditNote } from "../people/audit.ts";
import type { AutoTopUp, AutoTopUpRule } from "../people/auto-top-ups.ts";
import type { AskedRule, BudgetHolder, BudgetRaise, BudgetUse, KeyBudgetUse, RuleUse } from "../people/budgets.ts";
import type { KeyLabel, KeyRoll, KeyTag, KeyTagsPatch, TagNameCount } from "../people/keys.ts";
import type { ListQuery } from "../people/list-query.ts";
import type {
  AccountStatus,
  Ceilings,
  KeyRecord,
  KeyStatus,
  KeyVersion,
  Limits,
  ModelLimit,
} from "../people/principal.ts";
import type { ProjectStore } from "../people/projects.ts";
import type { TagValueStore } from "../people/tag-value-uses.ts";
import type { UserStore } from "../people/users.ts";
import type { CellParts, LedgerLanes, NewAccount } from "./cells.ts";
import type { StoreCondition } from "./store-events.ts";
import type { StoreState } from "./store-state.ts";

/**
 * The interfaces of the database. One suite of tests runs against every driver (`store/`); only the composition root
 * names a driver. All times are milliseconds since the epoch on the database's clock.
 */

export interface AccountRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly created_ms: number;
  /** The spendable balance: open holds are already subtracted. */
  readonly balance_micro: Micro;
  /** Σ of open holds. */
  readonly held_micro: Micro;
  /** Absent where the account has no limits of its own. */
  readonly limits?: Limits;
  /** The IANA name of the time zone of its days, on which its budgets renew; absent: UTC. */
  readonly time_zone?: string;
  /** The cell that has its books, where these are not (core/store/cells.ts). */
  readonly cell?: string;
}

export interface NewKey {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  /** Keyed hash of the secret, hex: the secret itself is never stored. */
  readonly hash: string;
  readonly hint: string;
  readonly aliases: KeyRecord["aliases"];
  readonly prefix_aliases: KeyRecord["prefix_aliases"];
  readonly models: KeyRecord["models"];
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly concurrent: number | null;
  readonly budget: KeyRecord["budget"];
  /** Absent or null: none. */
  readonly model_limits?: readonly ModelLimit[] | null;
  readonly expires_ms: number | null;
  /** The project that the key belongs to; absent or null: none. */
  readonly project_id?: string | null;
  /** Absent: none. */
  readonly tags?: KeyTagsPatch;
  /** How old an answer may be that is given again; absent or null: as the project says. */
  readonly cache_ms?: number | null;
  /** Absent where no administrator makes the key. */
  readonly ceilings?: Ceilings;
}

/** The fields of a key that can be edited after its creation. */
export type KeyPatch = Partial<Omit<NewKey, "id" | "account_id" | "hash" | "hint">>;

export interface UsageTotals extends Readonly<Record<UnitCount, number>> {
  readonly cost_micro: Micro;
  /** All input tokens, cached ones included. */
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly request_count: number;
  readonly success_count: number;
}

export interface UsageRow extends UsageTotals {
  /** The group of the row: a key id, a model id, a UTC day `YYYY-MM-DD`, an account id, a project id ("": none), or a tag's value ("": none). */
  readonly group: string;
}

export interface UsageQuery {
  /** Null for all accounts (administration). */
  readonly account_id: string | null;
  /** UTC days `YYYY-MM-DD`, both inclusive; null is unbounded. */
  readonly since: string | null;
  readonly until: string | null;
  readonly by: "key" | "model" | "day" | "account" | "project" | "tag";
  readonly project_id?: string;
  /** The tag by whose values `tag` groups, or `tag_value` filters: a request's own, else its key's ("": neither has it). */
  readonly tag?: string;
  readonly tag_value?: string;
}

/** A report of an account's usage, for tables and charts. */
export interface UsageExploration {
  /**
   * The keys or models, by cost (highest first), then by requests, then by id; empty where the report has no groups.
   */
  readonly groups: readonly UsageGroup[];
  /** By day, then in the order of the groups. */
  readonly rows: readonly UsageCell[];
  readonly total: UsageTotals;
}

export interface UsageExploreQuery {
  /** Null for all accounts (administration). */
  readonly account_id: string | null;
  /** UTC days `YYYY-MM-DD`, both inclusive. */
  readonly since: string;
  readonly until: string;
  readonly by_day: boolean;
  readonly group: "key" | "model" | "project" | "tag" | null;
  /** See `UsageQuery`. */
  readonly tag?: string;
  readonly tag_value?: string;
  readonly key_id?: string;
  /** "" finds what belonged to no project. */
  readonly project_id?: string;
  readonly model?: string;
  /** How many groups are shown apart: the rest are summed up as `others`. Null: all are shown apart. */
  readonly top: number | null;
  /** The largest number of rows, and of groups. */
  readonly limit: number;
}

export interface UsageGroup extends UsageTotals {
  /** A key id, a model id, a project id ("": no project) or a tag's value ("": no tag); null for the sum of the others. */
  readonly id: string | null;
  readonly others: boolean;
}

export interface UsageCell extends UsageTotals {
  /** Null in a report that is not by day. */
  readonly day: string | null;
  readonly group: string | null;
  readonly others: boolean;
}

/** A calendar window and the window before it, each with its first day. */
export interface SpendWindow {
  readonly since: string;
  readonly current: UsageTotals;
  readonly previous_since: string;
  readonly previous: UsageTotals;
  /** The totals of the previous window, over as many days as the current window has had. */
  readonly previous_so_far: UsageTotals;
}

/** The state of an account at one moment. */
export interface AccountOverview {
  readonly as_of_ms: number;
  readonly account: AccountRecord;
  readonly spend: { readonly day: SpendWindow; readonly week: SpendWindow; readonly month: SpendWindow };
  /** Thirty days by day and model. */
  readonly usage: UsageExploration & { readonly since: string; readonly until: string };
  readonly running_count: number;
  readonly running: readonly RequestRecord[];
  readonly latest: readonly RequestRecord[];
}

/** The figures of the overview that are refreshed while the page is open. */
export interface AccountPulse {
  readonly as_of_ms: number;
  readonly account: AccountRecord;
  readonly running_count: number;
  readonly running: readonly RequestRecord[];
  readonly latest_id: string | null;
}

export interface RequestQuery {
  readonly account_id: string | null;
  readonly key_id?: string;
  /** "" finds requests that belong to no project. */
  readonly project_id?: string;
  /** Only requests that carried this tag themselves; the value "" finds those that did not. */
  readonly tag?: KeyTag;
  readonly model?: string;
  readonly status?: RequestStatus;
  readonly outcome?: RequestOutcome;
  readonly endpoint?: BilledEndpoint;
  /** Only requests admitted at this time or later, and (`to_ms`) before that time. */
  readonly from_ms?: number;
  readonly to_ms?: number;
  /** The beginning of the gateway's id or of the client's id. */
  readonly search?: string;
  /** Only requests that follow this one in the list: exact where several were created in one millisecond. */
  readonly before_id?: string;
  /** When that one was created, where these books need not have it. */
  readonly before_ms?: number;
  readonly limit: number;
}

export interface RequestPage {
  readonly requests: readonly RequestRecord[];
  /** The `before_id` of the next page; null on the last. */
  readonly next_before: string | null;
  /**
   * The time back to which this page searched. A search whose filter fits few requests stops after a number of requests
   * that did not fit, so a page before the last may hold less than its limit. Null on the last page.
   */
  readonly searched_back_to_ms: number | null;
}

export interface UsageWindows {
  readonly daily: UsageTotals;
  readonly weekly: UsageTotals;
  readonly monthly: UsageTotals;
}

/** The holds that a sweep or a boot recovery ended (docs/rulings.md 43). */
export interface Recovery {
  readonly settled: number;
  readonly voided: number;
  /** How soon the next sweep has to come, where another node counts as dead by then. */
  readonly next_ms?: number;
}

/**
 * A request's state in the process that took its hold: it runs, or its end is still to be booked; its admission was refused although the
 * commit may have taken place; or the process does not know it.
 */
export type LocalRequestState = "running" | "refused" | "unknown";

/** The ledger's writer: commits a batch of operations in one transaction, results in the order of the operations. */
export interface LedgerStore {
  /** Rejects when the transaction could not be committed; then none of the operations took place. */
  commit(ops: readonly LedgerOp[]): Promise<LedgerResult[]>;
  /**
   * Marks this node as alive, and ends the holds of nodes that died, and those of this node that no request owns.
   * `localStateOf` says what the process knows of a request of its own; a running one is left alone, whatever the clock says
   * (docs/rulings.md 147). Without it the process knows of none.
   */
  sweep(node_id: string, localStateOf?: (request_id: string) => LocalRequestState): Promise<Recovery>;
  /**
   * Ends the holds of a node whose process is known to have ended, as after a crash (docs/rulings.md 43), without waiting for its
   * silence to last.
   */
  bury(node_id: string): Promise<Recovery>;
  /** Removes this node's mark after a clean drain. */
  leave(node_id: string): Promise<void>;
}

/** Accounts, keys and all reports about them. */
export interface AccountStore extends AccountReports, ProjectStore, TagValueStore, ContentSwitchStore, CellParts {
  /** Rejects with a StoreConflict when the e-mail is taken. */
  createAccount(account: NewAccount): Promise<AccountRecord>;
  listAccounts(): Promise<AccountRecord[]>;
  searchAccounts(query: ListQuery): Promise<AccountRecord[]>;
  /** By account id or e-mail (case-insensitive). */
  findAccount(id_or_email: string): Promise<AccountRecord | null>;
  setAccountStatus(account_id: string, status: AccountStatus): Promise<AccountRecord | null>;
  /** Gives an account another name or e-mail. Rejects with a StoreConflict when the e-mail is taken. */
  renameAccount(account_id: string, names: { name?: string; email?: string }): Promise<AccountRecord | null>;
  /** Sets the limits over all of an account's keys; limits that are all null are removed. */
  setAccountLimits(account_id: string, limits: Limits): Promise<AccountRecord | null>;
  /** Sets the zone of the days on which the account's budgets renew; null: UTC. Null where there is no such account. */
  setTimeZone(account_id: string, time_zone: string | null): Promise<AccountRecord | null>;
  /** How much of the account's own budget is used in its current window; null where it has none. */
  accountBudgetUse(account_id: string): Promise<BudgetUse | null>;
  /**
   * Books a credit (positive) or a correction (either sign; refused when the balance would go negative). An entry with an id of
   * the caller's is booked once: a repeat returns the first booking, the id for another booking is a StoreConflict.
   */
  addEntry(entry: NewEntry): Promise<EntryRecord>;
  /** Newest first. */
  listEntries(account_id: string, limit: number, query?: EntryQuery): Promise<EntryRecord[]>;
  /** The entry that charged for a request; null where nothing was charged. */
  findCharge(request_id: string): Promise<EntryRecord | null>;

  /** Null where the account has no rule. */
  findAutoTopUp(account_id: string): Promise<AutoTopUp | null>;
  /** Sets or replaces an account's rule; what was credited in this month still counts. */
  setAutoTopUp(rule: AutoTopUpRule): Promise<AutoTopUp>;
  /** False when there was no rule. */
  removeAutoTopUp(account_id: string): Promise<boolean>;

  createKey(key: NewKey): Promise<KeyRecord>;
  listKeys(account_id: string | null): Promise<KeyRecord[]>;
  /** Of keys and accounts together, how many have limits of their own. */
  countLimits(): Promise<LimitCounts>;
  searchKeys(account_id: string | null, query: ListQuery): Promise<KeyRecord[]>;
  findKey(key_id: string): Promise<KeyRecord | null>;
  /** `place`: what the key says of its cell; absent where it says nothing. */
  findKeyByHash(hash: string, place?: string): Promise<KeyRecord | null>;
  /** The ids of those of the keys that are not of the given version any more, or are gone. */
  changedKeys(known: readonly KeyVersion[]): Promise<string[]>;
  /**
   * A revoked key never becomes active again: rejects with a StoreConflict. `bars`: only an administrator may enable the key
   * from now on, or everybody may again; absent: as it is, and a barred key is not enabled (a StoreConflict).
   */
  setKeyStatus(key_id: string, status: KeyStatus, bars?: boolean): Promise<KeyRecord | null>;
  /** `read_version`: rejects with a StoreConflict where the key is of another version by now. */
  updateKey(key_id: string, patch: KeyPatch, read_version?: number): Promise<KeyRecord | null>;
  /**
   * Gives a key a new secret. The old one stays valid for a while, or not at all. Rejects with a StoreConflict for a revoked key,
   * the playground's, and a secret that was given before.
   */
  rollKey(key_id: string, roll: KeyRoll): Promise<KeyRecord | null>;
  /** Deletes a key; its requests and entries stay. False when there was no such key. */
  deleteKey(key_id: string): Promise<boolean>;
  /** Gives a user's playground key of an account a new secret and expiry; makes a key where none is usable. */
  renewPlaygroundKey(key: {
    /** The id for a new key. */
    id: string;
    account_id: string;
    user_id: string;
    hash: string;
    hint: string;
    expires_ms: number;
  }): Promise<KeyRecord>;
  /** In no order; unknown ids are left out. */
  labelKeys(key_ids: readonly string[]): Promise<KeyLabel[]>;
  /** The names of an account's tags, or of all accounts', in order: at most `limit`. */
  listTagNames(account_id: string | null, limit: number): Promise<TagNameCount[]>;
  /** What is counted under rules of limits, in the order in which they are asked for. */
  ruleUses(account_id: string, asked: readonly AskedRule[]): Promise<RuleUse[]>;
  budgetUses(account_id: string): Promise<KeyBudgetUse[]>;
  /** Raises a budget for a while, or ends its raise. Rejects with a StoreConflict where there is no budget. */
  raiseBudget(holder: BudgetHolder, id: string, raise: BudgetRaise | null): Promise<void>;

  usageWindows(account_id: string): Promise<UsageWindows>;
  usageReport(query: UsageQuery): Promise<UsageRow[]>;
  exploreUsage(query: UsageExploreQuery): Promise<UsageExploration>;
  /** Null where there is no such account. */
  readOverview(account_id: string): Promise<AccountOverview | null>;
  readPulse(account_id: string): Promise<AccountPulse | null>;
  /** Finds by the gateway's id, else the newest request with that client id, else the newest whose answer had that id. Null account: any (administration). */
  findRequest(account_id: string | null, request_id: string): Promise<RequestRecord | null>;
  /** Newest first. */
  listRequests(query: RequestQuery): Promise<RequestPage>;
  /** Whether a request of the account with this idempotency key runs, or was answered and is remembered. */
  hasIdempotencyKey(account_id: string, key: string): Promise<boolean>;
}

/** A database, open. */
export interface Store {
  readonly kind: "sqlite" | "postgres";
  readonly ledger: LedgerStore;
  /** The ledgers of the cells, where there are several; absent: `ledger` is the only one. */
  readonly lanes?: LedgerLanes;
  /** The name of the cell that an account lives in; absent where there are none. */
  cellOf?(account_id: string): Promise<string>;
  readonly accounts: AccountStore;
  readonly users: UserStore;
  readonly deliveries: DeliveryStore;
  /** The accounts with an audit log: every change is written to it in the same transaction. */
  audited(note: AuditNote): AccountStore;
  readonly vendor_credentials: VendorCredentialStore;
  /** Elements of the configuration that are laid over the file. */
  readonly configuration: ConfigurationStore;
  readonly responses: ResponseStore;
  readonly upkeep: UpkeepStore;
  /** The database's name for people: `sqlite ./data/camino.db`, `postgres db.example:5432/camino` (never a password). */
  readonly description: string;
  /** Resolves when the database answers and takes changes. */
  ping(): Promise<void>;
  /** The database's time, in milliseconds since the epoch, as this process has last found its own clock to differ from it (docs/rulings.md 207). */
  now_ms(): number;
  /** Conditions that the operator must know of; empty where all is well. */
  conditions(): readonly StoreCondition[];
  state(): Promise<StoreState>;
  /** The fingerprint of the secret that the database's keys were made with: the given one where none was known (ruling 203). */
  secretFingerprint(fingerprint: number): Promise<number>;
  /**
   * Recomputes balances, holds, charges and counters in slices, while calls run, and lists what does not match
   * (docs/design/audit.md).
   */
  audit(options?: AuditOptions): Promise<AuditReport>;
  /** Counts days' usage and keys' counters anew for a while, while calls run; `next` says where to go on. */
  rebuildUsage(asked: RebuildAsked): Promise<RebuildPart>;
  close(): Promise<void>;
}

/** A request that contradicts what the store holds, with a sentence for the person who made it. */
export class StoreConflict extends Error {
  override readonly name = "StoreConflict";
}
