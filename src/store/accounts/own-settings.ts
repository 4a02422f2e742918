import type { OwnSetting } from "../../core/people/list-query.ts";

type SettingConditions = Readonly<Record<OwnSetting, string>>;

/** Conditions on keys, the table `k`. A revoked key never works again, so its limits no longer count. */
const OF_KEYS: SettingConditions = {
  aliases: "(k.aliases <> '[]' OR k.prefix_aliases <> '[]')",
  limits: inForce(
    ["rpm", "tpm", "concurrent", "budget_micro", "models", "model_limits", "expires_ms"]
      .map((column) => `k.${column} IS NOT NULL`)
      .join(" OR "),
  ),
  rpm: inForce("k.rpm IS NOT NULL"),
  tpm: inForce("k.tpm IS NOT NULL"),
  concurrent: inForce("k.concurrent IS NOT NULL"),
  budget: inForce("k.budget_micro IS NOT NULL"),
  models: inForce("k.models IS NOT NULL"),
  expires_at: inForce("k.expires_ms IS NOT NULL"),
};

/** Conditions on accounts, the table `a`, with their limits, the table `l`. */
const OF_ACCOUNTS: SettingConditions = {
  aliases: "FALSE",
  limits: "a.has_limits = 1",
  rpm: "l.rpm IS NOT NULL",
  tpm: "l.tpm IS NOT NULL",
  concurrent: "l.concurrent IS NOT NULL",
  budget: "l.budget_micro IS NOT NULL",
  models: "l.models IS NOT NULL",
  expires_at: "FALSE",
};

export const LIMITED_KEY = OF_KEYS.limits;
export const LIMITED_ACCOUNT = OF_ACCOUNTS.limits;

/** A condition with one parameter: the name of a setting, or null for any setting. */
export const keyHasOwn = chosen(OF_KEYS);
export const accountHasOwn = chosen(OF_ACCOUNTS);

function chosen(conditions: SettingConditions): string {
  const cases = Object.entries(conditions).map(([setting, condition]) => `WHEN '${setting}' THEN ${condition}`);
  return `CASE CAST(? AS TEXT) ${cases.join(" ")} ELSE TRUE END`;
}

function inForce(condition: string): string {
  return `(k.status <> 'revoked' AND (${condition}))`;
}
