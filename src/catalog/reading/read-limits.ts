import type { Configuration } from "../../core/catalog/catalog.ts";
import { withoutNulls } from "../../core/given.ts";
import { micro } from "../../core/money/money.ts";
import { OTHER_TAGS } from "../../core/people/keys.ts";
import type { Budget, GatewayTagLimit, ModelLimit, OwnLimits } from "../../core/people/principal.ts";
import { isTagName, isTagValue } from "../../core/people/tag-values.ts";
import { scaleDecimal } from "./decimal.ts";
import { report, type YamlPlace } from "./place.ts";
import { readEntries, readFields, type YamlFields } from "./read-fields.ts";
import { readBoolean, readCount, readParsed, readSize } from "./read-scalar.ts";

const NAME_RULE = "the name of a tag: 1 to 40 characters of a-z 0-9 _ . - of which the first is a letter";
const VALUE_RULE = "the value of a tag: 1 to 100 characters without control characters";
const PATTERN_RULE = "a model id in which * stands for any text: 1 to 256 characters without spaces and commas";
const BUDGET_RULE = "AMOUNT/day, AMOUNT/week, AMOUNT/month or AMOUNT/once, such as 5/day";
const LIMIT_RULE = "a limit: rpm, tpm, concurrent or budget";
const OWN_LIMITS = ["rpm", "tpm", "concurrent", "budget"] as const;

/** Reads `limits.models`: what the models of each pattern may be used for, for every account apart (docs/rulings.md 177). */
function readModelLimits(place: YamlPlace | null): ModelLimit[] | null {
  const entries = readEntries(place, "a map of model id patterns");
  if (entries === null || entries.length === 0) return null;
  return entries.flatMap(([models, value]) => {
    if (!/^[^\s,]{1,256}$/.test(models)) report(value, PATTERN_RULE, JSON.stringify(models));
    const fields = readFields(value, OWN_LIMITS);
    if (fields === null) return [];
    const own = readOwn(fields);
    if (Object.keys(own).length === 0) report(value, LIMIT_RULE, "none");
    const { rpm = null, tpm = null, concurrent = null, budget = null } = own;
    return [{ models, rpm, tpm, concurrent, budget }];
  });
}

/** Reads `limits.tags`: what each value of a tag may use, for every account apart (docs/rulings.md 176). */
function readTagLimits(place: YamlPlace | null): GatewayTagLimit[] | null {
  const entries = readEntries(place, "a map of tags");
  if (entries === null || entries.length === 0) return null;
  return entries.flatMap(([tag, value]) => {
    if (!isTagName(tag)) report(value, NAME_RULE, JSON.stringify(tag));
    const fields = readFields(value, ["required", ...OWN_LIMITS, "values"]);
    if (fields === null) return [];
    const required = readBoolean(fields.get("required")) ?? false;
    const values = readValues(fields.get("values"));
    const { rpm = null, tpm = null, concurrent = null, budget = null } = readOwn(fields);
    const is_empty = rpm === null && tpm === null && concurrent === null && budget === null && values.size === 0;
    if (is_empty && !required) report(value, `${LIMIT_RULE}, required or values`, "none");
    return [{ tag, required, rpm, tpm, concurrent, budget, values }];
  });
}

/** Reads the tag that the id of an end user stands for. */
function readEndUserTag(place: YamlPlace | null): string | null {
  return readParsed(place, NAME_RULE, (tag) => (isTagName(tag) ? tag : null));
}

function readValues(place: YamlPlace | null): ReadonlyMap<string, OwnLimits> {
  const values = new Map<string, OwnLimits>();
  for (const [name, value] of readEntries(place, "a map of values") ?? []) {
    if (!isTagValue(name) || name === OTHER_TAGS) report(value, VALUE_RULE, JSON.stringify(name));
    const fields = readFields(value, OWN_LIMITS);
    const own = fields === null ? {} : readOwn(fields);
    if (Object.keys(own).length === 0) report(value, LIMIT_RULE, "none");
    values.set(name, own);
  }
  return values;
}

function readOwn(fields: Pick<YamlFields<(typeof OWN_LIMITS)[number]>, "get">): OwnLimits {
  return withoutNulls({
    rpm: readCount(fields.get("rpm"), 1),
    tpm: readCount(fields.get("tpm"), 1),
    concurrent: readCount(fields.get("concurrent"), 1),
    budget: readBudget(fields.get("budget")),
  });
}

function readBudget(place: YamlPlace | null): Budget | null {
  return readParsed(place, BUDGET_RULE, (text) => {
    const [, amount = "", window] = /^(\d{1,9}(?:\.\d{1,6})?)\/(day|week|month|once)$/.exec(text.trim()) ?? [];
    const decimal = scaleDecimal(amount, 6);
    if (window === undefined || decimal.kind !== "whole") return null;
    return { amount_micro: micro(decimal.value), window: window as Budget["window"] };
  });
}

export const DEFAULT_LIMITS: Configuration["limits"] = {
  body_bytes: 32 * 2 ** 20,
  decision_calls: 1000,
  default_key: { rpm: 600, concurrent: 64 },
};

/** Reads the limits that keys inherit, those by model and by tag, the largest body and the most calls of a decision. */
export function readLimits(place: YamlPlace | null): Configuration["limits"] {
  const fields = readFields(place, ["body", "decision_calls", "default_key", "models", "tags", "end_user"]);
  if (fields === null) return DEFAULT_LIMITS;
  const key_place = fields.get("default_key");
  const key = readFields(key_place, ["rpm", "concurrent"]);
  const models = readModelLimits(fields.get("models"));
  const tags = readTagLimits(fields.get("tags"));
  const end_user = readEndUserTag(fields.get("end_user"));
  return {
    ...withoutNulls({ models, tags, end_user }),
    body_bytes: readSize(fields.get("body")) ?? DEFAULT_LIMITS.body_bytes,
    decision_calls: readCount(fields.get("decision_calls"), 1) ?? DEFAULT_LIMITS.decision_calls,
    default_key: {
      rpm: readCount(key?.get("rpm") ?? null, 1) ?? DEFAULT_LIMITS.default_key.rpm,
      concurrent: readCount(key?.get("concurrent") ?? null, 1) ?? DEFAULT_LIMITS.default_key.concurrent,
    },
  };
}
