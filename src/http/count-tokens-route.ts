import type { CredentialPolicy } from "../access/read-credential.ts";
import { isLater } from "../core/later.ts";
import type { KeyRecord } from "../core/people/principal.ts";
import { countTokens } from "../pipeline/generation/count-tokens.ts";
import { type ReadShape, readRequest } from "../pipeline/generation/read-request.ts";
import { LARGE_BYTES } from "../pipeline/request/sizes.ts";
import { readCountRequest as readGeminiCount } from "../protocols/gemini/count-tokens.ts";
import { readCountRequest } from "../protocols/messages/client.ts";
import { readInputTokensRequest } from "../protocols/responses/count-tokens.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import type { EdgeRequest, RouteDeps } from "./context.ts";
import { withAddress } from "./gemini-address.ts";
import type { RouteName } from "./paths/routes.ts";
import { answerReading } from "./reading-route.ts";

const MESSAGES: ReadShape = { endpoint: "messages.count_tokens", readRequest: readCountRequest };
const RESPONSES: ReadShape = { endpoint: "responses.input_tokens", readRequest: readInputTokensRequest };
const GEMINI: ReadShape = { endpoint: "countTokens", readRequest: readGeminiCount };

interface CountingEndpoint {
  readonly shape: ReadShape;
  readonly policy: CredentialPolicy;
}

const COUNTS_MESSAGES: CountingEndpoint = { shape: MESSAGES, policy: "either" };
const COUNTING: Readonly<Partial<Record<RouteName, CountingEndpoint>>> = {
  "responses.input_tokens": { shape: RESPONSES, policy: "bearer" },
  countTokens: { shape: GEMINI, policy: "google" },
};

/**
 * Answers `POST /v1/messages/count_tokens` (docs/rulings.md 14a), `/v1/responses/input_tokens` (212) and
 * Gemini's `countTokens` (docs/api.md 4.14). Never charged, so it needs no
 * admission; it is taken from the key's rate for reading (docs/rulings.md 155).
 */
export function answerCountTokens(deps: RouteDeps, edge: EdgeRequest): Promise<ServerAnswer> {
  const { shape, policy } = COUNTING[edge.match.row.name] ?? COUNTS_MESSAGES;
  const bodyFor = (key: KeyRecord) => countFor(deps, edge, shape, key);
  return answerReading(deps, edge, { policy, bodyFor, failure: "internal_error", counts_tokens: true });
}

async function countFor(
  { gate, pipeline }: RouteDeps,
  { request, ids }: EdgeRequest,
  shape: ReadShape,
  key: KeyRecord,
): Promise<string> {
  const room = gate.keyStateOf(key).bodies;
  const sent = await request.textOrBytes(pipeline.configuration.limits.body_bytes, LARGE_BYTES, room);
  const read = typeof sent === "string" ? sent : { bytes: sent, form: null };
  const body = shape === GEMINI ? withAddress(read, request.head) : read;
  const call = {
    ...{ key, headers: request.head, request_id: ids.own, signal: request, idempotency_key: null },
    ...(typeof body === "string" ? { text: body, large_body: null } : { text: "", large_body: body }),
    form: null,
  };
  const reading = readRequest(pipeline, call, shape);
  const asked = isLater(reading) ? await reading : reading;
  try {
    return await countTokens(pipeline, call, asked);
  } finally {
    asked.remote?.release();
  }
}
