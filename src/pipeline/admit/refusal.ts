import type { Configuration } from "../../core/catalog/catalog.ts";
import { MS_PER_DAY } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import type { AdmitRefusal, RefusedRule } from "../../core/ledger/ledger.ts";
import { formatAmount, type Micro } from "../../core/money/money.ts";
import type { BudgetWindow, KeyRecord } from "../../core/people/principal.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { renewalOf } from "../../limits/windows.ts";

/** What a refusal tells beside the ledger's verdict. */
export interface RefusalFacts {
  readonly configuration: Pick<Configuration, "currency" | "limits">;
  readonly key: Pick<
    KeyRecord,
    "rpm" | "tpm" | "concurrent" | "project" | "account_limits" | "expires_ms" | "time_zone"
  >;
  /** The least that the call needs; null while its body is unread. */
  readonly needed_micro: Micro | null;
  readonly now_ms: number;
}

/** By how much a node may be wrong about the database's time. */
const ALMOST_MS = 1000;

/** The error for a request that the ledger refuses: what was missing, how much of it, and when or how there is more. */
export function refusal(result: AdmitRefusal, call: RefusalFacts): GatewayError {
  switch (result.outcome) {
    case "stale_key":
      // By the database's clock, which is the one that counts, the end that is a moment away here has come.
      if (call.key.expires_ms !== null && call.key.expires_ms - call.now_ms < ALMOST_MS)
        return new GatewayError("api_key_inactive", "This API key has expired. Use another key.");
      return new GatewayError("model_unavailable", "The key is being changed right now. Try again.", {
        retry_after_ms: 1000,
      });
    case "insufficient_balance":
      return new GatewayError("insufficient_balance", balanceWords(result.balance_micro, call));
    case "budget_exceeded":
      return new GatewayError("insufficient_balance", budgetWords(result, call));
    case "rate_limited":
      return tooMany(
        result.rule === undefined ? `This ${result.of ?? "key"}'s` : ownerWords(result.rule),
        `${limitWords(result, call)}${result.rule === undefined ? "" : ruleWords(result.rule)}`,
        result.retry_after_ms,
        WHY[result.limit],
      );
    case "idempotency_in_progress":
      return new GatewayError("idempotency_in_progress", "A request with this Idempotency-Key is still running.", {
        retry_after_ms: 1000,
      });
    case "idempotency_key_reused":
      return new GatewayError("idempotency_key_reused", REUSED[result.reason]);
  }
}

/** The 429 of a limit: `whose` as "This key's", `limit` as "60 requests per minute". */
export function tooMany(whose: string, limit: string, retry_after_ms: number, why = ""): GatewayError {
  const wait = `Retry in ${Math.max(1, Math.ceil(retry_after_ms / 1000))} s.`;
  return new GatewayError("rate_limit_exceeded", `${whose} limit of ${limit} is reached. ${wait}${why}`, {
    retry_after_ms,
  });
}

function balanceWords(balance_micro: Micro, { configuration: { currency }, needed_micro }: RefusalFacts): string {
  const balance = `The balance is ${formatAmount(balance_micro)} ${currency}`;
  if (needed_micro === null) return `${balance}. Add credit.`;
  return `${balance}; this call needs ${formatAmount(needed_micro)} ${currency}. Add credit, or ask for less output.`;
}

type BudgetExceeded = Extract<AdmitRefusal, { outcome: "budget_exceeded" }>;

/** Who has a rule, in words: its name begins with the id of a key or a project, or with `account` or `gateway`. */
function ownerWords({ rule }: RefusedRule): string {
  const holder = rule.slice(0, rule.indexOf(" "));
  if (holder === "account" || holder === "gateway") return `This ${holder}'s`;
  return `This ${holder.startsWith("proj_") ? "project" : "key"}'s`;
}

/** What a rule limits, in words: ` for openai/*`, ` for customer=big-corp`. */
function ruleWords({ rule, value }: RefusedRule): string {
  const [, kind, ...of] = rule.split(" ");
  return kind === "tag" ? ` for ${of.join(" ")}=${value}` : ` for ${of.join(" ")}`;
}

function budgetWords({ of, rule, window, remaining_micro }: BudgetExceeded, call: RefusalFacts): string {
  const { currency } = call.configuration;
  const needs = call.needed_micro === null ? "" : `; this call needs ${formatAmount(call.needed_micro)} ${currency}`;
  const whole = rule === undefined ? "" : ` of ${formatAmount(rule.amount_micro)} ${currency}`;
  const left = `${formatAmount(remaining_micro)} ${currency}${whole} left`;
  const budget = window === "once" ? "budget" : `budget for the ${window}`;
  const owner = rule === undefined ? `This ${of ?? "key"}'s` : ownerWords(rule);
  const what = rule === undefined ? "" : ruleWords(rule);
  return `${owner} ${budget}${what} has ${left}${needs}. ${renewalWords(window, call)}`;
}

function renewalWords(window: BudgetWindow, { key: { time_zone }, now_ms }: RefusalFacts): string {
  const renewal = renewalOf(window, timeZoneOf(time_zone), now_ms);
  if (renewal === null) return "It does not renew.";
  const hours = Math.ceil((renewal.at_ms - now_ms) / (MS_PER_DAY / 24));
  return `It renews at ${renewal.at} (${renewal.time_zone}), in ${hours} h.`;
}

type RateLimited = Extract<AdmitRefusal, { outcome: "rate_limited" }>;

/** The limit as "60 requests per minute"; without its value where the key's record does not have it. */
function limitWords(result: RateLimited, call: RefusalFacts): string {
  const [one, many] = LIMIT_NAMES[result.limit];
  const value = result.rule?.allowed ?? limitOf(result, call);
  return value === null ? many : `${value} ${value === 1 ? one : many}`;
}

function limitOf({ limit, of }: RateLimited, { key, configuration }: RefusalFacts): number | null {
  const defaults = configuration.limits.default_key;
  const of_key = {
    requests: key.rpm ?? defaults.rpm,
    tokens: key.tpm,
    concurrency: key.concurrent ?? defaults.concurrent,
  };
  const shared_rpm = of === "project" ? key.project?.rpm : key.account_limits?.rpm;
  if (of === undefined) return of_key[limit];
  return limit === "requests" ? (shared_rpm ?? null) : null;
}

const LIMIT_NAMES = {
  requests: ["request per minute", "requests per minute"],
  tokens: ["token per minute", "tokens per minute"],
  concurrency: ["concurrent request", "concurrent requests"],
} as const;

/** A client that has closed its stream does not expect that the call goes on (docs/rulings.md 143). */
const WHY = {
  requests: "",
  tokens: "",
  concurrency:
    " A call whose client has disconnected counts until it ends: the rest of its answer may still be read from the vendor.",
} as const;

const REUSED = {
  other_body: "This Idempotency-Key was used with another request. Use a new key for a new request.",
  answer_not_kept:
    "The request with this Idempotency-Key was answered, but its answer could not be kept. Use a new key to ask again.",
} as const;
