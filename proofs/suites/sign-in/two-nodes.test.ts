import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CreatedInvitation } from "../../../contract/users.ts";
import { ConsoleBrowser, tokenOf } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite } from "../../support/people.ts";
import { freshDatabase } from "../../support/postgres.ts";

/** Two gateways on one PostgreSQL are one console: a session that ends on one has ended on the other. */

const SHARED = { CAMINO_SECRET: "a secret that both have, of no value", CAMINO_ADMIN_TOKEN: "admin-token-of-both" };

let one: Gateway;
let two: Gateway;

beforeAll(async () => {
  const options = { env: SHARED, database: await freshDatabase() };
  [one, two] = await Promise.all([startGateway(options), startGateway(options)]);
}, 60_000);

afterAll(async () => {
  await one[Symbol.asyncDispose]();
  await two[Symbol.asyncDispose]();
});

/** The browser with its cookies, sent to the other node as by a load balancer. */
function at(gateway: Gateway, browser: ConsoleBrowser): ConsoleBrowser {
  const other = new ConsoleBrowser(gateway.url);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  other.csrf_token = browser.csrf_token;
  return other;
}

test("a session is valid on both nodes, and ends on both at once", async () => {
  const { browser } = await invite(one);
  const there = at(two, browser);
  expect((await there.call("PATCH /me", { name: "Everywhere" })).status).toBe(200);
  expect((await there.call("DELETE /session")).status).toBe(200);
  expect((await browser.call("GET /session")).status).toBe(401);
});

test("a user who is disabled on one node is refused on the other from the next request on", async () => {
  const { browser, session } = await invite(one);
  const there = at(two, browser);
  expect((await there.call("GET /session")).status).toBe(200);
  await one.admin("PATCH", `/users/${session.user.id}`, { status: "disabled" });
  expect((await there.call("GET /session")).status).toBe(401);
});

test("a link works once on all nodes together, however many click at the same time", async () => {
  const asked = { email: "raced@example.com" };
  const { link } = await one.admin<CreatedInvitation>("POST", "/invitations", asked);
  const clicks = Array.from({ length: 10 }, (_, n) =>
    new ConsoleBrowser((n % 2 ? one : two).url).call("POST /session/link", { token: tokenOf(link) }),
  );
  const statuses = (await Promise.all(clicks)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array<number>(9).fill(410)]);
});

test("guesses are counted on all nodes together", async () => {
  const { email } = await invite(one);
  const guesses = Array.from({ length: 14 }, (_, n) => {
    const browser = new ConsoleBrowser((n % 2 ? one : two).url);
    return browser.call("POST /session/password", { email, password: `guess number ${n}` });
  });
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  // Five are free, and one more for each wait that was over before the last was asked for.
  expect(statuses.filter((status) => status === 401).length).toBeWithin(5, 9);
  expect(statuses).toContainEqual(429);
});

test("two administrators who demote each other at the same time leave one", async () => {
  const [ann, bob] = [await invite(one, { role: "administrator" }), await invite(two, { role: "administrator" })];
  const demote = (who: typeof ann, whom: typeof ann) =>
    who.browser.call(`PATCH /users/${whom.session.user.id}`, { role: "member" });
  const statuses = (await Promise.all([demote(ann, bob), demote(bob, ann)])).map(({ status }) => status);
  // The other one was no longer an administrator, or was refused as the last administrator.
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  const { data } = await one.admin<{ data: { role: string; status: string }[] }>("GET", "/users");
  expect(data.filter(({ role, status }) => role === "administrator" && status === "active")).toHaveLength(1);
});

test("both nodes print a first link, and both links end when an administrator can sign in otherwise", async () => {
  for (const link of [one.sign_in_link, two.sign_in_link]) expect(link).toContain("#token=");
  await invite(one, { role: "administrator" });
  for (const gateway of [one, two]) {
    const token = tokenOf(gateway.sign_in_link ?? "");
    expect((await new ConsoleBrowser(gateway.url).call("POST /session/link", { token })).status).toBe(410);
  }
});
