import type { KeyLabel, KeyRoll } from "../../core/people/keys.ts";
import type { ListQuery } from "../../core/people/list-query.ts";
import type { AccountStatus, BudgetWindow, KeyRecord, KeyStatus, KeyVersion } from "../../core/people/principal.ts";
import { type KeyPatch, type NewKey, StoreConflict } from "../../core/store/ports.ts";
import { refuseStaleChange } from "../../people/keys/change-key.ts";
import { decideKeyStatus } from "../../people/keys/key-status.ts";
import { byOldSecret, decideRoll } from "../../people/keys/roll-key.ts";
import { budgetWindow, windowValues } from "../sql/budget-window.ts";
import { now_ms } from "../sql/clock.ts";
import { searchCondition, searchParams } from "../sql/search.ts";
import { lookup, sql, sqlFor, type Value } from "../sql/statement.ts";
import { readJson, toInt, toIntOrNull, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { allowed } from "./allowed.ts";
import { CEILING_COLUMNS, type CeilingsRow, ceilingValues, readCeilings } from "./ceiling-columns.ts";
import { readTags, tagCondition, withTags, writeTags } from "./key-tags.ts";
import {
  LIMIT_COLUMNS,
  type LimitsRow,
  modelLimitsText,
  readLimits,
  readLimitsByTag,
  readModelLimits,
} from "./limit-columns.ts";
import { keyHasOwn } from "./own-settings.ts";
import { requireProject } from "./projects.ts";

/** The switch that is nearest to a key: its own, its project's, its account's; 0 where there is none. */
const KEEPS_CONTENTS = `coalesce(${[
  ["key", "k.id"],
  ["project", "k.project_id"],
  ["account", "k.account_id"],
]
  .map(
    ([scope, id]) =>
      `(SELECT keeps FROM content_switches WHERE account_id = k.account_id AND scope = '${scope}' AND id = ${id})`,
  )
  .join(", ")}, 0)`;

const SELECT = `SELECT k.id, k.account_id, k.name, k.status, a.status AS account_status, k.aliases, k.prefix_aliases,
    k.models, k.rpm, k.tpm, k.concurrent, k.cache_ms, k.budget_micro, k.budget_window, k.budget_once, k.model_limits, k.expires_ms, k.created_ms, s.last_used_ms,
    {tags}, k.hint, k.version, k.old_until_ms, k.rolled_ms, k.playground_user, ${CEILING_COLUMNS.map((name) => `k.${name}`).join(", ")},
    k.project_id, p.name AS project_name, p.models AS project_models, p.rpm AS project_rpm, p.cache_ms AS project_cache_ms, p.model_limits AS project_model_limits, p.tag_limits AS project_tag_limits, p.end_user_tag AS project_end_user_tag, a.has_limits, a.time_zone, ${KEEPS_CONTENTS} AS keeps_contents, ${LIMIT_COLUMNS.map((name) => `l.${name} AS account_${name}`).join(", ")}
  FROM keys AS k JOIN accounts AS a ON a.id = k.account_id JOIN key_state AS s ON s.key_id = k.id
    LEFT JOIN account_limits AS l ON l.account_id = k.account_id LEFT JOIN projects AS p ON p.id = k.project_id
  WHERE k.deleted_ms IS NULL`;

/** The account's limits in the same row as the key's own, each under a name with the prefix `account_`. */
type AccountLimitsRow = { readonly [Name in keyof LimitsRow as `account_${Name}`]: LimitsRow[Name] };

interface StoredKeyRow extends CeilingsRow, AccountLimitsRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly status: KeyStatus;
  readonly account_status: AccountStatus;
  readonly aliases: string;
  readonly prefix_aliases: string;
  readonly models: string | null;
  readonly rpm: unknown;
  readonly tpm: unknown;
  readonly concurrent: unknown;
  readonly cache_ms: unknown;
  readonly budget_micro: unknown;
  readonly budget_window: BudgetWindow | null;
  readonly budget_once: unknown;
  readonly model_limits: string | null;
  readonly expires_ms: unknown;
  readonly created_ms: unknown;
  readonly last_used_ms: unknown;
  readonly hint: string;
  readonly version: unknown;
  readonly old_until_ms: unknown;
  readonly rolled_ms: unknown;
  readonly playground_user: string | null;
  readonly project_id: string | null;
  readonly project_name: string | null;
  readonly project_models: string | null;
  readonly project_rpm: unknown;
  readonly project_model_limits: string | null;
  readonly project_tag_limits: string | null;
  readonly project_end_user_tag: string | null;
  readonly project_cache_ms: unknown;
  readonly tags: string | null;
  readonly has_limits: unknown;
  readonly time_zone: string | null;
  readonly keeps_contents: unknown;
}

function keyRecord(found: StoredKeyRow): KeyRecord {
  const { budget_micro } = found;
  const window = budgetWindow(found);
  const ceilings = readCeilings(found);
  const tags = readTags(found.tags);
  const model_limits = readModelLimits(found.model_limits);
  return {
    id: found.id,
    account_id: found.account_id,
    name: found.name,
    status: found.status,
    account_status: found.account_status,
    aliases: readJson(found.aliases),
    prefix_aliases: readJson(found.prefix_aliases),
    models: found.models === null ? null : readJson(found.models),
    rpm: toIntOrNull(found.rpm),
    tpm: toIntOrNull(found.tpm),
    concurrent: toIntOrNull(found.concurrent),
    budget: budget_micro === null || window === null ? null : { amount_micro: toMicro(budget_micro), window },
    ...(model_limits !== null && { model_limits }),
    ...(found.cache_ms !== null && { cache_ms: toInt(found.cache_ms) }),
    ...(toInt(found.keeps_contents) === 1 && { keeps_contents: true as const }),
    expires_ms: toIntOrNull(found.expires_ms),
    created_ms: toInt(found.created_ms),
    last_used_ms: toIntOrNull(found.last_used_ms),
    hint: found.hint,
    version: toInt(found.version),
    ...(found.old_until_ms !== null && { old_secret_until_ms: toInt(found.old_until_ms) }),
    ...(found.rolled_ms !== null && { rolled_ms: toInt(found.rolled_ms) }),
    ...(ceilings !== null && { ceilings }),
    ...(toInt(found.has_limits) === 1 && { account_limits: accountLimits(found) }),
    ...(found.time_zone !== null && { time_zone: found.time_zone }),
    ...(found.project_id !== null && { project: keyProject(found, found.project_id) }),
    ...(tags !== undefined && { tags }),
    ...(found.playground_user === null ? {} : { playground_of: found.playground_user }),
  };
}

function keyProject(
  { project_name, project_models, project_rpm, project_model_limits, project_cache_ms, ...found }: StoredKeyRow,
  id: string,
): NonNullable<KeyRecord["project"]> {
  const models: readonly string[] | null = project_models === null ? null : readJson(project_models);
  const model_limits = readModelLimits(project_model_limits);
  const cache_ms = project_cache_ms === null ? {} : { cache_ms: toInt(project_cache_ms) };
  const by_tag = readLimitsByTag({ tag_limits: found.project_tag_limits, end_user_tag: found.project_end_user_tag });
  const own = { id, name: project_name ?? "", models, rpm: toIntOrNull(project_rpm), ...cache_ms, ...by_tag };
  return model_limits === null ? own : { ...own, model_limits };
}

function accountLimits(found: AccountLimitsRow): NonNullable<KeyRecord["account_limits"]> {
  return readLimits({
    models: found.account_models,
    rpm: found.account_rpm,
    tpm: found.account_tpm,
    concurrent: found.account_concurrent,
    budget_micro: found.account_budget_micro,
    budget_window: found.account_budget_window,
    budget_once: found.account_budget_once,
    model_limits: found.account_model_limits,
    tag_limits: found.account_tag_limits,
    end_user_tag: found.account_end_user_tag,
  });
}

const selectAll = withTags(`${SELECT} ORDER BY k.created_ms, k.id`);
const selectOfAccount = withTags(`${SELECT} AND k.account_id = ? ORDER BY k.created_ms, k.id`);
const selectById = withTags(`${SELECT} AND k.id = ?`);
const selectByHash = withTags(`${SELECT} AND k.hash = ?`);
const selectByOldHash = withTags(`${SELECT} AND k.old_hash = ? AND k.old_until_ms > ?`);

export function* listKeys(account_id: string | null): Work<KeyRecord[]> {
  const found =
    account_id === null
      ? yield* rows<StoredKeyRow>(selectAll)
      : yield* rows<StoredKeyRow>(selectOfAccount, [account_id]);
  return found.map(keyRecord);
}

const selectCreated = sql("SELECT created_ms FROM keys WHERE id = ?");
/** A key whose status is `active` and whose time is over counts as expired. `k.hint` and the aliases count too: a program's operator often knows no more of a key. */
const PAGE_TEXT = "k.name || ' ' || k.id || ' ' || k.hint || ' ' || k.aliases || ' ' || k.prefix_aliases";

function pageBy(text: string, more = "") {
  return withTags(
    `${SELECT} AND (CAST(? AS TEXT) IS NULL OR k.account_id = ?)
    AND (CAST(? AS TEXT) IS NULL OR CASE WHEN k.status = 'active' AND k.expires_ms <= ? THEN 'expired' ELSE k.status END = ?)
    AND coalesce(s.last_used_ms, k.created_ms) < ?
    AND (CAST(? AS TEXT) IS NULL OR coalesce(k.project_id, '') = ?)
    AND ${keyHasOwn} AND (k.created_ms < ? OR (k.created_ms = ? AND k.id < ?))
    AND ${searchCondition(`lower(${text})`)}
    ${more} ORDER BY k.created_ms DESC, k.id DESC LIMIT ?`,
  );
}

const TAGGED = { name: "", value: "any" };
/** The pages of all keys, of those with a tag, and of those without it. */
const pagesBy = (text: string) => ({
  any: pageBy(text),
  tagged: pageBy(text, `AND ${tagCondition(TAGGED).text}`),
  untagged: pageBy(text, `AND ${tagCondition({ ...TAGGED, value: "" }).text}`),
});
const PAGES = pagesBy(PAGE_TEXT);
const PAGES_BY_EMAIL = pagesBy(`${PAGE_TEXT} || ' ' || a.email`);

export function* searchKeys(account_id: string | null, query: ListQuery): Work<KeyRecord[]> {
  const { status = null, before_id, limit, search, project_id = null, own = null, tag } = query;
  const found = before_id === undefined ? null : yield* row<{ created_ms: unknown }>(selectCreated, [before_id]);
  if (before_id !== undefined && found === null) return [];
  const before_ms = found === null ? Number.MAX_SAFE_INTEGER : toInt(found.created_ms);
  const place = [before_ms, before_ms, before_id ?? ""];
  const filters = [account_id, account_id, ...(yield* stateParams(status)), project_id, project_id, own];
  const tagged = tag === undefined ? [] : tagCondition(tag).params;
  const params = [...filters, ...place, ...searchParams(search), ...tagged, limit];
  const pages = query.by_email ? PAGES_BY_EMAIL : PAGES;
  const select = tag === undefined ? pages.any : tag.value === "" ? pages.untagged : pages.tagged;
  return (yield* rows<StoredKeyRow>(select, params)).map(keyRecord);
}

/** An unused key is an active one whose last use, or else whose making, is longer ago than this. */
const UNUSED_MS = 90 * 86_400_000;

function* stateParams(asked: string | null): Work<(string | number | null)[]> {
  const at_ms = asked === null ? 0 : yield* now_ms();
  const is_unused = asked === "unused";
  const status = is_unused ? "active" : asked;
  return [status, at_ms, status, is_unused ? at_ms - UNUSED_MS : Number.MAX_SAFE_INTEGER];
}

export function* findKey(key_id: string): Work<KeyRecord | null> {
  const found = yield* row<StoredKeyRow>(selectById, [key_id]);
  return found && keyRecord(found);
}

export function* findKeyByHash(hash: string): Work<KeyRecord | null> {
  const found = yield* row<StoredKeyRow>(selectByHash, [hash]);
  return found === null ? yield* findRolledKey(hash) : keyRecord(found);
}

/** A key by the secret that it had before its last roll. */
function* findRolledKey(old_hash: string): Work<KeyRecord | null> {
  const found = yield* row<StoredKeyRow>(selectByOldHash, [old_hash, yield* now_ms()]);
  return found && byOldSecret(keyRecord(found));
}

const selectVersions = lookup("SELECT id, version FROM keys", { id: "text" });

export function* changedKeys(known: readonly KeyVersion[]): Work<string[]> {
  const params = known.map(({ id }) => [id]);
  const found = yield* rows<{ id: string; version: unknown }>(selectVersions, params);
  const versions = new Map(found.map(({ id, version }) => [id, toInt(version)]));
  return known.filter(({ id, version }) => versions.get(id) !== version).map(({ id }) => id);
}

const selectLabels = lookup("SELECT id, name, hint, deleted_ms FROM keys", { id: "text" });

/** Finds deleted keys as well: their rows are kept for the requests that refer to them. */
export function* labelKeys(key_ids: readonly string[]): Work<KeyLabel[]> {
  const params = [...new Set(key_ids)].map((id) => [id]);
  const found = yield* rows<Omit<KeyLabel, "deleted"> & { deleted_ms: unknown }>(selectLabels, params);
  return found.map(({ id, name, hint, deleted_ms }) => ({ id, name, hint, deleted: deleted_ms !== null }));
}

/** Locks the account while a key of a project is made, so that the project is not deleted meanwhile. */
const lockAccount = sql("SELECT id FROM accounts WHERE id = ? {lock}");
const insertKey = sql(
  `INSERT INTO keys (id, account_id, hash, hint, status, created_ms, version, name, aliases, prefix_aliases, models, rpm,
    tpm, concurrent, budget_micro, budget_window, budget_once, model_limits, expires_ms, project_id, cache_ms, ${CEILING_COLUMNS.join(", ")})
    VALUES (?, ?, ?, ?, 'active', ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${CEILING_COLUMNS.map(() => "?").join(", ")})
    ON CONFLICT DO NOTHING RETURNING id`,
);
/** The first state of a key that was inserted. */
export const insertKeyState = sqlFor({
  sqlite: "INSERT INTO key_state (key_id, held_micro, spent_micro) VALUES (?, 0, 0)",
  postgres: `INSERT INTO key_state (key_account_id, key_id, held_micro, spent_micro)
    SELECT account_id, id, 0, 0 FROM keys WHERE id = ?`,
});

export function* createKey(key: NewKey): Work<KeyRecord> {
  const { id, account_id, hash, hint } = key;
  if ((yield* row(lockAccount, [account_id])) === null) throw new StoreConflict(`There is no account ${account_id}.`);
  if (key.project_id != null) yield* requireProject(account_id, key.project_id);
  const made = yield* row(insertKey, [id, account_id, hash, hint, yield* now_ms(), ...settings(key)]);
  if (made === null) throw new StoreConflict(`There is or was a key ${id}: its Idempotency-Key made it.`);
  yield* rows(insertKeyState, [id]);
  yield* writeTags(id, {}, key.tags);
  return yield* existing(id);
}

type KeySettings = Required<Omit<KeyPatch, "ceilings" | "project_id" | "cache_ms" | "tags" | "model_limits">> &
  Pick<KeyPatch, "ceilings" | "project_id" | "cache_ms" | "model_limits">;

/** The values of the editable columns, in the order of the statements. */
function settings(key: KeySettings): Value[] {
  return [
    key.name,
    JSON.stringify(key.aliases),
    JSON.stringify(key.prefix_aliases),
    key.models === null ? null : JSON.stringify(key.models),
    key.rpm,
    key.tpm,
    key.concurrent,
    key.budget?.amount_micro ?? null,
    ...windowValues(key.budget?.window ?? null),
    modelLimitsText(key.model_limits),
    key.expires_ms,
    key.project_id ?? null,
    key.cache_ms ?? null,
    ...ceilingValues(key.ceilings),
  ];
}

/** Locks the key's account, as an admission does, so that no request is admitted by the old record after the change. */
const lockAccountOf = sqlFor({
  sqlite: "SELECT account_id AS id FROM keys WHERE id = ?",
  postgres:
    "SELECT a.id FROM accounts AS a JOIN keys AS k ON k.account_id = a.id WHERE k.id = ? FOR NO KEY UPDATE OF a",
});

const updateStatus = sql("UPDATE keys SET status = ?, is_barred = ?, version = version + 1 WHERE id = ?");

export function* setKeyStatus(key_id: string, status: KeyStatus, bars?: boolean): Work<KeyRecord | null> {
  yield* rows(lockAccountOf, [key_id]);
  const key = yield* findKey(key_id);
  if (key === null) return null;
  const decided = allowed(decideKeyStatus(key, status, bars));
  yield* rows(updateStatus, [decided.status, decided.is_barred ? 1 : 0, key_id]);
  return yield* existing(key_id);
}

const updateSettings = sql(
  `UPDATE keys SET name = ?, aliases = ?, prefix_aliases = ?, models = ?, rpm = ?, tpm = ?, concurrent = ?,
    budget_micro = ?, budget_window = ?, budget_once = ?, model_limits = ?, expires_ms = ?, project_id = ?, cache_ms = ?, ${CEILING_COLUMNS.map((name) => `${name} = ?`).join(", ")},
    version = version + 1 WHERE id = ?`,
);

export function* updateKey(key_id: string, patch: KeyPatch, read_version?: number): Work<KeyRecord | null> {
  yield* rows(lockAccountOf, [key_id]);
  const key = yield* findKey(key_id);
  if (key === null) return null;
  allowed(refuseStaleChange(key, read_version));
  if (patch.project_id != null) yield* requireProject(key.account_id, patch.project_id);
  const { project_id = key.project?.id ?? null } = patch;
  yield* rows(updateSettings, [...settings({ ...key, ...patch, project_id }), key_id]);
  yield* writeTags(key_id, key.tags ?? {}, patch.tags);
  return yield* existing(key_id);
}

const rollSecret = sql(
  `UPDATE keys SET old_hash = CASE WHEN CAST(? AS bigint) IS NULL THEN NULL ELSE hash END, old_until_ms = ?, rolled_ms = ?,
    hash = ?, hint = ?, version = version + 1 WHERE id = ?`,
);
const selectTaken = sql("SELECT id FROM keys WHERE hash = ? UNION ALL SELECT id FROM keys WHERE old_hash = ?");

export function* rollKey(key_id: string, roll: KeyRoll): Work<KeyRecord | null> {
  yield* rows(lockAccountOf, [key_id]);
  const key = yield* findKey(key_id);
  if (key === null) return null;
  const { hash, hint } = roll;
  const is_taken = (yield* row(selectTaken, [hash, hash])) !== null;
  const now = yield* now_ms();
  const { old_until_ms } = allowed(decideRoll(key, roll, { is_taken, now_ms: now }));
  yield* rows(rollSecret, [old_until_ms, old_until_ms, now, hash, hint, key_id]);
  return yield* existing(key_id);
}

const markDeleted = sql(
  "UPDATE keys SET deleted_ms = ?, hash = NULL, old_hash = NULL, version = version + 1 WHERE id = ? AND deleted_ms IS NULL RETURNING id",
);

/** Deletes a key: the row is kept for the requests that refer to it, but its hash is removed, so that its secret is unknown from now on. */
export function* deleteKey(key_id: string): Work<boolean> {
  yield* rows(lockAccountOf, [key_id]);
  return (yield* row(markDeleted, [yield* now_ms(), key_id])) !== null;
}

function* existing(key_id: string): Work<KeyRecord> {
  const key = yield* findKey(key_id);
  if (key === null) throw new Error(`the key ${key_id} was not written`);
  return key;
}
