import { gatewayMark } from "../access/console/tokens.ts";
import type { TokenGuard } from "../access/token-guard.ts";
import { transportHeaders } from "../core/catalog/console-settings.ts";
import type { ConsoleAnswer, RawConsoleRequest } from "../core/console-exchange.ts";
import { GatewayError } from "../core/errors.ts";
import { parseJson } from "../protocols/shared/parse-json.ts";
import { ConsoleError } from "./answer/console-error.ts";
import { guardAgainstForgery, identify, requireOwnSite, requireSignedIn } from "./answer/identify.ts";
import type { ConsoleDeps } from "./answer/route.ts";
import { cookie, readVisit, SESSION_COOKIE, type Visit } from "./answer/visit.ts";
import { handleConsoleApi, isPublic, refusal } from "./handle-console-api.ts";

/** The largest body of a caller who is signed in, and of anybody (docs/rulings.md 152). */
const SIGNED_IN_BODY_BYTES = 1024 * 1024;
const PUBLIC_BODY_BYTES = 16 * 1024;

/**
 * Answers a request of the console API: identifies the caller, refuses forged calls of browsers, runs the route. The body is
 * read only for a caller who may call the route.
 */
export async function answerConsoleApi(
  request: RawConsoleRequest,
  deps: ConsoleDeps,
  admin_token: TokenGuard,
): Promise<ConsoleAnswer> {
  const answer = await judgedAnswer(request, deps, admin_token);
  return { ...answer, headers: { ...transportHeaders(deps.sign_in.settings), ...answer.headers } };
}

async function judgedAnswer(
  request: RawConsoleRequest,
  deps: ConsoleDeps,
  admin_token: TokenGuard,
): Promise<ConsoleAnswer> {
  const { method, path, query, headers } = request;
  const visit = readVisit(headers, request.peer, deps.sign_in.settings, gatewayMark(deps.keys));
  try {
    const actor = await identify(headers, visit, { users: deps.users, keys: deps.keys, admin_token });
    const is_public = isPublic(method, path);
    if (is_public) {
      if (method !== "GET") requireOwnSite(visit);
    } else {
      requireSignedIn(actor);
      guardAgainstForgery(method, actor, visit, deps.keys);
    }
    const text = await request.readText(is_public ? PUBLIC_BODY_BYTES : SIGNED_IN_BODY_BYTES);
    return await handleConsoleApi({ method, path, query, body: parseBody(text), visit }, deps, actor);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return refusal(thrown);
    if (thrown instanceof ConsoleError) return refused(thrown, visit);
    throw thrown;
  }
}

/** The answer to a refusal. The refusal of a session that has ended also removes the session's cookie. */
function refused({ status, body, code }: ConsoleError, visit: Visit): ConsoleAnswer {
  const gone = code === "session_ended" ? [cookie(visit, { name: SESSION_COOKIE, value: "", max_age_s: 0 })] : [];
  return { status, body, cookies: gone };
}

function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return parseJson(text);
  } catch (cause) {
    throw notJson(cause);
  }
}

function notJson(cause: unknown): GatewayError {
  return new GatewayError("invalid_json", "The body is not valid JSON.", { cause });
}
