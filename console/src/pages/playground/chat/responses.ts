import type { Json } from "../code/literals.ts";
import { asObject } from "../wire/failure.ts";
import type { ChatRequest } from "./chat-request.ts";
import { callAt, countOf, type Draft, textOf } from "./draft.ts";
import { numberIn, readTools, schemaIn } from "./settings.ts";
import { type Body, replayed, type Turn } from "./turns.ts";

/** The body of POST /v1/responses (docs/api.md 4.2). */
export function responsesBody({ model, turns, settings }: ChatRequest): Body {
  const tools = readTools(settings.tools) ?? [];
  const schema = schemaIn(settings.schema);
  const effort = settings.effort === "off" ? "none" : settings.effort;
  return {
    model,
    instructions: settings.system.trim() === "" ? undefined : settings.system,
    input: turns.flatMap(itemsOf),
    temperature: numberIn(settings.temperature),
    top_p: numberIn(settings.top_p),
    max_output_tokens: numberIn(settings.max_tokens),
    reasoning: effort === "" ? undefined : { effort, ...(effort === "none" ? {} : { summary: "auto" }) },
    text: schema === undefined ? undefined : { format: { type: "json_schema", name: "answer", schema } },
    tools: tools.length === 0 ? undefined : tools.map((tool) => ({ type: "function", ...tool, strict: false })),
    stream: true,
  };
}

function itemsOf(turn: Turn): Json[] {
  if (turn.role === "tool") {
    return turn.results.map(({ call, output }) => ({ type: "function_call_output", call_id: call.id, output }));
  }
  if (turn.role === "user") {
    if (turn.images.length === 0) return [{ role: "user", content: turn.text }];
    const images = turn.images.map(({ url }) => ({ type: "input_image", image_url: url, detail: "auto" }));
    return [{ role: "user", content: [{ type: "input_text", text: turn.text }, ...images] }];
  }
  const { text, calls } = replayed(turn.run);
  return [
    ...(text === "" ? [] : [{ role: "assistant", content: text }]),
    ...calls.map(({ id, name, arguments: args }) => ({ type: "function_call", call_id: id, name, arguments: args })),
  ];
}

/** Adds an event of the stream to the draft (docs/api.md 6.2). */
export function readResponsesEvent(draft: Draft, event: Record<string, unknown>): void {
  const index = countOf(event.output_index);
  switch (event.type) {
    case "response.output_text.delta":
      draft.text += textOf(event.delta);
      return;
    case "response.refusal.delta":
      draft.refusal += textOf(event.delta);
      return;
    case "response.reasoning_summary_part.added":
      if (draft.reasoning !== "") draft.reasoning += "\n\n";
      return;
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      draft.reasoning += textOf(event.delta);
      return;
    case "response.output_item.added": {
      const item = asObject(event.item);
      if (item.type !== "function_call") return;
      const call = callAt(draft, index);
      call.id = textOf(item.call_id);
      call.name = textOf(item.name);
      return;
    }
    case "response.function_call_arguments.delta":
      callAt(draft, index).arguments += textOf(event.delta);
      return;
    case "response.completed":
    case "response.incomplete":
      readEnd(draft, asObject(event.response));
  }
}

function readEnd(draft: Draft, response: Record<string, unknown>): void {
  const reason = asObject(response.incomplete_details).reason;
  draft.finish = typeof reason === "string" ? reason : textOf(response.status);
  const usage = asObject(response.usage);
  if (response.usage) draft.usage = { input: countOf(usage.input_tokens), output: countOf(usage.output_tokens) };
}
