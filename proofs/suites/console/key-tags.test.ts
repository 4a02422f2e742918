import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { KeyList } from "../../../contract/keys.ts";
import { checkBothThemes } from "../../support/accessibility.ts";
import { type ConsoleScene, startConsoleScene } from "../../support/console-scene.ts";
import type { Gateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";

/** Tags of keys in the console: set with the key, edited, found by, and grouped by. */

setDefaultTimeout(60_000);

let scene: ConsoleScene;
let gateway: Gateway;

beforeAll(async () => {
  scene = await startConsoleScene();
  ({ gateway } = scene);
});
afterAll(() => scene?.[Symbol.asyncDispose]());

test("a member tags a key, finds keys by a tag, and sees usage by its values", async () => {
  const { page, account } = await scene.member();
  const tagged = await scene.makeKey(account, { name: "Ads bot", tags: { team: "ads" } });
  await page.goto("/console/keys/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Search bot");
  await page.getByRole("textbox", { name: "Tags" }).fill("Team=search");
  await page.getByText("the name of a tag has 1 to 40 characters").waitFor();
  await page.getByRole("textbox", { name: "Tags" }).fill("team=search\nenv=prod");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog", { name: "Your new key" }).waitFor();

  const { data } = await gateway.admin<KeyList>("GET", `/keys?account=${account}&tag=team%3Dsearch`);
  expect(data.map(({ name, tags }) => [name, tags])).toEqual([["Search bot", { env: "prod", team: "search" }]]);

  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${tagged.key}` },
    body: JSON.stringify({ model: "openai/gpt-5.4-mini", messages: [{ role: "user", content: "Hello!" }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();

  await page.goto("/console/keys");
  await page.getByRole("button", { name: "Actions for Ads bot" }).click();
  await page.getByRole("menuitem", { name: "Edit tags" }).click();
  const dialog = page.getByRole("dialog", { name: "Tags of Ads bot" });
  expect(await dialog.getByRole("textbox", { name: "Tags" }).inputValue()).toBe("team=ads");
  await dialog.getByRole("textbox", { name: "Tags" }).fill("team=growth");
  await checkBothThemes(page);
  await screenshot(page, "key-tags");
  await dialog.getByRole("button", { name: "Save tags" }).click();
  await page.getByRole("table").getByText("team=growth").waitFor();

  await page.getByLabel("Tag, as team=search").fill("team=search");
  await page.getByRole("link", { name: "Ads bot" }).waitFor({ state: "detached" });
  expect(await page.getByRole("link", { name: "Search bot" }).count()).toBe(1);

  await page.goto("/console/usage");
  await page.getByLabel("Group by").selectOption({ label: "Tag: team" });
  await page.getByRole("heading", { name: "By tag: team" }).waitFor();
  await screenshot(page, "usage-by-tag");
  await page.getByRole("table").getByRole("link", { name: "growth" }).click();
  await page.getByRole("link", { name: "keys that have it" }).click();
  await page.waitForURL(/\/console\/keys\?.*team/);
  await page.getByRole("link", { name: "Ads bot" }).waitFor();
});
