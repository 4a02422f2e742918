import type { Json } from "../code/literals.ts";
import { asObject } from "../wire/failure.ts";
import type { ChatRequest } from "./chat-request.ts";
import { callAt, countOf, type Draft, textOf } from "./draft.ts";
import { numberIn, readTools, schemaIn, stopsIn } from "./settings.ts";
import { type Body, replayed, type Turn } from "./turns.ts";

/** The body of POST /v1/chat/completions (docs/api.md 4.1). */
export function chatBody({ model, turns, settings }: ChatRequest): Body {
  const tools = readTools(settings.tools) ?? [];
  const schema = schemaIn(settings.schema);
  const system = settings.system.trim() === "" ? [] : [{ role: "system", content: settings.system }];
  return {
    model,
    messages: [...system, ...turns.flatMap(messagesOf)],
    temperature: numberIn(settings.temperature),
    top_p: numberIn(settings.top_p),
    frequency_penalty: numberIn(settings.frequency_penalty),
    presence_penalty: numberIn(settings.presence_penalty),
    seed: numberIn(settings.seed),
    stop: stopsIn(settings.stop),
    max_completion_tokens: numberIn(settings.max_tokens),
    reasoning_effort: settings.effort === "" ? undefined : settings.effort === "off" ? "none" : settings.effort,
    response_format:
      schema === undefined ? undefined : { type: "json_schema", json_schema: { name: "answer", schema } },
    tools: tools.length === 0 ? undefined : tools.map((tool) => ({ type: "function", function: { ...tool } })),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function messagesOf(turn: Turn): Json[] {
  if (turn.role === "tool") {
    return turn.results.map(({ call, output }) => ({ role: "tool", tool_call_id: call.id, content: output }));
  }
  if (turn.role === "user") {
    if (turn.images.length === 0) return [{ role: "user", content: turn.text }];
    const images = turn.images.map(({ url }) => ({ type: "image_url", image_url: { url } }));
    return [{ role: "user", content: [{ type: "text", text: turn.text }, ...images] }];
  }
  const { style } = turn.run;
  const answer = replayed(turn.run);
  const calls = answer.calls.map(({ id, name, arguments: args }) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  }));
  if (answer.text === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: answer.text === "" ? null : answer.text,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(style === "chat" && answer.sealed.length > 0 ? { reasoning_details: answer.sealed } : {}),
    },
  ];
}

/** Adds a chunk of the stream to the draft (docs/api.md 6.1). */
export function readChatEvent(draft: Draft, event: Record<string, unknown>): void {
  const choice = asObject((event.choices as unknown[] | undefined)?.[0]);
  const delta = asObject(choice.delta);
  draft.text += textOf(delta.content);
  draft.reasoning += textOf(delta.reasoning_content ?? delta.reasoning);
  draft.refusal += textOf(delta.refusal);
  for (const detail of list(delta.reasoning_details)) {
    draft.sealed.set(draft.sealed.size, detail as { [name: string]: Json });
  }
  for (const piece of list(delta.tool_calls)) {
    const { index, id, function: called } = piece;
    const call = callAt(draft, countOf(index));
    const { name, arguments: args } = asObject(called);
    call.id ||= textOf(id);
    call.name ||= textOf(name);
    call.arguments += textOf(args);
  }
  if (typeof choice.finish_reason === "string") draft.finish = choice.finish_reason;
  const usage = asObject(event.usage);
  if (event.usage) draft.usage = { input: countOf(usage.prompt_tokens), output: countOf(usage.completion_tokens) };
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}
