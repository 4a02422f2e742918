import {
  type ClientCodec,
  type DecodedAnswer,
  HONOURS_NONE,
  type VendorCodec,
  type VendorTraits,
} from "../../core/answer/codec.ts";
import type { Target, VendorFailure, WholeBody } from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { EventDecoder } from "../shared/answer-events.ts";
import { LEGAL_CALL_IDS } from "../shared/call-ids.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { exactOrNull } from "../shared/exact-json.ts";
import { isGemini3 } from "../shared/google-models.ts";
import { dataText, SseFrames } from "../shared/sse-frames.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { ARGS, GeminiAnswerReader } from "./answer-reader.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeResponse, GeminiEncoder } from "./encode-answer.ts";
import { encodeRequest } from "./encode-request.ts";

/** The codec for clients of Gemini's style, for models that are reached through another protocol. */
export const geminiClientCodec: ClientCodec = {
  refusal: "invalid_request",
  choices_name: "generationConfig.candidateCount",
  names: {
    messages: "contents",
    max_output_tokens: "generationConfig.maxOutputTokens",
    temperature: "generationConfig.temperature",
    top_p: "generationConfig.topP",
    top_k: "generationConfig.topK",
    presence_penalty: "generationConfig.presencePenalty",
    frequency_penalty: "generationConfig.frequencyPenalty",
    seed: "generationConfig.seed",
    stop: "generationConfig.stopSequences",
    logprobs: "generationConfig.responseLogprobs",
    reasoning: "generationConfig.thinkingConfig",
    format: "generationConfig.responseJsonSchema",
    tool_choice: "toolConfig.functionCallingConfig",
    service_tier: "serviceTier",
  },
  decodeRequest,
  openEncoder: (context) => new GeminiEncoder(context),
  encodeWhole: encodeResponse,
};

/** Gemini's `generateContent`, of the Gemini API and of Vertex AI, as a vendor protocol. */
export const gemini: VendorCodec = {
  traits,
  encodeRequest,
  openDecoder: () => new GeminiStreamDecoder(),
  decodeWhole,
  readError,
};

function traits({ model }: Target, request?: GenerationRequest): VendorTraits {
  const is_gemini_3 = isGemini3(model);
  // Before Gemini 3 the API refuses structured output beside tools.
  const formats = is_gemini_3 || (request?.tools.length ?? 0) === 0;
  return {
    // All current models answer "Penalty is not enabled for this model", and the API's tiers have their own prices.
    honours: { ...HONOURS_NONE, temperature: true, top_p: true, top_k: true, seed: true, logprobs: true },
    stop_sequences: true,
    custom_tools: false,
    system_in_place: false,
    call_ids: LEGAL_CALL_IDS.gemini,
    hosted_tools: [],
    json_schema: formats,
    json_object: formats,
    families: ["google"],
  };
}

/** Reads `streamGenerateContent?alt=sse`: each event is a response object. It ends without a marker. */
class GeminiStreamDecoder extends EventDecoder<GeminiAnswerReader> {
  constructor() {
    super(new GeminiAnswerReader(), new SseFrames());
  }

  protected take(frame: Buffer): void {
    const response = readFrame(frame);
    if (response !== null) this.reader.take(response);
    else if (dataText(frame) !== null) this.reader.fail(UNREADABLE);
  }

  protected override takeLast(frame: Buffer): void {
    const response = readFrame(frame);
    if (response !== null) this.reader.take(response);
  }

  protected override close(): void {
    this.reader.finish();
  }
}

/** The error that ends an answer at an event that cannot be read: without the event the answer would have a gap. */
const UNREADABLE = invalidAnswer("The model service sent an event that could not be read.");

/**
 * The frame's object; null for comments and for a frame that was cut off. An error in a stream may come as bare JSON.
 */
function readFrame(frame: Buffer): JsonRecord | null {
  return parse(dataText(frame) ?? frame.toString());
}

/** Reads the answer of `generateContent`. Never throws: a body that is no answer gives an `error` event. */
function decodeWhole(body: WholeBody): DecodedAnswer {
  const response = parse(textOf(body));
  const reader = new GeminiAnswerReader();
  if (response !== null) reader.take(response);
  reader.finish();
  if (!reader.is_over) reader.fail(NO_ANSWER);
  return { events: reader.drain(), rejected_usage: reader.rejected_usage };
}

const NO_ANSWER = invalidAnswer("The model service answered with something that is no answer of a model.");

/** An object, alone or as the first of a list. */
function parse(text: string): JsonRecord | null {
  const parsed = exactOrNull(ARGS, text);
  const response: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  return isObject(response) ? response : null;
}

/**
 * Reads an error answer. A credential that Google does not know, and a location that it does not serve, have status 400
 * there. They are faults of the operator, not of the client, and become 401.
 */
export function readError(status: number, body: string): VendorFailure {
  const failure = readVendorError(status, body);
  const is_ours = status === 400 && /"API_KEY_(INVALID|EXPIRED)"|"FAILED_PRECONDITION"/.test(body);
  return is_ours ? { ...failure, status: 401 } : failure;
}
