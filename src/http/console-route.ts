import { GatewayError, toGatewayError } from "../core/errors.ts";
import { headerLine } from "../wire/grammar/header-line.ts";
import { refuseContentCoding } from "../wire/server/content-coding.ts";
import type { IncomingRequest } from "../wire/server/incoming-request.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { headerLines } from "./answer-lines.ts";
import type { ConsoleAnswer, EdgeDeps } from "./context.ts";
import { idLines, type RequestIds } from "./request-ids.ts";
import { errorAnswer } from "./respond.ts";
import { StreamedText } from "./streamed-text.ts";

/** Hands a request below `/console/api` to the console API, which knows nothing of HTTP types. */
export async function answerConsoleApi(
  deps: EdgeDeps,
  request: IncomingRequest,
  ids: RequestIds,
): Promise<ServerAnswer> {
  try {
    const { head, peer } = request;
    refuseContentCoding(head.content_encoding);
    const { method, path } = head;
    const query = new URLSearchParams(head.query);
    const readText = (limit_bytes: number): string | Promise<string> => request.text(limit_bytes);
    const answer = await deps.consoleApi({ method, path, query, headers: head, readText, peer });
    return dressed(answer, ids, (err) =>
      deps.log.error({ request_id: ids.own, err }, "a file could not be sent whole"),
    );
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) && !request.aborted)
      deps.log.error({ request_id: ids.own, err: thrown }, "a console request failed");
    return errorAnswer(toGatewayError(thrown), { ids, style: "a", rate: null, style_b_not_found: false });
  }
}

/** Keeps a browser from showing an answer as a page: it is data for this site's own pages only. */
const SAFETY = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

function dressed(
  { status, headers, cookies, body, pieces }: ConsoleAnswer,
  ids: RequestIds,
  onFailure: (thrown: unknown) => void,
): ServerAnswer {
  let lines = idLines(ids) + headerLines({ ...SAFETY, ...headers });
  for (const cookie of cookies ?? []) lines += headerLine("set-cookie", cookie);
  if (pieces !== undefined) return { status, headers: lines, body: new StreamedText(pieces, onFailure) };
  return { status, headers: lines, body: typeof body === "string" ? body : JSON.stringify(body) };
}
