import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { makeTemporaryFolder, type TemporaryFolder } from "./memory-folder.ts";
import { ProcessTimes } from "./process-times.ts";
import type { RunCost } from "./run-cost.ts";
import { type FileReport, talliesByFile, tallyOf } from "./tally.ts";
import type { Batch } from "./test-files.ts";

const ROOT = join(import.meta.dir, "..");

/** A test that takes longer hangs: on a busy machine, a browser's walk through the console has taken half of this. */
const TEST_TIMEOUT_MS = 60_000;
/** A process that takes longer than this for each of its files hangs. The longest drill, which builds all that is released twice, takes half of this. */
const FILE_TIMEOUT_MS = 480_000;
/**
 * Bun's compilers took a quarter of the processor time of a run. The last of them earns its cost within minutes, which no process here lives, and
 * the others wait three times as long. What is measured and tried for long (drills, bench, torture, soak) has Bun's own settings.
 */
const COMPILE_LESS = { BUN_JSC_useFTLJIT: "0", BUN_JSC_jitPolicyScale: "3" };
/** Of many small files in a process none takes long. */
const MOST_TIMEOUTS = 3;

/**
 * Runs each batch in a process of its own, so that a file that crashes, hangs or leaves a process running does not disturb
 * files of other batches. A file that shares its process gets one of its own where its batch ended without a result for it, so
 * that each result names its file.
 */
export class SuiteRunner implements AsyncDisposable {
  readonly #temporary: TemporaryFolder;
  /** Results and output, apart from what tests leave. */
  readonly #folder: string;
  readonly #onReport: (report: FileReport) => void;
  readonly #onCost: ((cost: RunCost) => void) | undefined;
  readonly #law_runs: number;
  readonly #leaves_drills: boolean;
  readonly #camino: string | undefined;
  readonly #built: string | undefined;
  /** Only where somebody asks for costs: looking at all processes twice a second costs a little itself. */
  readonly #times: ProcessTimes | null;
  #runs = 0;

  private constructor(
    temporary: TemporaryFolder,
    folder: string,
    { onReport, onCost, runs = 1, leaves_drills = false, camino, built }: SuiteOptions,
  ) {
    this.#temporary = temporary;
    this.#folder = folder;
    this.#onReport = onReport;
    this.#onCost = onCost;
    this.#law_runs = runs;
    this.#leaves_drills = leaves_drills;
    this.#camino = camino;
    this.#built = built;
    this.#times = onCost === undefined ? null : new ProcessTimes();
  }

  static async create(options: SuiteOptions): Promise<SuiteRunner> {
    const temporary = await makeTemporaryFolder(process.env);
    const folder = join(temporary.path, "results");
    await mkdir(folder);
    return new SuiteRunner(temporary, folder, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#times?.[Symbol.dispose]();
    await this.#temporary[Symbol.asyncDispose]();
  }

  async runFile(path: string): Promise<FileReport> {
    const { junit, status, output, duration_ms } = await this.#run([path]);
    return this.#report({ path, tally: tallyOf(junit, status), duration_ms, output });
  }

  async runBatch(paths: Batch): Promise<FileReport[]> {
    const [only, ...others] = paths;
    if (only !== undefined && others.length === 0) return [await this.runFile(only)];
    const { junit, status, output, duration_ms } = await this.#run(paths);
    const results = talliesByFile(junit);
    const named = [...results.values()].some(({ tally }) => tally.failed > 0);
    const missing = paths.filter((path) => !results.has(path));
    // A process that fails between tests names no file.
    const unclear = status === 0 || named || missing.length > 0 ? missing : paths;
    const reports = paths
      .filter((path) => !unclear.includes(path))
      .map((path) => {
        const { tally, duration_ms } = results.get(path) ?? nothing();
        return this.#report({ path, tally, duration_ms, output: tally.failed > 0 ? output : "" });
      });
    for (const path of unclear) reports.push(await this.runFile(path));
    if (status === 0 || reports.some(({ tally }) => tally.failed > 0)) return reports;
    // Together they fail and alone none does: the first file without a result stands for it.
    const told = { path: unclear[0] ?? only ?? "", tally: nothing().tally, duration_ms, output };
    return reports.map((report) => (report.path === told.path ? this.#report(told) : report));
  }

  #report(report: FileReport): FileReport {
    this.#onReport(report);
    return report;
  }

  async #run(paths: Batch): Promise<Run> {
    const started = performance.now();
    const timeout_ms = FILE_TIMEOUT_MS * Math.min(paths.length, MOST_TIMEOUTS);
    this.#runs += 1;
    const results = join(this.#folder, String(this.#runs));
    const junit = Bun.file(`${results}.xml`);
    // Output goes to a file and not to a pipe, because a program that a killed test leaves behind keeps a pipe open.
    const output = await open(`${results}.log`, "w");
    const child = Bun.spawn(
      [
        ...[process.execPath, "test", "--no-orphans", "--only-failures", `--timeout=${TEST_TIMEOUT_MS}`],
        ...(process.env.TEST_SEED === undefined ? [] : ["--preload=./proofs/support/law-seed.ts"]),
        ...(this.#built === undefined ? [] : ["--preload=./proofs/support/built-threads.ts"]),
        ...["--reporter=junit", `--reporter-outfile=${results}.xml`, ...paths.map((path) => `./${path}`)],
      ],
      {
        cwd: ROOT,
        env: {
          ...testEnvironment(),
          TMPDIR: this.#temporary.path,
          TEST_BROWSER_FILES: String(paths.filter((path) => path.startsWith("proofs/suites/console/")).length),
          TEST_RUNS: String(this.#law_runs),
          TEST_LEAVES_DRILLS: this.#leaves_drills ? "1" : "0",
          ...(this.#camino !== undefined && { TEST_CAMINO: this.#camino }),
          ...(this.#built !== undefined && { TEST_BUILT_GATEWAY: this.#built, ...COMPILE_LESS }),
        },
        stdin: "ignore",
        stdout: output.fd,
        stderr: output.fd,
        timeout: timeout_ms,
        killSignal: "SIGKILL",
      },
    );
    this.#times?.watch(child.pid);
    const status = await child.exited;
    await output.close();
    const duration_ms = performance.now() - started;
    const waited_ms = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
    this.#onCost?.({ paths, duration_ms, cpu_ms: Math.max(waited_ms, this.#times?.seen(child.pid) ?? 0) });
    this.#times?.forget(child.pid);
    const hung = child.signalCode === "SIGKILL" ? `\nkilled: this process may run for ${timeout_ms / 1000} s\n` : "";
    return {
      junit: (await junit.exists()) ? await junit.text() : null,
      status,
      output: (await Bun.file(`${results}.log`).text()) + hung,
      duration_ms,
    };
  }
}

export interface SuiteOptions {
  /** Called with each file's result as soon as it has ended. */
  readonly onReport: (report: FileReport) => void;
  /** Called with the cost of each process as soon as it has ended. */
  readonly onCost?: (cost: RunCost) => void;
  /** How many times as many cases laws are tried on (proofs/support/runs.ts). Default: 1. */
  readonly runs?: number;
  /** Whether tests that are drills are left out (proofs/support/runs.ts). Default: false. */
  readonly leaves_drills?: boolean;
  /** The executable that suites run as `camino` (proofs/support/camino-command.ts). Default: the launcher. */
  readonly camino?: string;
  /**
   * The folder of the gateway's built form, from which threads start, in a run whose processes all live for seconds: they and the gateways that they
   * start compile less (proofs/support/built-threads.ts, camino-command.ts). Default: threads from the sources, and the compiler as it is.
   */
  readonly built?: string;
}

/** What is known of a process that ran tests. */
interface Run {
  readonly junit: string | null;
  readonly status: number;
  readonly output: string;
  readonly duration_ms: number;
}

function nothing(): Pick<FileReport, "tally" | "duration_ms"> {
  return { tally: { passed: 0, failed: 1, skipped: 0 }, duration_ms: 0 };
}

/** The environment without a developer's own vendors and settings, which would change how the product behaves. */
function testEnvironment(): Record<string, string | undefined> {
  const ours = (name: string): boolean => /^CAMINO_(?!TEST_)|_API_KEY$/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours(name)));
}

/** Does tasks in their order, `lanes` at a time, and resolves when all are done. Tasks do not reject. */
export async function inLanes(lanes: number, tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const queue = tasks.values();
  const work = async (): Promise<void> => {
    for (const task of queue) await task();
  };
  await Promise.all(Array.from({ length: lanes }, work));
}
