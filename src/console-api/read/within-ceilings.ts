import type { Configuration } from "../../core/catalog/catalog.ts";
import { formatAmount } from "../../core/money/money.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { KeyPatch } from "../../core/store/ports.ts";
import {
  type Ceiling,
  type CeilingName,
  ceilingsOf,
  firstAbove,
  type KeyCeilings,
  restoredToCeilings,
} from "../../limits/ceilings.ts";
import { perWindow } from "../../limits/windows.ts";
import { ConsoleError } from "../answer/console-error.ts";

/** The parts of a key, or of a key that is about to be made, that say what members may set. */
export type Limitable = Pick<KeyRecord, "ceilings" | "account_limits">;

/**
 * A member's change of a key's limits (docs/rulings.md 151): a limit that is taken away becomes the administrator's. Throws
 * 403 `above_ceiling`, with the field, for one that goes above what an administrator has set.
 */
export function withinCeilings(given: KeyPatch, key: Limitable, { limits }: Configuration): KeyPatch {
  const ceilings = ceilingsOf(key, limits.default_key);
  const above = firstAbove(given, ceilings);
  if (above !== null) throw refusal(above, ceilings);
  return { ...given, ...restoredToCeilings(given, key.ceilings) };
}

const PARAMS: Readonly<Record<CeilingName, string>> = {
  models: "models",
  rpm: "rpm",
  tpm: "tpm",
  concurrent: "concurrent",
  budget: "budget",
  expires_ms: "expires_at",
};

const SET_ON = {
  key: "an administrator has set this for the key",
  account: "an administrator has set this for the account",
  configuration: "the gateway's configuration sets this for keys without their own limit",
} as const;

function refusal(name: CeilingName, ceilings: KeyCeilings): ConsoleError {
  const param = PARAMS[name];
  const { set_on } = ceilings[name] as Ceiling<unknown>;
  const message = `'${param}' is more than ${inWords(name, ceilings)}, which is the most here: ${SET_ON[set_on]}. You may lower it.`;
  return new ConsoleError("above_ceiling", message, param);
}

function inWords(name: CeilingName, { models, budget, expires_ms, ...counts }: KeyCeilings): string {
  switch (name) {
    case "models":
      return (models?.value ?? []).join(", ");
    case "budget":
      return budget === null ? "" : `${formatAmount(budget.value.amount_micro)} ${perWindow(budget.value.window)}`;
    case "expires_ms":
      return new Date(expires_ms?.value ?? 0).toISOString();
    default:
      return String(counts[name]?.value);
  }
}
