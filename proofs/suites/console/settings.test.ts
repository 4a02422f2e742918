import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkAccessibility } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser, type Visitor } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** Ways to sign in (password, passkey, invitation), ended sessions, and the return to the page before. */

let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

async function signOut({ page }: Visitor, name: string): Promise<void> {
  await page.getByRole("button", { name: new RegExp(`${name} (Administrator|Owner)$`) }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

test("the first administrator sets an e-mail and a password, and signs in with them", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await page.goto(gateway.sign_in_link ?? "");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Keys" }).click();
  await page.getByRole("link", { name: "Set up your sign-in" }).click();
  const card = page.getByRole("region", { name: "Set up your sign-in" });
  // Nobody is left with a password for an e-mail that they never chose.
  expect(await card.getByLabel("Your e-mail").inputValue()).toBe("");
  await card.getByLabel("Your password").fill("ultreia-et-suseia");
  await card.getByRole("button", { name: "Save sign-in" }).click();
  await card.getByText("This field is required.").waitFor();
  await checkAccessibility(page);
  await card.getByLabel("Your e-mail").fill("jacobo@example.com");
  await card.getByRole("button", { name: "Save sign-in" }).click();
  await page.getByText("Sign-in saved").waitFor();
  await card.waitFor({ state: "detached" });
  await page.goto("/console/settings");
  await page.getByLabel("Name", { exact: true }).fill("Jacobo");
  await page.getByRole("button", { name: "Save profile" }).click();
  await page.getByText("Profile saved").waitFor();
  await checkAccessibility(page);
  await signOut(visitor, "Jacobo");
  await page.goto("/console/settings");
  await page.getByLabel("E-mail").fill("jacobo@example.com");
  await page.getByLabel("Password").fill("ultreia-et-suseia");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  await page.locator("main .skeleton").first().waitFor({ state: "detached" });
  await screenshot(page, "settings");
});

test("an invitation asks for a name and a password, and signs in", async () => {
  const { link } = await gateway.admin<{ link: string }>("POST", "/invitations", {
    email: "maria@example.com",
    role: "member",
  });
  const visitor = await browser.visit(gateway.url, { theme: "dark" });
  const { page } = visitor;
  await page.goto(link);
  await page.getByText("You are invited to your own account.").waitFor();
  await checkAccessibility(page);
  await page.getByLabel("Your name").fill("María");
  await page.getByLabel("Password").fill("camino-de-santiago");
  await page.getByRole("button", { name: "Accept and sign in" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.getByRole("button", { name: "María" }).waitFor();
});

test("a session that is ended elsewhere asks to sign in again, and goes on with the page before", async () => {
  const visitor = await browser.visit(gateway.url);
  const person = await signIn(visitor, gateway);
  const elsewhere = await browser.visit(gateway.url);
  const enter = async () => {
    await elsewhere.page.getByLabel("E-mail").fill(person.email);
    await elsewhere.page.getByLabel("Password").fill(person.password);
    await elsewhere.page.keyboard.press("Enter");
    await elsewhere.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  };
  await elsewhere.page.goto("/console/?measure=tokens");
  await enter();

  const { page } = visitor;
  await page.goto("/console/settings");
  await page.getByRole("button", { name: "End" }).click();
  await page.getByText("Session ended").waitFor();
  expect(await page.getByRole("button", { name: "End" }).count()).toBe(0);

  // The overview there notices the end, because it reads the balance every two seconds.
  const cover = elsewhere.page.getByRole("dialog", { name: "Your session has ended" });
  await cover.getByLabel("Password").fill(person.password);
  await elsewhere.page.keyboard.press("Enter");
  await cover.waitFor({ state: "detached" });
  expect(elsewhere.page.url()).toBe(`${gateway.url}/console/?measure=tokens`);
});

test("a passkey is added, signs in, and is removed", async () => {
  // Browsers have passkeys for host names, not for IP addresses.
  const origin = gateway.url.replace("127.0.0.1", "localhost");
  const visitor = await browser.visit(origin, { alone: true });
  const { page, context } = visitor;
  const authenticator = await context.newCDPSession(page);
  await authenticator.send("WebAuthn.enable");
  await authenticator.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await signIn(visitor, { ...gateway, url: origin });
  await page.goto("/console/settings");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByLabel("Name optional").fill("Laptop");
  await checkAccessibility(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Passkey added").waitFor();
  await page.getByText("Laptop").waitFor();
  await signOut(visitor, "Ana Lima");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.goto("/console/settings");
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove passkey" }).click();
  await page.getByText("No passkeys yet").waitFor();
});
