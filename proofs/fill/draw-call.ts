import type { BilledEndpoint } from "../../src/core/endpoints.ts";
import type { AdmitOp, Attempt, Outcome, SettleOp, VoidOp } from "../../src/core/ledger/ledger.ts";
import { micro, ZERO } from "../../src/core/money/money.ts";
import { costOf, type Price } from "../../src/core/money/price.ts";
import type { Usage } from "../../src/core/money/usage.ts";
import type { Draw } from "./draw.ts";

/** A model that is called, with the vendor's name for it and the name that some clients use. */
interface Model {
  readonly id: string;
  readonly vendor: string;
  readonly upstream_model: string;
  readonly alias: string;
  readonly price: Price;
}

function model(id: string, alias: string, input: number, output: number): Model {
  const [vendor = "", upstream_model = ""] = id.split("/");
  const version = Bun.hash(`${id} ${input} ${output}`).toString(16).padStart(16, "0").slice(0, 12);
  const price: Price = {
    ...{ version, from_ms: Date.UTC(2025, 0, 1), tiers: [] },
    ...{ input_micro_per_mtok: input, output_micro_per_mtok: output },
    ...{ cache_read_micro_per_mtok: input / 10, cache_write_micro_per_mtok: (input * 5) / 4 },
  };
  return { id, vendor, upstream_model, alias, price };
}

/** The most called first. */
const MODELS: readonly Model[] = [
  model("openai/gpt-5-mini", "fast", 250_000, 2_000_000),
  model("anthropic/claude-sonnet-4-5", "smart", 3_000_000, 15_000_000),
  model("google/gemini-2.5-flash", "cheap", 300_000, 2_500_000),
  model("openai/gpt-5", "best", 1_250_000, 10_000_000),
  model("anthropic/claude-haiku-4-5", "small", 1_000_000, 5_000_000),
  model("mistral/mistral-medium-latest", "eu", 400_000, 2_000_000),
  model("deepseek/deepseek-chat", "bulk", 280_000, 420_000),
  model("google/gemini-2.5-pro", "long", 1_250_000, 10_000_000),
  model("anthropic/claude-opus-4-5", "thorough", 5_000_000, 25_000_000),
  model("groq/llama-3.3-70b-versatile", "instant", 590_000, 790_000),
];
const ENDPOINTS: readonly BilledEndpoint[] = ["chat.completions", "messages", "responses"];
const DEADLINE_MS = 1_800_000;

export interface Caller {
  readonly account_id: string;
  readonly key_id: string;
}

/** A call: its admission and its end, which is so many milliseconds later. */
export interface Call {
  readonly admit: AdmitOp;
  readonly end: SettleOp | VoidOp;
  readonly takes_ms: number;
}

/** Draws a call as real ones are: most are streams of one attempt, some ask by an alias, a few fail or are estimated. */
export function drawCall(draw: Draw, caller: Caller, at_ms: number, node_id: string): Call {
  const called = draw.of(MODELS);
  const takes_ms = 400 + draw.skewed(0, 40_000);
  const failed = draw.chance(0.03);
  const usage = drawUsage(draw);
  const cost_micro = costOf(usage, called.price);
  const request_id = draw.requestId(at_ms);
  const admit: AdmitOp = {
    ...{ op: "admit", request_id, client_request_id: draw.chance(0.2) ? `trace-${draw.text(16)}` : null },
    ...{ account_id: caller.account_id, key_id: caller.key_id, key_version: 1 },
    ...{ endpoint: draw.of(ENDPOINTS), stream: draw.chance(0.6) },
    ...{ requested_model: draw.chance(0.3) ? called.alias : called.id, model: called.id, price: called.price },
    ...{ hold_micro: micro(cost_micro * BigInt(2 + draw.skewed(0, 30))), bound_tokens: 2 * usage.input_tokens },
    ...{ rpm: null, tpm: null, concurrent: null, budget: null, node_id, ttl_ms: DEADLINE_MS, idempotency: null },
  };
  const outcome = drawOutcome(draw, called, takes_ms, failed);
  if (failed) return { admit, end: { op: "void", request_id, outcome, operator_loss_micro: ZERO }, takes_ms };
  const estimated = draw.chance(0.01);
  const { id, price } = called;
  const end: SettleOp = {
    ...{ op: "settle", request_id, model: id, price, usage, estimated, charge_micro: cost_micro, outcome },
    ...{ success: !estimated, answer: null },
  };
  return { admit, end, takes_ms };
}

function drawUsage(draw: Draw): Usage {
  const input = 40 + draw.skewed(0, 30_000);
  const cache_read_tokens = draw.chance(0.35) ? Math.floor(input * draw.part()) : 0;
  const output_tokens = 5 + draw.skewed(0, 4_000);
  const usage = {
    ...{ input_tokens: input - cache_read_tokens, cache_read_tokens, cache_write_tokens: 0, output_tokens },
    reasoning_tokens: draw.chance(0.25) ? Math.floor(output_tokens * draw.part()) : 0,
  };
  return draw.chance(0.01) ? { ...usage, extra: { calls: { web_search: 1 + draw.skewed(0, 4) } } } : usage;
}

function drawOutcome(draw: Draw, { vendor, upstream_model }: Model, takes_ms: number, failed: boolean): Outcome {
  const first_byte_ms = Math.floor(takes_ms * (0.1 + 0.4 * draw.part()));
  const attempt: Attempt = failed
    ? { vendor, upstream_model, status: 503, error: "provider_error", first_byte_ms, duration_ms: takes_ms }
    : { vendor, upstream_model, status: 200, error: null, first_byte_ms, duration_ms: takes_ms };
  const earlier: Attempt = {
    ...{ vendor, upstream_model, status: 429, error: "provider_error" },
    ...{ first_byte_ms: 80, duration_ms: 90 },
  };
  return {
    attempts: failed || draw.chance(0.02) ? [earlier, attempt] : [attempt],
    error: failed ? "provider_error" : null,
    queue_ms: draw.skewed(0, 8),
    first_byte_ms: failed ? null : first_byte_ms,
    duration_ms: takes_ms + 2,
  };
}
