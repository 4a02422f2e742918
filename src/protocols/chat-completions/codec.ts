import type { ClientCodec, DecodedAnswer, VendorCodec } from "../../core/answer/codec.ts";
import type { WholeBody } from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import type { ErrorEvent } from "../../core/answer/stream-event.ts";
import { OPEN_BRACE } from "../../core/ascii.ts";
import { isObject } from "../../core/json.ts";
import { EventDecoder } from "../shared/answer-events.ts";
import { SseFrames } from "../shared/sse-frames.ts";
import { readErrorObject, readVendorError } from "../shared/vendor-error.ts";
import { ChunkEvents } from "./chunk-events.ts";
import { DATA_START, isDone, plainData, plainFrame } from "./data-frames.ts";
import { decodeRequest } from "./decode-request.ts";
import { ChatStreamEncoder, encodeResponse } from "./encode-answer.ts";
import { chatTraits, encodeRequest } from "./encode-request.ts";
import { parseChunk } from "./inspect-chunk.ts";

/** The codec for chat clients, whatever protocol their model's vendor speaks. */
export const chatClientCodec: ClientCodec = {
  refusal: "unsupported_parameter",
  choices_name: "n",
  names: {
    max_output_tokens: "max_completion_tokens",
    format: "response_format",
    reasoning: "reasoning_effort",
    end_user: "safety_identifier",
    include_usage: "stream_options",
    cache_hints: "cache_control",
    names: "messages.name",
  },
  decodeRequest,
  openEncoder: (context) => new ChatStreamEncoder(context),
  encodeWhole: encodeResponse,
};

/** The codec for chat vendors, whatever protocol the client speaks. */
export const chatVendorCodec: VendorCodec = {
  traits: chatTraits,
  encodeRequest,
  openDecoder: (_target, request) => new ChatStreamDecoder(request),
  decodeWhole: (body, _target, request) => decodeResponse(body, request),
  readError: readVendorError,
};

/**
 * The codec for clients that send a responses request to the chat endpoint: requests are decoded as responses, answers
 * are encoded as chat (docs/rulings.md 14b). `responses` is the client codec of the responses protocol.
 */
export function responsesInChatCodec(responses: ClientCodec): ClientCodec {
  return {
    ...chatClientCodec,
    refusal: responses.refusal,
    names: responses.names,
    decodeRequest(request) {
      const options = request.body.stream_options;
      const wants_usage = isObject(options) && options.include_usage === true;
      return { ...responses.decodeRequest(request), ...(wants_usage && { include_usage: true }) };
    },
  };
}

/** Decodes a completion that arrived whole. A body that is no answer becomes an `error` event; never throws. */
export function decodeResponse(body: WholeBody, request: GenerationRequest): DecodedAnswer {
  const completion = parseChunk(textOf(body));
  if (completion === null) return failed("The model service's answer is not a JSON object.");
  const chunks = new ChunkEvents(request);
  chunks.take(completion);
  chunks.finish();
  return { events: chunks.drain(), rejected_usage: chunks.rejected_usage };
}

function failed(message: string): DecodedAnswer {
  const error: ErrorEvent = { type: "error", status: 502, message, retry_after_ms: null };
  return { events: [error], rejected_usage: null };
}

/**
 * Decodes a chat vendor's stream into events. Each frame is parsed once; the usage is final when `[DONE]` has arrived.
 */
export class ChatStreamDecoder extends EventDecoder<ChunkEvents> {
  constructor(request: GenerationRequest) {
    super(new ChunkEvents(request), new SseFrames());
  }

  /** Streams of vendors that send no `[DONE]` are complete with the finish reason. */
  protected override close(): void {
    if (this.reader.raw_reason !== null) this.reader.finish();
  }

  protected take(frame: Buffer): void {
    const plain = plainFrame(frame);
    if (plain === null) return;
    if (plain[DATA_START] === OPEN_BRACE) {
      const chunk = parseChunk(plainData(plain));
      if (chunk !== null) this.reader.take(chunk);
    } else if (isDone(plain)) this.reader.finish();
    else if (plainData(plain).includes('"error"')) this.#takeErrorArray(plainData(plain));
  }

  /** Google's compatible endpoint reports errors in an array. */
  #takeErrorArray(json: string): void {
    const wrapped = parseChunk(`{"all":${json}}`);
    if (wrapped !== null) this.reader.fail(readErrorObject(wrapped.all));
  }
}
