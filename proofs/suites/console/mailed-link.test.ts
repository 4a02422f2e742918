import { expect, test } from "bun:test";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser } from "../../support/browser.ts";
import { startGateway } from "../../support/gateway.ts";
import { startMailServer } from "../../support/mail-server.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** What an administrator has mailed to a user, where the gateway sends mail (docs/rulings.md 224). */

test("an administrator has a password-reset link mailed, and passes on no link where a mail brings it", async () => {
  await using mail = await startMailServer();
  await using gateway = await startGateway({
    config: `console: { public_url: "http://models.example.com" }\nvendors: { sim: {} }\n`,
    env: { CAMINO_SMTP_URL: mail.url },
  });
  await using browser = await launchBrowser();
  const member = await browser.visit(gateway.url);
  const bo = await signIn(member, gateway, { role: "member", name: "Bo Chen" });
  // The invitation's.
  await mail.next(bo.email);
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  const { page } = visitor;
  await page.goto(`/console/admin/users?q=${bo.email}`);
  await page.getByRole("button", { name: `Actions for ${bo.email}` }).click();
  await page.getByRole("menuitem", { name: "Create password-reset link" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(`Mail it to ${bo.email}`).check();
  await screenshot(page, "admin-mail-link");
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Create link" }).click();
  await dialog.getByText(`A mail to ${bo.email} brings this link.`).waitFor();
  const link = await page.getByLabel("Link", { exact: true }).inputValue();
  await screenshot(page, "admin-mailed-link");
  expect((await mail.next(bo.email)).link).toBe(link);
}, 60_000);
