import { afterAll, expect, test } from "bun:test";
import { copyFile, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ROOT, runToEnd } from "./support/npm.ts";

/**
 * Same sources, same bytes (docs/design/releases.md): the package and the executable file, with the console and the documents' pages inside, are built
 * twice, in folders of different depth, in other languages and time zones, and compared.
 */

// Inside of the project, because the packages are hard links, which do not lead to other file systems.
await mkdir(join(ROOT, "dist"), { recursive: true });
const scratch = await mkdtemp(join(ROOT, "dist/.reproducible-"));
afterAll(() => rm(scratch, { recursive: true, force: true }), 60_000);

const PLACES = [
  { folder: "one", env: { LANG: "C", TZ: "UTC" } },
  { folder: "a/folder/that/is/deeper", env: { LANG: "de_DE.UTF-8", TZ: "Asia/Tokyo" } },
];

/** The files that git knows or would add, and the installed packages, in a folder of their own. */
async function copyInto(folder: string): Promise<void> {
  const listed = await runToEnd(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT);
  for (const path of listed.split("\0").filter((each) => each !== "")) {
    const to = join(folder, path);
    await mkdir(dirname(to), { recursive: true });
    // A file that was removed and whose removal is not committed is not there.
    await copyFile(join(ROOT, path), to).catch(() => {});
  }
  await runToEnd(["cp", "-al", join(ROOT, "node_modules"), join(folder, "node_modules")], ROOT);
  await mkdir(join(folder, "dist"), { recursive: true });
}

async function digests(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  const each = names.map(async (name) => {
    const digest = new Bun.CryptoHasher("sha256").update(await Bun.file(join(folder, name)).bytes()).digest("hex");
    return [name, digest] as const;
  });
  return Object.fromEntries(await Promise.all(each));
}

test("the package and the executable file are the same bytes wherever they are built", async () => {
  const made: Record<string, string>[] = [];
  for (const { folder, env } of PLACES) {
    const place = join(scratch, folder);
    await copyInto(place);
    const out = join(scratch, `made-${made.length}`);
    await mkdir(out);
    const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env };
    await runToEnd(["npm", "pack", "--silent", "--pack-destination", out], place, environment);
    const printed = await runToEnd([join(place, "bin/camino-bun"), "scripts/build-binary.ts"], place, environment);
    await runToEnd(["cp", printed.trim(), join(out, "camino")], place);
    made.push(await digests(out));
  }
  const [first = {}, second] = made;
  expect(Object.keys(first)).toEqual(["camino", expect.stringMatching(/^camino-.*\.tgz$/)]);
  expect(second).toEqual(first);
}, 900_000);
