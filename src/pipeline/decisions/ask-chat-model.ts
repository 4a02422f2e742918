import type { AssembledAnswer } from "../../core/answer.ts";
import type { EncodedRequest, VendorCodec } from "../../core/codec.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Target, VendorFailure, WholeBody } from "../../core/exchange.ts";
import type { GenerationRequest } from "../../core/generation.ts";
import type { StreamEvent } from "../../core/stream-event.ts";
import { fitRequest } from "../../protocols/translate/fit-request.ts";
import { foldEvents } from "../../protocols/translate/fold-events.ts";
import { type CallHolder, judgeInside } from "../asking/attempt.ts";
import type { VendorExchange } from "../asking/vendor-exchange.ts";
import type { EngineCandidate } from "./decision-source.ts";
import { targetOf } from "../generation/plan.ts";
import type { Search } from "../asking/search.ts";
import { seekAnswer } from "../asking/seek-answer.ts";
import { type AttemptVerdict, judgeEmpty } from "../asking/vendor-failure.ts";

/** A chat model's answer to one call of our engine. */
export interface AskedAnswer {
  readonly kind: "asked";
  readonly candidate: EngineCandidate;
  readonly answer: AssembledAnswer;
}

/** No header of the client goes with our engine's calls. */
const NO_HEADERS = { get: () => null };

/** Asks a chat model once: the first candidate that answers. Resolves with the last failure when none does. */
export function askEngineCandidates(
  search: Search,
  candidates: readonly EngineCandidate[],
  request: GenerationRequest,
  holder: CallHolder,
): Promise<AskedAnswer | AttemptVerdict> {
  return seekAnswer<EngineCandidate, ChatExchange, AskedAnswer>(
    search,
    candidates,
    {
      exchangeFor: (candidate) => prepare(search, candidate, request),
      open: async (candidate, exchange, reply) =>
        readAnswer(search, candidate, exchange.readEvents(await reply.readWhole())),
    },
    holder,
  );
}

interface ChatExchange extends VendorExchange {
  readEvents(body: WholeBody): readonly StreamEvent[];
}

function prepare(search: Search, candidate: EngineCandidate, asked: GenerationRequest): ChatExchange {
  const { codec } = candidate;
  const target = targetOf(candidate);
  const fitted = fitRequest(asked, codec.traits(target, asked), target);
  if (fitted.ignored.includes("end_user")) search.call.notes.ignored = ["safety_identifier"];
  const encoded = encode(search, codec, fitted.request, target);
  return {
    path: encoded.path,
    body: encoded.body,
    headers: encoded.headers,
    readEvents: (body) => codec.decodeWhole(body, target, fitted.request).events,
    readError: (status, body) => codec.readError(status, body),
  };
}

/**
 * Encodes a call. What the chat model does not support becomes the endpoint's general 400 without a field's name, as
 * the decision request does not have the chat model's fields.
 */
function encode(search: Search, codec: VendorCodec, request: GenerationRequest, target: Target): EncodedRequest {
  try {
    return codec.encodeRequest(request, target, NO_HEADERS);
  } catch (thrown) {
    throw isRefusal(thrown) ? reworded(search, thrown) : thrown;
  }
}

function isRefusal(thrown: unknown): thrown is GatewayError {
  return thrown instanceof GatewayError && thrown.code === "unsupported_parameter";
}

function reworded({ call }: Search, refusal: GatewayError): GatewayError {
  return new GatewayError(call.general_error, refusal.message, { cause: refusal });
}

function readAnswer(
  search: Search,
  candidate: EngineCandidate,
  events: readonly StreamEvent[],
): AskedAnswer | AttemptVerdict {
  const answer = foldEvents(events);
  if (answer !== null) return { kind: "asked", candidate, answer };
  const last = events.at(-1);
  return last?.type === "error" ? judgeInside(search, candidate, failureOf(last)) : judgeEmpty();
}

function failureOf({ status, message, retry_after_ms }: VendorFailure): VendorFailure {
  return { status, message, retry_after_ms };
}
