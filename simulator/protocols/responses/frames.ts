import type { Ask } from "../../ask.ts";
import type { Performance } from "../../performance.ts";
import { openAiError } from "../openai-shape.ts";
import { type Failure, type Frame, namedFrame } from "../protocol.ts";
import { contentPart, type Item, itemsOf, logprobsOf } from "./items.ts";
import { finalStatus, responseObject, wireUsage } from "./response-object.ts";

/** The events of a stream: the whole public life cycle, numbered from 0 without gaps. */
export function* frames(ask: Ask, performance: Performance): Generator<Frame> {
  let sequence_number = 0;
  for (const [part, type, fields] of events(ask, performance)) {
    yield namedFrame(part, type, { type, sequence_number, ...fields });
    sequence_number += 1;
  }
}

type Event = readonly [part: Frame["part"], type: string, fields: object];

function* events(ask: Ask, performance: Performance): Generator<Event> {
  const early = performance.usage_reporting.early ? { usage: wireUsage(preliminary(performance)) } : {};
  yield ["opening", "response.created", { response: responseObject(ask, "in_progress") }];
  yield ["opening", "response.in_progress", { response: responseObject(ask, "in_progress", early) }];
  const items = itemsOf(ask, performance);
  for (const [output_index, item] of items.entries()) yield* itemEvents(ask, item, output_index);
  const status = finalStatus(performance);
  const output = items.map(({ done }) => done);
  const response = responseObject(ask, status, { output, usage: wireUsage(performance), performance });
  yield ["terminal", `response.${status}`, { response }];
}

function preliminary(performance: Performance): Performance {
  return { ...performance, usage: { ...performance.usage, output: 1, reasoning: 0 } };
}

function* itemEvents(ask: Ask, item: Item, output_index: number): Generator<Event> {
  yield ["structure", "response.output_item.added", { output_index, item: item.added }];
  // A compaction has no events between its beginning and its end.
  if (item.kind === "reasoning") yield* summaryEvents(item, output_index);
  else if (item.kind === "text" || item.kind === "refusal")
    yield* messageEvents(ask, { ...item, kind: item.kind }, output_index);
  else if (item.kind !== "compaction") yield* callEvents(item, output_index);
  yield ["structure", "response.output_item.done", { output_index, item: item.done }];
}

function* summaryEvents({ id, pieces }: Item, output_index: number): Generator<Event> {
  if (pieces.length === 0) return;
  const place = { item_id: id, output_index, summary_index: 0 };
  const text = pieces.join("");
  const name = "response.reasoning_summary";
  yield ["structure", `${name}_part.added`, { ...place, part: { type: "summary_text", text: "" } }];
  for (const delta of pieces) yield ["content", `${name}_text.delta`, { ...place, delta }];
  yield ["structure", `${name}_text.done`, { ...place, text }];
  yield ["structure", `${name}_part.done`, { ...place, part: { type: "summary_text", text } }];
}

type MessageItem = Item & { readonly kind: "text" | "refusal" };

function* messageEvents(ask: Ask, { id, kind, pieces }: MessageItem, output_index: number): Generator<Event> {
  const place = { item_id: id, output_index, content_index: 0 };
  const text = pieces.join("");
  const name = kind === "text" ? "response.output_text" : "response.refusal";
  const logprobs = logprobsOf(ask, pieces);
  const withLogprobs = (some: readonly object[]) => (kind === "text" ? { logprobs: some } : {});
  const whole = kind === "text" ? { text, logprobs } : { refusal: text };
  yield ["structure", "response.content_part.added", { ...place, part: contentPart(kind, "") }];
  for (const [at, delta] of pieces.entries())
    yield ["content", `${name}.delta`, { ...place, delta, ...withLogprobs(logprobs.slice(at, at + 1)) }];
  yield ["structure", `${name}.done`, { ...place, ...whole }];
  yield ["structure", "response.content_part.done", { ...place, part: contentPart(kind, text, logprobs) }];
}

function* callEvents({ id, kind, pieces }: Item, output_index: number): Generator<Event> {
  const place = { item_id: id, output_index };
  const text = pieces.join("");
  const custom = kind === "custom_tool_call";
  const name = custom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  for (const delta of pieces) yield ["content", `${name}.delta`, { ...place, delta }];
  yield ["structure", `${name}.done`, { ...place, ...(custom ? { input: text } : { arguments: text }) }];
}

/**
 * A failure inside a stream has two public forms: an `error` event before the response has begun, `response.failed`
 * later; `@form=error` and `@form=failed` choose.
 */
export function errorFrame(failure: Failure, ask: Ask, sequence_number: number): Frame {
  const { message } = failure;
  const { code } = openAiError(failure).error;
  const form = ask.model.params.text("form", sequence_number === 0 ? "error" : "failed");
  if (form === "error") {
    const event = { type: "error", sequence_number, code: code ?? "server_error", message, param: failure.param };
    return namedFrame("terminal", "error", event);
  }
  const error = { code: failure.status === 429 ? "rate_limit_exceeded" : "server_error", message };
  const response = responseObject(ask, "failed", { error });
  return namedFrame("terminal", "response.failed", { type: "response.failed", sequence_number, response });
}
