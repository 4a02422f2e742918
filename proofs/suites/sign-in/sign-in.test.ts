import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Check } from "typebox/value";
import { LinkLook, LinkSession, Session, SessionList, SignInMethods } from "../../../contract/session.ts";
import { ConsoleBrowser, tokenOf } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, PASSWORD } from "../../support/people.ts";
import { freshDatabase } from "../../support/postgres.ts";

/** Signing in to a real gateway, as browsers do it, on both databases. */

const DATABASES = { SQLite: undefined, PostgreSQL: freshDatabase };

for (const [name, database] of Object.entries(DATABASES)) {
  describe(`on ${name}`, () => {
    let gateway: Gateway;

    beforeAll(async () => {
      gateway = await startGateway(database === undefined ? {} : { database: await database() });
    }, 60_000);
    afterAll(() => gateway[Symbol.asyncDispose]());

    firstAdministratorTests(() => gateway);
    passwordTests(() => gateway);
    invitationTests(() => gateway);
    ownTests(() => gateway);
  });
}

const shown = (gateway: Gateway) => gateway.admin<{ data: { action: string; after: object }[] }>("GET", "/audit-log");

function firstAdministratorTests(gateway: () => Gateway): void {
  test("the printed link shows its purpose, works once, and makes an administrator of the demo account", async () => {
    const link = gateway().sign_in_link ?? "";
    expect(link).toStartWith(`${gateway().url}/console/sign-in#token=`);
    const browser = new ConsoleBrowser(gateway().url);
    const token = tokenOf(link);
    for (let i = 0; i < 2; i++) {
      const look = await browser.call("POST /session/link/look", { token });
      expect(look).toMatchObject({ status: 200, body: { purpose: "first-administrator", role: "administrator" } });
      expect(Check(LinkLook, look.body)).toBe(true);
    }
    const clicks = [1, 2, 3].map(() => new ConsoleBrowser(gateway().url).call("POST /session/link", { token }));
    const replies = await Promise.all(clicks);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
    const reply = replies.find(({ status }) => status === 200);
    expect(Check(LinkSession, reply?.body)).toBe(true);
    const demo = await gateway().admin<{ id: string }>("GET", "/accounts/demo@camino.local");
    expect(reply?.body).toMatchObject({ user: { role: "administrator", account_id: demo.id, has_password: false } });
  });

  test("the printed link is offered again as long as no administrator can sign in", async () => {
    const { link } = await gateway().admin<{ link: string }>("POST", "/first-administrator-link");
    const browser = new ConsoleBrowser(gateway().url);
    const { user } = await browser.signInByLink(link);
    expect((await gateway().admin<{ data: unknown[] }>("GET", "/users")).data).toHaveLength(1);
    const me = await browser.call("PATCH /me", { email: "boss@example.com", name: "Boss", password: PASSWORD });
    expect(me).toMatchObject({
      status: 200,
      body: { user: { id: user.id, email: "boss@example.com", has_password: true } },
    });
    const again = await fetch(`${gateway().url}/console/api/first-administrator-link`, {
      method: "POST",
      headers: { authorization: `Bearer ${await Bun.file(`${gateway().data}/admin-token`).text()}`.trim() },
    });
    expect(again.status).toBe(409);
    const session = await new ConsoleBrowser(gateway().url).signInByPassword("BOSS@example.com", PASSWORD);
    expect(session.user.id).toBe(user.id);
  });
}

function passwordTests(gateway: () => Gateway): void {
  test("without a session, only the ways to sign in are public", async () => {
    const browser = new ConsoleBrowser(gateway().url);
    const methods = await browser.call("GET /session/methods");
    expect(methods.status).toBe(200);
    expect(Check(SignInMethods, methods.body)).toBe(true);
    expect(methods.body).toMatchObject({ password: true, passkeys: false, oidc: [], currency: "USD" });
    const guide = await fetch(`${gateway().url}/docs/guide/`);
    expect(methods.body.guide).toBe(guide.status === 200);
    for (const path of ["/session", "/keys", "/users", "/nothing"])
      expect((await browser.call(`GET ${path}`)).status).toBe(401);
  });

  test("a password opens a session with a cookie that scripts and other sites do not get", async () => {
    const { email } = await invite(gateway());
    const browser = new ConsoleBrowser(gateway().url);
    const reply = await browser.call("POST /session/password", { email, password: PASSWORD });
    expect(reply.status).toBe(200);
    expect(Check(Session, reply.body)).toBe(true);
    const [set = ""] = reply.headers.getSetCookie();
    expect(set).toMatch(
      /^camino_session_[0-9a-f]{8}=[0-9A-Za-z]{43}; Path=\/console; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    expect((await browser.call("GET /session")).body).toEqual(reply.body);
    const secure = await browser.call(
      "POST /session/password",
      { email, password: PASSWORD },
      { "x-forwarded-proto": "https" },
    );
    expect(secure.headers.getSetCookie()[0]).toMatch(
      /^__Host-camino_session_[0-9a-f]{8}=[0-9A-Za-z]{43}; Path=\/; Max-Age=2592000; Secure; HttpOnly; SameSite=Lax$/,
    );
  });

  test("an unknown e-mail and a wrong password get the same answer, and both are in the log", async () => {
    const { email } = await invite(gateway());
    const browser = new ConsoleBrowser(gateway().url);
    const unknown = await browser.call("POST /session/password", { email: "nobody@example.com", password: PASSWORD });
    const wrong = await browser.call("POST /session/password", { email, password: `${PASSWORD}!` });
    expect(unknown).toMatchObject({ status: 401, body: { error: { code: "invalid_credentials" } } });
    expect(unknown.body).toEqual(wrong.body);
    expect(browser.cookies.size).toBe(0);
    const { data } = await shown(gateway());
    expect(data.slice(0, 2).map(({ action, after }) => [action, after])).toEqual([
      ["session.refuse", { method: "password", email }],
      ["session.refuse", { method: "password", email: "nobody@example.com" }],
    ]);
    expect(JSON.stringify(data)).not.toContain(PASSWORD);
  });

  test("wrong passwords make the next one wait, a little longer each time, and then the right one signs in", async () => {
    const { email } = await invite(gateway());
    const browser = new ConsoleBrowser(gateway().url);
    const guess = (n: number) =>
      browser.call("POST /session/password", { email: n % 2 ? email : email.toUpperCase(), password: `guess ${n}` });
    const waitOf = ({ headers }: { headers: Headers }) => Number(headers.get("retry-after"));
    // However slowly this runs: in the seconds that these take, some must wait.
    const statuses = (await Promise.all(Array.from({ length: 20 }, (_, n) => guess(n)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeWithin(5, 12);
    expect(statuses.filter((status) => status !== 401)).toContainEqual(429);
    const waits = new Set<number>();
    while (Math.max(0, ...waits) < 2) {
      const reply = await guess(0);
      if (reply.status === 429) waits.add(waitOf(reply));
      await Bun.sleep(reply.status === 429 ? waitOf(reply) * 1000 : 0);
    }
    let right = await browser.call("POST /session/password", { email, password: PASSWORD });
    while (right.status === 429) {
      expect(right).toMatchObject({ body: { error: { code: "rate_limit_exceeded" } } });
      await Bun.sleep(waitOf(right) * 1000);
      right = await browser.call("POST /session/password", { email, password: PASSWORD });
    }
    expect(right.status).toBe(200);
    const { data } = await shown(gateway());
    const noticed = data.filter(({ after }) => after && "reason" in after && after.reason === "too_many_tries");
    expect(noticed).toHaveLength(1);
    // Other users can still sign in.
    await new ConsoleBrowser(gateway().url).signInByPassword((await invite(gateway())).email, PASSWORD);
  });

  const REFUSED: [password: unknown, says: RegExp][] = [
    ["ninechars", /'password' is the string .*; allowed: a password of 10 to 256 characters/],
    ["x".repeat(257), /10 to 256/],
    [1234567890, /the number 1234567890/],
  ];
  for (const [password, says] of REFUSED) {
    test(`a new password cannot be ${String(password).slice(0, 12)}…, and the answer says what can be`, async () => {
      const { browser } = await invite(gateway());
      const reply = await browser.call("PATCH /me", { password, current_password: PASSWORD });
      expect(reply).toMatchObject({ status: 400, body: { error: { param: "password" } } });
      expect((reply.body.error as { message: string }).message).toMatch(says);
    });
  }
}

function invitationTests(gateway: () => Gateway): void {
  test("an invitation makes a user with an account of their own, or in the one that it names", async () => {
    const alone = await invite(gateway());
    const account = await gateway().admin<{ id: string }>("GET", `/accounts/${alone.email}`);
    expect(alone.session).toMatchObject({ purpose: "invitation", user: { account_id: account.id, role: "member" } });
    const beside = await invite(gateway(), { account: alone.email, role: "administrator" });
    expect(beside.session.user).toMatchObject({ account_id: account.id, role: "administrator" });
  });

  test("an invitation that is withdrawn, used or unknown is 410; a taken e-mail is 409", async () => {
    const asked = { email: `late-${process.pid}@example.com` };
    const { id, link } = await gateway().admin<{ id: string; link: string }>("POST", "/invitations", asked);
    const { data } = await gateway().admin<{ data: { id: string }[] }>("GET", "/invitations");
    expect(data.map((each) => each.id)).toContain(id);
    expect(JSON.stringify(data)).not.toContain(tokenOf(link));
    await gateway().admin("DELETE", `/invitations/${id}`);
    const browser = new ConsoleBrowser(gateway().url);
    for (const token of [tokenOf(link), "nonsense"]) {
      expect(await browser.call("POST /session/link/look", { token })).toMatchObject({ status: 410 });
      expect(await browser.call("POST /session/link", { token })).toMatchObject({ status: 410 });
    }
    const { email } = await invite(gateway());
    const admin = await invite(gateway(), { role: "administrator" });
    expect((await admin.browser.call("POST /invitations", { email })).status).toBe(409);
  });

  test("a reset link lets its user set a password without the old one, and ends the user's sessions", async () => {
    const person = await invite(gateway());
    const { link } = await gateway().admin<{ link: string }>("POST", `/users/${person.email}/password-reset`);
    const browser = new ConsoleBrowser(gateway().url);
    const session = await browser.signInByLink(link);
    expect(session).toMatchObject({ purpose: "password-reset", user: { email: person.email } });
    expect((await browser.call("PATCH /me", { password: "an entirely new one" })).status).toBe(200);
    expect((await person.browser.call("GET /session")).status).toBe(401);
    await new ConsoleBrowser(gateway().url).signInByPassword(person.email, "an entirely new one");
    const old = await new ConsoleBrowser(gateway().url).call("POST /session/password", {
      email: person.email,
      password: PASSWORD,
    });
    expect(old.status).toBe(401);
  });
}

function ownTests(gateway: () => Gateway): void {
  test("sessions are listed and ended, with immediate effect", async () => {
    const { browser, email, session } = await invite(gateway());
    const other = new ConsoleBrowser(gateway().url, { "sec-fetch-site": "same-origin", "user-agent": "Other/1" });
    await other.signInByPassword(email, PASSWORD);
    const list = await browser.call<SessionList>("GET /me/sessions");
    expect(Check(SessionList, list.body)).toBe(true);
    expect(list.body.data.map(({ method, current }) => [method, current]).sort()).toEqual([
      ["link", true],
      ["password", false],
    ]);
    const foreign = list.body.data.find(({ current }) => !current);
    expect(foreign).toMatchObject({ user_agent: "Other/1", address: "127.0.0.1" });
    expect((await browser.call(`DELETE /me/sessions/${foreign?.id}`)).status).toBe(200);
    const refused = await other.call("GET /session");
    expect(refused).toMatchObject({ status: 401, body: { error: { code: "session_ended" } } });
    expect((await browser.call("DELETE /session")).status).toBe(200);
    // What is left says that this browser is known, and signs nobody in.
    for (const { cookies } of [other, browser])
      expect([...cookies.keys()]).toEqual([expect.stringMatching(/^camino_browser_/)]);
    expect(session.user.email).toBe(email);
  });

  test("a new e-mail or password needs the current one, and ends the other sessions", async () => {
    const { email } = await invite(gateway());
    const [browser, other] = [new ConsoleBrowser(gateway().url), new ConsoleBrowser(gateway().url)];
    for (const each of [browser, other]) await each.signInByPassword(email, PASSWORD);
    for (const wrong of [{}, { current_password: "not it at all" }]) {
      const reply = await browser.call("PATCH /me", { password: "another good one", ...wrong });
      expect(reply).toMatchObject({ status: 400, body: { error: { param: "current_password" } } });
      expect((await browser.call("PATCH /me", { email: `x${email}`, ...wrong })).status).toBe(400);
    }
    expect((await browser.call("PATCH /me", { name: "New Name" })).status).toBe(200);
    const changed = await browser.call("PATCH /me", { password: "another good one", current_password: PASSWORD });
    expect(changed.status).toBe(200);
    expect((await browser.call("GET /session")).status).toBe(200);
    expect((await other.call("GET /session")).status).toBe(401);
  });

  test("a disabled user's sessions end at once, and an enabled user has to sign in anew", async () => {
    const { browser, email, session } = await invite(gateway());
    await gateway().admin("PATCH", `/users/${session.user.id}`, { status: "disabled" });
    expect((await browser.call("GET /keys")).status).toBe(401);
    const refused = await browser.call("POST /session/password", { email, password: PASSWORD });
    expect(refused).toMatchObject({ status: 401, body: { error: { code: "invalid_credentials" } } });
    await gateway().admin("PATCH", `/users/${session.user.id}`, { status: "active" });
    expect((await browser.call("GET /keys")).status).toBe(401);
    await browser.signInByPassword(email, PASSWORD);
  });

  test("a changed role holds from the next request on", async () => {
    const { browser, session } = await invite(gateway());
    expect((await browser.call("GET /accounts")).status).toBe(404);
    await gateway().admin("PATCH", `/users/${session.user.id}`, { role: "administrator" });
    expect((await browser.call("GET /accounts")).status).toBe(200);
    await gateway().admin("PATCH", `/users/${session.user.id}`, { role: "member" });
    expect((await browser.call("GET /accounts")).status).toBe(404);
  });
}
