import { afterAll, beforeAll, expect, test } from "bun:test";
import { ConsoleBrowser } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, PASSWORD } from "../../support/people.ts";

/** Another site cannot make a browser change anything with the browser's cookies. */

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

const CREATE = "POST /keys";

test("a change by a session needs that session's token; a read does not", async () => {
  const { browser, session } = await invite(gateway);
  const other = await invite(gateway);
  const body = { account: session.user.account_id };
  const token = browser.csrf_token ?? "";
  for (const csrf_token of [null, "", "x", other.browser.csrf_token, token.slice(0, -1), `${token}x`]) {
    browser.csrf_token = csrf_token;
    expect(await browser.call(CREATE, body)).toMatchObject({ status: 403, body: { error: { code: "csrf" } } });
    expect((await browser.call("GET /keys")).status).toBe(200);
  }
  browser.csrf_token = token;
  expect((await browser.call(CREATE, body)).status).toBe(201);
  expect((await browser.call<{ data: unknown[] }>("GET /keys")).body.data).toHaveLength(1);
});

const PAGES: [headers: Record<string, string>, status: number][] = [
  [{ "sec-fetch-site": "same-origin" }, 200],
  [{ "sec-fetch-site": "none" }, 200],
  [{ "sec-fetch-site": "same-site" }, 403],
  [{ "sec-fetch-site": "cross-site" }, 403],
  [{ origin: "https://evil.example" }, 403],
  [{ origin: "null" }, 403],
  [{ origin: "SELF" }, 200],
  [{}, 200],
];

for (const [headers, status] of PAGES) {
  test(`a page with ${JSON.stringify(headers)} gets ${status}, signed in or signing in`, async () => {
    const { browser, email } = await invite(gateway);
    const sent = headers.origin === "SELF" ? { origin: gateway.url } : headers;
    for (const name of Object.keys(browser.headers)) delete browser.headers[name];
    expect((await browser.call("PATCH /me", { name: "x" }, sent)).status).toBe(status);
    const stranger = new ConsoleBrowser(gateway.url, {});
    expect((await stranger.call("POST /session/password", { email, password: PASSWORD }, sent)).status).toBe(status);
  });
}

test("the admin token needs no token of a session, and works from anywhere", async () => {
  const token = (await Bun.file(`${gateway.data}/admin-token`).text()).trim();
  const browser = new ConsoleBrowser(gateway.url, { "sec-fetch-site": "cross-site", authorization: `Bearer ${token}` });
  expect((await browser.call("POST /accounts", { email: "made@example.com" })).status).toBe(201);
  const wrong = new ConsoleBrowser(gateway.url, { authorization: "Bearer wrong" });
  expect(await wrong.call("GET /session/methods")).toMatchObject({ status: 401 });
});

test("a wrong authorization header is refused in spite of a session's cookie", async () => {
  const { browser } = await invite(gateway);
  expect((await browser.call("GET /keys", undefined, { authorization: "Bearer wrong" })).status).toBe(401);
});

test("a signed-in user may sign in again, as another user", async () => {
  const [one, two] = [await invite(gateway), await invite(gateway)];
  one.browser.csrf_token = null;
  const session = await one.browser.signInByPassword(two.email, PASSWORD);
  expect(session.user.email).toBe(two.email);
});
