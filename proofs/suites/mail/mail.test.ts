import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { DeliveryList } from "../../../contract/alerts.ts";
import type { AuditPage } from "../../../contract/audit.ts";
import type { CreditAdded } from "../../../contract/credits.ts";
import type { LinkLook, SignInMethods } from "../../../contract/session.ts";
import type { CreatedInvitation, SignInLink } from "../../../contract/users.ts";
import { runCamino } from "../../support/camino.ts";
import { ConsoleBrowser, tokenOf } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { type MailServer, startMailServer } from "../../support/mail-server.ts";
import { PASSWORD, type Person } from "../../support/people.ts";

/** Invitations and password resets by mail: what others' products got wrong, each against a real mail server. */

const ORIGIN = "http://models.example.com";
const CONFIG = `console: { public_url: "${ORIGIN}" }\nvendors: { sim: {} }\n`;

let mail: MailServer;
let gateway: Gateway;

beforeAll(async () => {
  mail = await startMailServer();
  gateway = await startGateway({ config: CONFIG, env: { CAMINO_SMTP_URL: mail.url } });
}, 60_000);
beforeEach(() => mail.behave("takes"));
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

let people = 0;

/** Somebody who has come in by an invitation's mail. */
async function newPerson(fields: object = {}): Promise<Person> {
  people += 1;
  const email = `mailed-${people}@example.com`;
  await gateway.admin("POST", "/invitations", { ...fields, email });
  const { link } = await mail.next(email);
  const browser = new ConsoleBrowser(gateway.url);
  const session = await browser.signInByLink(link, { name: `Person ${people}`, password: PASSWORD });
  return { browser, email, session };
}

function ask(email: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/console/api/session/password-reset`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ email }),
  });
}

async function statusOfPassword(email: string, password: string): Promise<number> {
  const { status } = await new ConsoleBrowser(gateway.url).call("POST /session/password", { email, password });
  return status;
}

describe("an invitation", () => {
  test("goes out by mail with who invites and until when, and its link can be copied as well", async () => {
    const owner = await newPerson();
    await owner.browser.call("PATCH /me", { name: "Ana <b>Lima</b>\r\nBcc: all@evil.example http://evil.example/x" });
    const account = owner.session.user.account_id;
    const email = "colleague@example.com";
    const asked = { email, account, account_role: "member" };
    const { status, body } = await owner.browser.call<CreatedInvitation>("POST /invitations", asked);
    expect(status).toBe(201);
    expect(body).toMatchObject({ email, mailed: true });
    const { link, text, to } = await mail.next(email);
    expect(link).toBe(body.link);
    expect(to).toEqual([email]);
    expect(text).toContain("Ana <b>Lima< b> Bcc all@evil. example http evil. example x invites you");
    expect(text).toContain("Ana &lt;b&gt;Lima");
    expect(text).not.toContain("evil.example");
    expect(text).toMatch(/works once, until \d+ \w+ \d{4}, \d\d:\d\d UTC/);
    expect(text).not.toMatch(/^bcc:/im);
    const browser = new ConsoleBrowser(gateway.url);
    const joined = await browser.signInByLink(link, { name: "New", password: PASSWORD });
    expect(joined.user.accounts).toMatchObject([{ id: account, role: "member" }]);
  });

  test("is not mailed to one address again and again, and still made", async () => {
    const made: boolean[] = [];
    for (let n = 0; n < 7; n += 1) {
      const { mailed, link } = await gateway.admin<CreatedInvitation>("POST", "/invitations", {
        email: "flooded@example.com",
      });
      expect(link).toStartWith(`${ORIGIN}/console/sign-in#token=`);
      made.push(mailed);
    }
    expect(made).toEqual([true, true, true, true, true, false, false]);
  });
});

describe("a password reset that somebody asks for", () => {
  test("comes by mail, sets a password once, and ends other sessions", async () => {
    const { browser, email } = await newPerson();
    expect((await ask(email.toUpperCase())).status).toBe(202);
    const { link, text } = await mail.next(email);
    expect(text).toContain("Set a new password");
    // A scanner of links that opens it spends nothing: the token is no part of what is fetched, and looking is not using.
    const look = new ConsoleBrowser(gateway.url);
    for (let n = 0; n < 2; n += 1) {
      const { body } = await look.call<LinkLook>("POST /session/link/look", { token: tokenOf(link) });
      expect(body).toMatchObject({ purpose: "password-reset", email });
      expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000);
    }
    await new ConsoleBrowser(gateway.url).signInByLink(link, { password: "a new long password" });
    expect((await browser.call("GET /session")).status).toBe(401);
    expect(await statusOfPassword(email, PASSWORD)).toBe(401);
    expect(await statusOfPassword(email, "a new long password")).toBe(200);
    const again = await look.call("POST /session/link", { token: tokenOf(link), password: "another password" });
    expect(again.status).toBe(410);
    const { data } = await gateway.admin<AuditPage>("GET", "/audit-log?limit=20");
    expect(data.map(({ action }) => action)).toContain("user.ask-reset");
  });

  test("leads to the gateway, whatever host the request names", async () => {
    const { email } = await newPerson();
    const evil = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
    expect((await ask(email, evil)).status).toBe(202);
    const { link, text } = await mail.next(email);
    expect(link).toStartWith(`${ORIGIN}/console/`);
    expect(text).not.toContain("evil");
  });

  test("says the same for everybody, and mails nobody who has no password here", async () => {
    const { email } = await newPerson();
    const disabled = await newPerson();
    await gateway.admin("PATCH", `/users/${disabled.session.user.id}`, { status: "disabled" });
    const sent = mail.mails.length;
    const answers = [];
    for (const each of ["nobody@example.com", disabled.email, "admin@camino.local", email]) {
      const response = await ask(each);
      const headers = Object.fromEntries(response.headers);
      const { date: _date, ...others } = headers;
      const said = JSON.stringify([response.status, await response.text(), others]);
      answers.push(said.replace(/req_\w+/g, "ID"));
    }
    expect(answers).toEqual(Array(4).fill(answers[0]));
    await mail.next(email);
    expect(mail.mails.slice(sent).map(({ to }) => to)).toEqual([[email]]);
  });

  test("is mailed to an address three times an hour at most, and each of them works until one is used", async () => {
    const { email } = await newPerson();
    for (let n = 0; n < 5; n += 1) expect((await ask(email)).status).toBe(202);
    const links = [await mail.next(email), await mail.next(email), await mail.next(email)].map(({ link }) => link);
    const other = await newPerson();
    await ask(other.email);
    await mail.next(other.email);
    expect(mail.mails.filter(({ to }) => to.includes(email))).toHaveLength(4);
    expect(new Set(links).size).toBe(3);
    await new ConsoleBrowser(gateway.url).signInByLink(links[0] ?? "", { password: "the first one's" });
    const late = { token: tokenOf(links[1] ?? ""), password: "the second one's" };
    expect((await new ConsoleBrowser(gateway.url).call("POST /session/link", late)).status).toBe(410);
  });
});

describe("a link that an administrator makes for a user", () => {
  const makeLink = (email: string, body: object) =>
    gateway.admin<SignInLink>("POST", `/users/${email}/password-reset`, body);

  test("goes to their mailbox where that is asked for, says who made it, and works for a day, once", async () => {
    const { email } = await newPerson();
    const quiet = await makeLink(email, {});
    expect(quiet).toMatchObject({ email, mailed: false });
    const { link, mailed } = await makeLink(email, { mail: true });
    expect(mailed).toBe(true);
    const letter = await mail.next(email);
    expect(letter.link).toBe(link);
    expect(letter.text).toContain("An administrator of models.example.com made this link");
    expect(mail.mails.filter(({ to }) => to.includes(email))).toHaveLength(2);
    const look = new ConsoleBrowser(gateway.url);
    const { body } = await look.call<LinkLook>("POST /session/link/look", { token: tokenOf(link) });
    expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(3_600_000);
    await look.signInByLink(link, { password: "a new long password" });
    expect(await statusOfPassword(email, "a new long password")).toBe(200);
  });

  test("is not mailed a fourth time within an hour, and still made; by the command as well", async () => {
    const { email } = await newPerson();
    const made: boolean[] = [];
    for (let n = 0; n < 3; n += 1) made.push((await makeLink(email, { mail: true })).mailed);
    expect(made).toEqual([true, true, true]);
    const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
    const { stdout } = await runCamino(["sign-in-link", email, "--mail"], { cwd: gateway.data, env });
    expect(stdout).toContain(`No mail goes to ${email}`);
    expect(stdout).toContain(`${ORIGIN}/console/sign-in#token=`);
    const first = await runCamino(["sign-in-link", "--mail"], { cwd: gateway.data, env });
    expect(first.stderr).toContain("--mail needs EMAIL");
  });
});

describe("credit that is added", () => {
  test("is told to the account's owners by mail, once for an entry, and to nobody else", async () => {
    const owner = await newPerson();
    const account = owner.session.user.account_id;
    const member = await newPerson({ account, account_role: "member" });
    const note = "Invoice 17 http://evil.example/x";
    const add = (body: object) => gateway.admin<CreditAdded>("POST", `/accounts/${account}/credits`, body);
    const { entry } = await add({ amount: "25.5", note });
    const { text, to } = await mail.next(owner.email);
    expect(to).toEqual([owner.email]);
    expect(text).toContain("25.50 USD of credit were added");
    for (const said of [entry.id, "25.50 USD", "Invoice 17"]) expect(text).toContain(said);
    expect(text).not.toContain("evil.example");
    await add({ amount: "-1", kind: "correction" });
    const told = mail.mails.length;
    await add({ amount: "1" });
    expect((await mail.next(owner.email)).text).toContain("1.00 USD of credit were added");
    expect(mail.mails).toHaveLength(told + 1);
    expect(mail.mails.some((each) => each.to.includes(member.email) && each.text.includes("of credit"))).toBe(false);
    const listed = async () => {
      const { data } = await gateway.admin<DeliveryList>("GET", `/deliveries?account=${account}`);
      return data.map(({ title, state }) => `${title}: ${state}`);
    };
    while ((await listed()).some((line) => line.endsWith("waiting"))) await Bun.sleep(20);
    expect(await listed()).toEqual([
      `Receipt: 1.00 USD for account ${owner.session.user.name}: delivered`,
      `Receipt: 25.50 USD for account ${owner.session.user.name}: delivered`,
    ]);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('camino_deliveries_total{kind="alert",outcome="sent"}');
  });
});

describe("a mail server", () => {
  test("that is busy, or refuses one recipient, keeps no other mail from being sent", async () => {
    await gateway.admin("POST", "/invitations", { email: "no-such-user@example.com" });
    await gateway.admin("POST", "/invitations", { email: "right@example.com" });
    await mail.next("right@example.com");
    expect(mail.mails.some(({ to }) => to.includes("no-such-user@example.com"))).toBe(false);
    while (!gateway.log().includes("refused for good")) await Bun.sleep(20);
  });

  test("that is slow keeps no request waiting, and what it had is sent after the gateway was killed", async () => {
    mail.behave("slow");
    const asked = await gateway.admin<CreatedInvitation>("POST", "/invitations", { email: "slow@example.com" });
    expect(asked.mailed).toBe(true);
    const second = await gateway.admin<CreatedInvitation>("POST", "/invitations", { email: "behind@example.com" });
    await gateway.stop("SIGKILL");
    mail.behave("takes");
    gateway = await gateway.restart();
    expect((await mail.next("behind@example.com")).link).toBe(second.link);
  }, 60_000);

  test("is tried by a command, which says what is wrong", async () => {
    const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
    const { status, stderr } = await runCamino(["mail", "test", "me@example.com"], { cwd: gateway.data, env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect((await mail.next("me@example.com")).text).toContain("can send mail");
    mail.behave("busy");
    const refused = await gateway.admin<{ reason: string }>("POST", "/mail/test", { to: "me@example.com" });
    expect(refused).toMatchObject({ sent: false, reason: expect.stringContaining("451") });
  });

  test("has its password, and links have their tokens, in no line of the log and no metric", async () => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('camino_deliveries_total{kind="invitation",outcome="sent"}');
    const tokens = mail.mails.flatMap(({ link }) => (link === "" ? [] : [tokenOf(link)]));
    for (const secret of ["s3cret", ...tokens]) expect(gateway.log() + metrics).not.toContain(secret);
  });
});

test("a gateway without mail says so, and asks for nothing", async () => {
  await using plain = await startGateway();
  const browser = new ConsoleBrowser(plain.url);
  const { body } = await browser.call<SignInMethods>("GET /session/methods");
  expect(body.mail).toBe(false);
  expect((await browser.call("POST /session/password-reset", { email: "a@example.com" })).status).toBe(404);
  const invited = await plain.admin<CreatedInvitation>("POST", "/invitations", { email: "a@example.com" });
  expect(invited.mailed).toBe(false);
  const user = new ConsoleBrowser(plain.url);
  await user.signInByLink(invited.link, { name: "A", password: PASSWORD });
  const asked = plain.admin("POST", "/users/a@example.com/password-reset", { mail: true });
  await expect(asked).rejects.toThrow("this gateway sends no mail");
});
