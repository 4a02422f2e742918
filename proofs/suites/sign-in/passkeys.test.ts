import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Check } from "typebox/value";
import { Passkey, PasskeyList, Session } from "../../../contract/session.ts";
import {
  Authenticator,
  type Behaviour,
  type CreationOptions,
  type RequestOptions,
} from "../../support/authenticator.ts";
import { ConsoleBrowser } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, type Person } from "../../support/people.ts";
import { freshDatabase } from "../../support/postgres.ts";

const ORIGIN = "https://console.example";
const CONFIG = JSON.stringify({ console: { public_url: ORIGIN } });
const DATABASES = { SQLite: undefined, PostgreSQL: freshDatabase };

interface Options<Asked> {
  readonly challenge_id: string;
  readonly options: Asked;
}

/** Adds a passkey to the signed-in user. */
async function addPasskey({ browser }: Person, authenticator: Authenticator, behaviour: Behaviour = {}) {
  const asked = await browser.call<Options<CreationOptions>>("POST /me/passkeys/options");
  const response = await authenticator.create(asked.body.options, behaviour);
  const body = { challenge_id: asked.body.challenge_id, name: "laptop", response };
  return { body, reply: await browser.call("POST /me/passkeys", body) };
}

async function signIn(browser: ConsoleBrowser, authenticator: Authenticator, behaviour: Behaviour = {}) {
  const asked = await browser.call<Options<RequestOptions>>("POST /session/passkey/options");
  const response = await authenticator.sign(asked.body.options, behaviour);
  const body = { challenge_id: asked.body.challenge_id, response };
  return { body, reply: await browser.call("POST /session/passkey", body) };
}

for (const [name, database] of Object.entries(DATABASES)) {
  describe(`passkeys on ${name}`, () => {
    let gateway: Gateway;
    let person: Person;
    let authenticator: Authenticator;

    beforeAll(async () => {
      gateway = await startGateway({
        config: CONFIG,
        ...(database === undefined ? {} : { database: await database() }),
      });
      person = await invite(gateway);
      authenticator = new Authenticator(ORIGIN);
    }, 60_000);
    afterAll(() => gateway[Symbol.asyncDispose]());

    const stranger = () => new ConsoleBrowser(gateway.url);

    test("are made by a signed-in user, and listed", async () => {
      const { reply, body } = await addPasskey(person, authenticator);
      expect(reply.status).toBe(201);
      expect(Check(Passkey, reply.body)).toBe(true);
      const list = await person.browser.call<PasskeyList>("GET /me/passkeys");
      expect(Check(PasskeyList, list.body)).toBe(true);
      expect(list.body.data).toMatchObject([{ name: "laptop", last_used_at: null }]);
      // The challenge is used up, and the options name the existing passkeys.
      expect((await person.browser.call("POST /me/passkeys", body)).status).toBe(400);
      const asked = await person.browser.call<Options<{ excludeCredentials: unknown[] }>>("POST /me/passkeys/options");
      expect(asked.body.options).toMatchObject({ rp: { id: "console.example" }, attestation: "none" });
      expect(asked.body.options.excludeCredentials).toHaveLength(1);
    });

    test("sign in without a name or a password, with a cookie for https only", async () => {
      const browser = stranger();
      const { reply } = await signIn(browser, authenticator);
      expect(reply.status).toBe(200);
      expect(Check(Session, reply.body)).toBe(true);
      expect(reply.body).toMatchObject({ user: { email: person.email, passkeys: 1 } });
      expect(reply.headers.getSetCookie()[0]).toContain("; Secure");
      expect((await browser.call("GET /session")).status).toBe(200);
    });

    test("of a browser that says their transports wrongly sign in all the same", async () => {
      const odd = new Authenticator(ORIGIN);
      const { browser } = person;
      for (const transports of [5, [null, "usb"], { 0: "usb" }, "usb"]) {
        const asked = await browser.call<Options<CreationOptions>>("POST /me/passkeys/options");
        expect(asked.status).toBe(200);
        const made = await odd.create(asked.body.options);
        const response = { ...made, response: { ...made.response, transports } };
        const body = { challenge_id: asked.body.challenge_id, name: "odd", response };
        const { status, body: passkey } = await browser.call<Passkey>("POST /me/passkeys", body);
        expect(status).toBe(201);
        expect((await signIn(stranger(), odd)).reply.status).toBe(200);
        expect((await browser.call(`DELETE /me/passkeys/${passkey.id}`)).status).toBe(200);
      }
    });

    test("answer a challenge only once", async () => {
      const { reply, body } = await signIn(stranger(), authenticator);
      expect(reply.status).toBe(200);
      expect((await stranger().call("POST /session/passkey", body)).status).toBe(400);
    });

    const WRONG: Record<string, Behaviour> = {
      "that answers for another site": { origin: "https://console.example.evil.example" },
      "that answers another challenge": { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      "whose owner did not show who they are": { flags: 0x01 },
      "whose counter went backwards, as a copy's does": { counter: 1 },
    };
    for (const [what, behaviour] of Object.entries(WRONG)) {
      test(`do not sign in by an authenticator ${what}`, async () => {
        const browser = stranger();
        const { reply } = await signIn(browser, authenticator, behaviour);
        expect(reply).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
        expect(browser.cookies.size).toBe(0);
        authenticator.counter = 100;
      });
    }

    test("that are unknown, or whose signature is another key's, do not sign in", async () => {
      const other = new Authenticator(ORIGIN);
      const asked = await person.browser.call<Options<CreationOptions>>("POST /me/passkeys/options");
      await other.create(asked.body.options);
      expect((await signIn(stranger(), other)).reply.status).toBe(400);
      const options = await stranger().call<Options<RequestOptions>>("POST /session/passkey/options");
      const { challenge_id } = options.body;
      const genuine = await authenticator.sign(options.body.options);
      const forged = await other.sign(options.body.options);
      const response = { ...genuine, response: { ...genuine.response, signature: forged.response.signature } };
      expect((await stranger().call("POST /session/passkey", { challenge_id, response })).status).toBe(400);
      for (const nonsense of [{}, { id: 5 }, { id: genuine.id }]) {
        const again = await stranger().call<Options<RequestOptions>>("POST /session/passkey/options");
        const body = { challenge_id: again.body.challenge_id, response: nonsense };
        expect((await stranger().call("POST /session/passkey", body)).status).toBe(400);
      }
      const { data } = await gateway.admin<{ data: unknown[] }>("GET", "/audit-log?action=session.refuse&limit=1");
      expect(data).toMatchObject([{ after: { method: "passkey" } }]);
    });

    test("made for one user are not added to another", async () => {
      const thief = await invite(gateway);
      const asked = await person.browser.call<Options<CreationOptions>>("POST /me/passkeys/options");
      const response = await new Authenticator(ORIGIN).create(asked.body.options);
      const body = { challenge_id: asked.body.challenge_id, response };
      expect((await thief.browser.call("POST /me/passkeys", body)).status).toBe(400);
      expect((await addPasskey(thief, new Authenticator(ORIGIN, authenticator.id))).reply.status).toBe(409);
    });

    test("do not sign in a disabled user, nor after they were removed", async () => {
      const user = `/users/${person.session.user.id}`;
      await gateway.admin("PATCH", user, { status: "disabled" });
      expect((await signIn(stranger(), authenticator)).reply.status).toBe(401);
      await gateway.admin("PATCH", user, { status: "active" });
      const browser = stranger();
      const { reply } = await signIn(browser, authenticator);
      browser.csrf_token = (reply.body as unknown as Session).csrf_token;
      const { body } = await browser.call<PasskeyList>("GET /me/passkeys");
      expect(body.data[0]?.last_used_at).not.toBeNull();
      expect((await browser.call(`DELETE /me/passkeys/${body.data[0]?.id}`)).status).toBe(200);
      expect((await signIn(stranger(), authenticator)).reply.status).toBe(400);
    });
  });
}

test("do not exist at a bare IP address, where the answer says what to open instead", async () => {
  await using gateway = await startGateway();
  const { browser } = await invite(gateway);
  const reply = await browser.call("POST /me/passkeys/options");
  expect(reply.status).toBe(400);
  expect(JSON.stringify(reply.body)).toContain("localhost");
  const there = await browser.call("GET /session/methods", undefined, { host: "localhost:8787" });
  expect(there.body).toMatchObject({ passkeys: true });
});
