import { readCredential } from "../access/read-credential.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { countTokens } from "../pipeline/count-tokens.ts";
import { readCountRequest } from "../protocols/messages/client.ts";
import type { EdgeDeps, EdgeRequest } from "./context.ts";
import { readBody } from "./read-body.ts";
import { errorResponse, jsonHeaders } from "./respond.ts";

/** Answers `POST /v1/messages/count_tokens` (docs/rulings.md 14a). Never charged, so it needs no admission. */
export async function answerCountTokens(deps: EdgeDeps, edge: EdgeRequest): Promise<Response> {
  const { request, ids, error_style: style } = edge;
  try {
    const key = await deps.authenticator.authenticate(readCredential(request.headers, "either"));
    const text = await readBody(request, deps.configuration.limits.body_bytes, deps.body_timeouts);
    const call = { key, headers: request.headers, request_id: ids.own };
    const answer = await countTokens(deps.pipeline, call, readCountRequest(text, request.headers));
    return new Response(answer, { headers: jsonHeaders(ids) });
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) deps.log.error({ request_id: ids.own, err: thrown }, "a token count failed");
    return errorResponse(toGatewayError(thrown), { ids, style, rate: null, style_b_not_found: false });
  }
}
