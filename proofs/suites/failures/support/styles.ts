import type { GenerationEndpoint, Protocol } from "../../../../src/core/endpoints.ts";
import { isObject } from "../../../../src/core/json.ts";

/** The four public styles as a client sees them: how to make requests, and how to read answers. */
export interface Style {
  readonly endpoint: GenerationEndpoint;
  readonly protocol: Protocol;
  /** The path of a request; Gemini's names the model, and whether the answer streams. */
  path(model: string, ask?: Pick<Ask, "stream">): string;
  body(model: string, ask?: Ask): Record<string, unknown>;
  /** The text in one event of a stream; empty where the event has none. */
  textOfEvent(event: Json): string;
  /** The text of a whole answer. */
  textOfWhole(body: Json): string;
  /** How a stream ended, by its last event. */
  endingOf(last: Json | "[DONE]" | undefined): StreamEnd;
}

export interface Ask {
  readonly stream?: boolean;
  readonly text?: string;
  /** The cap on output tokens. Messages requires a cap; its default here is the largest of the simulator's models. */
  readonly cap?: number;
}

export type Json = Readonly<Record<string, unknown>>;

/** `open`: the stream stopped without an event that ends it. */
export type StreamEnd = "complete" | "length" | "failed" | "open";

const TEXT = "Say one two three.";

const chat: Style = {
  endpoint: "chat.completions",
  protocol: "chat-completions",
  path: () => "/v1/chat/completions",
  body: (model, { stream = false, text = TEXT, cap } = {}) => ({
    model,
    stream,
    messages: [{ role: "user", content: text }],
    ...(cap === undefined ? {} : { max_completion_tokens: cap }),
  }),
  textOfEvent: (event) => textAt(event, ["choices", 0, "delta", "content"]),
  textOfWhole: (body) => textAt(body, ["choices", 0, "message", "content"]),
  // The finish reason comes before the marker; see `endingOfStream`.
  endingOf: (last) => (last === "[DONE]" ? "complete" : isObject(last) && "error" in last ? "failed" : "open"),
};

const RESPONSES_ENDINGS: Readonly<Record<string, StreamEnd>> = {
  "response.completed": "complete",
  "response.incomplete": "length",
  "response.failed": "failed",
};

const responses: Style = {
  endpoint: "responses",
  protocol: "responses",
  path: () => "/v1/responses",
  body: (model, { stream = false, text = TEXT, cap } = {}) => ({
    model,
    stream,
    input: text,
    ...(cap === undefined ? {} : { max_output_tokens: cap }),
  }),
  textOfEvent: (event) => (event.type === "response.output_text.delta" ? textAt(event, ["delta"]) : ""),
  textOfWhole: (body) => textAt(body, ["output", 0, "content", 0, "text"]),
  endingOf: (last) => (isObject(last) ? (RESPONSES_ENDINGS[String(last.type)] ?? "open") : "open"),
};

const messages: Style = {
  endpoint: "messages",
  protocol: "messages",
  path: () => "/v1/messages",
  body: (model, { stream = false, text = TEXT, cap = 64_000 } = {}) => ({
    model,
    stream,
    max_tokens: cap,
    messages: [{ role: "user", content: text }],
  }),
  textOfEvent: (event) => textAt(event, ["delta", "text"]),
  textOfWhole: (body) => textAt(body, ["content", 0, "text"]),
  endingOf: (last) => {
    if (!isObject(last)) return "open";
    return last.type === "message_stop" ? "complete" : last.type === "error" ? "failed" : "open";
  },
};

const gemini: Style = {
  endpoint: "generateContent",
  protocol: "gemini",
  path: (model, { stream = false } = {}) =>
    `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  body: (_model, { text = TEXT, cap } = {}) => ({
    contents: [{ role: "user", parts: [{ text }] }],
    ...(cap === undefined ? {} : { generationConfig: { maxOutputTokens: cap } }),
  }),
  textOfEvent: saidByGemini,
  textOfWhole: saidByGemini,
  endingOf: (last) => {
    if (!isObject(last)) return "open";
    return textAt(last, ["candidates", 0, "finishReason"]) !== "" ? "complete" : "error" in last ? "failed" : "open";
  },
};

/** The text of the first candidate, without its thoughts. */
function saidByGemini(event: Json): string {
  const [candidate] = listAt(event.candidates);
  const { content } = isObject(candidate) ? candidate : {};
  const parts = listAt(isObject(content) ? content.parts : undefined).filter(isObject);
  return parts
    .filter(({ thought }) => thought !== true)
    .map((part) => textAt(part, ["text"]))
    .join("");
}

function listAt(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export const STYLES: readonly Style[] = [chat, responses, messages, gemini];
export { chat, gemini, messages, responses };

/** The code of an error's answer (docs/api.md 7): style B has none but its type, style C has it as the reason of its details. */
export function errorCode(style: Style, body: unknown): string {
  if (style.endpoint === "messages") return textAt(body, ["error", "type"]);
  return textAt(body, style.endpoint === "generateContent" ? ["error", "details", 0, "reason"] : ["error", "code"]);
}

/** The complete events of a stream. */
export function eventsOf(text: string): (Json | "[DONE]")[] {
  const whole = text.slice(0, text.lastIndexOf("\n\n") + 1);
  return (whole.match(/^data: .*$/gm) ?? []).map((line) => {
    const data = line.slice("data: ".length);
    return data === "[DONE]" ? data : (JSON.parse(data) as Json);
  });
}

export function textOfStream(style: Style, text: string): string {
  return eventsOf(text)
    .map((event) => (event === "[DONE]" ? "" : style.textOfEvent(event)))
    .join("");
}

/** How a stream ended. A complete stream whose output reached the cap is `length` in every style. */
export function endingOfStream(style: Style, text: string): StreamEnd {
  const events = eventsOf(text);
  const ending = style.endingOf(events.at(-1));
  if (ending !== "complete") return ending;
  return events.some(isCutShort) ? "length" : "complete";
}

function isCutShort(event: Json | "[DONE]"): boolean {
  if (event === "[DONE]") return false;
  return (
    textAt(event, ["choices", 0, "finish_reason"]) === "length" ||
    textAt(event, ["delta", "stop_reason"]) === "max_tokens" ||
    textAt(event, ["candidates", 0, "finishReason"]) === "MAX_TOKENS"
  );
}

/** The text at a path inside a value; empty where there is no text. */
export function textAt(value: unknown, path: readonly (string | number)[]): string {
  let at = value;
  for (const step of path) {
    if (Array.isArray(at)) at = at[Number(step)];
    else if (isObject(at)) at = at[step];
    else return "";
  }
  return typeof at === "string" ? at : "";
}
