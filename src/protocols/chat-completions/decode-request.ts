import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { GenerationRequest, ReasoningSetting } from "../../core/answer/generation.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { decodeMessages } from "./decode-messages.ts";
import { decodeFormat, decodeTools, furtherMembers } from "./decode-tools.ts";
import { oldFunctions } from "./old-functions.ts";
import type { ChatCompletionRequest } from "./wire-request.ts";

type Body = ChatCompletionRequest & JsonRecord;

/**
 * Decodes a chat completions request into its neutral form (docs/api.md 4.1). The body was checked when it arrived.
 * Throws a GatewayError for members that only a vendor of chat completions can honour.
 */
export function decodeRequest({ body: checked, model, stream, output_cap }: ClientRequest): GenerationRequest {
  const body = checked as Body;
  const end_user = body.safety_identifier ?? body.user;
  const format = decodeFormat(body.response_format);
  const reasoning = decodeReasoning(body);
  const stop = typeof body.stop === "string" ? [body.stop] : body.stop;
  return {
    model,
    stream,
    messages: decodeMessages(body.messages),
    ...(oldFunctions(body) ?? decodeTools(body)),
    ...(output_cap !== null && { max_output_tokens: output_cap }),
    ...numbers(body),
    ...(body.logprobs === true && { logprobs: { top: body.top_logprobs ?? 0 } }),
    ...(stop && stop.length > 0 && { stop }),
    ...(format && { format }),
    ...(reasoning && { reasoning }),
    ...(end_user && { end_user }),
    ...(typeof body.parallel_tool_calls === "boolean" && { parallel_tool_calls: body.parallel_tool_calls }),
    ...(typeof body.verbosity === "string" && { verbosity: body.verbosity }),
    ...(typeof body.service_tier === "string" && { service_tier: body.service_tier }),
    ...(typeof body.prompt_cache_key === "string" && { prompt_cache_key: body.prompt_cache_key }),
    ...(isObject(body.metadata) && { metadata: body.metadata }),
    ...(isObject(body.logit_bias) && { logit_bias: body.logit_bias as Record<string, number> }),
    ...(body.stream_options?.include_usage === true && { include_usage: true }),
    extras: extrasOf(body),
  };
}

const NUMBERS = ["temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed"] as const;

function numbers(body: Body): Partial<Record<(typeof NUMBERS)[number], number>> {
  const said: Partial<Record<(typeof NUMBERS)[number], number>> = {};
  for (const name of NUMBERS) {
    const value = body[name];
    if (typeof value === "number") said[name] = value;
  }
  return said;
}

/** Reads `reasoning_effort`, and the reasoning objects of the two other styles, which chat clients send too. */
function decodeReasoning(body: Body): ReasoningSetting | undefined {
  const effort = body.reasoning_effort;
  if (effort) return { effort };
  const { reasoning, thinking } = body;
  if (isObject(reasoning)) {
    return {
      ...(typeof reasoning.enabled === "boolean" && { enabled: reasoning.enabled }),
      ...(typeof reasoning.effort === "string" && { effort: reasoning.effort }),
      ...(typeof reasoning.max_tokens === "number" && { budget_tokens: reasoning.max_tokens }),
      ...(reasoning.exclude === true && { show: "none" }),
    };
  }
  if (!isObject(thinking)) return undefined;
  const budget = typeof thinking.budget_tokens === "number" ? { budget_tokens: thinking.budget_tokens } : {};
  return { enabled: thinking.type !== "disabled", ...budget };
}

/** Members that are read above, or that do not affect the answer. */
const READ: ReadonlySet<string> = new Set([
  ...["model", "messages", "stream", "stream_options", "n", "tools", "tool_choice", "parallel_tool_calls"],
  ...["max_completion_tokens", "max_tokens", ...NUMBERS, "logprobs", "top_logprobs", "logit_bias", "stop"],
  ...["response_format", "verbosity", "reasoning_effort", "reasoning", "thinking", "safety_identifier", "user"],
  ...["metadata", "service_tier", "prompt_cache_key", "functions", "function_call"],
]);

/** Values of other parameters that ask for the default behaviour. */
const CHANGES_NOTHING = new Map<string, (value: unknown) => boolean>([
  ["store", (value) => value === false],
  ["modalities", (value) => Array.isArray(value) && value.every((one) => one === "text")],
]);

function extrasOf(body: Body): JsonRecord {
  const extras = Object.entries(body).filter(([name, value]) => {
    return !READ.has(name) && isPresent(value) && CHANGES_NOTHING.get(name)?.(value) !== true;
  });
  if (body.messages.some(hasBreakpoint)) extras.push([BREAKPOINT, true]);
  if (body.messages.some(isNamedInstruction)) extras.push(["messages.name", true]);
  // A client's member may be called `__proto__`, which an assignment would not make a member.
  return Object.fromEntries([...extras, ...furtherMembers(body).map((name) => [name, true])]);
}

/** A mark on a part of a message up to which OpenAI caches: no other protocol is told of it by a chat client. */
const BREAKPOINT = "prompt_cache_breakpoint";

/** Instructions have no name in any other protocol. */
function isNamedInstruction({ role, name }: Body["messages"][number]): boolean {
  return (role === "system" || role === "developer") && isPresent(name);
}

function hasBreakpoint({ content }: JsonRecord): boolean {
  return Array.isArray(content) && content.some((part) => isObject(part) && isPresent(part[BREAKPOINT]));
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
