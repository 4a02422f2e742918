/** The call that the bench makes: what the load generator sends, what the vendor answers, and how both are checked. */
import { MEDIA, MEDIA_PATHS, type Media, mediaObjection, mediaRequest } from "./media.ts";

/** The requested answer: one JSON answer, or a stream with a number of deltas. */
export type Shape = WholeShape | StreamShape;

export interface WholeShape {
  readonly stream: false;
  /** The number of earlier messages, of some 500 bytes each: most of an application's request is history. */
  readonly history?: number;
  /** Set for a call that is no conversation. */
  readonly media?: Media;
}

/** A whole answer to a short conversation. */
export const WHOLE: WholeShape = { stream: false };

export interface StreamShape {
  readonly stream: true;
  readonly deltas: number;
  /** Set for a stream that goes on, a delta a second, until the vendor is told to end it; `deltas` is the most then. */
  readonly held?: true;
  /** Set for a request in the messages style, for which a gateway translates the vendor's stream. */
  readonly translated?: true;
}

/** The model's short name carries the shape to the vendor, so a gateway needs no other knowledge of the bench. */
export function modelOf(shape: Shape): string {
  if (isHeld(shape)) return HELD_MODEL;
  if (!shape.stream && shape.media !== undefined) return shape.media;
  return shape.stream ? `deltas-${shape.deltas}` : "whole";
}

/** The shape that a model stands for, with or without a vendor's name before it. */
export function shapeOf(model: string): Shape {
  if (model === HELD_MODEL || model.endsWith(`/${HELD_MODEL}`)) return HELD;
  const media = MEDIA.find((name) => model === name || model.endsWith(`/${name}`));
  if (media !== undefined) return { stream: false, media };
  const deltas = /(?:^|\/)deltas-(\d+)$/.exec(model)?.[1];
  return deltas === undefined ? { stream: false } : { stream: true, deltas: Number(deltas) };
}

const HELD_MODEL = "held";
/** At a delta a second these are ten minutes, longer than any lane keeps streams open. */
const MOST_HELD_DELTAS = 600;
/** A stream that stays open. */
export const HELD: StreamShape = { stream: true, deltas: MOST_HELD_DELTAS, held: true };
/** Where the vendor is told to end such streams, below its base URL. */
export const END_HELD_PATH = "/end-held";

/** Every model that the bench calls, for a gateway's catalogue. */
export const MODELS: readonly string[] = [{ stream: false } as const, streamOf(64), streamOf(0), HELD].map(modelOf);

export function streamOf(deltas: number): Shape {
  return { stream: true, deltas };
}

/** A stream with a number of deltas of the vendor, requested by a client of the messages style. */
export function translatedStreamOf(deltas: number): Shape {
  return { stream: true, deltas, translated: true };
}

export function isHeld(shape: Shape): boolean {
  return shape.stream && shape.held === true;
}

export function isTranslated(shape: Shape): boolean {
  return shape.stream && shape.translated === true;
}

/** The endpoint's path below the base URL. */
export function pathOf(shape: Shape): string {
  if (!shape.stream && shape.media !== undefined) return MEDIA_PATHS[shape.media];
  return isTranslated(shape) ? "/messages" : "/chat/completions";
}

const SYSTEM = "You are an assistant that answers in one paragraph, names its sources and says what it does not know.";
const QUESTION = "Explain how a river finds its way to the sea, and why it hardly ever runs straight. ".repeat(4);

const CONVERSATION = [
  { role: "user", content: "What is a watershed?" },
  { role: "assistant", content: "The line that parts the waters of two river basins." },
  { role: "user", content: QUESTION },
];

function historyOf(messages: number): object[] {
  return Array.from({ length: messages }, (_, index) =>
    index % 2 === 0 ? { role: "user", content: QUESTION } : { role: "assistant", content: `${ANSWER}${QUESTION}` },
  );
}

/** A request body with a short conversation of about 700 bytes, plus the bytes of its history. */
export function requestBody(model: string, shape: Shape): string {
  if (isTranslated(shape)) {
    const rest = { system: SYSTEM, temperature: 0.7, max_tokens: 256, stream: true };
    return JSON.stringify({ model, messages: CONVERSATION, ...rest });
  }
  if (!shape.stream && shape.media !== undefined) return mediaRequest(model, shape.media);
  const history = shape.stream ? [] : historyOf(shape.history ?? 0);
  return JSON.stringify({
    model,
    messages: [{ role: "system", content: SYSTEM }, ...history, ...CONVERSATION],
    temperature: 0.7,
    max_completion_tokens: 256,
    ...(shape.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

/** A usage with all details that OpenAI reports, all of them zero for this call. */
const usage = {
  ...{ prompt_tokens: 160, completion_tokens: 64, total_tokens: 224 },
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    ...{ reasoning_tokens: 0, audio_tokens: 0 },
    ...{ accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  },
};
const ANSWER = "Water takes the steepest way it finds, and every bend makes the next one. ".repeat(4);

/** The vendor's whole answer, about 850 bytes, with every member of OpenAI's answers. */
export function wholeAnswer(model: string): string {
  return JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion",
    created: 1790000000,
    model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: ANSWER, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage,
    service_tier: "default",
    system_fingerprint: "fp_bench",
  });
}

function chunk(model: string, choices: readonly object[], rest: object = {}): string {
  const head = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1790000000, model };
  return `data: ${JSON.stringify({ ...head, system_fingerprint: "fp_bench", choices, ...rest })}\n\n`;
}

function choice(delta: object, finish_reason: string | null = null): object[] {
  return [{ index: 0, delta, logprobs: null, finish_reason }];
}

/** The frames of the vendor's stream: the role, the deltas (each of about 200 bytes), and the three last frames. */
export function streamFrames(model: string, deltas: number): { first: string; deltas: string[]; last: string } {
  return {
    first: chunk(model, choice({ role: "assistant", content: "" })),
    deltas: Array.from({ length: deltas }, (_, index) => chunk(model, choice({ content: deltaText(index) }))),
    last: `${chunk(model, choice({}, "stop"))}${chunk(model, [], { usage })}data: [DONE]\n\n`,
  };
}

function deltaText(index: number): string {
  return ` token-${index}`;
}

/** The error in an answer's body; null when all expected content is there, in order. */
export function objectionTo(text: string, shape: Shape): string | null {
  if (!shape.stream && shape.media !== undefined) return mediaObjection(text, shape.media);
  const translated = isTranslated(shape);
  // Gateways that write JSON anew for a translation put a space after each colon, or none.
  const body = translated ? text.replaceAll('": ', '":') : text;
  if (!body.includes(translated ? '"output_tokens":64' : '"completion_tokens":64')) return "the usage is missing";
  if (!shape.stream) return body.includes(ANSWER) ? null : "the answer's text is missing";
  const deltas = translated ? /"text":"( token-\d+)"/g : /"content":"( token-\d+)"/g;
  const texts = [...body.matchAll(deltas)].map((match) => match[1]);
  const count = shape.held === true ? Math.max(1, texts.length) : shape.deltas;
  const expected = Array.from({ length: count }, (_, index) => deltaText(index));
  if (texts.join() !== expected.join()) return `${texts.length} of ${count} deltas came`;
  const end = translated ? 'data: {"type":"message_stop"}\n\n' : "data: [DONE]\n\n";
  return body.endsWith(end) ? null : "the end is missing";
}
