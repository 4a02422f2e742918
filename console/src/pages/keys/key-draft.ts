import type { AccountLimits, UpdateAccount } from "../../../../contract/accounts.ts";
import { amountText, readAmount } from "../../../../contract/amounts.ts";
import type { Key, ModelLimit, UpdateKey } from "../../../../contract/keys.ts";
import { modelLimitText, readModelLimit } from "../../../../contract/model-limit-text.ts";
import { optionsOf } from "../../kit/options.ts";
import { type AliasRow, aliasesOf, aliasRows } from "./alias-rows.ts";
import { readPatterns } from "./match-models.ts";

export type Window = NonNullable<Key["budget"]>["window"];

export const WINDOWS = optionsOf<Window>({
  day: "a day",
  week: "a week",
  month: "a month",
  once: "once, never resets",
});

/** Limits as a form has them: numbers and amounts are texts, empty for none. */
export interface LimitDraft {
  /** Whether only the models of `patterns` may be used. */
  readonly confined: boolean;
  readonly patterns: string;
  readonly rpm: string;
  readonly tpm: string;
  readonly concurrent: string;
  readonly budget: string;
  readonly budget_window: Window;
  /** Limits by model, one a line. */
  readonly model_limits: string;
}

/** A key's settings as a form has them. */
export interface KeyDraft extends LimitDraft {
  readonly name: string;
  readonly aliases: readonly AliasRow[];
  /** How old an answer may be that is given again, such as `10m`. */
  readonly cache: string;
  /** A day or a time; null: the key never ends. */
  readonly expires_at: string | null;
}

export const NEW_DRAFT: KeyDraft = {
  name: "",
  aliases: [],
  cache: "",
  confined: false,
  patterns: "",
  rpm: "",
  tpm: "",
  concurrent: "",
  budget: "",
  budget_window: "month",
  model_limits: "",
  expires_at: null,
};

export function draftOf(key: Key): KeyDraft {
  const { name, cache = "", expires_at } = key;
  return { name, aliases: aliasRows(key), cache, ...limitDraftOf(key), expires_at };
}

export function limitDraftOf({ models, rpm, tpm, concurrent, budget, model_limits }: AccountLimits): LimitDraft {
  const text = (limit: number | null) => (limit === null ? "" : String(limit));
  return {
    confined: models !== null,
    patterns: (models ?? []).join("\n"),
    rpm: text(rpm),
    tpm: text(tpm),
    concurrent: text(concurrent),
    budget: budget === null ? "" : amountText(budget.amount_micro),
    budget_window: budget?.window ?? NEW_DRAFT.budget_window,
    model_limits: (model_limits ?? []).map(modelLimitText).join("\n"),
  };
}

/** All fields of a draft, as the API takes them. */
export function fieldsOf(draft: KeyDraft): Required<Omit<UpdateKey, "project" | "tags">> {
  return {
    name: draft.name.trim(),
    ...aliasesOf(draft.aliases),
    ...limitFieldsOf(draft),
    cache: draft.cache.trim() === "" ? null : draft.cache.trim(),
    expires_at: draft.expires_at,
  };
}

/** The limits of a draft, as the API takes them. */
export function limitFieldsOf(
  draft: LimitDraft,
): Required<Omit<UpdateAccount, "name" | "email" | "time_zone" | "tag_limits" | "end_user_tag">> {
  const limit = (text: string) => (text.trim() === "" ? null : Number(text));
  return {
    models: draft.confined ? readPatterns(draft.patterns) : null,
    rpm: limit(draft.rpm),
    tpm: limit(draft.tpm),
    concurrent: limit(draft.concurrent),
    budget: draft.budget.trim() === "" ? null : { amount: budgetText(draft.budget), window: draft.budget_window },
    model_limits: modelLimitsOf(draft.model_limits),
  };
}

/** Limits by model as the API takes them; a line that is none is left to the API, which refuses it. */
function modelLimitsOf(typed: string): ModelLimit[] | null {
  const lines = typed.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return null;
  return lines.map((line) => {
    const limit = readModelLimit(line);
    return "problem" in limit ? { models: line.trim() } : limit;
  });
}

/** The budget as the API takes it; a text that is no amount is left to the API, which refuses it. */
function budgetText(typed: string): string {
  const read = readAmount(typed);
  return "problem" in read ? typed.trim() : read.text;
}

/** The fields of a draft that differ from the key. Only these are written, so that changes of others stay. */
export function changesOf(key: Key, draft: KeyDraft): UpdateKey {
  const before = fieldsOf(draftOf(key));
  const after = fieldsOf(draft);
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
  );
  return Object.fromEntries(changed);
}
