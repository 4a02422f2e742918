import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CONSOLE_API } from "../../../contract/common.ts";
import type { PasskeyList, SessionList } from "../../../contract/session.ts";
import type { CreatedInvitation } from "../../../contract/users.ts";
import { ROUTES } from "../../../src/console-api/handle-console-api.ts";
import { Authenticator, type CreationOptions } from "../../support/authenticator.ts";
import { ConsoleBrowser, tokenOf } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, PASSWORD, type Person } from "../../support/people.ts";

/**
 * Two members of two accounts, and every route of the console API: neither member sees or changes the other's objects.
 * A route that is missing in the table below fails this file: add how a member would try to reach another's objects.
 */

const ORIGIN = "https://console.example";

/** A member with everything that belongs to the member. */
interface World {
  readonly person: Person;
  readonly account: string;
  readonly email: string;
  readonly key: string;
  readonly project: string;
  readonly request: string;
  readonly client_request: string;
  readonly passkey: string;
  readonly session: string;
  /** An open invitation to the member's account, and its token. */
  readonly invitation: string;
  readonly invitation_token: string;
  readonly management_key: string;
  readonly target: string;
  /** A prompt that the member shares with their account. */
  readonly prompt: string;
  /** A challenge that the gateway gave to the member. */
  readonly challenge: string;
  /** Texts that no answer to another member may contain. */
  readonly marks: readonly string[];
}

interface Attempt {
  readonly path: string;
  readonly body?: object;
  /** The status that the other member gets. Default: 404. */
  readonly status?: number;
}

/** How a route is tried, with the other member's objects. */
type Tries =
  /** The route does not exist for members. */
  | "administrators"
  /** The route is for visitors without a session, and has no member's data. */
  | "public"
  /** The route answers with the caller's own data, or with the same data for everybody. */
  | "own"
  | ((theirs: World) => readonly Attempt[]);

const byAccount =
  (path: string, rest = "") =>
  ({ account, email }: World): Attempt[] => [
    { path: `${path}?account=${account}${rest}` },
    { path: `${path}?account=${email}${rest}` },
    { path: rest === "" ? path : `${path}?${rest.slice(1)}`, status: 200 },
  ];
const byKey =
  (rest = "", body?: object) =>
  ({ key }: World): Attempt[] => [{ path: `/keys/${key}${rest}`, ...(body ? { body } : {}) }];

const TRIES: Readonly<Record<string, Tries>> = {
  "GET /session/methods": "public",
  "POST /session/password": "public",
  "POST /session/password-reset": "public",
  "POST /session/link/look": "public",
  "POST /session/link": "public",
  "POST /session/passkey/options": "public",
  "POST /session/passkey": "public",
  "GET /session/oidc/{provider}": "public",
  "GET /session/oidc/{provider}/callback": "public",
  "GET /session": "own",
  "PATCH /me": () => [{ path: "/me", body: { name: "Somebody" }, status: 200 }],
  "GET /me/passkeys": "own",
  "POST /me/passkeys/options": "own",
  "POST /me/passkeys": ({ challenge }) => [
    { path: "/me/passkeys", body: { challenge_id: challenge, response: {} }, status: 400 },
  ],
  "DELETE /me/passkeys/{passkey}": ({ passkey }) => [{ path: `/me/passkeys/${passkey}` }],
  "POST /me/identities/{provider}": () => [{ path: "/me/identities/none" }],
  "DELETE /me/identities/{provider}": () => [{ path: "/me/identities/none" }],
  "GET /me/sessions": "own",
  "DELETE /me/sessions/{session}": ({ session }) => [{ path: `/me/sessions/${session}` }],
  "POST /books/rebuild-usage": "administrators",
  "POST /configuration/reload": "administrators",
  "POST /mail/test": "administrators",
  "GET /alerts": byAccount("/alerts"),
  "GET /alerts/targets": byAccount("/alerts/targets"),
  "POST /alerts/targets": ({ account, email }) => [
    { path: "/alerts/targets", body: { account, to: "webhook:https://hooks.example.com/" } },
    { path: "/alerts/targets", body: { account: email, to: "webhook:https://hooks.example.com/" } },
    { path: "/alerts/targets", body: { to: "webhook:https://hooks.example.com/" }, status: 201 },
  ],
  "DELETE /alerts/targets/{target}": ({ target }) => [{ path: `/alerts/targets/${target}` }],
  "POST /alerts/targets/{target}/test": ({ target }) => [{ path: `/alerts/targets/${target}/test`, body: {} }],
  "GET /deliveries": byAccount("/deliveries"),
  "POST /deliveries/{delivery}/resend": () => [{ path: "/deliveries/dlv_1/resend", body: {} }],
  "GET /configuration/elements": "administrators",
  "GET /configuration/elements/{kind}/{id}": "administrators",
  "PUT /configuration/elements/{kind}/{id}": "administrators",
  "POST /configuration/elements/{kind}/{id}/retire": "administrators",
  "POST /configuration/elements/{kind}/{id}/reinstate": "administrators",
  "POST /configuration/elements/{kind}/{id}/delete": "administrators",
  "POST /configuration/elements/{kind}/{id}/take-over": "administrators",
  "POST /configuration/elements/{kind}/{id}/give-back": "administrators",
  "POST /configuration/elements/{kind}/{id}/take-back": "administrators",
  "GET /configuration/elements/{kind}/{id}/history": "administrators",
  "POST /configuration/preview": "administrators",
  "POST /configuration/try": "administrators",
  "GET /configuration/export": "administrators",
  "GET /users": "administrators",
  "PATCH /users/{user}": "administrators",
  "POST /users/{user}/password-reset": "administrators",
  "POST /first-administrator-link": "administrators",
  "GET /invitations": ({ account, email }) => [
    { path: `/invitations?account=${account}` },
    { path: `/invitations?account=${email}` },
    { path: "/invitations", status: 200 },
  ],
  "POST /invitations": ({ account, email, person }) => [
    { path: "/invitations", body: { email: "x@example.com", account } },
    { path: "/invitations", body: { email: person.email, account: email } },
    { path: "/invitations", body: { email: "x@example.com" }, status: 403 },
    { path: "/invitations", body: { email: "x@example.com", role: "administrator", account }, status: 403 },
  ],
  "DELETE /invitations/{invitation}": ({ invitation }) => [{ path: `/invitations/${invitation}` }],
  "GET /accounts/{account}/members": ({ account, email }) => [
    { path: `/accounts/${account}/members` },
    { path: `/accounts/${email}/members` },
  ],
  "POST /accounts/{account}/members": "administrators",
  "PATCH /accounts/{account}/members/{user}": ({ account, person }) => [
    { path: `/accounts/${account}/members/${person.session.user.id}`, body: { role: "viewer" } },
  ],
  "DELETE /accounts/{account}/members/{user}": ({ account, person }) => [
    { path: `/accounts/${account}/members/${person.session.user.id}` },
  ],
  "GET /management-keys": byAccount("/management-keys"),
  "POST /management-keys": ({ account, email }) => [
    { path: "/management-keys", body: { name: "x", scopes: ["usage:read"], account } },
    { path: "/management-keys", body: { name: "x", scopes: ["usage:read"], account: email } },
    { path: "/management-keys", body: { name: "x", scopes: ["usage:read"] }, status: 403 },
  ],
  "POST /management-keys/{management_key}/revoke": ({ management_key }) => [
    { path: `/management-keys/${management_key}/revoke`, body: {} },
  ],
  "POST /me/accounts": ({ invitation_token }) => [
    { path: "/me/accounts", body: { token: invitation_token }, status: 409 },
    { path: "/me/accounts", body: { token: "nothing" }, status: 410 },
  ],
  "DELETE /me/accounts/{account}": ({ account }) => [{ path: `/me/accounts/${account}` }],
  "GET /audit-log": "administrators",
  "POST /accounts": "administrators",
  "GET /accounts": "administrators",
  "GET /accounts/sums": "administrators",
  "GET /accounts/uses": "administrators",
  "GET /names": "administrators",
  "GET /health/circuits": "administrators",
  "GET /accounts/{account}": ({ account, email }) => [{ path: `/accounts/${account}` }, { path: `/accounts/${email}` }],
  "PATCH /accounts/{account}": "administrators",
  "GET /accounts/{account}/budget": ({ account, email }) => [
    { path: `/accounts/${account}/budget` },
    { path: `/accounts/${email}/budget` },
  ],
  "GET /accounts/{account}/model-limits": ({ account, email }) => [
    { path: `/accounts/${account}/model-limits` },
    { path: `/accounts/${email}/model-limits` },
  ],
  "POST /accounts/{account}/disable": "administrators",
  "POST /accounts/{account}/enable": "administrators",
  "POST /accounts/{account}/credits": "administrators",
  "GET /accounts/{account}/credits": ({ account, email }) => [
    { path: `/accounts/${account}/credits` },
    { path: `/accounts/${email}/credits` },
  ],
  "POST /keys": ({ account, email }) => [
    { path: "/keys", body: { account } },
    { path: "/keys", body: { account: email } },
  ],
  "GET /keys": byAccount("/keys"),
  "GET /keys/{key}": byKey(),
  "GET /keys/{key}/model-limits": byKey("/model-limits"),
  "PATCH /keys/{key}": byKey("", { name: "taken over" }),
  "DELETE /keys/{key}": byKey(),
  "POST /keys/{key}/disable": byKey("/disable", {}),
  "POST /keys/{key}/enable": byKey("/enable", {}),
  "POST /keys/{key}/revoke": byKey("/revoke", {}),
  "POST /keys/{key}/roll": byKey("/roll", {}),
  "PUT /keys/{key}/raise": byKey("/raise", { raise: null }),
  "PUT /projects/{project}/raise": ({ project }) => [{ path: `/projects/${project}/raise`, body: { raise: null } }],
  "PUT /accounts/{account}/raise": "administrators",
  "GET /tags": byAccount("/tags"),
  "GET /projects": byAccount("/projects"),
  "POST /projects": ({ account, email }) => [
    { path: "/projects", body: { account, name: "x" } },
    { path: "/projects", body: { account: email, name: "x" } },
  ],
  "GET /projects/{project}/model-limits": ({ project }) => [{ path: `/projects/${project}/model-limits` }],
  "GET /projects/{project}": ({ project }) => [{ path: `/projects/${project}` }],
  "PATCH /projects/{project}": ({ project }) => [{ path: `/projects/${project}`, body: { name: "taken over" } }],
  "DELETE /projects/{project}": ({ project }) => [{ path: `/projects/${project}` }],
  "GET /budgets": byAccount("/budgets"),
  "GET /usage": byAccount("/usage", "&by=key"),
  "GET /usage/explore": (theirs) => [
    ...byAccount("/usage/explore", "&by=key")(theirs),
    { path: `/usage/explore?by=model&key=${theirs.key}`, status: 200 },
    { path: `/usage/explore?by=model&project=${theirs.project}`, status: 200 },
  ],
  "GET /usage/traffic": (theirs) => [
    ...byAccount("/usage/traffic", "&by=key")(theirs),
    { path: `/usage/traffic?by=account&key=${theirs.key}`, status: 200 },
  ],
  "GET /requests": (theirs) => [
    ...byAccount("/requests")(theirs),
    { path: `/requests?key=${theirs.key}`, status: 200 },
    { path: `/requests?project=${theirs.project}`, status: 200 },
    { path: `/requests?q=${theirs.request}`, status: 200 },
    { path: `/requests?q=${theirs.client_request}`, status: 200 },
    { path: `/requests?before=${theirs.request}`, status: 200 },
  ],
  "GET /requests/refused": byAccount("/requests/refused"),
  "GET /accounts/{account}/tag-limits": ({ account, email }) => [
    { path: `/accounts/${account}/tag-limits` },
    { path: `/accounts/${email}/tag-limits` },
  ],
  "GET /accounts/{account}/tags/{tag}/values": ({ account, email }) => [
    { path: `/accounts/${account}/tags/customer/values` },
    { path: `/accounts/${email}/tags/customer/values` },
  ],
  "PUT /accounts/{account}/tags/{tag}/values": "administrators",
  "GET /projects/{project}/tags/{tag}/values": ({ project }) => [{ path: `/projects/${project}/tags/customer/values` }],
  "PUT /projects/{project}/tags/{tag}/values": ({ project }) => [
    { path: `/projects/${project}/tags/customer/values`, body: { value: "big-corp", limits: { rpm: 1 } } },
  ],
  "GET /contents": byAccount("/contents"),
  "GET /contents/switches": byAccount("/contents/switches"),
  "PUT /contents/switches": (theirs) => [
    { path: "/contents/switches", body: { account: theirs.account, content_log: true } },
    { path: "/contents/switches", body: { key: theirs.key, content_log: true } },
    { path: "/contents/switches", body: { project: theirs.project, content_log: true }, status: 400 },
  ],
  "GET /cache": byAccount("/cache"),
  "POST /cache/empty": ({ account }) => [
    { path: "/cache/empty", body: { account } },
    { path: "/cache/empty", body: { all: true }, status: 400 },
  ],
  "GET /contents/{request}": ({ request, account }) => [
    { path: `/contents/${request}` },
    { path: `/contents/${request}?account=${account}` },
  ],
  "DELETE /contents/{request}": ({ request, account }) => [
    { path: `/contents/${request}` },
    { path: `/contents/${request}?account=${account}` },
  ],
  "POST /contents/delete-user": ({ account }) => [
    { path: "/contents/delete-user", body: { account, user: "somebody" } },
  ],
  "GET /requests/{request}": ({ request, client_request }) => [
    { path: `/requests/${request}` },
    { path: `/requests/${client_request}` },
  ],
  "GET /models": "own",
  "GET /models/{vendor}/{name}": () => [{ path: "/models/sim/echo", status: 200 }],
  "GET /overview": byAccount("/overview"),
  "GET /overview/live": byAccount("/overview/live"),
  "GET /credits/auto-top-up": byAccount("/credits/auto-top-up"),
  "PUT /credits/auto-top-up": "administrators",
  "DELETE /credits/auto-top-up": "administrators",
  "GET /resolve": ({ key }) => [{ path: `/resolve?key=${key}&name=sim/echo` }],
  "POST /resolve": () => [{ path: "/resolve", body: { name: "sim/echo" }, status: 200 }],
  "POST /playground/key": ({ account, email }) => [
    { path: "/playground/key", body: { account } },
    { path: "/playground/key", body: { account: email } },
  ],
  "GET /playground/prompts": byAccount("/playground/prompts"),
  "POST /playground/prompts": ({ account, email }) => [
    { path: "/playground/prompts", body: { account, name: "mine", content: {} } },
    { path: "/playground/prompts", body: { account: email, name: "mine", content: {} } },
  ],
  "PATCH /playground/prompts/{prompt}": ({ prompt }) => [
    { path: `/playground/prompts/${prompt}`, body: { name: "taken" } },
  ],
  "DELETE /playground/prompts/{prompt}": ({ prompt }) => [{ path: `/playground/prompts/${prompt}` }],
  "GET /health/vendors": "administrators",
  "GET /vendors": "administrators",
  "GET /vendors/{vendor}": "administrators",
  "PUT /vendors/{vendor}/credential": "administrators",
  "DELETE /vendors/{vendor}/credential": "administrators",
  "POST /vendors/{vendor}/test": "administrators",
  "GET /vendors/{vendor}/models": "administrators",
  "POST /vendors/{vendor}/models": "administrators",
  "GET /prices": "administrators",
  "GET /routes": "administrators",
  "GET /limits": "administrators",
  "GET /limits/keys": "administrators",
  "GET /limits/accounts": "administrators",
  "GET /health": "administrators",
  // Ends the caller's own session, so it is tried last.
  "DELETE /session": "own",
};

let gateway: Gateway;
let ann: World;
let bob: World;

beforeAll(async () => {
  gateway = await startGateway({ config: JSON.stringify({ console: { public_url: ORIGIN } }) });
  ann = await worldOf("ann");
  bob = await worldOf("bob");
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

async function worldOf(name: string): Promise<World> {
  const person = await invite(gateway, { email: `${name}@${name}.example` });
  const { email, browser } = person;
  const account = person.session.user.account_id;
  await gateway.admin("POST", `/accounts/${account}/credits`, { amount: "5", note: `credit of ${name}` });
  await gateway.admin("PUT", "/contents/switches", { account, content_log: true });
  const tag_limits = [{ tag: "customer", rpm: 1000 }];
  await gateway.admin("PATCH", `/accounts/${account}`, { tag_limits });
  await gateway.admin("PUT", `/credits/auto-top-up?account=${account}`, {
    threshold: "1",
    amount: "7",
    month_limit: "70",
  });
  const aliases = [{ name: `alias-of-${name}`, model: "sim/echo" }];
  const made = await browser.call<{ id: string; key: string }>("POST /keys", {
    account,
    name: `key of ${name}`,
    aliases,
  });
  const client_request = `client-request-of-${name}`;
  const called = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${made.body.key}`, "x-request-id": client_request },
    body: JSON.stringify({ model: `alias-of-${name}`, messages: [{ role: "user", content: "Hello!" }] }),
  });
  await called.text();
  const request = called.headers.get("x-camino-request-id") ?? "";
  const asked = await browser.call<{ challenge_id: string; options: CreationOptions }>("POST /me/passkeys/options");
  const response = await new Authenticator(ORIGIN).create(asked.body.options);
  const passkey = { challenge_id: asked.body.challenge_id, name: `passkey of ${name}`, response };
  await browser.call("POST /me/passkeys", passkey);
  const open = await browser.call<{ challenge_id: string }>("POST /me/passkeys/options");
  const passkeys = await browser.call<PasskeyList>("GET /me/passkeys");
  const sessions = await browser.call<SessionList>("GET /me/sessions");
  const invited = { account, email: `guest-of-${name}@example.com` };
  const { body: invitation } = await browser.call<CreatedInvitation>("POST /invitations", invited);
  const managing = { name: `management key of ${name}`, scopes: ["usage:read"], account };
  const managed = await browser.call<{ id: string }>("POST /management-keys", managing);
  const to = "webhook:https://hooks.example.com/";
  const target = await browser.call<{ id: string }>("POST /alerts/targets", { account, to });
  const project = await browser.call<{ id: string }>("POST /projects", { account, name: `project of ${name}` });
  await gateway.admin("PATCH", `/projects/${project.body.id}`, { tag_limits });
  const prompt = { account, name: `prompt of ${name}`, shared: true, content: { system: `You are of ${name}.` } };
  const saved = await browser.call<{ id: string }>("POST /playground/prompts", prompt);
  const ids = {
    account,
    prompt: saved.body.id,
    management_key: managed.body.id,
    target: target.body.id,
    invitation: invitation.id,
    key: made.body.id,
    project: project.body.id,
    request,
    passkey: passkeys.body.data[0]?.id ?? "",
    session: sessions.body.data[0]?.id ?? "",
  };
  const marks = [...Object.values(ids), person.session.user.id, email, `of ${name}`, `of-${name}`];
  for (const mark of marks) if (mark.length < 5) throw new Error(`${name} has nothing to recognise: ${marks}`);
  const secrets = { challenge: open.body.challenge_id, invitation_token: tokenOf(invitation.link) };
  return { person, email, client_request, marks, ...secrets, ...ids };
}

/** Everything that belongs to a member, as member and administrator see it, without values that reading changes. */
async function everythingOf({ person, account, key, request }: World): Promise<string> {
  const paths = [
    `/accounts/${account}`,
    `/accounts/${account}/credits`,
    `/credits/auto-top-up?account=${account}`,
    `/keys?account=${account}`,
    `/projects?account=${account}`,
    `/playground/prompts?account=${account}`,
    `/invitations?account=${account}`,
    `/management-keys?account=${account}`,
    `/accounts/${account}/members`,
    `/keys/${key}`,
    `/requests/${request}`,
    `/requests?account=${account}`,
  ];
  const seen = await Promise.all(paths.map((path) => gateway.admin("GET", path)));
  const user = (await gateway.admin<{ data: { id: string }[] }>("GET", "/users")).data.find(
    ({ id }) => id === person.session.user.id,
  );
  const own = ["/me/passkeys", "/me/sessions"].map(async (path) => (await person.browser.call(`GET ${path}`)).body);
  return JSON.stringify([seen, user, await Promise.all(own)], (name, value: unknown) =>
    name === "last_seen_at" || name === "expires_at" ? null : value,
  );
}

/** A path with every `{name}` replaced by the other member's object of that name. */
function pathWith(path: string, theirs: World): string {
  const values: Record<string, string> = {
    account: theirs.account,
    user: theirs.person.session.user.id,
    vendor: "sim",
  };
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? "some-name");
}

/** A refusal's body without the values that it repeats from the request, which the caller knew already. */
function withoutEcho(body: Record<string, unknown>): string {
  const error = body.error as { message?: string } | undefined;
  return JSON.stringify(error === undefined ? body : { ...error, message: "" });
}

const nameOf = (route: (typeof ROUTES)[number]) => `${route.method} ${route.path.slice(CONSOLE_API.length)}`;
const member_routes = Object.keys(TRIES).filter((name) => TRIES[name] !== "public");

test("every route is in the table, every row is a route, and each route declares its role", () => {
  expect(Object.keys(TRIES).toSorted()).toEqual(ROUTES.map(nameOf).toSorted());
  for (const route of ROUTES) {
    const tries = TRIES[nameOf(route)];
    const role = tries === "administrators" ? "administrator" : tries === "public" ? "public" : "member";
    expect(`${nameOf(route)}: ${route.role}`).toBe(`${nameOf(route)}: ${role}`);
  }
});

test("every change declares how it gets into the audit log", () => {
  const silent = ROUTES.filter(({ method, is_audited }) => method !== "GET" && !is_audited);
  expect(silent.map(nameOf)).toEqual([]);
});

for (const [mine, theirs] of [
  ["ann", "bob"],
  ["bob", "ann"],
] as const) {
  describe(`${mine}, of what is ${theirs}'s`, () => {
    const world = (name: string): World => (name === "ann" ? ann : bob);
    let browser: ConsoleBrowser;
    let before: string;

    beforeAll(async () => {
      // A new session, because the other member tries to end the old one.
      browser = new ConsoleBrowser(gateway.url);
      await browser.signInByPassword(world(mine).email, PASSWORD);
      before = await everythingOf(world(theirs));
    });

    for (const name of member_routes) {
      test(`sees and changes nothing by ${name}`, async () => {
        const [method = "", path = ""] = name.split(" ");
        const other = world(theirs);
        const attempts = attemptsOf(TRIES[name] ?? "own", pathWith(path, other), other);
        for (const attempt of attempts) {
          const body = method === "GET" ? undefined : (attempt.body ?? {});
          const reply = await browser.call(`${method} ${attempt.path}`, body);
          expect({ path: attempt.path, status: reply.status }).toEqual({
            path: attempt.path,
            status: attempt.status ?? 404,
          });
          const told = withoutEcho(reply.body);
          for (const mark of other.marks) expect(told).not.toContain(mark);
        }
      });
    }

    test("has changed nothing by all of this", async () => {
      expect(await everythingOf(world(theirs))).toBe(before);
    });
  });
}

function attemptsOf(tries: Tries, path: string, theirs: World): readonly Attempt[] {
  if (typeof tries === "function") return tries(theirs);
  return [{ path, status: tries === "administrators" ? 404 : 200 }];
}

test("the owner finds the same objects, so the tries above could have found them", async () => {
  const looks = member_routes.filter((name) => name.startsWith("GET ") && typeof TRIES[name] === "function");
  for (const name of looks) {
    const tries = TRIES[name] as (theirs: World) => readonly Attempt[];
    for (const { path, status } of tries(ann)) {
      if (status === 200) continue;
      expect({ path, status: (await ann.person.browser.call(`GET ${path}`)).status }).toEqual({ path, status: 200 });
    }
  }
});
