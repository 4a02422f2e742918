/**
 * Builds the gateway that suites start: the one executable file (docs/adr/0041) with its functions compiled to bytecode, which takes less than
 * half of the processor time to start (docs/design/test-runs.md). The suites' own gateways are inside, too.
 */
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { builtFolder } from "../src/main/built-gateway.ts";
import { consoleStamp } from "./build-console.ts";
import { bundle, WORKERS } from "./build-gateway.ts";
import { isRunning } from "./memory-folder.ts";
import { PROCESSES } from "./pack.ts";

const ROOT = join(import.meta.dir, "..");
/** It lies as deep as `dist/HASH`. */
const OUT = join(ROOT, "dist/tests");

/** The executable's program. */
const PROGRAM = "proofs/support/camino-with-programs.ts";

/** The gateways that it may be in place of `camino`. */
async function programsInside(): Promise<string[]> {
  const glob = new Bun.Glob("proofs/support/gateways/*.ts");
  return (await Array.fromAsync(glob.scan({ cwd: ROOT }))).sort();
}

/** Where the executable of exactly these sources and this built console is, whether or not it was built. */
export async function testGatewayPath(): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256").update(builtFolder(ROOT)).update(await consoleStamp());
  for (const path of [PROGRAM, ...(await programsInside())]) hasher.update(await Bun.file(join(ROOT, path)).bytes());
  return join(OUT, hasher.digest("hex").slice(0, 16), "camino");
}

/** Builds the executable unless it was built from these sources, and removes older builds. Returns its path. */
export async function buildTestGateway(): Promise<string> {
  const executable = await testGatewayPath();
  if (existsSync(executable)) return executable;
  const folder = join(executable, "..");
  const staged = `${folder}-${process.pid}`;
  const older = existsSync(OUT) ? (await readdir(OUT)).filter((name) => !isBeingBuilt(name)) : [];
  try {
    await bundle(staged, { programs: [PROGRAM], workers: [...WORKERS, ...PROCESSES], sourcemap: "none" });
    await cp(join(ROOT, "console/dist"), join(staged, "console"), { recursive: true });
    await compile(staged);
    await mkdir(folder, { recursive: true });
    await rename(join(staged, "camino"), executable);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
  for (const name of older) await rm(join(OUT, name), { recursive: true, force: true });
  return executable;
}

/** Whether another process compiles there. */
function isBeingBuilt(name: string): boolean {
  const [, pid] = name.split("-");
  return pid !== undefined && isRunning(Number(pid));
}

async function compile(staged: string): Promise<void> {
  const threads = [...WORKERS, ...PROCESSES].map((path) => path.slice(path.lastIndexOf("/") + 1));
  const child = Bun.spawn(
    [
      ...[process.execPath, "build", "--compile", "--bytecode", "--format=esm", "--no-compile-autoload-bunfig"],
      ...["--root=.", "--entry-naming=[name].[ext]", "--asset=console", "--asset=page", "--outfile=camino"],
      ...["camino-with-programs.js", ...threads],
    ],
    { cwd: staged, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0) throw new Error(`the executable was not compiled (${status}):\n${stdout}${stderr}`);
}

if (import.meta.main) console.log(await buildTestGateway());
