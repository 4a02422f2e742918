import { gatewayMark } from "../access/console/tokens.ts";
import type { TokenGuard } from "../access/token-guard.ts";
import type { ConsoleAnswer, RawConsoleRequest } from "../core/answer/console-exchange.ts";
import { transportHeaders } from "../core/catalog/console-settings.ts";
import { GatewayError } from "../core/errors.ts";
import { StoreConflict } from "../core/store/ports.ts";
import { styleAError } from "../protocols/shared/error-styles.ts";
import { parseJson } from "../protocols/shared/parse-json.ts";
import { type Actor, roleOf } from "./answer/actor.ts";
import { ConsoleError } from "./answer/console-error.ts";
import { guardAgainstForgery, identify, requireOwnSite, requireSignedIn } from "./answer/identify.ts";
import type { ConsoleDeps, ConsoleRequest, ConsoleRoute } from "./answer/route.ts";
import { requireScopeSomewhere } from "./answer/scope.ts";
import { cookie, readVisit, SESSION_COOKIE, type Visit } from "./answer/visit.ts";
import { accountRoutes } from "./routes/account-routes.ts";
import { alertRoutes } from "./routes/alert-routes.ts";
import { auditRoutes } from "./routes/audit-routes.ts";
import { autoTopUpRoutes } from "./routes/auto-top-up-routes.ts";
import { budgetRoutes } from "./routes/budget-routes.ts";
import { cacheRoutes } from "./routes/cache-routes.ts";
import { configurationRoutes } from "./routes/configuration-routes.ts";
import { contentRoutes } from "./routes/content-routes.ts";
import { creditRoutes } from "./routes/credit-routes.ts";
import { healthHistoryRoutes } from "./routes/health-history-routes.ts";
import { healthRoutes } from "./routes/health-routes.ts";
import { keyRoutes } from "./routes/key-routes.ts";
import { limitRoutes } from "./routes/limit-routes.ts";
import { mailRoutes } from "./routes/mail-routes.ts";
import { managementKeyRoutes } from "./routes/management-key-routes.ts";
import { meRoutes } from "./routes/me-routes.ts";
import { memberRoutes } from "./routes/member-routes.ts";
import { modelRoutes } from "./routes/model-routes.ts";
import { overviewRoutes } from "./routes/overview-routes.ts";
import { playgroundRoutes } from "./routes/playground-routes.ts";
import { projectRoutes } from "./routes/project-routes.ts";
import { requestRoutes } from "./routes/request-routes.ts";
import { resolveRoutes } from "./routes/resolve-routes.ts";
import { modelLimitRoutes, tagLimitRoutes } from "./routes/rule-limit-routes.ts";
import { trafficRoutes } from "./routes/traffic-routes.ts";
import { usageRoutes } from "./routes/usage-routes.ts";
import { userRoutes } from "./routes/user-routes.ts";
import { vendorRoutes } from "./routes/vendor-routes.ts";
import { invitationRoutes } from "./sign-in/invitation-routes.ts";
import { sessionRoutes } from "./sign-in/session-routes.ts";

/** Every route of the console API, with the role that each route requires. */
export const ROUTES: readonly ConsoleRoute[] = [
  ...sessionRoutes,
  ...meRoutes,
  ...userRoutes,
  ...invitationRoutes,
  ...auditRoutes,
  ...accountRoutes,
  ...memberRoutes,
  ...managementKeyRoutes,
  ...creditRoutes,
  ...keyRoutes,
  ...projectRoutes,
  ...budgetRoutes,
  ...modelLimitRoutes,
  ...tagLimitRoutes,
  ...usageRoutes,
  ...trafficRoutes,
  ...requestRoutes,
  ...contentRoutes,
  ...cacheRoutes,
  ...modelRoutes,
  ...overviewRoutes,
  ...autoTopUpRoutes,
  ...resolveRoutes,
  ...playgroundRoutes,
  ...vendorRoutes,
  ...limitRoutes,
  ...healthRoutes,
  ...healthHistoryRoutes,
  ...mailRoutes,
  ...alertRoutes,
  ...configurationRoutes,
];

/**
 * Answers one call of the console API for an identified actor (see readActor). Refusals are answers with a style A
 * error body; any error that is neither a refusal nor a conflict is thrown, for the edge to log and answer with a 500.
 */
export async function handleConsoleApi(
  request: ConsoleRequest,
  deps: ConsoleDeps,
  actor: Actor,
): Promise<ConsoleAnswer> {
  try {
    const { route, params } = findRoute(request, actor);
    if (route.role !== "public") requireScopeSomewhere(actor, route);
    return await route.run(deps, actor, request, params);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return refusal(thrown);
    if (thrown instanceof ConsoleError) return { status: thrown.status, body: thrown.body };
    if (thrown instanceof StoreConflict) return conflict(thrown);
    throw thrown;
  }
}

interface MatchedRoute {
  readonly route: ConsoleRoute;
  readonly params: Record<string, string>;
}

/** The route of a request. Throws a 404 also for a route that requires a higher role than the actor has. */
function findRoute(request: ConsoleRequest, actor: Actor): MatchedRoute {
  const segments = request.path.split("/");
  const found = ROUTES.flatMap((route) => {
    const params = matchSegments(route.segments, segments);
    return params ? [{ route, params }] : [];
  });
  const open = found.filter(({ route }) => mayCall(actor, route));
  const wanted = found.find(({ route }) => route.method === request.method);
  if (wanted && open.includes(wanted)) return wanted;
  if (wanted || open.length === 0) {
    throw new GatewayError("not_found", `The console API has no ${request.path.slice(0, 200)}.`);
  }
  const methods = open.map(({ route }) => route.method).join(", ");
  throw new GatewayError("method_not_allowed", `${request.path} takes ${methods}, not ${request.method}.`, {
    headers: { allow: methods },
  });
}

function mayCall(actor: Actor, { role }: ConsoleRoute): boolean {
  if (role === "public") return true;
  // A management key's scopes say which routes it may call: others are a 403, as its owner knows that they exist.
  if (actor.kind === "management-key") return true;
  const own = roleOf(actor);
  return own === "administrator" || own === role;
}

/** The decoded `{name}` segments of a path that fits a pattern; null when it does not. */
function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (!expected.startsWith("{")) {
      if (segment !== expected) return null;
      continue;
    }
    const value = decode(segment);
    if (!value) return null;
    params[expected.slice(1, -1)] = value;
  }
  return params;
}

function decode(segment: string): string | null {
  try {
    const decoded = decodeURIComponent(segment);
    // No id has a NUL, which a PostgreSQL cannot even be asked for.
    return decoded.includes("\0") ? null : decoded;
  } catch {
    return null;
  }
}

/** Whether a request is for a route that anybody may call without signing in. */
function isPublic(method: string, path: string): boolean {
  const segments = path.split("/");
  return ROUTES.some(
    (route) => route.role === "public" && route.method === method && matchSegments(route.segments, segments) !== null,
  );
}

/** A refusal in the console API's shape, which is style A's. */
function refusal(error: GatewayError): ConsoleAnswer {
  return { status: error.row.status, body: styleAError(error), headers: error.headers };
}

function conflict(error: StoreConflict): ConsoleAnswer {
  const { status, body } = new ConsoleError("conflict", error.message);
  return { status, body };
}

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
