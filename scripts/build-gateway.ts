/**
 * Builds the gateway into a few files in place of a thousand. `camino serve` prefers the built form while it matches
 * the sources (src/main/built-gateway.ts). It is never needed: without it, or when a source has changed, the sources run.
 */

import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { BunPlugin } from "bun";
import { builtFolder } from "../src/main/built-gateway.ts";

const ROOT = join(import.meta.dir, "..");
/** Modules that are whole programs (src/main/built-gateway.ts). */
const PROGRAMS: readonly string[] = ["src/main/serve.ts", "src/main/keep-ledger.ts"];
/** Modules that run in threads of their own, which are started by their source's name. */
export const WORKERS: readonly string[] = [
  "src/store/sqlite/database-worker.ts",
  "src/pipeline/usage/tokenizer-worker.ts",
  "src/main/body-worker.ts",
];
/** Files that a module reads from its own folder at run time. */
const READ_AT_RUN_TIME = ["src/http/openapi/page/style.css", "src/http/openapi/page/reference.js"];
/** How many builds are kept: gateways of older builds may still run, and load some files only when first needed. */
const KEPT = 3;
/** The name of a build, among what else is in the folder. */
const BUILD = /^[0-9a-f]{16}(-\d+)?$/;

/** Builds the gateway unless it was built from these sources. Returns whether it was built now. */
export async function buildGateway(): Promise<boolean> {
  const folder = builtFolder(ROOT);
  if (existsSync(folder)) return false;
  const unfinished = `${folder}-${process.pid}`;
  try {
    await bundle(unfinished, { programs: PROGRAMS, workers: WORKERS, sourcemap: "linked" });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  await removeOld(dirname(folder));
  return true;
}

/**
 * The tokenizer's vocabulary, 200,000 entries in a module, as JSON in a string: the thread that counts tokens then starts in two thirds of the
 * processor time.
 */
const VOCABULARY_AS_JSON: BunPlugin = {
  name: "vocabulary as JSON",
  setup: (build) => {
    build.onLoad({ filter: /[\\/]bpeRanks[\\/]o200k_base\.js$/ }, async ({ path }) => {
      const { default: vocabulary } = (await import(path)) as { default: unknown };
      return { contents: `export default JSON.parse(${JSON.stringify(JSON.stringify(vocabulary))});`, loader: "js" };
    });
  },
};

/**
 * The tokenizer counts its 200,000 entries by the list of their keys, each a new string: a third of what its thread takes to start.
 * `reduce` passes over holes as well.
 */
const COUNTED_WITHOUT_KEYS: BunPlugin = {
  name: "vocabulary counted without its keys",
  setup: (build) => {
    build.onLoad({ filter: /gpt-tokenizer[\\/]esm[\\/]BytePairEncodingCore\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const slow = "Object.keys(bytePairRankDecoder).length";
      if (!text.includes(slow))
        throw new Error(`${path} no longer has ${slow}: look at how it counts, and take this away`);
      return { contents: text.replace(slow, "bytePairRankDecoder.reduce((count) => count + 1, 0)"), loader: "js" };
    });
  },
};

interface Form {
  /** Modules that are whole programs and keep their names. */
  readonly programs: readonly string[];
  /** Programs that are started by their source's name, in threads or processes of their own. */
  readonly workers: readonly string[];
  readonly sourcemap: "linked" | "none";
}

/** Bundles a form of the gateway into a folder, with everything that it reads at run time but the console. */
export async function bundle(outdir: string, { programs, workers, sourcemap }: Form): Promise<void> {
  await mkdir(outdir, { recursive: true });
  await Bun.build({
    entrypoints: [...programs, ...workers].map((path) => join(ROOT, path)),
    outdir,
    target: "bun",
    naming: { entry: "[name].[ext]" },
    // Modules that are loaded when first needed stay separate files.
    splitting: true,
    // Names are kept, because the log's stack traces show them.
    minify: { whitespace: true, syntax: true },
    sourcemap,
    // Some packages look beside themselves for files that are not in the bundle. Where they lay when it was made is nobody's business,
    // and would make it other bytes in each folder (docs/design/releases.md).
    define: { __dirname: '"/"', __filename: '"/index.js"' },
    plugins: [VOCABULARY_AS_JSON, COUNTED_WITHOUT_KEYS],
  });
  for (const path of workers) {
    const name = basename(path);
    await Bun.write(join(outdir, name), `import "./${name.replace(/\.ts$/, ".js")}";\n`);
  }
  for (const path of READ_AT_RUN_TIME)
    await Bun.write(join(outdir, "page", basename(path)), Bun.file(join(ROOT, path)));
}

async function removeOld(dist: string): Promise<void> {
  const builds = (await readdir(dist)).filter((name) => BUILD.test(name));
  const folders = await Promise.all(builds.map(async (name) => ({ name, at: (await stat(join(dist, name))).mtimeMs })));
  folders.sort((a, b) => b.at - a.at);
  for (const { name } of folders.slice(KEPT)) await rm(join(dist, name), { recursive: true, force: true });
}

if (import.meta.main) {
  try {
    const started = performance.now();
    if (await buildGateway()) {
      console.error(`camino: built the gateway in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    }
  } catch (thrown) {
    // The gateway also starts where the folder cannot be written to.
    console.error("camino: the gateway could not be built and will run from its sources:", thrown);
  }
}
