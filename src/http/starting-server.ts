import { GatewayError } from "../core/errors.ts";
import type { Log } from "../observe/log.ts";
import { BodyRoom } from "../wire/server/body-room.ts";
import type { ClientTimeouts } from "../wire/server/client-timeouts.ts";
import type { IncomingRequest } from "../wire/server/incoming-request.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { type RequestHandler, type ServerAddress, WireServer } from "../wire/server/wire-server.ts";
import { jsonAnswer } from "./answer-lines.ts";
import { idLines, requestIdsOf } from "./request-ids.ts";
import { refusalOf } from "./respond.ts";

export interface StartingParts {
  readonly version: string;
  readonly log: Pick<Log, "error">;
  readonly client_timeouts: ClientTimeouts;
}

const RETRY_MS = 5000;

/**
 * Answers for a gateway that does not serve yet, as its database is being migrated (docs/rulings.md 204): it is alive, it is not ready, and
 * callers are told to try again. Throws when the address is not available.
 */
export function startStartingServer(
  { version, log, client_timeouts }: StartingParts,
  address: ServerAddress,
): Pick<WireServer, "cut"> {
  const handler: RequestHandler = {
    most_body_bytes: 0,
    bodies: new BodyRoom("all", 0),
    handle: (request) => request.answer(answerTo(request, version)),
    refuse: (_first_line, error) => refusalOf(error),
    failed: (thrown) => log.error({ err: thrown }, "an answer could not be sent"),
  };
  return new WireServer(handler, client_timeouts, address);
}

function answerTo({ head }: IncomingRequest, version: string): ServerAnswer {
  const headers = idLines(requestIdsOf(head));
  if (head.path === "/healthz") return jsonAnswer(200, headers, JSON.stringify({ status: "ok", version }));
  if (head.path === "/readyz") {
    return jsonAnswer(503, headers, JSON.stringify({ status: "starting", reason: "migration" }));
  }
  const told = "The gateway starts: its database is being migrated. Try again in a moment.";
  return refusalOf(new GatewayError("model_unavailable", told, { retry_after_ms: RETRY_MS }), head);
}
