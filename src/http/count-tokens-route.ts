import { readCredential } from "../access/read-credential.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { countTokens } from "../pipeline/generation/count-tokens.ts";
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
    const text = await request.text(deps.pipeline.configuration.limits.body_bytes);
    const call = { key, headers: request.head, request_id: ids.own };
    const answer = await countTokens(deps.pipeline, call, readCountRequest(text, request.head));
    return jsonAnswer(200, idLines(ids), answer);
  } catch (thrown) {
    // A client that left before all of its body had come is no failure.
    if (!request.aborted && !(thrown instanceof GatewayError))
      deps.log.error({ request_id: ids.own, err: thrown }, "a token count failed");
    return errorAnswer(toGatewayError(thrown), { ids, style, rate: null, style_b_not_found: false });
  }
}
