import type { Ask } from "../../ask.ts";
import { SIMULATED_CREATED } from "../../ids.ts";
import { type Performance, reportUsage, type SimulatedUsage } from "../../performance.ts";
import { isObject, type Json, objectsOf, servedTier } from "../read.ts";
import { type Item, itemsOf } from "./items.ts";

type Status = "completed" | "incomplete" | "in_progress" | "failed";

/** An answer that is not streamed. */
export function whole(ask: Ask, performance: Performance): object {
  const items = itemsOf(ask, performance).map((item) => item.done);
  return responseObject(ask, finalStatus(performance), { output: items, usage: wireUsage(performance), performance });
}

export function finalStatus({ finish }: Performance): Status {
  return finish === "length" || finish === "content_filter" ? "incomplete" : "completed";
}

interface Rest {
  readonly output?: readonly Item["done"][];
  readonly usage?: unknown;
  readonly performance?: Performance;
  readonly error?: object;
}

const INCOMPLETE: Readonly<Record<string, object>> = {
  length: { reason: "max_output_tokens" },
  content_filter: { reason: "content_filter" },
};

/** The response object in any of its states, with every field that strict clients expect. */
export function responseObject(ask: Ask, status: Status, rest: Rest = {}): object {
  const { output = [], usage = null, performance, error = null } = rest;
  return {
    id: `resp_sim_${ask.serial}`,
    object: "response",
    created_at: SIMULATED_CREATED,
    completed_at: status === "completed" ? SIMULATED_CREATED + 1 : null,
    status,
    error,
    incomplete_details: status === "incomplete" ? INCOMPLETE[performance?.finish ?? ""] : null,
    model: ask.model.full,
    output,
    usage,
    ...repeatedFields(ask.body),
  };
}

/** The request fields that a response repeats, with the public defaults. */
function repeatedFields(body: Json): object {
  const reasoning = isObject(body.reasoning) ? body.reasoning : {};
  const text = isObject(body.text) ? body.text : {};
  return {
    instructions: body.instructions ?? null,
    previous_response_id: body.previous_response_id ?? null,
    tools: objectsOf(body.tools).map(repeatedTool),
    tool_choice: body.tool_choice ?? "auto",
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    text: { format: text.format ?? { type: "text" }, verbosity: text.verbosity ?? "medium" },
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    temperature: body.temperature ?? 1,
    top_p: body.top_p ?? 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: body.top_logprobs ?? 0,
    truncation: body.truncation ?? "disabled",
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    store: body.store ?? true,
    background: body.background ?? false,
    service_tier: servedTier(body),
    metadata: body.metadata ?? {},
    safety_identifier: body.safety_identifier ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    user: body.user ?? null,
  };
}

function repeatedTool(tool: Json): Json {
  if (tool.type !== "function") return tool;
  return { description: null, parameters: null, strict: true, ...tool };
}

/** Usage as responses count it; null where none is reported. */
export function wireUsage({ usage, usage_reporting }: Performance): unknown {
  return usage_reporting.omitted ? null : reportUsage(responsesUsage(usage), usage_reporting);
}

/** Usage whose input count includes the cached tokens. */
function responsesUsage(usage: SimulatedUsage): object {
  const input_tokens = usage.input + usage.cache_read + usage.cache_write;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cache_read, cache_write_tokens: usage.cache_write },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input_tokens + usage.output,
  };
}
