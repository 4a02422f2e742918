import { readCredential } from "../access/read-credential.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { countTokens } from "../pipeline/generation/count-tokens.ts";
import { LARGE_BYTES } from "../pipeline/large-bodies/sizes.ts";
import { readCountRequest } from "../protocols/messages/client.ts";
import type { EdgeDeps, EdgeRequest } from "./context.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { jsonAnswer } from "./answer-lines.ts";
import { errorAnswer, idLines } from "./respond.ts";

/** Answers `POST /v1/messages/count_tokens` (docs/rulings.md 14a). Never charged, so it needs no admission. */
export async function answerCountTokens(deps: EdgeDeps, edge: EdgeRequest): Promise<ServerAnswer> {
  const { request, ids, error_style: style } = edge;
  try {
    const key = await deps.authenticator.authenticate(readCredential(request.head, "either"));
    const body = await request.textOrBytes(deps.pipeline.configuration.limits.body_bytes, LARGE_BYTES);
    const call = { key, headers: request.head, request_id: ids.own };
    if (typeof body === "string") {
      const answer = await countTokens(deps.pipeline, call, readCountRequest(body, request.head));
      return jsonAnswer(200, idLines(ids), answer);
    }
    const large = await deps.pipeline.large_bodies.read({
      ...{ route: "messages.count_tokens", body: { bytes: body, form: null }, headers: request.head, signal: request },
      ...{ is_repeatable: false, recall: null },
    });
    try {
      return jsonAnswer(200, idLines(ids), await countTokens(deps.pipeline, call, large));
    } finally {
      large.remote.release();
    }
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) deps.log.error({ request_id: ids.own, err: thrown }, "a token count failed");
    return errorAnswer(toGatewayError(thrown), { ids, style, rate: null, style_b_not_found: false });
  }
}
