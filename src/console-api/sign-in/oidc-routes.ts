import Type from "typebox";
import { type OidcFailure, OidcQuery } from "../../../contract/session.ts";
import { isAllowedDomain, type OidcFlow, OidcUnavailable } from "../../access/console/oidc-flow.ts";
import { readTicket, spendTicket, type Ticket, writeTicket } from "../../access/console/tickets.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import type { OidcProvider } from "../../core/catalog/console-settings.ts";
import { newId } from "../../core/ids.ts";
import type { ProviderIdentity } from "../../core/people/users.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound } from "../answer/scope.ts";
import { cookie, FLOW_COOKIE } from "../answer/visit.ts";
import { safeReturn } from "./safe-return.ts";
import { beginSession, recordRefusal, sessionCookies } from "./signed-in.ts";

/** How long a user may stay at the provider to sign in. */
const FLOW_TTL_MS = 10 * 60_000;
const FLOW_PATH = "/console/api/session/oidc";

/** The query with which a provider sends the browser back. Providers may add fields of their own. */
const AnyQuery = Type.Record(Type.String(), Type.String(), { description: "the provider's answer" });

export const oidcRoutes = [
  route("GET /session/oidc/{provider}", "public", {
    query: OidcQuery,
    handle: async (call) => {
      const return_to = safeReturn(call.query.return);
      try {
        const { location, cookies } = await beginOidc(call, return_to, null);
        return { status: 302, body: {}, headers: { location }, cookies };
      } catch (thrown) {
        if (thrown instanceof OidcUnavailable) return failed(call, "oidc_unavailable", return_to);
        throw thrown;
      }
    },
  }),
  route("GET /session/oidc/{provider}/callback", "public", {
    audit: "session.open",
    query: AnyQuery,
    handle: finishOidc,
  }),
];

/**
 * Sends the browser to the provider of the path, with a cookie that binds the answer to this browser and holds the flow,
 * signed: nothing is stored for those who only begin.
 */
export async function beginOidc(
  call: ConsoleCall,
  return_to: string,
  user_id: string | null,
): Promise<{ readonly location: string; readonly cookies: readonly string[] }> {
  const { deps, visit } = call;
  const provider = providerOf(call);
  const redirect_uri = `${visit.origin}${FLOW_PATH}/${provider.id}/callback`;
  const { location, flow } = await deps.sign_in.oidc.begin(provider, { redirect_uri, return_to, user_id });
  const value = writeTicket(deps.keys, "oidc", flow, { now_ms: deps.clock.now_ms(), ttl_ms: FLOW_TTL_MS });
  return {
    location,
    cookies: [cookie(visit, { name: FLOW_COOKIE, value, path: FLOW_PATH, max_age_s: FLOW_TTL_MS / 1000 })],
  };
}

async function finishOidc(call: ConsoleCall): Promise<ConsoleAnswer> {
  const provider = providerOf(call);
  const ticket = ticketOf(call, provider);
  if (ticket === null) return failed(call, "oidc_expired", null);
  const flow = ticket.data;
  try {
    const query = new URLSearchParams(call.query as Record<string, string>);
    const { oidc, limits } = call.deps.sign_in;
    const identity = await limits.inTurn(call.visit.address, () => oidc.finish(provider, flow, query));
    if (identity === null) throw new OidcUnavailable("Too many sign-ins are waiting for the provider.");
    // Only what the provider vouched for is written down as used: strangers cannot fill a table.
    if (!(await spendTicket(call.deps.users, ticket))) return failed(call, "oidc_expired", null);
    return flow.user_id === null ? await signIn(call, provider, flow, identity) : await addTo(call, flow, identity);
  } catch (thrown) {
    const why = thrown instanceof OidcUnavailable ? "oidc_unavailable" : "oidc_denied";
    if (!(thrown instanceof Error) || !/^Oidc/.test(thrown.name)) throw thrown;
    return await refuse(call, flow, why);
  }
}

/** The ticket that a browser brings back; null where there is none, or where it is for another provider. */
function ticketOf({ deps, visit }: ConsoleCall, provider: OidcProvider): Ticket<OidcFlow> | null {
  if (visit.flow_token === null) return null;
  const ticket = readTicket<OidcFlow>(deps.keys, "oidc", visit.flow_token, deps.clock.now_ms());
  return ticket?.data.provider === provider.id ? ticket : null;
}

async function signIn(
  call: ConsoleCall,
  provider: OidcProvider,
  flow: OidcFlow,
  identity: ProviderIdentity,
): Promise<ConsoleAnswer> {
  const { token, session } = beginSession(call, "oidc");
  const email = identity.verified_email;
  const provision_as = email !== null && isAllowedDomain(provider, email) ? provider.default_role : null;
  const new_user_id = newId("user");
  const new_account_id = newId("acct");
  const asked = { identity, provision_as, new_user_id, new_account_id, session };
  const result = await call.deps.users.signInByIdentity(asked, call.note);
  if (result.outcome !== "signed-in") return await refuse(call, flow, result.outcome, email);
  return redirect(call, flow.return_to, sessionCookies(call, result, token));
}

/** Adds an identity to the user who began the flow, provided that the same user is still signed in. */
async function addTo(call: ConsoleCall, flow: OidcFlow, identity: ProviderIdentity): Promise<ConsoleAnswer> {
  const { actor, deps, note } = call;
  if (actor.kind !== "user" || actor.user_id !== flow.user_id) return failed(call, "oidc_expired", flow.return_to);
  const added = await deps.users.addIdentity(actor.user_id, identity, { ...note, action: "identity.add" });
  if (added) return redirect(call, flow.return_to);
  return redirect(call, withError(flow.return_to, "oidc_identity_in_use"));
}

async function refuse(
  call: ConsoleCall,
  flow: OidcFlow,
  failure: OidcFailure,
  email: string | null = null,
): Promise<ConsoleAnswer> {
  await recordRefusal(call, flow.user_id, null, { method: "oidc", provider: flow.provider, reason: failure, email });
  if (flow.user_id !== null) return redirect(call, withError(flow.return_to, failure));
  return failed(call, failure, flow.return_to);
}

/** Sends the browser to the sign-in page with the reason of the failure and the page that the user wanted to see. */
function failed(call: ConsoleCall, failure: OidcFailure, return_to: string | null): ConsoleAnswer {
  const page = withError("/console/sign-in", failure);
  return redirect(call, return_to === null ? page : `${page}&return=${encodeURIComponent(return_to)}`);
}

function withError(path: string, failure: OidcFailure): string {
  return `${path}${path.includes("?") ? "&" : "?"}error=${failure}`;
}

function redirect({ visit }: ConsoleCall, location: string, cookies: readonly string[] = []): ConsoleAnswer {
  const gone = cookie(visit, { name: FLOW_COOKIE, value: "", path: FLOW_PATH, max_age_s: 0 });
  return { status: 302, body: {}, headers: { location }, cookies: [gone, ...cookies] };
}

function providerOf({ deps, params }: ConsoleCall): OidcProvider {
  const id = params.provider ?? "";
  const provider = deps.sign_in.settings.oidc.find((each) => each.id === id);
  if (provider === undefined) throw notFound("provider", id);
  return provider;
}
