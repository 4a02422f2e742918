import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Authenticator, type CreationOptions, type RequestOptions } from "../../support/authenticator.ts";
import { ConsoleBrowser, tokenOf } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, PASSWORD, type Person } from "../../support/people.ts";

/**
 * Strangers guess at the console's sign-in, from everywhere and from behind the owner's own address: they are slowed, and
 * lock nobody out (docs/rulings.md 116). A proxy names the addresses here.
 */

const ORIGIN = "https://console.example";
const CONFIG = JSON.stringify({ console: { public_url: ORIGIN, behind_proxy: true } });
const OFFICE = "203.0.113.7";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ config: CONFIG });
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

const from = (address: string): ConsoleBrowser =>
  new ConsoleBrowser(gateway.url, { "sec-fetch-site": "same-origin", "x-forwarded-for": `10.0.0.9, ${address}` });

const guess = async (browser: ConsoleBrowser, email: string): Promise<number> =>
  (await browser.call("POST /session/password", { email, password: "a guess of a stranger" })).status;

/** A person who has signed in with a browser at an address. */
async function personAt(address: string): Promise<Person & { readonly browser: ConsoleBrowser }> {
  const { email, session } = await invite(gateway);
  const browser = from(address);
  await browser.signInByPassword(email, PASSWORD);
  return { email, session, browser };
}

async function passkeyOf({ browser }: Person): Promise<Authenticator> {
  const authenticator = new Authenticator(ORIGIN);
  const asked = await browser.call<{ challenge_id: string; options: CreationOptions }>("POST /me/passkeys/options");
  const response = await authenticator.create(asked.body.options);
  const made = await browser.call("POST /me/passkeys", { challenge_id: asked.body.challenge_id, response });
  expect(made.status).toBe(201);
  return authenticator;
}

async function signInByPasskey(browser: ConsoleBrowser, authenticator: Authenticator): Promise<number> {
  const asked = await browser.call<{ challenge_id: string; options: RequestOptions }>("POST /session/passkey/options");
  const response = await authenticator.sign(asked.body.options);
  const body = { challenge_id: asked.body.challenge_id, response };
  return (await browser.call("POST /session/passkey", body)).status;
}

test("guesses from many addresses at one e-mail do not keep its owner from signing in, at once", async () => {
  const { email } = await invite(gateway);
  const guesses = await Promise.all(Array.from({ length: 40 }, (_, n) => guess(from(`198.51.100.${n}`), email)));
  expect(guesses.every((status) => status === 401 || status === 429)).toBe(true);
  await from(OFFICE).signInByPassword(email, PASSWORD);
});

describe("while strangers behind the office's address guess without end", () => {
  let owner: Person;
  let authenticator: Authenticator;
  let guessing: Promise<unknown>;
  let is_over = false;

  beforeAll(async () => {
    owner = await personAt(OFFICE);
    authenticator = await passkeyOf(owner);
    const colleagues = Array.from({ length: 30 }, (_, n) => `colleague-${n}@example.com`);
    // Five connections: at the owner's e-mail, and at everybody's, until the address is known as noisy.
    guessing = Promise.all(
      Array.from({ length: 5 }, async (_, lane) => {
        const stranger = from(OFFICE);
        for (let n = 0; !is_over; n++) await guess(stranger, n % 2 ? owner.email : (colleagues[(n + lane) % 30] ?? ""));
      }),
    );
    let status = 0;
    while (status !== 429) status = await guess(from(OFFICE), owner.email);
  }, 60_000);
  afterAll(async () => {
    is_over = true;
    await guessing;
  });

  test("open sessions go on, and the password signs in where its owner has signed in before", async () => {
    expect((await owner.browser.call("GET /session")).status).toBe(200);
    expect((await owner.browser.call("PATCH /me", { name: "Owner" })).status).toBe(200);
    for (let n = 0; n < 3; n++) await owner.browser.signInByPassword(owner.email, PASSWORD);
  });

  test("a passkey signs in, in a new browser", async () => {
    for (let n = 0; n < 3; n++) expect(await signInByPasskey(from(OFFICE), authenticator)).toBe(200);
  });

  test("an invitation and a reset are taken", async () => {
    const asked = { email: `newcomer-${process.pid}@example.com` };
    const { link } = await gateway.admin<{ link: string }>("POST", "/invitations", asked);
    expect((await from(OFFICE).call("POST /session/link/look", { token: tokenOf(link) })).status).toBe(200);
    await from(OFFICE).signInByLink(link, { name: "Newcomer", password: PASSWORD });
    const reset = await gateway.admin<{ link: string }>("POST", `/users/${owner.email}/password-reset`);
    await from(OFFICE).signInByLink(reset.link);
  });

  test("the gateway answers others, and the audit log holds a bounded number of refusals", async () => {
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    await from("192.0.2.1").signInByPassword((await invite(gateway)).email, PASSWORD);
    const seen = await gateway.admin<{ data: { address: string }[] }>(
      "GET",
      "/audit-log?action=session.refuse&limit=200",
    );
    expect(seen.data.filter(({ address }) => address === OFFICE).length).toBeLessThanOrEqual(100);
  });
});

test("three hundred passkey challenges and unknown links from one address keep nobody there from signing in", async () => {
  const owner = await personAt("203.0.113.50");
  const authenticator = await passkeyOf(owner);
  const stranger = from("203.0.113.50");
  for (let n = 0; n < 310; n++) {
    await stranger.call("POST /session/passkey/options");
    expect((await stranger.call("POST /session/link/look", { token: `no-${n}` })).status).toBe(410);
  }
  expect(await signInByPasskey(from("203.0.113.50"), authenticator)).toBe(200);
});

describe("the admin token", () => {
  const call = (token: string, address: string): Promise<Response> =>
    fetch(`${gateway.url}/console/api/accounts`, {
      headers: { authorization: `Bearer ${token}`, "x-forwarded-for": address },
    });

  test("is not guessed at the speed of the network, and keeps working for its operator", async () => {
    const token = (await readFile(join(gateway.data, "admin-token"), "utf8")).trim();
    const [stranger, operator, elsewhere] = ["198.18.0.1", "198.18.0.2", "198.18.0.3"];
    const statuses: number[] = [];
    for (let n = 0; n < 30; n++) statuses.push((await call(`guess-${n}`, stranger)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(20).fill(429)]);
    const refused = await call(token, stranger);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
    for (const address of [operator, elsewhere]) expect((await call(token, address)).status).toBe(200);
    // Guesses behind the operator's own address, which has shown the token.
    for (let n = 0; n < 30; n++) await call(`guess-${n}`, operator);
    expect((await call(token, operator)).status).toBe(200);
    // The log is written a moment later.
    while (!gateway.log().includes("wrong admin tokens")) await Bun.sleep(20);
  });
});
