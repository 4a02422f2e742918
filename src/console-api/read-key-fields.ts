import { parseTime } from "../../contract/day.ts";
import type { UpdateKey } from "../../contract/keys.ts";
import type { Configuration } from "../core/catalog.ts";
import { GatewayError } from "../core/errors.ts";
import type { KeyPatch } from "../core/ports.ts";
import { readAmount } from "./read-amount.ts";

/**
 * The stored fields of a key from a body whose shape was checked: times, amounts and alias targets are read here.
 * A field that the body lacks is lacking in the result. Throws a 400 that names the field.
 */
export function readKeyFields(body: UpdateKey, configuration: Configuration, now_ms: number): KeyPatch {
  const { budget, expires_at, ...plain } = body;
  requireDistinct("aliases", body.aliases?.map(({ name }) => name) ?? []);
  requireDistinct("prefix_aliases", body.prefix_aliases?.map(({ prefix }) => prefix) ?? []);
  requireTargets("aliases", body.aliases ?? [], configuration);
  requireTargets("prefix_aliases", body.prefix_aliases ?? [], configuration);
  return {
    ...plain,
    ...(budget === undefined ? {} : { budget: budget === null ? null : readBudget(budget) }),
    ...(expires_at === undefined ? {} : { expires_ms: expires_at === null ? null : readExpiry(expires_at, now_ms) }),
  };
}

type Budget = NonNullable<UpdateKey["budget"]>;

function readBudget({ amount, window }: Budget): NonNullable<KeyPatch["budget"]> {
  return { amount_micro: readAmount(amount, "budget.amount"), window };
}

/** A time in the future. A day without a time is its beginning in UTC. */
function readExpiry(text: string, now_ms: number): number {
  const time_ms = parseTime(text);
  if (time_ms !== null && time_ms > now_ms) return time_ms;
  const found = time_ms === null ? "which is not a date of the calendar" : "which is not in the future";
  throw new GatewayError("invalid_request", `'expires_at' is '${text}', ${found}; allowed: a future day or time.`, {
    param: "expires_at",
  });
}

type AliasField = "aliases" | "prefix_aliases";

function requireDistinct(field: AliasField, names: readonly string[]): void {
  const repeated = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (repeated === -1) return;
  throw new GatewayError("invalid_request", `'${names[repeated]}' is twice in '${field}'; allowed: each name once.`, {
    param: `${field}[${repeated}]`,
  });
}

/** An alias's target is a model of the catalogue, not another alias (docs/rulings.md 20). */
function requireTargets(
  field: AliasField,
  aliases: readonly { readonly model: string }[],
  configuration: Configuration,
): void {
  const missing = aliases.findIndex(({ model }) => !configuration.models.has(model));
  if (missing === -1) return;
  const param = `${field}[${missing}].model`;
  const model = aliases[missing]?.model;
  throw new GatewayError("invalid_request", `'${param}' is '${model}'; allowed: the id of a model in the catalogue.`, {
    param,
  });
}
