import { PresentedKey } from "../access/authenticator.ts";
import { type CredentialPolicy, readCredential } from "../access/read-credential.ts";
import { type ErrorCode, GatewayError, toGatewayError } from "../core/errors.ts";
import { isLater } from "../core/later.ts";
import type { KeyRecord } from "../core/people/principal.ts";
import { StoreUnavailable } from "../core/store-errors.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { jsonAnswer } from "./answer-lines.ts";
import type { EdgeRequest, RouteDeps } from "./context.ts";
import { refuseKeyInQuery } from "./gemini-address.ts";
import { rateLines } from "./rate-headers.ts";
import { idLines } from "./request-ids.ts";
import { errorAnswer } from "./respond.ts";

/** An endpoint that only reads. */
interface ReadingRoute {
  readonly policy: CredentialPolicy;
  /** The JSON that is answered to the owner of a key. */
  readonly bodyFor: (key: KeyRecord) => Promise<NonNullable<ServerAnswer["body"]>>;
  /** The code of a failure that is not the client's (docs/api.md 7.5). */
  readonly failure: ErrorCode;
  /** Whether the endpoint counts tokens: a vendor may be asked then, whose call ends where the client leaves. */
  readonly counts_tokens?: true;
  /** Whether the endpoint serves models, where style B's not-found has a type of its own. */
  readonly style_b_not_found?: boolean;
}

/** Answers a request that is free of charge. Never rejects. */
export async function answerReading(deps: RouteDeps, edge: EdgeRequest, route: ReadingRoute): Promise<ServerAnswer> {
  const { request, ids, error_style: style, rate_holder } = edge;
  const { failure, counts_tokens = false, style_b_not_found = false } = route;
  try {
    if (style === "c") refuseKeyInQuery(request.head);
    const body = await route.bodyFor(await authenticateReader(deps, edge, route.policy));
    return jsonAnswer(200, idLines(ids) + rateLines(rate_holder.rate, style), body);
  } catch (thrown) {
    const is_ours = !(thrown instanceof GatewayError);
    if (is_ours && !(counts_tokens && request.aborted)) {
      const failed = counts_tokens ? "a token count failed" : "a request failed";
      deps.log.error({ request_id: ids.own, err: thrown }, failed);
    }
    const known = toGatewayError(thrown);
    const error =
      is_ours && !(thrown instanceof StoreUnavailable)
        ? new GatewayError(failure, known.message, { cause: thrown })
        : known;
    deps.gate.noteRefusal(error);
    return errorAnswer(error, { ids, style, rate: rate_holder.rate, style_b_not_found });
  }
}

/**
 * Authenticates a request that only reads: reads its key from the database and counts the request in the key's rate for such requests
 * (docs/rulings.md 141). Throws the 401 codes of docs/api.md 5, and the 429. The database is not read for a key that was never made here,
 * nor for a known key whose rate is used up.
 */
async function authenticateReader(
  { authenticator, gate }: RouteDeps,
  { request, arrived_ms, rate_holder }: EdgeRequest,
  policy: CredentialPolicy,
): Promise<KeyRecord> {
  const presented = new PresentedKey(readCredential(request.head, policy));
  const known = authenticator.lookup(presented);
  const is_fresh = isLater(known);
  if (!is_fresh) gate.reads.require(known, arrived_ms, rate_holder);
  const key = is_fresh ? await known : await authenticator.authenticate(presented.credential);
  gate.reads.take(key, arrived_ms, rate_holder);
  return key;
}
