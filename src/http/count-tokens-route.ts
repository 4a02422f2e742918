import type { CredentialPolicy } from "../access/read-credential.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { isLater } from "../core/later.ts";
import { countTokens } from "../pipeline/generation/count-tokens.ts";
import { type ReadShape, readRequest } from "../pipeline/generation/read-request.ts";
import { LARGE_BYTES } from "../pipeline/request/sizes.ts";
import { readCountRequest as readGeminiCount } from "../protocols/gemini/count-tokens.ts";
import { readCountRequest } from "../protocols/messages/client.ts";
import { readInputTokensRequest } from "../protocols/responses/count-tokens.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { jsonAnswer } from "./answer-lines.ts";
import type { EdgeRequest, RouteDeps } from "./context.ts";
import { authenticateReader } from "./gate/authenticate-reader.ts";
import { refuseKeyInQuery, withAddress } from "./gemini-address.ts";
import type { RouteName } from "./paths/routes.ts";
import { rateLines } from "./rate-headers.ts";
import { idLines } from "./request-ids.ts";
import { errorAnswer } from "./respond.ts";

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
export async function answerCountTokens(deps: RouteDeps, edge: EdgeRequest): Promise<ServerAnswer> {
  const { request, ids, error_style: style, arrived_ms, rate_holder, match } = edge;
  const { shape, policy } = COUNTING[match.row.name] ?? COUNTS_MESSAGES;
  try {
    if (shape === GEMINI) refuseKeyInQuery(request.head);
    const key = await authenticateReader(deps, { headers: request.head, policy, arrived_ms, rate_holder });
    const room = deps.gate.keyStateOf(key).bodies;
    const sent = await request.textOrBytes(deps.pipeline.configuration.limits.body_bytes, LARGE_BYTES, room);
    const read = typeof sent === "string" ? sent : { bytes: sent, form: null };
    const body = shape === GEMINI ? withAddress(read, request.head) : read;
    const call = {
      ...{ key, headers: request.head, request_id: ids.own, signal: request, idempotency_key: null },
      ...(typeof body === "string" ? { text: body, large_body: null } : { text: "", large_body: body }),
      form: null,
    };
    const lines = idLines(ids) + rateLines(rate_holder.rate, style);
    const reading = readRequest(deps.pipeline, call, shape);
    const asked = isLater(reading) ? await reading : reading;
    try {
      return jsonAnswer(200, lines, await countTokens(deps.pipeline, call, asked));
    } finally {
      asked.remote?.release();
    }
  } catch (thrown) {
    const error = toGatewayError(thrown);
    deps.gate.noteRefusal(error);
    if (!(thrown instanceof GatewayError) && !request.aborted)
      deps.log.error({ request_id: ids.own, err: thrown }, "a token count failed");
    return errorAnswer(error, { ids, style, rate: rate_holder.rate, style_b_not_found: false });
  }
}
