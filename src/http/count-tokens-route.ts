import { GatewayError, toGatewayError } from "../core/errors.ts";
import { countTokens } from "../pipeline/generation/count-tokens.ts";
import { LARGE_BYTES } from "../pipeline/request/sizes.ts";
import { readCountRequest } from "../protocols/messages/client.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { jsonAnswer } from "./answer-lines.ts";
import type { EdgeRequest, RouteDeps } from "./context.ts";
import { authenticateReader } from "./gate/authenticate-reader.ts";
import { rateLines } from "./rate-headers.ts";
import { idLines } from "./request-ids.ts";
import { errorAnswer } from "./respond.ts";

/**
 * Answers `POST /v1/messages/count_tokens` (docs/rulings.md 14a). Never charged, so it needs no admission; it is taken from
 * the key's rate for reading (docs/rulings.md 155).
 */
export async function answerCountTokens(deps: RouteDeps, edge: EdgeRequest): Promise<ServerAnswer> {
  const { request, ids, error_style: style, arrived_ms, rate_holder } = edge;
  try {
    const key = await authenticateReader(deps, { headers: request.head, policy: "either", arrived_ms, rate_holder });
    const room = deps.gate.keyStateOf(key).bodies;
    const body = await request.textOrBytes(deps.pipeline.configuration.limits.body_bytes, LARGE_BYTES, room);
    const call = { key, headers: request.head, request_id: ids.own };
    const lines = idLines(ids) + rateLines(rate_holder.rate, style);
    if (typeof body === "string") {
      const answer = await countTokens(deps.pipeline, call, readCountRequest(body, request.head));
      return jsonAnswer(200, lines, answer);
    }
    const large = await deps.pipeline.large_bodies.read({
      ...{ route: "messages.count_tokens", body: { bytes: body, form: null }, headers: request.head, signal: request },
      ...{ account_id: key.account_id, is_repeatable: false, recall: null },
    });
    try {
      return jsonAnswer(200, lines, await countTokens(deps.pipeline, call, large));
    } finally {
      large.remote.release();
    }
  } catch (thrown) {
    const error = toGatewayError(thrown);
    deps.gate.noteRefusal(error);
    if (!(thrown instanceof GatewayError) && !request.aborted)
      deps.log.error({ request_id: ids.own, err: thrown }, "a token count failed");
    return errorAnswer(error, { ids, style, rate: rate_holder.rate, style_b_not_found: false });
  }
}
