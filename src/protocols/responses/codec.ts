import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext, ClientCodec, DecodedAnswer, StreamEncoder, VendorCodec } from "../../core/answer/codec.ts";
import type { WholeBody } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import type { FinishEvent, FinishReason, StreamEvent } from "../../core/answer/stream-event.ts";
import type { GatewayError } from "../../core/errors.ts";
import { isObject, plainText } from "../../core/json.ts";
import { EventDecoder } from "../shared/answer-events.ts";
import { eventData, leadingEventName } from "../shared/event-frames.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { SseFrames } from "../shared/sse-frames.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { AnswerReader } from "./answer-reader.ts";
import { packSummary, wantsCompaction } from "./compaction.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeResponse, ResponsesStreamEncoder } from "./encode-answer.ts";
import { encodeRequest, responsesTraits } from "./encode-request.ts";
import { EventWriter, itemEvent } from "./item-writer.ts";
import { compactionItem, itemId } from "./output-items.ts";
import { failureOf } from "./read-whole.ts";
import { endOf, ResponseSerializer, type ResponseState } from "./response-serializer.ts";

/** Translates between responses clients and the neutral form, for a vendor of any protocol. */
export const responsesClientCodec: ClientCodec = {
  refusal: "unsupported_responses_feature",
  choices_name: "n",
  names: {
    messages: "input",
    format: "text.format",
    verbosity: "text.verbosity",
    logprobs: "top_logprobs",
    end_user: "safety_identifier",
    cache_hints: "prompt_cache_breakpoint",
  },
  decodeRequest,
  openEncoder: (context) =>
    wantsCompaction(context.body.input) ? new CompactionEncoder(context) : new ResponsesStreamEncoder(context),
  encodeWhole: (answer, context) =>
    wantsCompaction(context.body.input) ? encodeWholeCompaction(answer, context) : encodeResponse(answer, context),
};

/** Translates between the neutral form and responses vendors, for a client of any protocol. */
export const responsesVendorCodec: VendorCodec = {
  traits: responsesTraits,
  encodeRequest,
  openDecoder: () => new ResponsesStreamDecoder(),
  decodeWhole: (body) => decodeResponse(body),
  readError: readVendorError,
};

/** Reads a response that arrived whole. Anything but a finished response becomes an `error` event; never throws. */
function decodeResponse(body: WholeBody): DecodedAnswer {
  const response = parseOrNull(textOf(body));
  const failure = failureOf(response);
  if (failure !== null || !isObject(response)) {
    const { status = 502, message = "", retry_after_ms = null } = failure ?? {};
    return { events: [{ type: "error", status, message, retry_after_ms }], rejected_usage: null };
  }
  const reader = new AnswerReader();
  reader.takeWhole(response);
  return { events: reader.drain(), rejected_usage: reader.rejected_usage };
}

/** Events that carry no content, or only content that another event carries too: their data is not parsed. */
const OF_NO_INTEREST = /_part\.|annotation|_call\.|^response\.in_progress$|^keepalive$/;

const NUMBER = /"sequence_number" *: *[1-9]/;

/** Decodes a responses vendor's stream. Each frame is parsed at most once, and only where its event matters. */
export class ResponsesStreamDecoder extends EventDecoder<AnswerReader> {
  #last: Buffer | null = null;

  constructor() {
    super(new AnswerReader(), new SseFrames());
  }

  protected take(frame: Buffer): void {
    // Two events never have the same number, but for a vendor that does not count them.
    if (this.#last !== null && frame.equals(this.#last) && NUMBER.test(frame.toString("latin1"))) return;
    this.#last = frame;
    const name = leadingEventName(frame);
    if (name !== "" && OF_NO_INTEREST.test(name)) return;
    const data = eventData(frame);
    // Some vendors put the event's name only in the data.
    if (data !== null) this.reader.take(name === "" ? plainText(data.type) : name, data);
  }
}

/** A summary without text would silently erase the conversation's memory, so the response fails. */
const NO_SUMMARY: ResponseState = {
  status: "failed",
  output: [],
  error: {
    code: "provider_error",
    message: "The model was asked for a summary to compact the conversation and wrote none.",
  },
};

/** Writes an answer to a compaction trigger as a responses stream: one compaction item, which holds all text. */
class CompactionEncoder implements StreamEncoder {
  readonly #events = new EventWriter();
  readonly #response: ResponseSerializer;
  #is_text = false;
  #text = "";

  constructor(context: AnswerContext) {
    this.#response = new ResponseSerializer(context);
  }

  encode(event: StreamEvent): string {
    switch (event.type) {
      case "start":
        return this.#lifecycle("created", IN_PROGRESS) + this.#lifecycle("in_progress", IN_PROGRESS);
      case "block-start":
        this.#is_text = event.block.kind === "text";
        return "";
      case "block-delta":
        if (this.#is_text) this.#text += event.text;
        return "";
      case "finish":
        return this.#finish(event);
      case "block-end":
      case "error":
        return "";
    }
  }

  fail({ code, message }: GatewayError): string {
    return this.#lifecycle("failed", { status: "failed", output: [], error: { code, message } });
  }

  #finish({ reason, usage, cost }: FinishEvent): string {
    if (isEmpty(this.#text, reason)) return this.#lifecycle("failed", { ...NO_SUMMARY, usage, cost });
    const end = endOf(reason, false);
    const id = itemId("compaction", this.#response.base, 0);
    const place = { events: this.#events, id, output_index: 0 };
    const json = compactionItem(id, packSummary(this.#text));
    const item = itemEvent(place, "added", json) + itemEvent(place, "done", json);
    return item + this.#lifecycle(end.status, { ...end, output: [json], usage, cost });
  }

  #lifecycle(name: string, state: ResponseState): string {
    return this.#events.frame(`response.${name}`, `"response":${this.#response.json(state)}`);
  }
}

const IN_PROGRESS: ResponseState = { status: "in_progress", output: [] };

/** Encodes an answer to a compaction trigger that is not streamed. */
function encodeWholeCompaction({ blocks, reason, usage, cost }: AssembledAnswer, context: AnswerContext): string {
  const response = new ResponseSerializer(context);
  const text = blocks.map((block: AnswerBlock) => (block.kind === "text" ? block.text : "")).join("");
  if (isEmpty(text, reason)) return response.json({ ...NO_SUMMARY, usage, cost });
  const item = compactionItem(itemId("compaction", response.base, 0), packSummary(text));
  return response.json({ ...endOf(reason, false), output: [item], usage, cost });
}

/** Whether a finished answer has no text. An answer that was cut already ends as incomplete. */
function isEmpty(text: string, reason: FinishReason): boolean {
  return text.trim() === "" && (reason === "stop" || reason === "tool-calls" || reason === "refusal");
}
