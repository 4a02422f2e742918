import type { EdgeDeps } from "./context.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { readBody } from "./read-body.ts";
import type { RequestIds } from "./request-ids.ts";
import { errorResponse, jsonHeaders } from "./respond.ts";
import type { UrlParts } from "./split-url.ts";

const MAX_BODY_BYTES = 1024 * 1024;

interface ConsoleCall {
  readonly request: Request;
  readonly url: UrlParts;
  readonly ids: RequestIds;
  /** The address at the other end of the connection. */
  readonly peer: string | null;
}

/** Hands a request below `/console/api` to the console API, which knows nothing of HTTP types. */
export async function answerConsoleApi(deps: EdgeDeps, { request, url, ids, peer }: ConsoleCall): Promise<Response> {
  try {
    const text = request.body === null ? "" : await readBody(request, MAX_BODY_BYTES, deps.body_timeouts);
    const { method, headers } = request;
    const answer = await deps.consoleApi({
      method,
      path: url.path || "/",
      query: new URLSearchParams(url.query),
      headers,
      text,
      peer,
    });
    const answered = new Headers({ ...jsonHeaders(ids), "cache-control": "no-store" });
    for (const [name, value] of Object.entries(answer.headers ?? {})) answered.set(name, value);
    for (const cookie of answer.cookies ?? []) answered.append("set-cookie", cookie);
    const body = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    return new Response(body, { status: answer.status, headers: answered });
  } catch (thrown) {
    if (!(thrown instanceof GatewayError))
      deps.log.error({ request_id: ids.own, err: thrown }, "a console request failed");
    return errorResponse(toGatewayError(thrown), { ids, style: "a", rate: null, style_b_not_found: false });
  }
}
