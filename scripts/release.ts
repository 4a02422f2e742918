/**
 * `npm run release`: what users of a version get, in dist/release/VERSION: the package, the executable files, a bill of materials, the notes out of
 * the changelog, the licences, and the SHA-256 of each (docs/design/releases.md). It changes no tag and uploads nothing.
 *
 *   --platforms linux-x64,darwin-aarch64   executables for these alone; without it, for all; `none` for none
 *   --without-audit                        where the registry cannot be asked for known vulnerabilities: the notes say so
 *
 * It refuses changes that are not committed or wait under "Unreleased", a version without notes, databases or its lock file, or with a tag elsewhere, known vulnerabilities in what is shipped, and
 * licences that nobody has agreed to.
 */
import { chmod, copyFile, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { brotliDecompressSync } from "node:zlib";
import { buildBinaries } from "./build-binary.ts";
import { ALLOWED_LICENCES, licencesText, packagesInside } from "./licences.ts";
import { installApart } from "./packages-apart.ts";
import { PLATFORMS, type Platform } from "./platforms.ts";
import { billOfMaterials, type Shipped, strangeLicences } from "./release/bill-of-materials.ts";
import { listInstalled } from "./release/installed.ts";
import { type Notes, notesOf, requireNothingUnreleased } from "./release/notes.ts";
import { printed } from "./release/run.ts";
import { requireCommitted, requireWhole } from "./release/sources.ts";
import { askForVulnerabilities, type Judged, requireNothingKnown, together } from "./release/vulnerabilities.ts";

const ROOT = join(import.meta.dir, "..");

export interface ReleaseOptions {
  readonly platforms: readonly Platform[];
  readonly without_audit: boolean;
  /** Called with a line for each step. */
  readonly say: (line: string) => void;
}

/** Makes the release of the committed version and returns its folder. Throws a sentence for what speaks against it. */
export async function release({ platforms, without_audit, say }: ReleaseOptions): Promise<string> {
  const { version } = await Bun.file(join(ROOT, "package.json")).json();
  const time = await requireCommitted(ROOT, version);
  await requireWhole(ROOT, version);
  const changelog = await Bun.file(join(ROOT, "CHANGELOG.md")).text();
  const notes = notesOf(changelog, version);
  requireNothingUnreleased(changelog, version);
  if ((await licencesText()) !== (await Bun.file(join(ROOT, "LICENCES.md")).text()))
    throw new Error("LICENCES.md is not of these packages: run `npm run licences` and commit it");
  const unfinished = join(ROOT, `dist/.release-${process.pid}`);
  await mkdir(unfinished, { recursive: true });
  try {
    const options = ["--silent", "--pack-destination", unfinished];
    await printed(["npm", "pack", ...options], ROOT);
    say(`camino-${version}.tgz: the package`);
    const shipped = await shippedPackages();
    const site = await installApart("scripts/site");
    const bill = billOfMaterials([await listInstalled(ROOT), await listInstalled(site)], shipped, time);
    const strange = strangeLicences(bill, ALLOWED_LICENCES);
    if (strange.length > 0) throw new Error(`licences that nobody has agreed to:\n  ${strange.join("\n  ")}`);
    await Bun.write(join(unfinished, `camino-${version}.cdx.json`), bill);
    say(`camino-${version}.cdx.json: ${shipped.length} packages, all under allowed licences`);
    const names = new Set(shipped.map(({ name }) => name));
    const verdict = together(await askForVulnerabilities(ROOT, names), await askForVulnerabilities(site, names));
    const judged = requireNothingKnown(verdict, shipped.length, without_audit);
    say(judged.line);
    for (const path of platforms.length === 0 ? [] : await buildBinaries(platforms)) {
      const name = basename(path).replace("camino-", `camino-${version}-`);
      await copyFile(path, join(unfinished, name));
      await chmod(join(unfinished, name), 0o755);
      say(`${name}: one executable file`);
    }
    await copyFile(join(ROOT, "LICENCES.md"), join(unfinished, "LICENCES.md"));
    await Bun.write(join(unfinished, "NOTES.md"), notesText(version, notes, judged));
    await Bun.write(join(unfinished, "SHA256SUMS"), await checksums(unfinished));
    const folder = join(ROOT, "dist/release", version);
    await rm(folder, { recursive: true, force: true });
    await mkdir(join(ROOT, "dist/release"), { recursive: true });
    await rename(unfinished, folder);
    return folder;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** The packages of which code is in the gateway, in its runtime or in the built pages. */
async function shippedPackages(): Promise<Shipped[]> {
  const names = ["bun", ...(await packagesInside())];
  const inside = names.map(async (name) => {
    const { version } = await Bun.file(join(ROOT, "node_modules", name, "package.json")).json();
    return { name, version };
  });
  // The builds of the console and of the documents' pages write lists of their own.
  const console_list = await Bun.file(join(ROOT, "console/dist/licences.md")).text();
  const site_list = brotliDecompressSync(await Bun.file(join(ROOT, "dist/site/licences.md.br")).bytes()).toString();
  const lists = `${console_list}\n${site_list}`;
  const pages = Array.from(lists.matchAll(/^## (\S+) (?:- )?(\S+) \(/gm), ([, name = "", version = ""]) => ({
    name,
    version,
  }));
  return [...(await Promise.all(inside)), ...pages];
}

function notesText(version: string, { date, text }: Notes, { for_notes }: Judged): string {
  return `# Camino ${version} (${date})\n\n${text}\n\n### What was checked\n\n- ${for_notes}\n`;
}

/** A line for each file of a folder, in the form that \`sha256sum --check\` reads. */
export async function checksums(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name !== "SHA256SUMS").sort();
  const lines = names.map(async (name) => {
    const hasher = new Bun.CryptoHasher("sha256");
    for await (const piece of Bun.file(join(folder, name)).stream()) hasher.update(piece);
    return `${hasher.digest("hex")}  ${name}\n`;
  });
  return (await Promise.all(lines)).join("");
}

function platformsIn(words: string | undefined): Platform[] {
  if (words === undefined || words === "all") return [...PLATFORMS];
  if (words === "none") return [];
  const asked = words.split(",");
  const unknown = asked.filter((word) => !PLATFORMS.some((platform) => platform === word));
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: allowed are all, none, ${PLATFORMS.join(", ")}`);
  return PLATFORMS.filter((platform) => asked.includes(platform));
}

if (import.meta.main) {
  try {
    const { values } = parseArgs({ options: { platforms: { type: "string" }, "without-audit": { type: "boolean" } } });
    const options = { platforms: platformsIn(values.platforms), without_audit: values["without-audit"] ?? false };
    const folder = await release({ ...options, say: (line) => console.error(`camino: ${line}`) });
    for (const name of (await readdir(folder)).sort())
      console.log(`${String((await stat(join(folder, name))).size).padStart(12)}  ${join(folder, name)}`);
    const words = `--annotate v${basename(folder)} --cleanup=verbatim --file ${join(folder, "NOTES.md")}`;
    // Verbatim: git takes the notes' headings for comments otherwise.
    console.error(`camino: made. The tag: git tag ${words}`);
  } catch (thrown) {
    console.error(`camino: no release: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    process.exitCode = 1;
  }
}
