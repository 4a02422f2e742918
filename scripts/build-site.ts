/**
 * `npm run build:site`: the documents as static pages with a search, in dist/site, which a gateway serves under /docs/guide. VitePress
 * makes them; it is installed when it is first needed, and needs no network then. Without `--force` nothing happens when neither the documents nor this build have changed.
 */
import { mkdir, readdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { licenceOf } from "./licences.ts";
import { installApart } from "./packages-apart.ts";
import { printed } from "./release/run.ts";
import { llmsText, markdownPages } from "./site/for-machines.ts";
import { STYLE, siteSettings, THEME } from "./site/settings.ts";
import { documentsOf, recipesOf } from "./site/stage.ts";

const ROOT = join(import.meta.dir, "..");
const SITE = join(ROOT, "dist/site");
/** Which documents and which build the pages are of, and the digests of the scripts inside of pages. Not served. */
const FACTS = ".facts.json";
/** What is kept compressed alone, because the package carries it: whoever cannot read it gets it decompressed. */
const COMPRESSED = /\.(html|js|css|json|svg|md|txt)$/;
/** What VitePress's build tells of the packages of which code is in the pages. */
const PACKAGES = "packages.json";

/** Whether the site is of these sources. */
async function isOf(sources: string): Promise<boolean> {
  const facts = Bun.file(join(SITE, FACTS));
  return (await facts.exists()) && (await facts.json()).sources === sources;
}

/** Builds the site unless it is of these documents. Returns whether it was built now. */
export async function buildSite({ force = false } = {}): Promise<boolean> {
  const sources = await hashSources();
  if (!force && (await isOf(sources))) return false;
  const staged = join(ROOT, `dist/.site-${process.pid}`);
  try {
    const installed = await installApart("scripts/site");
    await stage(staged);
    await symlink(join(installed, "node_modules"), join(staged, "node_modules"));
    const made = join(staged, "made");
    // In a process of its own: it tells of its work on stdout, which belongs to whoever asked for the site.
    await printed([process.execPath, import.meta.path, "--pages", staged, made], ROOT);
    await Bun.write(
      join(made, "licences.md"),
      await licencesOfPages(installed, await Bun.file(join(staged, PACKAGES)).json()),
    );
    await writeForMachines(made);
    await finish(made, sources);
    // Another process may have built the same meanwhile, and somebody reads it already.
    if (!force && (await isOf(sources))) return false;
    await rm(SITE, { recursive: true, force: true });
    await rename(join(staged, "made"), SITE);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
  return true;
}

/** The pages' texts and VitePress's settings, in a folder that VitePress reads. */
async function stage(folder: string): Promise<void> {
  const { version } = await Bun.file(join(ROOT, "package.json")).json();
  await mkdir(folder, { recursive: true });
  for (const [page, text] of await markdownPages(ROOT)) await Bun.write(join(folder, page), text);
  const imported = `import { siteSettings } from ${JSON.stringify(join(ROOT, "scripts/site/settings.ts"))};\n`;
  const given = JSON.stringify({ version, packages_file: join(folder, PACKAGES), recipes: await recipesOf(ROOT) });
  await Bun.write(join(folder, ".vitepress/config.ts"), `${imported}export default siteSettings(${given});\n`);
  await Bun.write(join(folder, ".vitepress/theme/index.ts"), THEME);
  await Bun.write(join(folder, ".vitepress/theme/style.css"), STYLE);
}

/** The pages as Markdown, and the list of them. */
async function writeForMachines(folder: string): Promise<void> {
  const pages = await markdownPages(ROOT);
  for (const [page, text] of pages) await Bun.write(join(folder, page), text);
  const settings = siteSettings({ version: "", packages_file: "", recipes: await recipesOf(ROOT) });
  await Bun.write(join(folder, "llms.txt"), llmsText(settings, settings.themeConfig.sidebar, pages));
}

async function finish(folder: string, sources: string): Promise<void> {
  const scripts = new Set<string>();
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of files.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if (!COMPRESSED.test(path)) continue;
    const bytes = await Bun.file(path).bytes();
    if (path.endsWith(".html"))
      for (const [, script = ""] of new TextDecoder()
        .decode(bytes)
        .matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g))
        scripts.add(`'sha256-${new Bun.CryptoHasher("sha256").update(script).digest("base64")}'`);
    await Bun.write(`${path}.br`, brotliCompressSync(bytes));
    await rm(path);
  }
  await Bun.write(join(folder, FACTS), `${JSON.stringify({ sources, scripts: [...scripts].sort() })}\n`);
}

/** The licences of what the pages have inside, in the form of the console's list. */
async function licencesOfPages(installed: string, names: readonly string[]): Promise<string> {
  const parts = await Promise.all(names.map((name) => licenceOf(name, installed)));
  return ["# Licences\n\nThe pages have these packages inside:\n", ...parts].join("\n");
}

async function hashSources(): Promise<string> {
  const built_by = [
    ...["package.json", "scripts/site/package-lock.json", "scripts/build-site.ts"],
    ...["scripts/site/settings.ts", "scripts/site/stage.ts", "scripts/site/for-machines.ts"],
  ];
  const hasher = new Bun.CryptoHasher("sha256");
  for (const path of [...(await documentsOf(ROOT)), ...built_by])
    hasher.update(`${path}\0`).update(await Bun.file(join(ROOT, path)).bytes());
  return hasher.digest("hex");
}

if (import.meta.main) {
  const [word, folder = "", made = ""] = process.argv.slice(2);
  if (word === "--pages") {
    const { build } = await import(Bun.resolveSync("vitepress", folder));
    await build(folder, { outDir: made });
    process.exit(0);
  }
  const started = performance.now();
  await mkdir(dirname(SITE), { recursive: true });
  if (await buildSite({ force: word === "--force" }))
    console.error(`camino: built the site in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  process.exit(0);
}
