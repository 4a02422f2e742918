import type { Ask } from "../../ask.ts";
import { type Performance, reportUsage, type ToolCall } from "../../performance.ts";
import { dataFrame, type Frame } from "../protocol.ts";
import { isObject } from "../read.ts";
import { readPath } from "./path.ts";

export const FINISH = {
  stop: "STOP",
  stop_sequence: "STOP",
  tool_calls: "STOP",
  refusal: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
} as const satisfies Record<Performance["finish"], string>;

/** An answer that is not streamed. */
export function whole(ask: Ask, performance: Performance): object {
  const parts = partsOf(ask, performance).map((part) => part.whole);
  const texts = performance.blocks.flatMap((block) => (block.type === "text" ? block.pieces : []));
  const candidateAt = (index: number) => ({
    content: { ...(parts.length === 0 ? {} : { parts }), role: "model" },
    finishReason: FINISH[performance.finish],
    index,
    ...logprobsField(ask, texts),
  });
  const candidates = Array.from({ length: ask.choices }, (_, index) => candidateAt(index));
  const usage = performance.usage_reporting.omitted ? {} : { usageMetadata: wireUsage(performance, ask.choices) };
  return { candidates, ...usage, ...tail(ask) };
}

/** The last fields of every response object. */
function tail(ask: Ask): object {
  return { modelVersion: ask.model.full, responseId: `resp-sim-${ask.serial}` };
}

const LOGPROB = -0.25;

/** The log-probabilities, if requested: each piece of text is a token, and all tokens are equally likely. */
function logprobsField({ body }: Ask, pieces: readonly string[]): object {
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  if (config.responseLogprobs !== true || pieces.length === 0) return {};
  const chosenCandidates = pieces.map((token) => ({ token, logProbability: LOGPROB }));
  const wants_top = typeof config.logprobs === "number" && config.logprobs > 0;
  const topCandidates = chosenCandidates.map((candidate) => ({ candidates: wants_top ? [candidate] : [] }));
  return { logprobsResult: { topCandidates, chosenCandidates } };
}

/** The chunks of a stream: each a response object with the next part, the last with the reason. There is no marker. */
export function* frames(ask: Ask, performance: Performance): Generator<Frame> {
  const { omitted } = performance.usage_reporting;
  const early = omitted ? {} : { usageMetadata: earlyUsage(performance) };
  const end = tail(ask);
  const usage = omitted ? {} : { usageMetadata: wireUsage(performance, ask.choices) };
  const content = { parts: [{ text: "" }], role: "model" };
  for (let index = 0; index < ask.choices; index++) {
    const chunk = (part: Frame["part"], candidate: object, counts: object) =>
      dataFrame(part, JSON.stringify({ candidates: [{ ...candidate, index }], ...counts, ...end }));
    for (const { pieces } of partsOf(ask, performance)) {
      for (const piece of pieces) {
        const said = "text" in piece && !("thought" in piece) ? [String(piece.text)] : [];
        yield chunk("content", { content: { parts: [piece], role: "model" }, ...logprobsField(ask, said) }, early);
      }
    }
    const is_last = index === ask.choices - 1;
    yield chunk("closing", { content, finishReason: FINISH[performance.finish] }, is_last ? usage : early);
  }
}

/** A part of an answer: whole, and in the pieces of a stream. */
interface WirePart {
  readonly whole: object;
  readonly pieces: readonly object[];
}

/**
 * The parts of a performance. Thoughts are included if requested; their signature is on the first
 * call, else on the last text, which in a stream is an empty one.
 */
export function partsOf(ask: Ask, { reasoning, blocks }: Performance): WirePart[] {
  const parts: WirePart[] = [];
  if (reasoning !== null && !reasoning.redacted && wantsThoughts(ask)) {
    parts.push(textPart(reasoning.pieces, { thought: true }, null));
  }
  const seal = reasoning?.seal ?? null;
  const signed = blocks.findIndex((block) => block.type === "tool_call");
  const bearer = signed === -1 ? blocks.length - 1 : signed;
  for (const [index, block] of blocks.entries()) {
    const signature = index === bearer ? seal : null;
    if (block.type === "tool_call") parts.push(callPart(block, callId(ask, index), signature));
    else parts.push(textPart(block.pieces, {}, signature));
  }
  return parts;
}

function wantsThoughts({ body }: Ask): boolean {
  const config = isObject(body.generationConfig) ? body.generationConfig.thinkingConfig : undefined;
  return isObject(config) && config.includeThoughts === true;
}

function textPart(pieces: readonly string[], kind: object, signature: string | null): WirePart {
  const sign = signature === null ? {} : { thoughtSignature: signature };
  const streamed: object[] = pieces.map((text) => ({ text, ...kind }));
  if (signature !== null) streamed.push({ text: "", ...sign });
  return { whole: { text: pieces.join(""), ...kind, ...sign }, pieces: streamed };
}

function callPart({ name, pieces }: ToolCall, id: string | null, signature: string | null): WirePart {
  const call = { ...(id === null ? {} : { id }), name, args: JSON.parse(pieces.join("")) as unknown };
  const part = { functionCall: call, ...(signature === null ? {} : { thoughtSignature: signature }) };
  return { whole: part, pieces: [part] };
}

/** The id of a call; null on Vertex AI, and with `@ids=0` (models before Gemini 3), which give calls no ids. */
function callId(ask: Ask, nth: number): string | null {
  const nameless = readPath(ask.path ?? "")?.vertex === true || ask.model.params.text("ids", "1") === "0";
  return nameless ? null : `fc_sim_${ask.serial}_${nth}`;
}

/** Usage as Gemini counts it: the prompt count includes cached tokens, the candidates count excludes thoughts. */
function wireUsage({ usage: told, usage_reporting }: Performance, choices = 1): unknown {
  const usage = { ...told, output: told.output * choices, reasoning: told.reasoning * choices };
  const prompt = usage.input + usage.cache_read + usage.cache_write;
  const counts = {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output - usage.reasoning,
    totalTokenCount: prompt + usage.output,
    ...(usage.cache_read > 0 ? { cachedContentTokenCount: usage.cache_read } : {}),
    ...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
  };
  return reportUsage(counts, usage_reporting);
}

/** The usage of a stream's earlier chunks, which have the prompt count and almost no output. */
function earlyUsage(performance: Performance): unknown {
  const { usage, usage_reporting } = performance;
  const input = usage_reporting.early ? usage.input + 1 : usage.input;
  return wireUsage({ ...performance, usage: { ...usage, input, output: 1, reasoning: 0 } });
}
