import type { AnswerContext } from "../../core/answer/codec.ts";
import type { FinishReason } from "../../core/answer/stream-event.ts";
import { systemClock } from "../../core/clock.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { randomBase62 } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { writeUsage } from "./read-usage.ts";

/** The part of a response that changes while it is written. */
export interface ResponseState {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  /** JSON of the items. */
  readonly output: readonly string[];
  readonly usage?: Usage | null;
  /** The value of the usage's `cost`, where that is shown. */
  readonly cost?: string | undefined;
  readonly incomplete_reason?: "max_output_tokens" | "content_filter";
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/**
 * The status of a response by the answer's finish reason. A refusal without a refusal part is incomplete: otherwise it
 * would look like a finished answer.
 */
export function endOf(
  reason: FinishReason,
  has_refusal: boolean,
): Required<Pick<ResponseState, "status">> & Pick<ResponseState, "incomplete_reason"> {
  switch (reason) {
    case "stop":
    case "tool-calls":
      return { status: "completed" };
    case "length":
      return { status: "incomplete", incomplete_reason: "max_output_tokens" };
    case "content-filter":
      return { status: "incomplete", incomplete_reason: "content_filter" };
    case "refusal":
      return has_refusal ? { status: "completed" } : { status: "incomplete", incomplete_reason: "content_filter" };
  }
}

/**
 * One response in the public API's shape (docs/api.md 2.5): it repeats the request's fields, with the defaults of those
 * that are not set. The repeated fields, which may hold many tools, are serialized once.
 */
export class ResponseSerializer {
  /** The random part that the ids of the response and its items share. */
  readonly base = randomBase62(22);
  readonly #head: string;
  readonly #echo: string;

  constructor({ model, created, body, memory }: AnswerContext) {
    const head = JSON.stringify({ id: `resp_${this.base}`, object: "response", created_at: created, model });
    this.#head = head.slice(0, -1);
    this.#echo = JSON.stringify(echo(body, memory)).slice(1);
  }

  json({ status, output, usage = null, cost, incomplete_reason, error }: ResponseState): string {
    const completed_at = status === "completed" ? Math.floor(systemClock.now_ms() / 1000) : null;
    const state = {
      status,
      completed_at,
      error: error ?? null,
      incomplete_details: incomplete_reason === undefined ? null : { reason: incomplete_reason },
      usage: usage === null ? null : { ...writeUsage(usage), cost },
    };
    return `${this.#head},${JSON.stringify(state).slice(1, -1)},"output":[${output.join(",")}],${this.#echo}`;
  }
}

/**
 * The request's fields as the public API repeats them. `store` is false unless the gateway keeps the response
 * (docs/rulings.md 82).
 */
function echo(body: JsonRecord, memory: AnswerContext["memory"]): object {
  const reasoning = isObject(body.reasoning) ? body.reasoning : {};
  return {
    background: false,
    frequency_penalty: 0,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: memory?.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    prompt_cache_retention: null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: "default",
    store: memory?.stores ?? false,
    temperature: body.temperature ?? 1,
    text: echoText(body),
    tool_choice: body.tool_choice ?? "auto",
    tools: Array.isArray(body.tools) ? body.tools.map(echoTool) : [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: "disabled",
    user: body.user ?? null,
  };
}

function echoText(body: JsonRecord): object {
  const text = isObject(body.text) ? body.text : {};
  return { format: echoFormat(text.format), verbosity: text.verbosity ?? body.verbosity ?? "medium" };
}

function echoFormat(format: unknown): unknown {
  if (!isObject(format)) return { type: "text" };
  return format.type === "json_schema" ? { description: null, strict: false, ...format } : format;
}

function echoTool(tool: unknown): unknown {
  if (!isObject(tool) || tool.type !== "function") return tool;
  return { description: null, parameters: null, strict: null, ...tool };
}
