import { afterAll, beforeAll, expect, test } from "bun:test";
import { runCamino } from "../../support/camino.ts";
import { ConsoleBrowser } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, PASSWORD } from "../../support/people.ts";

/** The commands by which an operator makes sign-in links for users. */

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

async function camino(...words: string[]): Promise<string> {
  const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
  const { status, stdout, stderr } = await runCamino(words, { cwd: gateway.data, env });
  return status === 0 ? stdout : `${status} ${stderr}`;
}

const linkIn = (text: string) => /http\S+#token=\w+/.exec(text)?.[0] ?? "";

test("the first administrator, an invited administrator and a locked-out user get their links", async () => {
  expect(await camino("user", "list")).toContain("There are no users");
  const first = new ConsoleBrowser(gateway.url);
  expect(await first.signInByLink(linkIn(await camino("sign-in-link")))).toMatchObject({
    purpose: "first-administrator",
  });

  const said = await camino("user", "invite", "ann@example.com", "--administrator");
  expect(said).toContain("Send ann@example.com this link");
  const ann = new ConsoleBrowser(gateway.url);
  const { user } = await ann.signInByLink(linkIn(said), { password: PASSWORD });
  expect(user).toMatchObject({ role: "administrator", email: "ann@example.com" });

  const forgot = await camino("sign-in-link", "ann@example.com", "--json");
  const { link } = JSON.parse(forgot) as { link: string };
  const again = new ConsoleBrowser(gateway.url);
  expect(await again.signInByLink(link)).toMatchObject({ purpose: "password-reset", user: { id: user.id } });

  const table = await camino("user", "list");
  expect(table).toMatch(/ann@example\.com +administrator +active/);
  expect(await camino("sign-in-link")).toStartWith("1 camino: An administrator can sign in already.");
  expect(await camino("sign-in-link", "nobody@example.com")).toStartWith("1 camino: There is no user");
  expect(await camino("user", "invite", "ann@example.com")).toStartWith("1 camino: There is a user");
});

test("a link for the e-mail of an account says what is missing: a user", async () => {
  await gateway.admin("POST", "/accounts", { email: "studio@example.com" });
  expect(await camino("sign-in-link", "studio@example.com")).toStartWith(
    "1 camino: There is no user 'studio@example.com': this e-mail is of an account. Name a member of the account, or invite a user to it.",
  );
  const said = await camino("user", "invite", "studio@example.com", "--account", "studio@example.com");
  await new ConsoleBrowser(gateway.url).signInByLink(linkIn(said), { password: PASSWORD });
  expect(await camino("sign-in-link", "studio@example.com")).toContain("signs studio@example.com in");
});

test("members are added, get another role and are removed", async () => {
  const email = "team@example.com";
  await gateway.admin("POST", "/accounts", { email });
  for (const user of ["own@example.com", "cy@example.com"]) await invite(gateway, { email: user });
  const member = (...words: string[]) => camino("member", ...words);
  expect(await member("add", email, "own@example.com", "--role", "owner")).toMatch(/is owner of acct_/);
  await member("add", email, "cy@example.com", "--role", "billing");
  expect(await member("list", email)).toMatch(/cy@example\.com .*billing +active/);
  expect(await member("role", email, "CY@example.com", "--role", "viewer")).toContain("cy@example.com is viewer");
  expect(await member("remove", email, "cy@example.com")).toContain("no longer belongs");
  expect(await member("remove", email, "cy@example.com")).toStartWith("1 camino: cy@example.com is no member");
});

test("an invitation may name the account", async () => {
  await camino("account", "create", "shared@example.com");
  const said = await camino("user", "invite", "bob@example.com", "--account", "shared@example.com", "--json");
  const { account, role } = JSON.parse(said) as { account: string; role: string };
  expect(account).toMatch(/^acct_/);
  expect(role).toBe("member");
});
