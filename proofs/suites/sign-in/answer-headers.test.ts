import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ROUTES } from "../../../src/console-api/handle-console-api.ts";
import { ConsoleBrowser } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, PASSWORD } from "../../support/people.ts";

/** What each answer of the console tells browsers and caches, whoever asks and whatever comes of it. */

const CONFIG = JSON.stringify({ console: { public_url: "https://console.example" } });

let plain: Gateway;
let secure: Gateway;
let key: string;

beforeAll(async () => {
  [plain, secure] = await Promise.all([startGateway(), startGateway({ config: CONFIG })]);
  key = (await plain.newKey()).key;
}, 60_000);
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await secure[Symbol.asyncDispose]();
});

const SAFETY = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const named = (headers: Headers, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, headers.get(name)]));

test("every route of the console API answers as data that is not kept: to strangers and to the admin token", async () => {
  const token = (await Bun.file(`${plain.data}/admin-token`).text()).trim();
  for (const { method, path } of ROUTES) {
    const url = `${plain.url}${path.replace(/\{\w+\}/g, "some-name")}`;
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const answer = await fetch(url, { method, headers, redirect: "manual" });
      await answer.arrayBuffer();
      expect({ method, path, ...named(answer.headers, Object.keys(SAFETY)) }).toEqual({ method, path, ...SAFETY });
    }
  }
}, 30_000);

const ODD: [what: string, path: string, init: RequestInit][] = [
  ["a path that there is not", "/console/api/nothing", {}],
  ["a body that is not JSON", "/console/api/session/password", { method: "POST", body: "{" }],
  ["a body that is compressed", "/console/api/session", { method: "DELETE", headers: { "content-encoding": "br" } }],
  ["a body that is too large", "/console/api/session/password", { method: "POST", body: "x".repeat(2 ** 21) }],
];
for (const [what, path, init] of ODD) {
  test(`an error is JSON that browsers do not guess at: ${what}`, async () => {
    const { headers } = await fetch(plain.url + path, init);
    expect(named(headers, ["content-type", "x-content-type-options", "cache-control"])).toEqual({
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
  });
}

test("what the API says of an account, and the operations endpoints, are not kept and not guessed at", async () => {
  const paths = [
    "/v1/models",
    "/v1/usage",
    "/v1/credits",
    "/v1/requests/none",
    "/readyz",
    "/healthz",
    "/metrics",
    "/docs",
  ];
  for (const path of paths) {
    const { headers } = await fetch(plain.url + path, { headers: { "x-api-key": key } });
    expect({ path, kept: headers.get("cache-control"), guessed: headers.get("x-content-type-options") }).toEqual({
      path,
      kept: "no-store",
      guessed: "nosniff",
    });
  }
});

test("the console's pages load nothing from elsewhere, are in no frame, and send no referrer", async () => {
  for (const path of ["/console", "/console/", "/console/keys", "/console/assets/none.js"]) {
    const { headers } = await fetch(plain.url + path, { redirect: "manual" });
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'self'; .*frame-ancestors 'none'.*script-src 'self'/,
    );
    expect(named(headers, ["referrer-policy", "x-content-type-options", "x-frame-options"])).toEqual({
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
  }
});

describe("where the console is reached by https", () => {
  test("browsers are told to stay there; elsewhere they are not", async () => {
    for (const path of ["/console/", "/console/api/session", "/console/api/session/methods"]) {
      const told = async ({ url }: Gateway) => (await fetch(url + path)).headers.get("strict-transport-security");
      expect([path, await told(secure), await told(plain)]).toEqual([path, "max-age=15552000", null]);
    }
  });

  test("cookies are of this host alone, and sign in, out and in again", async () => {
    const { email } = await invite(secure);
    const browser = new ConsoleBrowser(secure.url);
    const reply = await browser.call("POST /session/password", { email, password: PASSWORD });
    for (const set of reply.headers.getSetCookie())
      expect(set).toMatch(
        /^__Host-camino_(session|browser)_[0-9a-f]{8}=\S+; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax$/,
      );
    browser.csrf_token = reply.body.csrf_token as string;
    expect((await browser.call("GET /session")).status).toBe(200);
    // The same token under the name that a neighbour's host could set.
    const planted = new ConsoleBrowser(secure.url);
    const [name = "", token = ""] = [...browser.cookies].find(([each]) => each.includes("session")) ?? [];
    expect(name).toStartWith("__Host-");
    planted.cookies.set(name.replace("__Host-", ""), token);
    expect((await planted.call("GET /session")).status).toBe(401);
    expect((await browser.call("DELETE /session")).status).toBe(200);
    expect([...browser.cookies.keys()]).toEqual([expect.stringMatching(/^__Host-camino_browser_/)]);
    await browser.signInByPassword(email, PASSWORD);
  });
});
