import type { AssembledAnswer } from "../../core/answer/answer.ts";
import type { EncodedRequest, VendorCodec } from "../../core/answer/codec.ts";
import type { RemoteDecision } from "../../core/answer/decision.ts";
import type { Target, VendorFailure, WholeBody } from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { GatewayError } from "../../core/errors.ts";
import { Semaphore } from "../../core/semaphore.ts";
import { fitRequest } from "../../protocols/translate/fit-request.ts";
import { foldEvents } from "../../protocols/translate/fold-events.ts";
import { type AttemptContext, judgeReportedFailure } from "../ask/attempt.ts";
import type { VendorExchange } from "../ask/request-for.ts";
import { seekAnswer } from "../ask/seek-answer.ts";
import { type AttemptVerdict, judgeEmpty } from "../ask/vendor-failure.ts";
import { targetOf } from "../plan/prospects.ts";
import { LARGE_BYTES } from "../request/sizes.ts";
import type { EngineCandidate } from "./decision-source.ts";

/** A chat model's answer to one call of our engine. */
export interface ChatModelAnswer {
  readonly kind: "asked";
  readonly candidate: EngineCandidate;
  readonly answer: AssembledAnswer;
}

/** A call of our engine: its prompt, and the thread that holds the material which belongs before its question. */
export interface EngineCall {
  readonly request: GenerationRequest;
  readonly remote: RemoteDecision | undefined;
}

/** No header of the client goes with our engine's calls. */
const NO_HEADERS = { get: () => null };
/** Each long question gets a turn of the event loop of its own, so that other requests are served in between. */
const LONG_QUESTIONS = new Semaphore(1);

/** Asks a chat model once: the first candidate that answers. Resolves with the last failure when none does. */
export function askEngineCandidates(
  context: AttemptContext,
  candidates: readonly EngineCandidate[],
  { request, remote }: EngineCall,
): Promise<ChatModelAnswer | AttemptVerdict> {
  return seekAnswer<EngineCandidate, ChatExchange, ChatModelAnswer>(context, candidates, {
    exchangeFor: (candidate) => prepare(context, candidate, request, remote),
    open: async (candidate, exchange, reply) =>
      readAnswer(context, candidate, exchange.readEvents(await reply.readSmall())),
  });
}

interface ChatExchange extends VendorExchange {
  readEvents(body: WholeBody): readonly StreamEvent[];
}

function prepare(
  context: AttemptContext,
  candidate: EngineCandidate,
  asked: GenerationRequest,
  remote: RemoteDecision | undefined,
): ChatExchange | Promise<ChatExchange> {
  const { target, request } = fit(context, candidate, asked);
  if (remote !== undefined) return prepareElsewhere(context, candidate, { target, request, remote });
  return exchangeOf(candidate, target, request, encode(context, candidate.codec, request, target));
}

/** Prepares a body like `prepare`, in the thread that holds the input, as the input is written for each call (docs/adr/0027-body-workers.md). */
async function prepareElsewhere(
  context: AttemptContext,
  candidate: EngineCandidate,
  { target, request, remote }: EngineCall & { readonly target: Target; readonly remote: RemoteDecision },
): Promise<ChatExchange> {
  try {
    // A long question is copied to the thread for each call: one copy in each turn of the event loop.
    if (isLong(request)) await LONG_QUESTIONS.run(() => new Promise((resolve) => setImmediate(resolve)));
    return exchangeOf(candidate, target, request, await remote.encodeCall(target, request));
  } catch (thrown) {
    throw isRefusal(thrown) ? reworded(context, thrown) : thrown;
  }
}

function fit(context: AttemptContext, candidate: EngineCandidate, asked: GenerationRequest) {
  const target = targetOf(candidate);
  const { request, ignored } = fitRequest(asked, candidate.codec.traits(target, asked), target);
  if (ignored.includes("end_user")) context.notes.leftOut(["safety_identifier"]);
  return { target, request };
}

function exchangeOf(
  { codec }: EngineCandidate,
  target: Target,
  request: GenerationRequest,
  { path, headers, body }: Pick<VendorExchange, "path" | "headers" | "body">,
): ChatExchange {
  return {
    ...{ path, headers, body },
    readEvents: (answer) => codec.decodeWhole(answer, target, request).events,
    readError: (status, error) => codec.readError(status, error),
  };
}

/** Whether the texts of a request are a large body together. */
function isLong({ messages }: GenerationRequest): boolean {
  let length = 0;
  for (const { content } of messages) for (const part of content) if ("text" in part) length += part.text.length;
  return length > LARGE_BYTES;
}

/**
 * Encodes a call. What the chat model does not support becomes the endpoint's general 400 without a field's name, as
 * the decision request does not have the chat model's fields.
 */
function encode(
  context: AttemptContext,
  codec: VendorCodec,
  request: GenerationRequest,
  target: Target,
): EncodedRequest {
  try {
    return codec.encodeRequest(request, target, NO_HEADERS);
  } catch (thrown) {
    throw isRefusal(thrown) ? reworded(context, thrown) : thrown;
  }
}

function isRefusal(thrown: unknown): thrown is GatewayError {
  return thrown instanceof GatewayError && thrown.code === "unsupported_parameter";
}

function reworded({ call }: AttemptContext, refusal: GatewayError): GatewayError {
  return new GatewayError(call.general_error, refusal.message, { cause: refusal });
}

function readAnswer(
  context: AttemptContext,
  candidate: EngineCandidate,
  events: readonly StreamEvent[],
): ChatModelAnswer | AttemptVerdict {
  const answer = foldEvents(events);
  if (answer !== null) return { kind: "asked", candidate, answer };
  const last = events.at(-1);
  return last?.type === "error" ? judgeReportedFailure(context, candidate, failureOf(last)) : judgeEmpty();
}

function failureOf({ status, message, retry_after_ms }: VendorFailure): VendorFailure {
  return { status, message, retry_after_ms };
}
