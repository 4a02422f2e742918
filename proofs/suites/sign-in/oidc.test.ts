import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Session } from "../../../contract/session.ts";
import { ConsoleBrowser } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { type OidcProvider, startOidcProvider } from "../../support/oidc-provider.ts";
import { invite } from "../../support/people.ts";
import { freshDatabase } from "../../support/postgres.ts";

/** Signing in with a company's provider, which is another process over real HTTP as far as the gateway knows. */

const DATABASES = { SQLite: undefined, PostgreSQL: freshDatabase };
let people = 0;

for (const [name, database] of Object.entries(DATABASES)) {
  describe(`a company's sign-in on ${name}`, () => {
    let provider: OidcProvider;
    let gateway: Gateway;

    beforeAll(async () => {
      provider = await startOidcProvider();
      const { issuer, client_id, client_secret } = provider;
      const corp = { name: "Corp", issuer, client_id, client_secret, allowed_domains: ["corp.example"] };
      const away = { ...corp, issuer: "http://127.0.0.1:1" };
      const config = JSON.stringify({ console: { oidc: { corp, away } } });
      gateway = await startGateway({ config, ...(database === undefined ? {} : { database: await database() }) });
    }, 60_000);
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    });

    /** A new person at the provider, with a verified e-mail. */
    beforeEach(() => {
      people += 1;
      const subject = `subject-${people}`;
      const email = `${subject}@corp.example`;
      provider.next = { subject, claims: { email, email_verified: true, name: "Cora" } };
    });

    const email = () => String(provider.next.claims?.email);
    const stranger = () => new ConsoleBrowser(gateway.url, {});
    const begin = async (browser: ConsoleBrowser, path = "/session/oidc/corp") => {
      const response = await browser.fetch(`${gateway.url}/console/api${path}`);
      return { status: response.status, location: response.headers.get("location") ?? "" };
    };
    /** Follows the provider's page back to the gateway. Returns where the gateway sends the browser. */
    const comeBack = async (browser: ConsoleBrowser, location: string) => {
      const agreed = await fetch(location, { redirect: "manual" });
      const back = await browser.fetch(agreed.headers.get("location") ?? "");
      return { status: back.status, location: back.headers.get("location") ?? "" };
    };
    const signIn = async (browser: ConsoleBrowser, path?: string) =>
      comeBack(browser, (await begin(browser, path)).location);
    const refusals = async () => {
      const path = "/audit-log?action=session.refuse&limit=1";
      const { data } = await gateway.admin<{ data: { after: { reason: string } }[] }>("GET", path);
      return data[0]?.after;
    };

    const counted = async () => {
      const text = await (await fetch(`${gateway.url}/metrics`)).text();
      return Number(/^camino_refused_sign_ins_total\{way="oidc"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };

    test("is offered by name, and begins with a proof key, a state and a nonce", async () => {
      const methods = await stranger().call("GET /session/methods");
      expect(methods.body.oidc).toEqual([
        { id: "corp", name: "Corp" },
        { id: "away", name: "Corp" },
      ]);
      expect(JSON.stringify(methods.body)).not.toContain(provider.client_secret);
      const { status, location } = await begin(stranger());
      expect(status).toBe(302);
      const asked = new URL(location).searchParams;
      expect(Object.fromEntries(asked)).toMatchObject({
        client_id: provider.client_id,
        response_type: "code",
        scope: "openid email profile",
        code_challenge_method: "S256",
        redirect_uri: `${gateway.url}/console/api/session/oidc/corp/callback`,
      });
      for (const secret of ["state", "nonce", "code_challenge"]) expect(asked.get(secret)?.length).toBeGreaterThan(40);
      expect(await begin(stranger(), "/session/oidc/none")).toMatchObject({ status: 404 });
    });

    test("makes a user for a verified e-mail of the company, and finds the user the next time", async () => {
      const browser = stranger();
      const { status, location } = await signIn(browser, "/session/oidc/corp?return=/console/keys%3Faccount%3Dx");
      expect({ status, location }).toEqual({ status: 302, location: "/console/keys?account=x" });
      const { body } = await browser.call<Session>("GET /session");
      expect(body.user).toMatchObject({ email: email(), name: "Cora", role: "member", identities: ["corp"] });
      const again = stranger();
      provider.next = { ...provider.next, claims: { email: "moved@elsewhere.example", email_verified: true } };
      await signIn(again);
      expect((await again.call<Session>("GET /session")).body.user.id).toBe(body.user.id);
    });

    test("asks the provider for an e-mail that is not in the id token", async () => {
      provider.next = { subject: provider.next.subject, userinfo: provider.next.claims ?? {} };
      const browser = stranger();
      expect(await signIn(browser)).toMatchObject({ location: "/console/" });
      expect((await browser.call<Session>("GET /session")).status).toBe(200);
    });

    test("lets people from outside the company in only if they are invited", async () => {
      const address = `guest-${people}@elsewhere.example`;
      provider.next = { ...provider.next, claims: { email: address, email_verified: true } };
      const browser = stranger();
      expect(await signIn(browser)).toMatchObject({ location: expect.stringContaining("error=oidc_not_invited") });
      expect(browser.cookies.size).toBe(0);
      expect(await refusals()).toMatchObject({ method: "oidc", reason: "oidc_not_invited", email: address });
      await gateway.admin("POST", "/invitations", { email: address.toUpperCase(), role: "administrator" });
      await signIn(browser);
      expect((await browser.call<Session>("GET /session")).body.user).toMatchObject({ role: "administrator" });
    });

    test.each([[false], [undefined], ["no"], [1]])(
      "does not believe an e-mail whose email_verified is %p",
      async (verified) => {
        const known = await invite(gateway, { email: email() });
        provider.next = { ...provider.next, claims: { email: email(), email_verified: verified } };
        const browser = stranger();
        expect(await signIn(browser)).toMatchObject({
          location: expect.stringContaining("error=oidc_no_verified_email"),
        });
        expect(browser.cookies.size).toBe(0);
        expect((await known.browser.call<Session>("GET /session")).body.user.identities).toEqual([]);
      },
    );

    test("does not sign in a user who has set somebody else's e-mail", async () => {
      const squatter = await invite(gateway);
      await squatter.browser.call("PATCH /me", { email: email(), current_password: "x" });
      const browser = stranger();
      expect(await signIn(browser)).toMatchObject({ location: expect.stringContaining("error=oidc_email_in_use") });
      expect(browser.cookies.size).toBe(0);
    });

    test("signs an invited user in by e-mail, but not a disabled one", async () => {
      const known = await invite(gateway, { email: email() });
      const browser = stranger();
      await signIn(browser);
      expect((await browser.call<Session>("GET /session")).body.user.id).toBe(known.session.user.id);
      await gateway.admin("PATCH", `/users/${known.session.user.id}`, { status: "disabled" });
      expect(await signIn(stranger())).toMatchObject({ location: expect.stringContaining("error=oidc_user_disabled") });
    });

    const WRONG: Record<string, Partial<OidcProvider["next"]>> = {
      "another nonce": { wrong: { nonce: "another" } },
      "another issuer": { wrong: { iss: "https://evil.example" } },
      "another audience": { wrong: { aud: "somebody-else" } },
      "a token that has expired": { wrong: { exp: 1_000_000 } },
      "a signature of a key that is not published": { forged: true },
      "a refusal": { error: "access_denied" },
    };
    for (const [what, wrong] of Object.entries(WRONG)) {
      test(`does not accept ${what}`, async () => {
        provider.next = { ...provider.next, ...wrong };
        const browser = stranger();
        const before = await counted();
        const { location } = await signIn(browser, "/session/oidc/corp?return=/console/usage");
        expect(location).toBe("/console/sign-in?error=oidc_denied&return=%2Fconsole%2Fusage");
        expect(await counted()).toBe(before + 1);
        expect(browser.cookies.size).toBe(0);
      });
    }

    test("ends only in the browser where it began, and only once", async () => {
      const [browser, other] = [stranger(), stranger()];
      const { location } = await begin(browser);
      // Another browser comes back with an attacker's own sign-in, or with an overheard one.
      expect(await comeBack(other, location)).toMatchObject({ location: "/console/sign-in?error=oidc_expired" });
      await begin(other);
      expect(await comeBack(other, location)).toMatchObject({ location: expect.stringContaining("error=oidc_denied") });
      expect(other.cookies.size).toBe(0);
      const kept = new Map(browser.cookies);
      expect(await comeBack(browser, location)).toMatchObject({ location: "/console/" });
      for (const [cookie, value] of kept) browser.cookies.set(cookie, value);
      expect(await comeBack(browser, location)).toMatchObject({ location: "/console/sign-in?error=oidc_expired" });
    });

    test("never leads to another site afterwards, whatever the request says", async () => {
      for (const target of ["https://evil.example/", "//evil.example", "/v1/models"]) {
        const path = `/session/oidc/corp?return=${encodeURIComponent(target)}`;
        expect(await signIn(stranger(), path)).toMatchObject({ status: 302, location: "/console/" });
      }
    });

    test("reports a provider that cannot be reached", async () => {
      const { location } = await begin(stranger(), "/session/oidc/away");
      expect(location).toStartWith("/console/sign-in?error=oidc_unavailable");
    });

    test("is added to a user who is signed in, by that user alone, and removed again", async () => {
      const { browser, session } = await invite(gateway);
      const asked = await browser.call<{ location: string }>("POST /me/identities/corp?return=/console/settings");
      expect(asked.status).toBe(200);
      expect(await comeBack(browser, asked.body.location)).toMatchObject({ location: "/console/settings" });
      expect((await browser.call<Session>("GET /session")).body.user.identities).toEqual(["corp"]);
      const elsewhere = stranger();
      await signIn(elsewhere);
      expect((await elsewhere.call<Session>("GET /session")).body.user.id).toBe(session.user.id);
      const thief = await invite(gateway);
      const again = await thief.browser.call<{ location: string }>("POST /me/identities/corp");
      const taken = await comeBack(thief.browser, again.body.location);
      expect(taken.location).toBe("/console/?error=oidc_identity_in_use");
      expect((await browser.call("DELETE /me/identities/corp")).status).toBe(200);
      expect((await browser.call<Session>("GET /session")).body.user.identities).toEqual([]);
    });
  });
}
