import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FileReport, tallyOf } from "./tally.ts";

const ROOT = join(import.meta.dir, "..");

/** Whole programs and databases first: they take longest, and a long file that starts last keeps a core idle. */
const ORDER = ["test/", "torture/", "fuzz/", "conformance/", "simulator/", "src/store/", "src/cli/", "src/"];

/** A test that takes longer hangs: on a busy machine, a browser's walk through the console has taken half of this. */
const TEST_TIMEOUT_MS = 60_000;
/** A file that takes longer than this hangs. */
const FILE_TIMEOUT_MS = 180_000;

/** Every test file whose path contains one of the patterns (all without patterns), in the order to run them. */
export async function findTestFiles(patterns: readonly string[]): Promise<string[]> {
  const glob = new Bun.Glob("**/*.test.{ts,tsx}");
  const found = (await Array.fromAsync(glob.scan({ cwd: ROOT })))
    .filter((path) => !path.startsWith("node_modules/"))
    .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)));
  return found.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

function rank(path: string): number {
  const index = ORDER.findIndex((folder) => path.startsWith(folder));
  return index === -1 ? ORDER.length : index;
}

/**
 * Runs each file in a process of its own, `jobs` at a time, so that a file that crashes, hangs or leaves a process
 * running does not disturb other files, and can be named. A process costs some 15 ms.
 */
export async function runTestFiles(
  paths: readonly string[],
  jobs: number,
  onReport: (report: FileReport) => void,
): Promise<FileReport[]> {
  const folder = await mkdtemp(join(tmpdir(), "camino-test-"));
  const reports: FileReport[] = [];
  const queue = paths.entries();
  const work = async (): Promise<void> => {
    for (const [index, path] of queue) {
      const report = await runTestFile(path, join(folder, String(index)));
      reports.push(report);
      onReport(report);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  await rm(folder, { recursive: true });
  return reports;
}

async function runTestFile(path: string, results: string): Promise<FileReport> {
  const started = performance.now();
  const junit = Bun.file(`${results}.xml`);
  // Output goes to a file and not to a pipe, because a program that a killed test leaves behind keeps a pipe open.
  const output = await open(`${results}.log`, "w");
  const child = Bun.spawn(
    [
      ...[process.execPath, "test", "--no-orphans", "--only-failures", `--timeout=${TEST_TIMEOUT_MS}`],
      ...["--reporter=junit", `--reporter-outfile=${results}.xml`, `./${path}`],
    ],
    {
      cwd: ROOT,
      env: testEnvironment(),
      stdin: "ignore",
      stdout: output.fd,
      stderr: output.fd,
      timeout: FILE_TIMEOUT_MS,
      killSignal: "SIGKILL",
    },
  );
  const status = await child.exited;
  await output.close();
  const hung = child.signalCode === "SIGKILL" ? `\nkilled: a file may run for ${FILE_TIMEOUT_MS / 1000} s\n` : "";
  return {
    path,
    tally: tallyOf((await junit.exists()) ? await junit.text() : null, status),
    duration_ms: performance.now() - started,
    output: (await Bun.file(`${results}.log`).text()) + hung,
  };
}

/** The environment without a developer's own vendors and settings, which would change how the product behaves. */
function testEnvironment(): Record<string, string | undefined> {
  const ours = (name: string): boolean => /^CAMINO_|_API_KEY$/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours(name)));
}
