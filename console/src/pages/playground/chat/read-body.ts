import type { PromptContent } from "../../../../../contract/prompts.ts";
import type { ChatStyle } from "../endpoints.ts";
import { asObject, parse } from "../wire/failure.ts";
import { answerOf, emptyDraft } from "./draft.ts";
import type { Run, Turn } from "./turns.ts";

/** A request of the past as the playground takes it: the form, and the turns before its last message. */
export interface ReadBody {
  readonly content: PromptContent;
  readonly turns: readonly Turn[];
  /** Whether something of it is not taken along: a picture, a file, a call of a tool or its result. */
  readonly is_partial: boolean;
}

const STYLES: Readonly<Record<string, ChatStyle>> = {
  "chat.completions": "chat",
  responses: "responses",
  messages: "messages",
  generateContent: "chat",
};

/** Reads the body that went to a vendor, of any protocol; null where it is no conversation. `model` is the gateway's own name. */
export function readBody(text: string, { model, endpoint }: { model: string; endpoint: string }): ReadBody | null {
  const style = STYLES[endpoint];
  const body = asObject(parse(text));
  const items = itemsOf(body);
  if (style === undefined || items.length === 0) return null;
  const said = items.map((item) => ({ role: roleOf(item), ...textsOf(item.content ?? item.parts) }));
  const system = [
    ...[body.system, body.instructions, asObject(body.systemInstruction).parts].map((part) => textsOf(part).text),
    ...said.filter(({ role }) => role === "system").map((each) => each.text),
  ];
  const others = said.filter(({ role, text: words }) => role !== "system" && role !== "other" && words !== "");
  const last = others.at(-1)?.role === "user" ? others.at(-1) : undefined;
  const before = last === undefined ? others : others.slice(0, -1);
  return {
    content: {
      ...{ model, style, message: last?.text ?? "", system: system.filter((each) => each !== "").join("\n\n") },
      ...settingsOf(body),
    },
    turns: before.map(({ role, text: words }, at) =>
      role === "user"
        ? { role: "user", text: words, images: [] }
        : { role: "assistant", run: pastRun(words, { at, style, model }) },
    ),
    is_partial: said.some(({ role, is_whole }) => role === "other" || !is_whole) || body.tools !== undefined,
  };
}

function itemsOf({ messages, input, contents }: Record<string, unknown>): Record<string, unknown>[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const list = [messages, input, contents].find((each) => Array.isArray(each)) ?? [];
  return (list as unknown[]).map(asObject);
}

function roleOf({ role, type = "message" }: Record<string, unknown>): "system" | "user" | "assistant" | "other" {
  if (type !== "message") return "other";
  switch (role) {
    case "system":
    case "developer":
      return "system";
    case "assistant":
    case "model":
      return "assistant";
    case "user":
    case undefined:
      return "user";
    default:
      return "other";
  }
}

/** The texts of a message, a string or parts of any protocol, and whether that is all of it. */
function textsOf(content: unknown): { readonly text: string; readonly is_whole: boolean } {
  if (content === undefined || content === null) return { text: "", is_whole: true };
  if (typeof content === "string") return { text: content, is_whole: true };
  const parts = (Array.isArray(content) ? content : [content]).map((part: unknown) =>
    typeof part === "string" ? part : asObject(part).text,
  );
  const texts = parts.filter((part) => typeof part === "string");
  return { text: texts.join("\n"), is_whole: texts.length === parts.length };
}

function settingsOf(body: Record<string, unknown>): Partial<PromptContent> {
  const inner = { ...body, ...asObject(body.generationConfig), ...asObject(body.inferenceConfig) } as typeof body;
  const stop = inner.stop ?? inner.stop_sequences ?? inner.stopSequences;
  const found = {
    temperature: inner.temperature,
    top_p: inner.top_p ?? inner.topP,
    seed: inner.seed,
    max_tokens:
      inner.max_completion_tokens ??
      inner.max_output_tokens ??
      inner.max_tokens ??
      inner.maxOutputTokens ??
      inner.maxTokens,
    stop: Array.isArray(stop) ? stop.join("\n") : stop,
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) =>
      typeof value === "number" || typeof value === "string" ? [[name, String(value)]] : [],
    ),
  );
}

/** An answer of the past. Its number is none that a run of this page gets. */
function pastRun(text: string, { at, style, model }: { at: number; style: ChatStyle; model: string }): Run {
  return {
    ...{ id: -1 - at, style, model, body: {}, phase: "done", events: [], ignored: [], failure: null },
    answer: { ...answerOf(emptyDraft()), text, finish: "stop" },
    ...{ first_ms: null, duration_ms: null, request_id: null },
  };
}
