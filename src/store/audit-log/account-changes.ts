import type { ContentScope, ContentSwitch } from "../../core/answer/contents.ts";
import type { AuditNote, AuditSnapshot } from "../../core/people/audit.ts";
import type { AutoTopUp } from "../../core/people/auto-top-ups.ts";
import type { BudgetHolder } from "../../core/people/budgets.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { ProjectRecord } from "../../core/people/projects.ts";
import type { OwnLimitsChange } from "../../core/people/tag-value-uses.ts";
import type { AccountRecord } from "../../core/store/ports.ts";
import { findAccount } from "../accounts/accounts.ts";
import { findAutoTopUp } from "../accounts/auto-top-ups.ts";
import { contentSwitches } from "../accounts/content-switches.ts";
import { findKey, findKeyByHash } from "../accounts/keys.ts";
import { findProject } from "../accounts/projects.ts";
import { findBudget } from "../accounts/raises.ts";
import { findOwnLimits } from "../accounts/tag-values.ts";
import type { AccountArgs, AccountWrite } from "../calls/account-calls.ts";
import { ACCOUNT_WORKS } from "../calls/account-works.ts";
import { workOf } from "../sql/port.ts";
import type { Work } from "../sql/work.ts";
import { writeAuditEntry } from "./write-entry.ts";

/** The object of a change, read just before and just after the change, in its transaction. */
interface ChangedObject {
  readonly kind: string;
  readonly id: string;
  readonly account_id: string | null;
  readonly shown: AuditSnapshot;
}

type LookAt<M extends AccountWrite> = (args: AccountArgs<M>) => Work<ChangedObject | null>;

const CHANGED_OBJECTS: { readonly [M in AccountWrite]: LookAt<M> } = {
  createAccount: ([{ id }]) => accountObject(id),
  renameAccount: ([id]) => accountObject(id),
  setAccountStatus: ([id]) => accountObject(id),
  setAccountLimits: ([id]) => accountObject(id),
  setTimeZone: ([id]) => accountObject(id),
  setContentSwitch: ([account_id, { scope, id }]) => switchObject(account_id, scope, id),
  addEntry: ([{ account_id }]) => accountObject(account_id),
  createKey: ([{ id }]) => keyObject(id),
  setKeyStatus: ([id]) => keyObject(id),
  updateKey: ([id]) => keyObject(id),
  rollKey: ([id]) => keyObject(id),
  deleteKey: ([id]) => keyObject(id),
  renewPlaygroundKey: ([{ hash }]) => secretObject(hash),
  createProject: ([{ id }]) => projectObject(id),
  updateProject: ([id]) => projectObject(id),
  deleteProject: ([id]) => projectObject(id),
  raiseBudget: ([holder, id]) => budgetObject(holder, id),
  setTagValue: ([change]) => ownLimitsObject(change),
  setAutoTopUp: ([{ account_id }]) => topUpObject(account_id),
  removeAutoTopUp: ([id]) => topUpObject(id),
};

/** A method of the account store as one work that also writes what it changed to the audit log. */
export function* recordedWork(method: AccountWrite, args: readonly unknown[], note: AuditNote): Work<unknown> {
  const look = CHANGED_OBJECTS[method] as (args: readonly unknown[]) => Work<ChangedObject | null>;
  const before = yield* look(args);
  const result: unknown = yield* workOf(ACCOUNT_WORKS, method, args);
  const after = yield* look(args);
  const subject = after ?? before;
  if (subject === null) return result;
  // A booking that was repeated with its id changes nothing.
  if (method === "addEntry" && isSameBalance(before, after)) return result;
  const { kind, id, account_id } = subject;
  const extra = method === "addEntry" ? { entry: entryOf(args as AccountArgs<"addEntry">) } : {};
  const became = after && { ...after.shown, ...extra };
  yield* writeAuditEntry({ ...note, object: { kind, id }, account_id, before: before?.shown ?? null, after: became });
  return result;
}

function isSameBalance(before: ChangedObject | null, after: ChangedObject | null): boolean {
  const { balance_micro } = (before?.shown ?? {}) as Partial<AccountRecord>;
  return (
    balance_micro !== undefined && balance_micro === (after?.shown as Partial<AccountRecord> | undefined)?.balance_micro
  );
}

function* accountObject(id: string): Work<ChangedObject | null> {
  const account: AccountRecord | null = yield* findAccount(id);
  return account && { kind: "account", id, account_id: id, shown: { ...account } };
}

/** A key as the audit log shows it: without its hash, and without fields that change by themselves. */
function* keyObject(id: string): Work<ChangedObject | null> {
  const key: KeyRecord | null = yield* findKey(id);
  if (key === null) return null;
  const {
    version: _version,
    last_used_ms: _used,
    account_status: _status,
    account_limits: _limits,
    rolled_ms: _rolled,
    time_zone: _zone,
    project,
    ...shown
  } = key;
  const belongs = project === undefined ? {} : { project: project.id };
  return { kind: "key", id, account_id: key.account_id, shown: { ...shown, ...belongs } };
}

/** Whether contents are kept, as it is said for an account, a project or a key; null where nothing is said. */
function* switchObject(account_id: string, scope: ContentScope, id: string): Work<ChangedObject | null> {
  const all: ContentSwitch[] = yield* contentSwitches(account_id);
  const found = all.find((each) => each.scope === scope && each.id === id);
  const { keeps, words } = found ?? { keeps: null, words: null };
  return {
    kind: scope,
    id,
    account_id,
    shown: { content_log: keeps, ...(scope === "account" && { content_words: words }) },
  };
}

function* budgetObject(holder: BudgetHolder, id: string): Work<ChangedObject | null> {
  const found = yield* findBudget(holder, id);
  if (found === null) return null;
  const { account_id, budget_micro, raise } = found;
  return { kind: holder, id, account_id, shown: { budget_micro, raise } };
}

function* ownLimitsObject(change: OwnLimitsChange): Work<ChangedObject | null> {
  const { account_id, rule, value } = change;
  const own = yield* findOwnLimits(change);
  return { kind: "account", id: account_id, account_id, shown: { rule, value, own } };
}

/** A project without its counts. */
function* projectObject(id: string): Work<ChangedObject | null> {
  const project: ProjectRecord | null = yield* findProject(id);
  if (project === null) return null;
  const { account_id, name, limits } = project;
  return { kind: "project", id, account_id, shown: { id, account_id, name, ...limits } };
}

/** A key by its new secret: there is none before it, whether the key is new or not. */
function* secretObject(hash: string): Work<ChangedObject | null> {
  const key: KeyRecord | null = yield* findKeyByHash(hash);
  return key && (yield* keyObject(key.id));
}

/** A rule without what it has done. */
function* topUpObject(account_id: string): Work<ChangedObject | null> {
  const rule: AutoTopUp | null = yield* findAutoTopUp(account_id);
  if (rule === null) return null;
  const { threshold_micro, amount_micro, month_limit_micro } = rule;
  const shown = { threshold_micro, amount_micro, month_limit_micro };
  return { kind: "auto_top_up", id: account_id, account_id, shown };
}

function entryOf([{ kind, amount_micro, note, corrects }]: AccountArgs<"addEntry">): AuditSnapshot {
  return { kind, amount_micro, note, ...(corrects && { corrects }) };
}
