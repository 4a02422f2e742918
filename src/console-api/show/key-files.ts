import type { Cell } from "../../../contract/csv.ts";
import type { Key } from "../../../contract/keys.ts";
import { tagTexts } from "../../../contract/tag-rules.ts";
import { budgetCells } from "./account-files.ts";

/** Keys as rows of a file. */
export const KEY_COLUMNS = [
  ...["id", "name", "hint", "status", "account", "account_email", "created_at", "last_used_at", "expires_at"],
  ...["old_secret_until", "playground", "barred", "aliases", "prefix_aliases", "models", "rpm", "tpm", "concurrent"],
  ...["budget", "budget_window", "tags"],
];

export function keyRow(key: Key, email: string): Cell[] {
  return [
    ...[key.id, key.name, key.hint, key.status, key.account, email, key.created_at, key.last_used_at, key.expires_at],
    ...[key.old_secret_until, key.playground ? 1 : 0, key.barred ? 1 : 0],
    key.aliases.map(({ name, model }) => `${name}=${model}`).join(" "),
    key.prefix_aliases.map(({ prefix, model }) => `${prefix}*=${model}`).join(" "),
    ...[key.models?.join(" ") ?? null, key.rpm, key.tpm, key.concurrent, ...budgetCells(key.budget)],
    tagTexts(key.tags).join("; "),
  ];
}
