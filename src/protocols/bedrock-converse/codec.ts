import { type DecodedAnswer, HONOURS_NONE, type VendorCodec, type VendorTraits } from "../../core/answer/codec.ts";
import type { Target, VendorFailure, WholeBody } from "../../core/answer/exchange.ts";
import type { GenerationRequest, OpaqueFamily } from "../../core/answer/generation.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { EventDecoder } from "../shared/answer-events.ts";
import { LEGAL_CALL_IDS } from "../shared/call-ids.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { exactOrNull } from "../shared/exact-json.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { asksReasoning, claudeTakesSampling, refusesSampling } from "../shared/sampling.ts";
import { readErrorObject, readVendorError } from "../shared/vendor-error.ts";
import { ConverseAnswerReader } from "./answer-reader.ts";
import { encodeRequest } from "./encode-request.ts";
import { type EventFrame, EventFrames } from "./event-frames.ts";
import { FAMILY_TRAITS, familyOf } from "./model-family.ts";

/** Decodes ConverseStream's events, from `messageStart` to `metadata`, the last event, which brings the usage. */
class ConverseStreamDecoder extends EventDecoder<ConverseAnswerReader, EventFrame> {
  constructor(signer: OpaqueFamily) {
    super(new ConverseAnswerReader(signer), new EventFrames());
  }

  protected override close(): void {
    this.reader.finish();
  }

  protected take({ message_type, name, payload }: EventFrame): void {
    const data = parseEvent(payload);
    if (message_type !== "event") this.reader.fail(readException(name, data ?? {}));
    else if (data === null) this.reader.fail(UNREADABLE);
    else this.#takeEvent(name, data);
  }

  #takeEvent(name: string, data: JsonRecord): void {
    const index = typeof data.contentBlockIndex === "number" ? data.contentBlockIndex : 0;
    switch (name) {
      case "contentBlockDelta":
        if (isObject(data.delta)) this.reader.add(index, data.delta);
        return;
      case "messageStart":
        return this.reader.start();
      case "contentBlockStart":
        if (isObject(data.start) && isObject(data.start.toolUse)) this.reader.openTool(index, data.start.toolUse);
        return;
      case "contentBlockStop":
        return this.reader.close(index);
      case "messageStop":
        return this.reader.stop(data.stopReason, data.additionalModelResponseFields);
      case "metadata":
        this.reader.noteUsage(data.usage, data.serviceTier);
        return this.reader.finish();
    }
  }
}

const UNREADABLE = invalidAnswer("The model service sent an event that could not be read.");

function parseEvent(payload: Buffer): JsonRecord | null {
  const data = parseOrNull(payload.toString());
  return isObject(data) ? data : null;
}

/** Amazon Bedrock's Converse and ConverseStream as a vendor protocol. */
export const bedrockConverse: VendorCodec = {
  traits,
  encodeRequest,
  openDecoder: (target) => new ConverseStreamDecoder(signerOf(target)),
  decodeWhole: (body, target) => decodeWhole(body, signerOf(target)),
  readError,
};

/**
 * The family whose signatures the model makes. Anthropic's signatures are valid on every platform that serves its
 * models.
 */
function signerOf(target: Target): OpaqueFamily {
  return familyOf(target) === "anthropic" ? "anthropic" : "bedrock";
}

function traits(target: Target, request?: GenerationRequest): VendorTraits {
  const family = familyOf(target);
  const asks = request !== undefined && asksReasoning(request);
  const samples =
    family === "anthropic" ? claudeTakesSampling(target.model, request) : !refusesSampling(target.model, asks);
  const { top_k, stop_sequences, cache_points, call_control } = FAMILY_TRAITS[family];
  return {
    // Bedrock's service tiers have prices of their own, which are not in the catalogue.
    honours: {
      ...{ ...HONOURS_NONE, parallel_tool_calls: call_control, cache_hints: cache_points },
      ...{ temperature: samples, top_p: samples, top_k: top_k && samples },
    },
    stop_sequences,
    custom_tools: false,
    system_in_place: false,
    call_ids: LEGAL_CALL_IDS.converse,
    hosted_tools: [],
    json_schema: false,
    json_object: false,
    families: family === "anthropic" ? ["bedrock", "anthropic"] : ["bedrock"],
  };
}

/** The arguments of a call. */
const INPUT: ReadonlySet<string> = new Set(["input"]);

/** Decodes an answer of Converse. Never throws: a body that is no answer becomes an `error` event. */
function decodeWhole(body: WholeBody, signer: OpaqueFamily): DecodedAnswer {
  const reader = new ConverseAnswerReader(signer);
  const answer = parse(body);
  const message = isObject(answer?.output) ? answer.output.message : undefined;
  // An empty turn may come without its content, as a stream of it has no block.
  const content = isObject(message) ? (message.content ?? []) : null;
  if (answer !== null && Array.isArray(content)) {
    reader.start();
    for (const [index, block] of content.entries()) if (isObject(block)) takeBlock(reader, index, block);
    reader.noteUsage(answer.usage, answer.serviceTier);
    reader.stop(answer.stopReason, answer.additionalModelResponseFields);
    reader.finish();
  }
  reader.fail(noAnswer(answer));
  return { events: reader.drain(), rejected_usage: reader.rejected_usage };
}

/** The error for a body that is no answer, with the body's own message where it has one. */
function noAnswer(answer: JsonRecord | null): VendorFailure {
  const sentence = typeof answer?.message === "string" ? readErrorObject(answer).message : null;
  return invalidAnswer(sentence ?? "The model service answered with something that is no answer of a model.");
}

function takeBlock(reader: ConverseAnswerReader, index: number, block: JsonRecord): void {
  if (typeof block.text === "string") reader.add(index, { text: block.text });
  if (isObject(block.toolUse)) {
    reader.openTool(index, block.toolUse);
    reader.add(index, { toolUse: { input: JSON.stringify(block.toolUse.input ?? {}) } });
  }
  if (isObject(block.reasoningContent)) {
    const { reasoningText, redactedContent } = block.reasoningContent;
    reader.add(index, { reasoningContent: isObject(reasoningText) ? reasoningText : { redactedContent } });
  }
  if (isObject(block.citationsContent)) reader.add(index, { text: citedText(block.citationsContent) });
  reader.close(index);
}

/** The text of a block that has citations of documents. */
function citedText({ content }: JsonRecord): string {
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("");
}

function parse(body: WholeBody): JsonRecord | null {
  const answer = exactOrNull(INPUT, textOf(body));
  return isObject(answer) ? answer : null;
}

/** The HTTP statuses of the exceptions that may come inside a stream. */
const STATUSES: Readonly<Record<string, number>> = {
  validationException: 400,
  accessDeniedException: 403,
  resourceNotFoundException: 404,
  modelTimeoutException: 408,
  modelErrorException: 424,
  modelStreamErrorException: 424,
  throttlingException: 429,
  modelNotReadyException: 429,
  serviceQuotaExceededException: 429,
  internalServerException: 500,
  serviceUnavailableException: 503,
};

/** The failure that an exception in a stream stands for, by its name. */
function readException(name: string, payload: JsonRecord): VendorFailure {
  const status = STATUSES[name.charAt(0).toLowerCase() + name.slice(1)] ?? 502;
  return { ...readError(status, JSON.stringify(payload)), status };
}

/**
 * Reads an error answer. A quota that is used up has status 400 there; it is a rate limit (429), not the client's
 * fault.
 */
export function readError(status: number, body: string): VendorFailure {
  return readVendorError(status === 400 && /service quota/i.test(body) ? 429 : status, body);
}
