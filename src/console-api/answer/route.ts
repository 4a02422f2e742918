import type { Static, TSchema } from "typebox";
import { CONSOLE_API, NoFields } from "../../../contract/common.ts";
import type { Scope } from "../../../contract/permissions.ts";
import { scopeOf } from "../../../contract/route-scopes.ts";
import type { OidcClients } from "../../access/console/oidc.ts";
import type { TryLimits } from "../../access/console/try-limits.ts";
import type { SubKeys } from "../../access/sub-keys.ts";
import type { CachedAnswerStore } from "../../core/answer/cached-answers.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import type { Configuration } from "../../core/catalog/catalog.ts";
import type { ConsoleSettings } from "../../core/catalog/console-settings.ts";
import type { Clock } from "../../core/clock.ts";
import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import type { AuditChange, AuditNote, AuditSnapshot } from "../../core/people/audit.ts";
import type { RefusedWay, UserStore } from "../../core/people/users.ts";
import type { AccountStore, Store } from "../../core/store/ports.ts";
import type { ContentReader } from "../../pipeline/contents/content-reader.ts";
import { type Actor, auditActor, type Role } from "./actor.ts";
import type { Administration } from "./administration.ts";
import { shapeReader } from "./check-shape.ts";
import type { AlertDesk, MailDesk } from "./desks.ts";
import { NO_VISIT, type Visit } from "./visit.ts";

export interface ConsoleDeps {
  readonly accounts: AccountStore;
  readonly users: UserStore;
  readonly deliveries: DeliveryStore;
  /** The accounts, with each change written to the audit log: routes that declare an action get them as `accounts`. */
  readonly audited: Store["audited"];
  readonly sign_in: SignInDeps;
  readonly keys: SubKeys;
  /** See `Store`. */
  readonly cellOf?: (account_id: string) => Promise<string>;
  readonly cached: Pick<CachedAnswerStore, "cacheSums" | "cachedBytes">;
  /** Removes the stored answers of an account, or all for null; resolves with how many there were. */
  readonly emptyCache: (account_id: string | null) => Promise<number>;
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly administration: Administration;
  readonly alerts: AlertDesk;
  /** What was said, where it is kept. */
  readonly contents: ContentReader;
  /** Absent where the gateway sends no mail. */
  readonly mail?: MailDesk;
  /** Called with every key that changes here, so that this process need not discover the change by itself. */
  readonly keyChanged?: (key_id: string) => void;
}

export interface ConsoleRequest {
  readonly method: string;
  /** The whole path as sent: `/console/api/accounts/acct_1`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parsed JSON body; undefined when there was none. */
  readonly body: unknown;
  readonly visit?: Visit;
}

/** The call that a handler receives: its parameters are checked, and the actor's role suffices. */
export interface ConsoleCall<Body = unknown, Query = unknown> {
  readonly deps: ConsoleDeps;
  readonly actor: Actor;
  /** The scope that the actor needs in the account that the call is about: see scope.ts. */
  readonly scope?: Scope | "self" | null;
  /** The decoded `{name}` segments of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
  readonly visit: Visit;
  /** The actor, action and address for the audit log: passed to the methods of `deps.users` that change something. */
  readonly note: AuditNote;
}

type ConsoleMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The answer of a route: `show` sends its result with 200, `make` with 201, and `handle` returns a whole answer. */
type Handling<Call> =
  | { readonly show: (call: Call) => object | Promise<object> }
  | { readonly make: (call: Call) => object | Promise<object> }
  | { readonly handle: (call: Call) => Promise<ConsoleAnswer> };

interface RouteOptions<Body extends TSchema, Query extends TSchema> {
  /** How the route's change gets into the audit log; required for every route that is not a GET. */
  readonly audit?: AuditRule<ConsoleCall<Static<Body>, Static<Query>>, ConsoleAnswer>;
  readonly body?: Body;
  readonly query?: Query;
}

/** One row of the route table. */
export interface ConsoleRoute {
  readonly method: ConsoleMethod;
  readonly path: string;
  readonly role: Role | "public";
  /** Null: only for administrators and the admin token. */
  readonly scope: Scope | "self" | null;
  /** Whether the route declares how its change gets into the audit log. */
  readonly is_audited: boolean;
  readonly segments: readonly string[];
  readonly body: TSchema | null;
  readonly query: TSchema;
  run(deps: ConsoleDeps, actor: Actor, request: ConsoleRequest, params: Record<string, string>): Promise<ConsoleAnswer>;
}

const NOT_CHANGING = { none: "it only reads" };

/**
 * Makes a row of the route table, with body and query checked by their schemas before the handler runs. `name`: `GET /path`, the path
 * below /console/api, with `{name}` segments. `role`: the least that may call the route; `public`: without signing in. Members need the
 * route's scope in the account that the call is about: contract/route-scopes.ts has the scopes, and the handler's calls of scope.ts check them.
 */
export function route<Body extends TSchema = typeof NoFields, Query extends TSchema = typeof NoFields>(
  name: `${ConsoleMethod} /${string}`,
  role: Role | "public",
  options: RouteOptions<Body, Query> & Handling<ConsoleCall<Static<Body>, Static<Query>>>,
): ConsoleRoute {
  const { body = NoFields, query = NoFields, audit = NOT_CHANGING } = options;
  const readBody = shapeReader(body, "The body");
  const readQuery = shapeReader(query, "The query");
  const [method, below] = name.split(" ", 2) as [ConsoleMethod, string];
  const path = CONSOLE_API + below;
  const scope = scopeOf(method, below);
  const action = typeof audit === "string" ? audit : "action" in audit ? audit.action : path;
  const handle = answering(options);
  return {
    method,
    path,
    role,
    scope,
    is_audited: options.audit !== undefined,
    segments: path.split("/"),
    body: options.body ?? null,
    query,
    async run(deps, actor, request, params) {
      const asked = readQuery(Object.fromEntries(request.query)) as Static<Query>;
      const sent = readBody(request.body ?? {}) as Static<Body>;
      const visit = request.visit ?? NO_VISIT;
      const note = noteOf(actor, visit, action);
      return runAudited(audit, { deps, actor, scope, params, body: sent, query: asked, visit, note }, handle);
    },
  };
}

function answering<Call>(handling: Handling<Call>): (call: Call) => Promise<ConsoleAnswer> {
  if ("handle" in handling) return handling.handle;
  const [status, answer] = "show" in handling ? ([200, handling.show] as const) : ([201, handling.make] as const);
  return async (call) => ({ status, body: await answer(call) });
}

/** The dependencies of signing in, beside the store of users. */
interface SignInDeps {
  readonly settings: ConsoleSettings;
  readonly limits: TryLimits;
  readonly oidc: OidcClients;
  readonly version: string;
  /** Whether the documents' pages are built. */
  readonly hasGuide: () => Promise<boolean>;
  /** Counts a refusal. */
  readonly refused: (way: RefusedWay) => void;
}

/** The object of a change, as it was before and after. Contains no secrets. */
type AuditedObject = Pick<AuditChange, "object"> & Partial<Pick<AuditChange, "account_id" | "before" | "after">>;

/**
 * How a route's change gets into the audit log (contract/audit.ts). Every route that is not a GET declares a rule.
 *
 * - An action's name: `call.deps.accounts` writes the entry, with before and after, in the transaction of the change;
 *   handlers pass `call.note` to the methods of `call.deps.users` that take a note.
 * - An action with `describe`, for changes of anything else: `readBefore` runs before the handler and `describe` after it has
 *   succeeded; then the entry is written.
 * - `none`, with the reason: the route changes nothing, so nothing is written.
 */
type AuditRule<AnyCall, Answer> =
  | string
  | {
      readonly action: string;
      readonly readBefore?: (call: AnyCall) => Promise<AuditSnapshot | null>;
      readonly describe: (call: AnyCall, answer: Answer, before: AuditSnapshot | null) => AuditedObject;
    }
  | { readonly none: string };

/** The members of a call that the audit log needs. */
interface Audited {
  readonly actor: Actor;
  readonly visit: Visit;
  readonly note: AuditNote;
  readonly deps: { readonly accounts: AccountStore; readonly audited: Store["audited"]; readonly users: UserStore };
}

/** The note under which a call's changes are written. */
function noteOf(actor: Actor, visit: Visit, action: string): AuditNote {
  return { actor: auditActor(actor), action, address: visit.address };
}

/** Runs a handler and writes the handler's change to the audit log. */
async function runAudited<AnyCall extends Audited, Answer>(
  rule: AuditRule<AnyCall, Answer>,
  call: AnyCall,
  handle: (call: AnyCall) => Promise<Answer>,
): Promise<Answer> {
  const { deps, note } = call;
  if (typeof rule === "string") return handle({ ...call, deps: { ...deps, accounts: deps.audited(note) } });
  if ("none" in rule) return handle(call);
  const before = rule.readBefore ? await rule.readBefore(call) : null;
  const answer = await handle(call);
  const told = rule.describe(call, answer, before);
  await deps.users.addAuditEntry({ ...note, account_id: null, before, after: null, ...told });
  return answer;
}
