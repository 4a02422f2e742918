import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { RECIPES } from "../../../console/src/app/recipes.ts";
import { recipesOf, slugify } from "../../../scripts/site/stage.ts";

/** The console links to documents where they help; each link is to a page and a heading that there are. */

const ROOT = join(import.meta.dir, "../../..");
const KIT = await Bun.file(join(ROOT, "console/src/kit/guide-link.tsx")).text();
const places = [...KIT.matchAll(/^ {2}\| "([^"]+)"/gm)].map(([, place = ""]) => place);

test("every place of the guide that a page links to is there", async () => {
  expect(places.length).toBeGreaterThan(15);
  const lost: string[] = [];
  for (const place of places) {
    const [page = "", heading] = place.split("#");
    const document = join(ROOT, "docs", `${page}.md`);
    const text = existsSync(document) ? await Bun.file(document).text() : "";
    const slugs = [...text.matchAll(/^#+ (.+)$/gm)].map(([, words = ""]) => slugify(words));
    if (text === "" || (heading !== undefined && !slugs.includes(heading))) lost.push(place);
  }
  expect(lost).toEqual([]);
});

test("the palette finds every recipe by its title, in the order of the contents", async () => {
  const known = RECIPES.map(([page, title]) => ({ text: title, link: `how-to/${page}` }));
  expect(known).toEqual(await recipesOf(ROOT));
});

test("no place is unknown or unused", async () => {
  const sources = await Array.fromAsync(new Bun.Glob("**/*.tsx").scan(join(ROOT, "console/src")));
  const texts = await Promise.all(sources.map((path) => Bun.file(join(ROOT, "console/src", path)).text()));
  const used = texts.flatMap((text) =>
    [...text.matchAll(/(?:guide|GuideLink to)="([^"]+)"/g)].map(([, place = ""]) => place),
  );
  expect(new Set(used)).toEqual(new Set(places));
});
