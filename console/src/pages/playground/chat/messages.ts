import type { Json } from "../code/literals.ts";
import { asObject, parse } from "../wire/failure.ts";
import type { ChatRequest } from "./chat-request.ts";
import { callAt, countOf, type Draft, textOf } from "./draft.ts";
import { numberIn, readTools, type Settings, schemaIn, stopsIn } from "./settings.ts";
import { type Body, type ImageFile, replayed, type Turn } from "./turns.ts";

/** The cap on output where the user sets none, and in addition to a budget of thinking: this style requires a cap. */
const DEFAULT_MAX_TOKENS = 4096;

/** The body of POST /v1/messages (docs/api.md 4.3). */
export function messagesBody({ model, turns, settings, most_tokens }: ChatRequest): Body {
  const tools = readTools(settings.tools) ?? [];
  const room = DEFAULT_MAX_TOKENS + (numberIn(settings.budget) ?? 0);
  return {
    model,
    max_tokens: numberIn(settings.max_tokens) ?? Math.min(most_tokens ?? room, room),
    system: settings.system.trim() === "" ? undefined : settings.system,
    messages: turns.flatMap(messagesOf),
    temperature: numberIn(settings.temperature),
    top_p: numberIn(settings.top_p),
    top_k: numberIn(settings.top_k),
    stop_sequences: stopsIn(settings.stop),
    ...thinkingOf(settings),
    ...outputOf(settings),
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    stream: true,
  };
}

function thinkingOf({ effort, budget }: Settings): Body {
  const budget_tokens = numberIn(budget);
  if (effort === "off") return { thinking: { type: "disabled" } };
  if (budget_tokens !== undefined) return { thinking: { type: "enabled", budget_tokens } };
  return effort === "" ? {} : { thinking: { type: "adaptive" } };
}

/** How hard the model tries, and the schema of its answer. */
function outputOf({ effort, schema: text }: Settings): Body {
  const schema = schemaIn(text);
  const output_config = {
    ...(effort === "" || effort === "off" ? {} : { effort }),
    ...(schema === undefined ? {} : { format: { type: "json_schema", schema } }),
  };
  return Object.keys(output_config).length === 0 ? {} : { output_config };
}

function messagesOf(turn: Turn): Json[] {
  if (turn.role === "tool") {
    const content = turn.results.map(({ call, output }) => ({
      type: "tool_result",
      tool_use_id: call.id,
      content: output,
    }));
    return [{ role: "user", content }];
  }
  if (turn.role === "user") {
    if (turn.images.length === 0) return [{ role: "user", content: turn.text }];
    return [{ role: "user", content: [...turn.images.map(imageBlock), { type: "text", text: turn.text }] }];
  }
  const { style } = turn.run;
  const answer = replayed(turn.run);
  const content = [
    ...(style === "messages" ? answer.sealed : []),
    ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
    ...answer.calls.map(({ id, name, arguments: args }) => ({
      type: "tool_use",
      id,
      name,
      input: (parse(args) ?? {}) as Json,
    })),
  ];
  return answer.text === "" && answer.calls.length === 0 ? [] : [{ role: "assistant", content }];
}

function imageBlock({ url }: ImageFile): Json {
  const [, media_type = "image/png", data = ""] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return { type: "image", source: { type: "base64", media_type, data } };
}

/** Adds an event of the stream to the draft (docs/api.md 6.3). */
export function readMessagesEvent(draft: Draft, event: Record<string, unknown>): void {
  const index = countOf(event.index);
  switch (event.type) {
    case "message_start":
      readUsage(draft, asObject(event.message).usage);
      return;
    case "content_block_start": {
      const block = asObject(event.content_block);
      if (block.type === "tool_use") Object.assign(callAt(draft, index), { id: block.id, name: block.name });
      if (block.type === "thinking" || block.type === "redacted_thinking") {
        draft.sealed.set(index, { ...block } as { [name: string]: Json });
      }
      draft.text += textOf(block.text);
      return;
    }
    case "content_block_delta":
      readDelta(draft, index, asObject(event.delta));
      return;
    case "message_delta": {
      const { stop_reason } = asObject(event.delta);
      if (typeof stop_reason === "string") draft.finish = stop_reason;
      readUsage(draft, event.usage);
    }
  }
}

function readDelta(draft: Draft, index: number, delta: Record<string, unknown>): void {
  const block = draft.sealed.get(index);
  switch (delta.type) {
    case "text_delta":
      draft.text += textOf(delta.text);
      return;
    case "thinking_delta":
      draft.reasoning += textOf(delta.thinking);
      if (block) block.thinking = textOf(block.thinking) + textOf(delta.thinking);
      return;
    case "signature_delta":
      if (block) block.signature = textOf(block.signature) + textOf(delta.signature);
      return;
    case "input_json_delta":
      callAt(draft, index).arguments += textOf(delta.partial_json);
  }
}

/** Reads a usage. The classes of input are disjoint in this style; their sum is the input. */
function readUsage(draft: Draft, told: unknown): void {
  const usage = asObject(told);
  const input = (["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const)
    .map((name) => countOf(usage[name]))
    .reduce((sum, count) => sum + count, 0);
  draft.usage = { input: input || (draft.usage?.input ?? 0), output: countOf(usage.output_tokens) };
}
