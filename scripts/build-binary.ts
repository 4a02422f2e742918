/**
 * `npm run build:binary`: the gateway as one executable file for each platform, with its runtime, its threads and the console inside
 * (docs/adr/0041), into dist/binary. Without a word it is for this machine's platform; with names of platforms, or `all`, for those.
 *
 * The runtimes of other platforms come from npm, in the version and with the digest of the lock file.
 */
import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { WORKERS } from "./build-gateway.ts";
import { buildPackage, PACKAGE_FOLDER } from "./pack.ts";
import { PLATFORMS, type Platform } from "./platforms.ts";
import { printed } from "./release/run.ts";

const ROOT = join(import.meta.dir, "..");
const OUT = join(ROOT, "dist/binary");
const RUNTIMES = join(ROOT, "dist/runtimes");

/** Builds the executables for these platforms and returns their paths. */
export async function buildBinaries(platforms: readonly Platform[]): Promise<string[]> {
  await buildPackage();
  const staged = join(ROOT, `dist/.binary-${process.pid}`);
  try {
    // Inside the executable the console and the documents' pages lie beside the modules (src/main/one-binary.ts).
    await cp(PACKAGE_FOLDER, staged, { recursive: true });
    await cp(join(ROOT, "console/dist"), join(staged, "console"), { recursive: true });
    await cp(join(ROOT, "dist/site"), join(staged, "guide"), { recursive: true });
    await mkdir(OUT, { recursive: true });
    await cp(join(ROOT, "LICENCES.md"), join(OUT, "LICENCES.md"));
    const made: string[] = [];
    for (const platform of platforms) made.push(await compile(staged, platform));
    return made;
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

async function compile(staged: string, platform: Platform): Promise<string> {
  const outfile = join(OUT, `camino-${platform}`);
  const other = platform === hostPlatform() ? [] : [`--compile-executable-path=${await runtimeOf(platform)}`];
  const threads = WORKERS.map((path) => path.slice(path.lastIndexOf("/") + 1));
  await printed(
    [
      ...[process.execPath, "build", "--compile", `--target=bun-${platform}`, ...other],
      // What lies in the folder where it is started is the user's, and says nothing about the gateway's modules.
      "--no-compile-autoload-bunfig",
      ...["--root=.", "--entry-naming=[name].[ext]", "--asset=console", "--asset=guide", "--asset=page"],
      ...[`--outfile=${outfile}`, "main.js", ...threads],
    ],
    staged,
  );
  return outfile;
}

/** Bun's executable for another platform, out of its package. */
async function runtimeOf(platform: Platform): Promise<string> {
  const name = `@oven/bun-${platform}`;
  const lock = await Bun.file(join(ROOT, "package-lock.json")).json();
  const { version, integrity } = lock.packages[`node_modules/${name}`] as { version: string; integrity: string };
  const folder = join(RUNTIMES, `${platform}-${version}`);
  const runtime = join(folder, "package/bin/bun");
  if (existsSync(runtime)) return runtime;
  const unfinished = `${folder}-${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    await printed(["npm", "pack", "--silent", "--pack-destination", unfinished, `${name}@${version}`], unfinished);
    const tarball = join(unfinished, `oven-bun-${platform}-${version}.tgz`);
    const digest = new Bun.CryptoHasher("sha512").update(await Bun.file(tarball).bytes()).digest("base64");
    if (`sha512-${digest}` !== integrity) throw new Error(`${name}@${version} is not what the lock file names`);
    await printed(["tar", "-xzf", tarball], unfinished);
    await rm(tarball);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return runtime;
}

/** This machine's platform. */
function hostPlatform(): string {
  const cpu = process.arch === "arm64" ? "aarch64" : process.arch;
  const musl = process.platform === "linux" && existsSync(`/lib/ld-musl-${cpu === "x64" ? "x86_64" : cpu}.so.1`);
  return `${process.platform}-${cpu}${musl ? "-musl" : ""}`;
}

/** The platforms that the command's words ask for. */
function platformsIn(words: readonly string[]): Platform[] {
  const asked = words.length === 0 ? [hostPlatform()] : words;
  const chosen = PLATFORMS.filter((platform) => asked.includes("all") || asked.includes(platform));
  const unknown = asked.filter((word) => word !== "all" && !chosen.some((platform) => platform === word));
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: allowed are all, ${PLATFORMS.join(", ")}`);
  return chosen;
}

if (import.meta.main) {
  try {
    for (const path of await buildBinaries(platformsIn(process.argv.slice(2)))) {
      console.log(path);
      console.error(`camino: built the executable, ${((await stat(path)).size / 1e6).toFixed(0)} MB`);
    }
  } catch (thrown) {
    console.error(`camino: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    process.exitCode = 1;
  }
}
