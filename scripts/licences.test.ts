import { expect, test } from "bun:test";
import { join } from "node:path";
import { licencesText } from "./licences.ts";

test("LICENCES.md names exactly the packages that are inside the gateway, in their versions", async () => {
  const kept = await Bun.file(join(import.meta.dir, "../LICENCES.md")).text();
  const headings = (text: string) => text.match(/^## .*$/gm) ?? [];
  const made = await licencesText();
  expect(headings(kept)).toEqual(headings(made));
  expect(kept === made).toBe(true);
  expect(headings(made).length).toBeGreaterThan(20);
}, 60_000);
