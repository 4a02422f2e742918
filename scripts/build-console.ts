/**
 * `npm run build:console`: the web console as static files in console/dist, each with its compressed twins. Without
 * `--force` nothing happens when the sources have not changed since. npm calls the script with `--prepare` at
 * install: it then does nothing where the tools are not installed, and never fails an install.
 */
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { isInstalled } from "./is-installed.ts";

const ROOT = join(import.meta.dir, "..");
const CONSOLE = join(ROOT, "console");
/** The sources that the built files depend on. */
const SOURCES = [
  "console/src/**",
  "console/public/*",
  "console/index.html",
  "contract/*.ts",
  "scripts/build-console.ts",
  "package-lock.json",
];
const DIST = join(CONSOLE, "dist");
/** The file in the built folder that identifies the sources of the build. */
const STAMP = ".sources";
const COMPRESSED = /\.(js|css|html|svg|json)$/;

/** Builds the console unless console/dist was built from these sources. Returns whether it was built now. */
export async function buildConsole({ force = false } = {}): Promise<boolean> {
  const sources = await hashSources();
  if (!force && sources === (await readStamp())) return false;
  const { build } = await import("vite");
  const folder = join(CONSOLE, `.build-${process.pid}`);
  try {
    await asProduction(async () => build(await viteSettings(folder)));
    await compress(folder);
    await Bun.write(join(folder, STAMP), sources);
    await swap(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return true;
}

/** Vite takes over a `NODE_ENV` that is set, and a test process has `test`: React would be built for development, three times as slow. */
async function asProduction(build: () => Promise<unknown>): Promise<void> {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    await build();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

/** Vite's settings, for the build and for the development server. */
export async function viteSettings(folder = DIST) {
  const [{ default: react }, { default: tailwind }] = await Promise.all([
    import("@vitejs/plugin-react"),
    import("@tailwindcss/vite"),
  ]);
  return {
    root: CONSOLE,
    base: "/console/",
    configFile: false as const,
    logLevel: "warn" as const,
    plugins: [react(), tailwind()],
    build: {
      outDir: folder,
      emptyOutDir: true,
      // All browsers of the last years understand it; code is not translated for older browsers.
      target: "es2023",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      license: { fileName: "licences.md" },
    },
  };
}

async function hashSources(): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const path of await sourcePaths()) {
    hasher
      .update(path)
      .update("\0")
      .update(await Bun.file(join(ROOT, path)).bytes());
  }
  return hasher.digest("hex");
}

async function sourcePaths(): Promise<string[]> {
  const scans = SOURCES.map((glob) => Array.fromAsync(new Bun.Glob(glob).scan({ cwd: ROOT })));
  return (await Promise.all(scans))
    .flat()
    .filter((path) => !path.endsWith(".test.ts"))
    .sort();
}

/** What identifies the sources of the built console. Throws where none was built. */
export async function consoleStamp(): Promise<string> {
  return await Bun.file(join(DIST, STAMP)).text();
}

async function readStamp(): Promise<string | null> {
  const stamp = Bun.file(join(DIST, STAMP));
  return (await stamp.exists()) ? await stamp.text() : null;
}

/** Compresses each file as small as possible, once at the build, so that the gateway need not compress it. */
async function compress(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((path) => COMPRESSED.test(path));
  for (const path of files) {
    const bytes = await Bun.file(join(folder, path)).bytes();
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    await Bun.write(join(folder, `${path}.br`), brotliCompressSync(bytes, { params }));
    await Bun.write(join(folder, `${path}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

/** Replaces the built folder in one step, so that a gateway that starts meanwhile sees the whole old or new folder. */
async function swap(folder: string): Promise<void> {
  const old = `${folder}-old`;
  await mkdir(DIST, { recursive: true });
  await rename(DIST, old);
  await rename(folder, DIST);
  await rm(old, { recursive: true, force: true });
}

async function main(words: readonly string[]): Promise<void> {
  if (!isInstalled("vite")) {
    if (words.includes("--prepare")) return;
    console.error("camino: the console was not built: its tools are development dependencies that are not installed.");
    return;
  }
  try {
    const started = performance.now();
    const built = await buildConsole({ force: words.includes("--force") });
    if (built) console.error(`camino: built the console in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } catch (thrown) {
    console.error("camino: the console could not be built:", thrown);
    if (!words.includes("--prepare")) process.exitCode = 1;
  }
}

if (import.meta.main) await main(process.argv.slice(2));
