import type { AnswerSource, AnswerTaker } from "../core/answer/answer-stream.ts";
import type { ConsoleAnswer } from "../core/answer/console-exchange.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { headerLine } from "../wire/grammar/header-line.ts";
import { refuseContentCoding } from "../wire/server/content-coding.ts";
import type { IncomingRequest } from "../wire/server/incoming-request.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { headerLines } from "./answer-lines.ts";
import type { EdgeDeps } from "./context.ts";
import { idLines, type RequestIds } from "./request-ids.ts";
import { errorAnswer } from "./respond.ts";

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
    return errorAnswer(toGatewayError(thrown), { ids, style: "a", rate: null });
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

const NOTHING = new Uint8Array(0);

/** A text that is made a piece at a time, each when the client has taken the one before. */
class StreamedText implements AnswerSource {
  readonly #pieces: AsyncGenerator<string, void>;
  readonly #onFailure: (thrown: unknown) => void;
  #is_over = false;

  /** `onFailure` gets the error that kept the rest from being made; the client's connection is cut then. */
  constructor(pieces: AsyncGenerator<string, void>, onFailure: (thrown: unknown) => void) {
    this.#pieces = pieces;
    this.#onFailure = onFailure;
  }

  pull(taker: AnswerTaker): void {
    void this.#give(taker);
  }

  abort(): void {
    if (this.#is_over) return;
    this.#is_over = true;
    // No more pieces are asked for; the piece that is being read is dropped.
    this.#pieces.return().catch(() => {});
  }

  async #give(taker: AnswerTaker): Promise<void> {
    try {
      const { done = false, value } = await this.#pieces.next();
      if (this.#is_over) return;
      if (!done) return taker.take(Buffer.from(value ?? ""));
      this.#is_over = true;
      taker.end(NOTHING);
    } catch (thrown) {
      if (this.#is_over) return;
      this.#is_over = true;
      this.#onFailure(thrown);
      taker.fail(thrown);
    }
  }
}
