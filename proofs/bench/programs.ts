import { join } from "node:path";

/** Starts and ends the programs of the bench. Each program is one process, so that its processor time can be read. */

export const ROOT = join(import.meta.dir, "../..");
export const BUN = join(ROOT, "bin/camino-bun");

export interface Program {
  readonly pid: number;
  /** The file of the program's stdout; its stderr goes to the path with `.err` added. */
  readonly log_path: string;
  /** Whether the program has ended, for any reason. */
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** Starts a program whose output goes to a log file, which is shown when the program fails. */
export function start(command: readonly string[], log_path: string, env: Record<string, string> = {}): Program {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: environment(env),
    stdin: "ignore",
    stdout: Bun.file(log_path),
    stderr: Bun.file(`${log_path}.err`),
  });
  return {
    pid: child.pid,
    log_path,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      child.kill("SIGTERM");
      const killer = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await child.exited;
      clearTimeout(killer);
    },
  };
}

/** This process's environment without a developer's own vendors and settings of Camino. */
export function environment(more: Record<string, string> = {}): Record<string, string | undefined> {
  const theirs = Object.entries(process.env).filter(([name]) => !/^CAMINO_|_API_KEY$/.test(name));
  return { ...Object.fromEntries(theirs), ...more };
}

/** Starts one of the bench's own servers and waits for the port that it prints. */
export async function startServer(
  script: string,
  args: readonly string[],
  folder: string,
): Promise<Program & { port: number }> {
  const program = start([BUN, join(ROOT, "proofs/bench", script), ...args], join(folder, `${script}.log`));
  const port = await waitFor(script, program, async () => {
    const found = /listening (\d+)/.exec(await Bun.file(program.log_path).text())?.[1];
    return found === undefined ? null : Number(found);
  });
  return { ...program, port };
}

const PATIENCE_MS = 20_000;

/**
 * Calls `ask` until it has an answer, which means that the program is ready, and returns the answer. A program that
 * ends early, or is not ready in time, is stopped, and the error shows the program's output.
 */
export async function waitFor<T>(
  name: string,
  program: Program,
  ask: () => Promise<T | null>,
  patience_ms: number = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + patience_ms;
  while (performance.now() < deadline && !program.hasEnded()) {
    const answer = await ask().catch(() => null);
    if (answer !== null) return answer;
    await Bun.sleep(25);
  }
  await program.stop();
  const paths = [program.log_path, `${program.log_path}.err`];
  const said = await Promise.all(paths.map((path) => Bun.file(path).text()));
  throw new Error(`${name} did not become ready. It wrote:\n${said.join("").slice(-3000)}`);
}

/** A port that nobody listens on at this moment, for programs that need a port as a setting. */
export function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  const { port } = server;
  server.stop(true);
  return port;
}
