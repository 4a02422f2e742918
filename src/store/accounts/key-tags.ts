import { type KeyTag, type KeyTags, type KeyTagsPatch, MOST_TAGS, type TagNameCount } from "../../core/people/keys.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { type Statement, sql, sqlFor, type Value } from "../sql/statement.ts";
import { readJson, toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";

/** Tags of keys: rows of their own, found by key and by value (docs/design/tags-and-projects.md). */

/** A column with the tags of the key `k` as one JSON object; null where it has none. */
const COLUMN = {
  sqlite: "(SELECT json_group_object(t.name, t.value) FROM key_tags AS t WHERE t.key_id = k.id) AS tags",
  postgres: "(SELECT json_object_agg(t.name, t.value)::text FROM key_tags AS t WHERE t.key_id = k.id) AS tags",
} as const;

/** A statement whose text has `{tags}` in place of the column with a key's tags. */
export function withTags(text: string): Statement {
  const of = (column: string): string => text.replaceAll("{lock}", "").replace("{tags}", column);
  return sqlFor({ sqlite: of(COLUMN.sqlite), postgres: of(COLUMN.postgres) });
}

/** The tags in the order of their names; undefined for a key without tags, for which SQLite makes an empty object. */
export function readTags(text: string | null): KeyTags | undefined {
  if (text === null) return undefined;
  const tags = Object.entries(readJson<Record<string, string>>(text));
  return tags.length === 0 ? undefined : Object.fromEntries(tags.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const removeTag = sql("DELETE FROM key_tags WHERE key_id = ? AND name = ?");
const setTag = sql(
  "INSERT INTO key_tags (key_id, name, value) VALUES (?, ?, ?) ON CONFLICT (key_id, name) DO UPDATE SET value = excluded.value",
);

/** Writes a change of a key's tags. The caller holds the lock of the key's account. Throws a StoreConflict where the key would have too many. */
export function* writeTags(key_id: string, before: KeyTags, patch: KeyTagsPatch | undefined): Work<void> {
  if (patch === undefined) return;
  const changes = new Map<string, string | null>(
    patch === null ? Object.keys(before).map((name) => [name, null]) : Object.entries(patch),
  );
  const after = new Map<string, string | null>([...Object.entries(before), ...changes]);
  const left = [...after].filter(([, value]) => value !== null);
  if (left.length > MOST_TAGS) throw tooMany(key_id, left.length, before, changes);
  for (const [name, value] of changes) {
    if (value === null) yield* rows(removeTag, [key_id, name]);
    else yield* rows(setTag, [key_id, name, value]);
  }
}

function tooMany(key_id: string, count: number, before: KeyTags, changes: ReadonlyMap<string, unknown>): StoreConflict {
  const added = [...changes.keys()].filter((name) => !Object.hasOwn(before, name));
  return new StoreConflict(
    `The key ${key_id} would have ${count} tags with '${added.at(-1)}'; allowed: at most ${MOST_TAGS} tags of a key.`,
  );
}

/** A condition on the key `k`, with its parameters. The value "" stands for keys without the tag. */
export function tagCondition({ name, value }: KeyTag): { readonly text: string; readonly params: readonly Value[] } {
  if (value === "")
    return {
      text: "NOT EXISTS (SELECT 1 FROM key_tags AS f WHERE f.key_id = k.id AND f.name = ?)",
      params: [name],
    };
  return {
    text: "k.id IN (SELECT f.key_id FROM key_tags AS f WHERE f.name = ? AND f.value = ?)",
    params: [name, value],
  };
}

const COUNT = "CAST(sum(CASE WHEN k.deleted_ms IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS key_count";
const SUM_BY_NAME = "SELECT name, CAST(sum(key_count) AS BIGINT) AS key_count";
const selectNames = sql(
  `${SUM_BY_NAME} FROM (
      SELECT t.name, ${COUNT} FROM keys AS k JOIN key_tags AS t ON t.key_id = k.id WHERE k.account_id = ? GROUP BY t.name
      UNION ALL SELECT name, 0 AS key_count FROM request_tag_names WHERE account_id = ?
    ) AS named GROUP BY name ORDER BY name LIMIT ?`,
);
const selectAllNames = sql(
  `${SUM_BY_NAME} FROM (
      SELECT t.name, ${COUNT} FROM key_tags AS t JOIN keys AS k ON k.id = t.key_id GROUP BY t.name
      UNION ALL SELECT DISTINCT name, 0 AS key_count FROM request_tag_names
    ) AS named GROUP BY name ORDER BY name LIMIT ?`,
);

export function* listTagNames(account_id: string | null, limit: number): Work<TagNameCount[]> {
  const found =
    account_id === null
      ? yield* rows<{ name: string; key_count: unknown }>(selectAllNames, [limit])
      : yield* rows<{ name: string; key_count: unknown }>(selectNames, [account_id, account_id, limit]);
  return found.map(({ name, key_count }) => ({ name, key_count: toInt(key_count) }));
}
