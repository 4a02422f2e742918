import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { siteSettings } from "./settings.ts";
import { documentsOf, pageOf, pageText, recipesOf, slugify } from "./stage.ts";

const ROOT = join(import.meta.dir, "../..");

describe("a document", () => {
  test.each([
    ["README.md", "index.md"],
    ["SECURITY.md", "security-policy.md"],
    ["docs/security.md", "security.md"],
    ["docs/deploy/systemd.md", "deploy/systemd.md"],
    ["docs/adr/README.md", "adr/index.md"],
    ["deploy/compose/nginx.conf", null],
    ["src/cli/README.md", null],
  ])("%s is the page %p", (path, page) => {
    expect(pageOf(path)).toBe(page);
  });

  test("becomes no page that another one is", async () => {
    const pages = (await documentsOf(ROOT)).map(pageOf);
    expect(pages.length).toBeGreaterThan(60);
    expect(new Set(pages).size).toBe(pages.length);
  });
});

describe("links of a page", () => {
  test.each([
    ["README.md", "[a](docs/api.md#8-limits)", "[a](./api.md#8-limits)"],
    ["docs/deploy/systemd.md", "[a](../operations.md)", "[a](./../operations.md)"],
    ["docs/api.md", "[a](../README.md)", "[a](./index.md)"],
    ["docs/api.md", "see [billing.md](billing.md)", "see [billing](./billing.md)"],
    ["docs/api.md", "[a](#here)", "[a](#here)"],
    ["docs/api.md", "[a](https://example.com/x.md)", "[a](https://example.com/x.md)"],
    ["docs/api.md", "see [the unit](../deploy/systemd/camino.service), [a](api.md)", "see the unit, [a](./api.md)"],
    ["docs/console.md", "![the overview](console/overview.png)", ""],
  ])("in %s: %s", (path, text, expected) => {
    expect(pageText(path, text)).toBe(expected);
  });

  test("in code are code", () => {
    const text = "```md\n[a](../src)\n```";
    expect(pageText("docs/api.md", text)).toBe(text);
  });

  test("have the anchors that the documents' own links use", () => {
    expect(slugify("8. Limits, and `more`")).toBe("8-limits-and-more");
  });
});

describe("commands of a page", () => {
  test("are those of an installed gateway, in blocks and in sentences", () => {
    const text = "Say `npx camino check`:\n\n```sh\nnpx camino key list && npx camino audit\n```";
    expect(pageText("docs/operations.md", text)).toBe(
      "Say `camino check`:\n\n```sh\ncamino key list && camino audit\n```",
    );
  });

  test("of a clone stay what they are where a page is about clones, and where the words themselves are meant", () => {
    for (const path of ["CONTRIBUTING.md", "docs/design/releases.md"])
      expect(pageText(path, "`npx camino doctor`")).toBe("`npx camino doctor`");
    expect(pageText("README.md", "the command is `npx camino`; installed")).toBe(
      "the command is `npx camino`; installed",
    );
  });

  test("have no `npx` in front on any page for people who run a gateway", async () => {
    const paths = (await documentsOf(ROOT)).filter(
      (path) => path !== "CONTRIBUTING.md" && !path.startsWith("docs/adr/"),
    );
    const texts = await Promise.all(
      paths.map(async (path) => [path, pageText(path, await Bun.file(join(ROOT, path)).text())] as const),
    );
    expect(texts.filter(([, text]) => /npx camino [a-z]/.test(text)).map(([path]) => path)).toEqual([]);
    expect(texts.filter(([, text]) => /^camino [a-z]/m.test(text)).length).toBeGreaterThan(5);
  });
});

test("the site's contents name pages that there are", async () => {
  const pages = new Set(
    (await documentsOf(ROOT)).map((path) => `/${pageOf(path)?.replace(/(?<=^|\/)index\.md$|\.md$/, "")}`),
  );
  const { sidebar } = siteSettings({ version: "0", packages_file: "", recipes: await recipesOf(ROOT) }).themeConfig;
  const links = sidebar.flatMap(({ items }) => items.map(({ link }) => link));
  expect(links.length).toBeGreaterThan(45);
  expect(links.filter((link) => !pages.has(link))).toEqual([]);
});

test("a recipe is in the contents by its own title", async () => {
  const recipes = await recipesOf(ROOT);
  expect(recipes.length).toBeGreaterThan(25);
  expect(recipes).toContainEqual({ text: "Reset a password", link: "how-to/reset-a-password" });
  expect(new Set(recipes.map(({ link }) => link)).size).toBe(recipes.length);
});
