import type { AssembledAnswer } from "../../core/answer.ts";
import type { EncodedRequest, VendorCodec } from "../../core/codec.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Target, VendorFailure, WholeBody } from "../../core/exchange.ts";
import type { GenerationRequest } from "../../core/generation.ts";
import type { StreamEvent } from "../../core/stream-event.ts";
import { fitRequest } from "../../protocols/translate/fit-request.ts";
import { foldEvents } from "../../protocols/translate/fold-events.ts";
import { LARGE_BYTES } from "../large-bodies/sizes.ts";
import { type CurrentCall, judgeInside } from "../asking/attempt.ts";
import type { VendorExchange } from "../asking/vendor-exchange.ts";
import type { EngineCandidate } from "./decision-source.ts";
import { targetOf } from "../generation/plan.ts";
import type { AttemptContext } from "../asking/attempt-context.ts";
import { seekAnswer } from "../asking/seek-answer.ts";
import { type AttemptVerdict, judgeEmpty } from "../asking/vendor-failure.ts";

/** A chat model's answer to one call of our engine. */
export interface ChatModelAnswer {
  readonly kind: "asked";
  readonly candidate: EngineCandidate;
  readonly answer: AssembledAnswer;
}

/** No header of the client goes with our engine's calls. */
const NO_HEADERS = { get: () => null };

/** Asks a chat model once: the first candidate that answers. Resolves with the last failure when none does. */
export function askEngineCandidates(
  context: AttemptContext,
  candidates: readonly EngineCandidate[],
  request: GenerationRequest,
  current_call: CurrentCall,
): Promise<ChatModelAnswer | AttemptVerdict> {
  return seekAnswer<EngineCandidate, ChatExchange, ChatModelAnswer>(
    context,
    candidates,
    {
      exchangeFor: (candidate) => (isLong(request) ? prepareElsewhere : prepare)(context, candidate, request),
      open: async (candidate, exchange, reply) =>
        readAnswer(context, candidate, exchange.readEvents(await reply.readWhole())),
    },
    current_call,
  );
}

interface ChatExchange extends VendorExchange {
  readEvents(body: WholeBody): readonly StreamEvent[];
}

function prepare(context: AttemptContext, candidate: EngineCandidate, asked: GenerationRequest): ChatExchange {
  const { target, request } = fit(context, candidate, asked);
  return exchangeOf(candidate, target, request, encode(context, candidate.codec, request, target));
}

/** As `prepare`, in another thread: a long input is written again for each question (docs/adr/0027-body-workers.md). */
async function prepareElsewhere(
  context: AttemptContext,
  candidate: EngineCandidate,
  asked: GenerationRequest,
): Promise<ChatExchange> {
  const { target, request } = fit(context, candidate, asked);
  try {
    return exchangeOf(candidate, target, request, await context.deps.large_bodies.encode(target, request));
  } catch (thrown) {
    throw isRefusal(thrown) ? reworded(context, thrown) : thrown;
  }
}

function fit(context: AttemptContext, candidate: EngineCandidate, asked: GenerationRequest) {
  const target = targetOf(candidate);
  const { request, ignored } = fitRequest(asked, candidate.codec.traits(target, asked), target);
  if (ignored.includes("end_user")) context.call.metadata.ignored = ["safety_identifier"];
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

/** Whether the texts and images of a request are a large body together. */
function isLong({ messages }: GenerationRequest): boolean {
  let length = 0;
  for (const { content } of messages)
    for (const part of content) {
      if ("text" in part) length += part.text.length;
      else if (part.type === "image" && part.source.kind === "base64") length += part.source.data.length;
    }
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
  return last?.type === "error" ? judgeInside(context, candidate, failureOf(last)) : judgeEmpty();
}

function failureOf({ status, message, retry_after_ms }: VendorFailure): VendorFailure {
  return { status, message, retry_after_ms };
}
