import type { KeyLabel, KeyRoll } from "../../core/people/keys.ts";
import type { ListQuery } from "../../core/people/list-query.ts";
import type { KeyRecord, KeyStatus, KeyVersion } from "../../core/people/principal.ts";
import { type KeyPatch, type NewKey, StoreConflict } from "../../core/store/ports.ts";
import { refuseStaleChange } from "../../people/keys/change-key.ts";
import { decideKeyStatus } from "../../people/keys/key-status.ts";
import { byOldSecret, decideRoll } from "../../people/keys/roll-key.ts";
import { windowValues } from "../sql/budget-window.ts";
import { now_ms } from "../sql/clock.ts";
import {
  columnsOf,
  flag,
  int,
  intOrNull,
  json,
  jsonOrNull,
  type RawRow,
  type ReadRow,
  readRow,
  text,
  textOrNull,
  word,
} from "../sql/columns.ts";
import { behind, placeIn } from "../sql/page.ts";
import { searchCondition, searchParams } from "../sql/search.ts";
import { lookup, sql, sqlFor, type Value } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { allowed } from "./allowed.ts";
import { readTags, tagCondition, withTags, writeTags } from "./key-tags.ts";
import {
  CEILING_COLUMNS,
  type CeilingsRow,
  ceilingValues,
  LIMIT_COLUMNS,
  type LimitsRow,
  modelLimitsText,
  readCeilings,
  readLimits,
  readLimitsByTag,
  readModelLimits,
} from "./limit-columns.ts";
import { requireAccount } from "./locks.ts";
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

/** The columns of a key that its record has as they are. */
const KEY = {
  id: text,
  account_id: text,
  name: text,
  status: word<KeyStatus>(),
  aliases: json<KeyRecord["aliases"]>(),
  prefix_aliases: json<KeyRecord["prefix_aliases"]>(),
  expires_ms: intOrNull,
  created_ms: int,
  hint: text,
  version: int,
} as const;
/** Those that its record has where they are not null. */
const OPTIONAL = {
  cache_ms: intOrNull,
  old_until_ms: intOrNull,
  rolled_ms: intOrNull,
  playground_user: textOrNull,
  project_id: textOrNull,
} as const;
/** Limits by tag are those of projects and accounts. */
const OWN_LIMITS = LIMIT_COLUMNS.filter((name) => name !== "tag_limits" && name !== "end_user_tag");
const JOINED = {
  account_status: word<KeyRecord["account_status"]>(),
  last_used_ms: intOrNull,
  has_limits: flag,
  time_zone: textOrNull,
  keeps_contents: flag,
  project_name: textOrNull,
  project_models: jsonOrNull<readonly string[]>(),
  project_rpm: intOrNull,
  project_cache_ms: intOrNull,
  project_model_limits: textOrNull,
  project_tag_limits: textOrNull,
  project_end_user_tag: textOrNull,
} as const;
const MORE = { ...OPTIONAL, ...JOINED } as const;

const SELECT = `SELECT ${columnsOf({ ...KEY, ...OPTIONAL }, "k")}, ${[...OWN_LIMITS, ...CEILING_COLUMNS].map((name) => `k.${name}`).join(", ")},
    a.status AS account_status, s.last_used_ms, a.has_limits, a.time_zone, ${KEEPS_CONTENTS} AS keeps_contents, {tags},
    ${["name", "models", "rpm", "cache_ms", "model_limits", "tag_limits", "end_user_tag"].map((name) => `p.${name} AS project_${name}`).join(", ")},
    ${LIMIT_COLUMNS.map((name) => `l.${name} AS account_${name}`).join(", ")}
  FROM keys AS k JOIN accounts AS a ON a.id = k.account_id JOIN key_state AS s ON s.key_id = k.id
    LEFT JOIN account_limits AS l ON l.account_id = k.account_id LEFT JOIN projects AS p ON p.id = k.project_id
  WHERE k.deleted_ms IS NULL`;

/** The account's limits in the same row as the key's own, each under a name with the prefix `account_`. */
type AccountLimitsRow = { readonly [Name in keyof LimitsRow as `account_${Name}`]: LimitsRow[Name] };
type KeyLimitsRow = Omit<LimitsRow, "tag_limits" | "end_user_tag">;
type StoredKeyRow = RawRow<typeof KEY & typeof MORE> &
  CeilingsRow &
  KeyLimitsRow &
  AccountLimitsRow & { readonly tags: string | null };

function keyRecord(found: StoredKeyRow): KeyRecord {
  const more = readRow(MORE, found);
  const { cache_ms, old_until_ms, rolled_ms, playground_user, time_zone } = more;
  const ceilings = readCeilings(found);
  const tags = readTags(found.tags);
  return {
    ...readRow(KEY, found),
    ...readLimits({ ...found, tag_limits: null, end_user_tag: null }),
    account_status: more.account_status,
    last_used_ms: more.last_used_ms,
    ...(cache_ms !== null && { cache_ms }),
    ...(more.keeps_contents && { keeps_contents: true as const }),
    ...(old_until_ms !== null && { old_secret_until_ms: old_until_ms }),
    ...(rolled_ms !== null && { rolled_ms }),
    ...(ceilings !== null && { ceilings }),
    ...(more.has_limits && { account_limits: accountLimits(found) }),
    ...(time_zone !== null && { time_zone }),
    ...(more.project_id !== null && { project: keyProject(more, more.project_id) }),
    ...(tags !== undefined && { tags }),
    ...(playground_user !== null && { playground_of: playground_user }),
  };
}

function keyProject(key: ReadRow<typeof MORE>, id: string): NonNullable<KeyRecord["project"]> {
  const { project_name, project_models: models, project_rpm: rpm, project_cache_ms: cache_ms } = key;
  const model_limits = readModelLimits(key.project_model_limits);
  const by_tag = readLimitsByTag({ tag_limits: key.project_tag_limits, end_user_tag: key.project_end_user_tag });
  const own = { id, name: project_name ?? "", models, rpm, ...(cache_ms !== null && { cache_ms }), ...by_tag };
  return model_limits === null ? own : { ...own, model_limits };
}

function accountLimits(found: AccountLimitsRow): NonNullable<KeyRecord["account_limits"]> {
  return readLimits(Object.fromEntries(LIMIT_COLUMNS.map((name) => [name, found[`account_${name}`]])) as LimitsRow);
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

/** A key whose status is `active` and whose time is over counts as expired. `k.hint` and the aliases count too: a program's operator often knows no more of a key. */
const PAGE_TEXT = "k.name || ' ' || k.id || ' ' || k.hint || ' ' || k.aliases || ' ' || k.prefix_aliases";

function pageBy(text: string, more = "") {
  return withTags(
    `${SELECT} AND (CAST(? AS TEXT) IS NULL OR k.account_id = ?)
    AND (CAST(? AS TEXT) IS NULL OR CASE WHEN k.status = 'active' AND k.expires_ms <= ? THEN 'expired' ELSE k.status END = ?)
    AND coalesce(s.last_used_ms, k.created_ms) < ?
    AND (CAST(? AS TEXT) IS NULL OR coalesce(k.project_id, '') = ?)
    AND ${keyHasOwn} AND ${behind("k.")}
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
  const { status = null, limit, search, project_id = null, own = null, tag } = query;
  const place = yield* placeIn("keys", query);
  if (place === null) return [];
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

const SETTINGS = [
  ...["name", "aliases", "prefix_aliases", ...OWN_LIMITS, "expires_ms", "project_id", "cache_ms"],
  ...CEILING_COLUMNS,
];

const insertKey = sql(
  `INSERT INTO keys (id, account_id, hash, hint, status, created_ms, version, ${SETTINGS.join(", ")})
    VALUES (?, ?, ?, ?, 'active', ?, 1, ${SETTINGS.map(() => "?").join(", ")})
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
  // The account is held, so that the key's project is not deleted meanwhile.
  yield* requireAccount(account_id);
  if (key.project_id != null) yield* requireProject(account_id, key.project_id);
  const made = yield* row(insertKey, [id, account_id, hash, hint, yield* now_ms(), ...settings(key)]);
  if (made === null) throw new StoreConflict(`There is or was a key ${id}: its Idempotency-Key made it.`);
  yield* rows(insertKeyState, [id]);
  yield* writeTags(id, {}, key.tags);
  return yield* existing(id);
}

type KeySettings = Required<Omit<KeyPatch, "ceilings" | "project_id" | "cache_ms" | "tags" | "model_limits">> &
  Pick<KeyPatch, "ceilings" | "project_id" | "cache_ms" | "model_limits">;

/** The values of the columns of `SETTINGS`, in their order. */
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
  `UPDATE keys SET ${SETTINGS.map((name) => `${name} = ?`).join(", ")}, version = version + 1 WHERE id = ?`,
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
