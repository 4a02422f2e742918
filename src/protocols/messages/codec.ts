import {
  type ClientCodec,
  type DecodedAnswer,
  HONOURS_NONE,
  type VendorCodec,
  type VendorTraits,
} from "../../core/answer/codec.ts";
import type { Target, WholeBody } from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject } from "../../core/json.ts";
import { EventDecoder } from "../shared/answer-events.ts";
import { LEGAL_CALL_IDS } from "../shared/call-ids.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { bareObject, eventData, leadingEventName } from "../shared/event-frames.ts";
import { exactOrNull } from "../shared/exact-json.ts";
import { claudeTakesSampling } from "../shared/sampling.ts";
import { SseFrames } from "../shared/sse-frames.ts";
import { readErrorObject, readVendorError } from "../shared/vendor-error.ts";
import { INPUT, MessagesAnswerReader } from "./answer-reader.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeResponse, MessagesEncoder } from "./encode-answer.ts";
import { encodeRequest } from "./encode-request.ts";
import { fitSchema } from "./fit-schema.ts";
import { wholeAsEvents } from "./whole-as-events.ts";

/** The codec for clients of messages, for models that are reached through another protocol. */
export const messagesClientCodec: ClientCodec = {
  refusal: "invalid_request",
  choices_name: "n",
  names: {
    max_output_tokens: "max_tokens",
    stop: "stop_sequences",
    reasoning: "thinking",
    format: "output_config.format",
    end_user: "metadata.user_id",
    parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
    cache_hints: "cache_control",
  },
  decodeRequest,
  openEncoder: (context) => new MessagesEncoder(context),
  encodeWhole: encodeResponse,
};

/** The codec for vendors of messages, for clients of other protocols. */
export const messagesVendorCodec: VendorCodec = {
  traits,
  encodeRequest,
  openDecoder: () => new MessagesDecoder(),
  decodeWhole: decodeResponse,
  readError: readVendorError,
};

function traits({ model, vendor }: Target, request?: GenerationRequest): VendorTraits {
  const refused = new Set(vendor.quirks.unsupported_fields);
  const takes = (field: string) => !refused.has(field);
  const samples = claudeTakesSampling(model, request);
  return {
    honours: {
      ...HONOURS_NONE,
      parallel_tool_calls: true,
      temperature: samples && takes("temperature"),
      top_p: samples && takes("top_p"),
      top_k: samples && takes("top_k"),
      end_user: takes("metadata"),
      service_tier: takes("service_tier"),
      cache_hints: true,
    },
    // Vendors refuse a stop sequence of only white space, so the gateway applies it itself.
    stop_sequences: takes("stop_sequences") && request?.stop?.some((stop) => stop.trim() === "") !== true,
    custom_tools: false,
    system_in_place: false,
    call_ids: LEGAL_CALL_IDS.messages,
    hosted_tools: [],
    json_schema: takes("output_config") && canSay(request),
    json_object: false,
    families: ["anthropic"],
  };
}

function canSay(request: GenerationRequest | undefined): boolean {
  return request?.format?.type !== "json-schema" || fitSchema(request.format.schema) !== null;
}

/**
 * Reads a message that arrived in one piece, as if it had been streamed. Never throws: a body that is no message
 * becomes an `error` event.
 */
export function decodeResponse(body: WholeBody): DecodedAnswer {
  const message = exactOrNull(INPUT, textOf(body));
  const reader = new MessagesAnswerReader();
  if (!isObject(message) || !Array.isArray(message.content)) {
    const failed = isObject(message) && message.error !== undefined;
    reader.fail(failed ? readErrorObject(message) : NO_MESSAGE);
    return { events: reader.drain(), rejected_usage: null };
  }
  const { id, content, stop_reason, stop_sequence, usage } = message;
  reader.take("message_start", { message: { id } });
  for (const [index, content_block] of content.entries()) {
    reader.take("content_block_start", { index, content_block });
  }
  reader.take("message_delta", { delta: { stop_reason, stop_sequence }, usage });
  reader.take("message_stop", {});
  return { events: reader.drain(), rejected_usage: reader.rejected_usage };
}

const NO_MESSAGE = invalidAnswer("The model service answered with something that is no message.");

/**
 * Reads a messages stream into events. Frames that are no events (comments, `[DONE]`, a web page) are skipped
 * (docs/rulings.md 86).
 */
export class MessagesDecoder extends EventDecoder<MessagesAnswerReader> {
  constructor() {
    super(new MessagesAnswerReader(), new SseFrames());
  }

  /** A last frame that was cut in the middle is dropped. */
  protected override takeLast(frame: Buffer): void {
    if ((eventData(frame) ?? bareObject(frame)) !== null) this.take(frame);
  }

  protected override close(): void {
    if (this.reader.complete) this.reader.finish();
  }

  protected take(frame: Buffer): void {
    const data = eventData(frame, INPUT);
    const bare = data === null ? bareObject(frame, INPUT) : null;
    if (bare !== null) this.#takeBare(bare);
    else if (data !== null) {
      const type = typeof data.type === "string" ? data.type : leadingEventName(frame);
      this.reader.take(type, data);
    } else if (leadingEventName(frame) !== "" && !this.reader.is_over) this.reader.fail(UNREADABLE);
  }

  /** Takes JSON in place of a stream: a message, or an error. */
  #takeBare(bare: Record<string, unknown>): void {
    if (bare.type === "message") for (const event of wholeAsEvents(bare)) this.reader.take(event.type, event);
    else if (isObject(bare.error)) this.reader.take("error", bare);
  }
}

/** An answer with an unreadable event fails, so that it is never taken for a whole answer. */
const UNREADABLE = invalidAnswer("The model service sent an event that cannot be read.");
