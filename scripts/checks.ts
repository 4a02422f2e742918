import { join } from "node:path";
import { checkHouse } from "./house/check-house.ts";
import { formatViolations } from "./house/violation.ts";
import { installApart } from "./packages-apart.ts";

/** The result of a check that is not a test suite. Each check counts as one test. */
export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
  /** The output of a failed check; empty when the check passed. */
  readonly output: string;
  readonly duration_ms: number;
}

const ROOT = join(import.meta.dir, "..");

/** Types, lint and house rules of a project's folder, the first two at the same time. */
export async function runChecks(root = ROOT): Promise<CheckResult[]> {
  await installApart("proofs").catch((thrown: Error) =>
    console.error(`${thrown.message}\nTypes that need them are missing.`),
  );
  const [types, lint] = await Promise.all([checkTypes(root), checkLint(root)]);
  const started = performance.now();
  const violations = await checkHouse(root, types.explanation);
  const house = result("house rules", violations.length === 0, formatViolations(violations), started);
  return [types.result, lint, house];
}

/** The compiler's result, and its explanation of which file imports which, from the same run. */
async function checkTypes(root: string): Promise<{ result: CheckResult; explanation: string }> {
  const started = performance.now();
  // Folders for another runtime (the console, for browsers) have their own settings.
  const others = await Array.fromAsync(new Bun.Glob("*/tsconfig.json").scan({ cwd: root }));
  const runs = await Promise.all(
    ["tsconfig.json", ...others].map((project) =>
      run(root, ["tsc", "-p", project, "--explainFiles", "--pretty", "false"]),
    ),
  );
  const output = runs.map((each) => each.output).join("\n");
  const errors = output.split("\n").filter((line) => /error TS\d+:/.test(line));
  const told = errors.length > 0 ? errors.join("\n") : `tsc failed:\n${output.slice(-2000)}`;
  const passed = runs.every(({ status }) => status === 0);
  return { result: result("types", passed, told, started), explanation: output };
}

async function checkLint(root: string): Promise<CheckResult> {
  const started = performance.now();
  const { status, output } = await run(root, ["biome", "check", "--error-on-warnings", "--max-diagnostics=200"]);
  return result("lint", status === 0, output, started);
}

function result(name: string, passed: boolean, output: string, started: number): CheckResult {
  return { name, passed, output: passed ? "" : output, duration_ms: performance.now() - started };
}

async function run(root: string, [tool = "", ...args]: string[]): Promise<{ status: number; output: string }> {
  const child = Bun.spawn([join(ROOT, "node_modules/.bin", tool), ...args], {
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { status: await child.exited, output: stdout + stderr };
}

/** One line per check, followed by the output of a failed check. */
export function reportCheck({ name, passed, output, duration_ms }: CheckResult): string {
  const verdict = `${passed ? "pass" : "FAIL"}  ${name} (${(duration_ms / 1000).toFixed(1)} s)`;
  return passed ? verdict : `${verdict}\n${output}`;
}
