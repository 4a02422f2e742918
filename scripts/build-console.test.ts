import { expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { buildConsole } from "./build-console.ts";

const PAGE = join(import.meta.dir, "../console/dist/index.html");

test("a console that is already built from these sources is not built again", async () => {
  await buildConsole();
  const before = await stat(PAGE);
  expect(await buildConsole()).toBe(false);
  expect((await stat(PAGE)).mtimeMs).toBe(before.mtimeMs);
});

test("built files have compressed twins, and names that change with the content", async () => {
  await buildConsole();
  const page = await Bun.file(PAGE).text();
  const [, script = ""] =
    /<script type="module" crossorigin src="\/console\/(assets\/index-[\w-]{8}\.js)">/.exec(page) ?? [];
  const file = join(PAGE, "..", script);
  const whole = (await stat(file)).size;
  expect((await stat(`${file}.br`)).size).toBeLessThan(whole / 2);
  expect((await stat(`${file}.gz`)).size).toBeLessThan(whole / 2);
});
