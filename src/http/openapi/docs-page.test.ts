import { describe, expect, test } from "bun:test";
import { buildOpenApi } from "./build-openapi.ts";
import { DOCS_POLICY, docsPage } from "./docs-page.ts";
import { memberObjects, objectOf, textOf } from "./page/read-json.ts";

const document = buildOpenApi({ version: "1.2.3" });
const page = docsPage(document);

function attributes(name: string): string[] {
  return [...page.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map((match) => match[1] ?? "");
}

describe("the API reference", () => {
  test("shows every operation and every schema", () => {
    for (const [path, methods] of memberObjects(document.paths)) {
      expect(page).toContain(`<code>${path}</code>`);
      for (const [, operation] of memberObjects(methods))
        expect(attributes("id")).toContain(textOf(operation.operationId));
    }
    for (const [name] of memberObjects(objectOf(document.components).schemas))
      expect(page).toContain(`<h3>${name}</h3>`);
  });

  test("has unique ids, and links within the page that lead to them", () => {
    const ids = attributes("id");
    expect(ids).toEqual([...new Set(ids)]);
    const links = attributes("href").filter((href) => href.startsWith("#"));
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((href) => !ids.includes(href.slice(1)))).toEqual([]);
  });

  test("loads nothing, and its policy allows only its own style and script", () => {
    expect(attributes("src")).toEqual([]);
    const followed = attributes("href").filter((href) => !href.startsWith("#"));
    expect([...new Set(followed)].sort()).toEqual(["/docs", "/openapi.json"]);
    expect(page).not.toMatch(/ style="| on\w+="|@import|url\(/);
    for (const [element, directive] of [
      ["style", "style-src"],
      ["script", "script-src"],
    ] as const) {
      const inline = [...page.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, "gs"))].map(
        (match) => match[1] ?? "",
      );
      expect(inline).toHaveLength(1);
      const hash = new Bun.CryptoHasher("sha256").update(inline[0] ?? "").digest("base64");
      expect(DOCS_POLICY).toContain(`${directive} 'sha256-${hash}';`);
    }
    expect(DOCS_POLICY).toStartWith("default-src 'none';");
    expect(DOCS_POLICY).not.toContain("unsafe");
  });

  test("has properly nested elements", () => {
    const open: string[] = [];
    const body = page.slice(page.indexOf("<body>"));
    for (const [, closing, name = "", rest = ""] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)([^>]*)>/g)) {
      if (["br"].includes(name)) continue;
      if (closing === "") open.push(name);
      else expect(`${open.pop() ?? "html"} ${rest}`).toBe(`${name} `);
    }
    expect(open).toEqual([]);
  });

  test("escapes all texts of the document", () => {
    const hostile = `<img src=x onerror="alert('1')"> \`<b>\``;
    const written = docsPage({
      ...document,
      info: { title: hostile, version: hostile, description: hostile },
      tags: [{ name: hostile, description: hostile }],
    });
    expect(written).not.toContain("<img");
    expect(written).not.toContain("<b>");
    expect(written).toContain("<code>&#60;b&#62;</code>");
  });
});
