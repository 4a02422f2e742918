import type { AnswerReport, ClientRequest } from "../../core/answer/exchange.ts";
import { callsOf } from "../../core/money/charges.ts";
import type { Micro } from "../../core/money/money.ts";
import { costOf, type Price } from "../../core/money/price.ts";
import { CALL_NAMES, type CallCounts } from "../../core/money/price-classes.ts";
import { totalInput, type Usage } from "../../core/money/usage.ts";
import { FINDINGS_BOUND_TOKENS } from "../../ledger/rare-costs.ts";
import { hasVendorTools } from "../request/vendor-tools.ts";

/** Which counts of a vendor's usage are believed (docs/rulings.md 145). */

/** The tokens that vendors' templates and hidden prompts may add to an input; no byte of a request shows them. */
export const TEMPLATE_TOKENS = 4096;
/** How much above a cap a vendor may count: the token that ends the answer, and the least cap that some vendors take. */
export const CAP_SLACK_TOKENS = 16;
/** Searches and the like that are believed though the request names no limit, and though a model makes them unasked. */
const UNLIMITED_CALLS = 100;
/** By how much the tokens of media may exceed the bound by their bytes: a small file may have many pages. */
const MEDIA_FACTOR = 4;
const MEDIA_WORDS = ["image", "audio", "video", "file", "document", "media"];
/** How often a tool that the vendor runs may make it read the conversation again, where nothing says how often. */
const VENDOR_TOOL_TURNS = 10;

/** The largest counts that are believed. */
export interface UsageBounds {
  readonly input_tokens: number;
  /** In all answers together. */
  readonly output_tokens: number;
  readonly calls: CallCounts;
}

type BoundedRequest = Pick<ClientRequest, "input_bound_tokens" | "choices" | "body" | "text" | "charged">;

/** The bounds for a request whose answers were capped at this many tokens each, or could be no longer. */
export function usageBounds(request: BoundedRequest, largest_output_tokens: number): UsageBounds {
  return {
    input_tokens: inputBound(request),
    output_tokens: (largest_output_tokens + CAP_SLACK_TOKENS) * request.choices,
    calls: callsOf(request.charged ?? []),
  };
}

/**
 * The bound by the request's bytes and further tokens that an honest vendor may count. It is generous, as a bound that is too low punishes
 * an honest vendor.
 */
function inputBound({ input_bound_tokens, body, text, charged }: BoundedRequest): number {
  let bound = input_bound_tokens + TEMPLATE_TOKENS;
  if (MEDIA_WORDS.some((word) => text.includes(word))) bound *= MEDIA_FACTOR;
  if (!hasVendorTools(body) && (charged?.length ?? 0) === 0) return bound;
  const turns = Math.max(VENDOR_TOOL_TURNS, ...Object.values(callsOf(charged ?? [])));
  // Each turn reads the conversation again, with the findings of all turns before it.
  return (turns + 1) * bound + ((turns * (turns + 1)) / 2) * FINDINGS_BOUND_TOKENS;
}

/** The counts of a usage that are not believed. */
export interface UsageDoubts {
  readonly input: boolean;
  readonly output: boolean;
  readonly calls: boolean;
}

/**
 * The counts of a finished answer's usage that are not believed; null for none. A count of 0 beside something that was
 * delivered or counted is no count: a request always has an input, and an answer with text an output. Where nothing was
 * delivered, a vendor that counts nothing is believed.
 */
export function doubtsOf(
  usage: Usage,
  request: BoundedRequest,
  largest_output_tokens: number,
  report: Delivered,
): UsageDoubts | null {
  const found = excessOf(usage, request, largest_output_tokens);
  const lacks_input = totalInput(usage) === 0 && !isNothing(usage, report);
  const lacks_output = usage.output_tokens === 0 && hasOutput(report);
  if (!lacks_input && !lacks_output) return found;
  const excess = found ?? NO_DOUBTS;
  const input = excess.input || lacks_input;
  const output = excess.output || lacks_output;
  return input || output || excess.calls ? { ...excess, input, output } : null;
}

/** Whether nothing was delivered, and the vendor counts nothing: nothing is charged then (docs/rulings.md 145). */
export function isNothing(usage: Usage, report: Delivered): boolean {
  if (usage.output_tokens > 0 || totalInput(usage) > 0 || usage.extra !== undefined) return false;
  // Looked up last: the text of a whole answer is gathered for it.
  return !hasOutput(report);
}

/** The counts of a usage, final or so far, that exceed what the request asked for; null for none. */
export function excessOf(usage: Usage, request: BoundedRequest, largest_output_tokens: number): UsageDoubts | null {
  const input_tokens = totalInput(usage);
  const { input_bound_tokens, choices } = request;
  // Nearly every usage is below the smallest bounds that there are, and nothing is looked up for it.
  const is_small = input_tokens <= input_bound_tokens && usage.output_tokens <= largest_output_tokens * choices;
  if (is_small && usage.extra?.calls === undefined && usage.reasoning_tokens <= usage.output_tokens) return null;
  const bounds = usageBounds(request, largest_output_tokens);
  const input = input_tokens > bounds.input_tokens;
  const output = usage.output_tokens > bounds.output_tokens || usage.reasoning_tokens > usage.output_tokens;
  const calls = CALL_NAMES.some(
    (name) => (usage.extra?.calls?.[name] ?? 0) > Math.max(UNLIMITED_CALLS, bounds.calls[name] ?? 0),
  );
  return input || output || calls ? { input, output, calls } : null;
}

const NO_DOUBTS: UsageDoubts = { input: false, output: false, calls: false };

type Delivered = Pick<AnswerReport, "output_bytes" | "output_media">;

function hasOutput({ output_bytes, output_media }: Delivered): boolean {
  return output_bytes > 0 || output_media !== undefined;
}

/** The believed counts of a usage; the others are left to the estimate (docs/rulings.md 25). */
export function believedPart(usage: Usage, doubts: UsageDoubts): Usage {
  const { extra: _, ...counts } = usage;
  const input = doubts.input ? NO_INPUT : null;
  const output = doubts.output ? NO_OUTPUT : null;
  return { ...counts, ...input, ...output };
}

const NO_INPUT = { input_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
const NO_OUTPUT = { output_tokens: 0, reasoning_tokens: 0 };

/** An estimate, limited to the bounds: the lower of both replaces a count that is not believed. */
export function withinBounds(usage: Usage, bounds: Pick<UsageBounds, "input_tokens" | "output_tokens">): Usage {
  const output_tokens = Math.min(usage.output_tokens, bounds.output_tokens);
  const too_much = Math.max(0, totalInput(usage) - bounds.input_tokens);
  if (output_tokens === usage.output_tokens && too_much === 0) return usage;
  const input = too_much === 0 ? null : { ...NO_INPUT, input_tokens: bounds.input_tokens };
  const { extra: _, ...counts } = usage;
  return { ...counts, ...input, output_tokens, reasoning_tokens: Math.min(usage.reasoning_tokens, output_tokens) };
}

/** The bounds that the hold was made for, and the output that was seen. */
export interface Evidence {
  readonly held_output_tokens: number;
  readonly choices: number;
  readonly output_bytes: number;
}

/**
 * The amount to which a hold may grow at the end, for a usage that is believed: no output beyond what was held for and what
 * passed, as no token has less than a byte. Where a vendor claims more, the operator bears the difference, and the log says so.
 */
export function highestCharge(usage: Usage, price: Price, evidence: Evidence): Micro {
  const { held_output_tokens, choices, output_bytes } = evidence;
  const output_tokens = Math.max(held_output_tokens, output_bytes) + CAP_SLACK_TOKENS * choices;
  return costOf(withinBounds(usage, { input_tokens: Number.POSITIVE_INFINITY, output_tokens }), price);
}
