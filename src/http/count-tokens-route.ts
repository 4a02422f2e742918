import { GatewayError, toGatewayError } from "../core/errors.ts";
import { isLater } from "../core/later.ts";
import { countTokens } from "../pipeline/generation/count-tokens.ts";
import { type ReadShape, readRequest } from "../pipeline/generation/read-request.ts";
import { LARGE_BYTES } from "../pipeline/request/sizes.ts";
import { readCountRequest } from "../protocols/messages/client.ts";
import { readInputTokensRequest } from "../protocols/responses/count-tokens.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { jsonAnswer } from "./answer-lines.ts";
import type { EdgeRequest, RouteDeps } from "./context.ts";
import { authenticateReader } from "./gate/authenticate-reader.ts";
import { rateLines } from "./rate-headers.ts";
import { idLines } from "./request-ids.ts";
import { errorAnswer } from "./respond.ts";

/** The requests of the endpoints that count. */
const MESSAGES: ReadShape = { endpoint: "messages.count_tokens", readRequest: readCountRequest };
const RESPONSES: ReadShape = { endpoint: "responses.input_tokens", readRequest: readInputTokensRequest };

/**
 * Answers `POST /v1/messages/count_tokens` (docs/rulings.md 14a) and `/v1/responses/input_tokens` (212). Never charged, so it needs no
 * admission; it is taken from the key's rate for reading (docs/rulings.md 155).
 */
export async function answerCountTokens(deps: RouteDeps, edge: EdgeRequest): Promise<ServerAnswer> {
  const { request, ids, error_style: style, arrived_ms, rate_holder, match } = edge;
  const shape = match.row.name === "responses.input_tokens" ? RESPONSES : MESSAGES;
  const policy = shape === MESSAGES ? "either" : "bearer";
  try {
    const key = await authenticateReader(deps, { headers: request.head, policy, arrived_ms, rate_holder });
    const room = deps.gate.keyStateOf(key).bodies;
    const body = await request.textOrBytes(deps.pipeline.configuration.limits.body_bytes, LARGE_BYTES, room);
    const is_small = typeof body === "string";
    const call = {
      ...{ key, headers: request.head, request_id: ids.own, signal: request, idempotency_key: null },
      ...{ text: is_small ? body : "", large_body: is_small ? null : { bytes: body, form: null } },
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
