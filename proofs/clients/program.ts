import { type ChildProcess, spawn } from "node:child_process";

/** How a client's program is started. */
export interface Command {
  /** The program and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment of the program: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to the program's input, which is then closed. Without it the input is empty. */
  readonly stdin?: string;
  readonly timeout_ms: number;
}

/** The output of a program, and how it ended. */
export interface Ended {
  /** Null where a signal ended the program. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the program was killed because it exceeded its timeout. */
  readonly timed_out: boolean;
}

/** A running program, which leads a process group of its own. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** The program's output so far. */
  said(): { readonly stdout: string; readonly stderr: string };
  /** Resolves once the output contains the text; rejects when the program ends without it. */
  hasSaid(text: string): Promise<void>;
  /** Sends a signal to the program and to all its child processes. */
  signal(name: NodeJS.Signals): void;
}

/** The most output that is kept; further output is read and dropped. */
const MOST_SAID = 16 * 1024 * 1024;

/** Starts a program in its own process group, so that the program and its children can be ended, and nothing else. */
export function startCommand({ argv: [program = "", ...args], cwd, env, stdin = "", timeout_ms }: Command): Running {
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      if (said[name].length < MOST_SAID) said[name] += text;
    });
  // A program that ends before it has read its input is judged by its exit status.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  let timed_out = false;
  const timer = setTimeout(() => {
    timed_out = true;
    signalGroup(child, "SIGKILL");
  }, timeout_ms);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => {
      // Children that the program left running would hold the pipes open.
      signalGroup(child, "SIGKILL");
    });
    child.once("close", (status) => resolve({ status, ...said, timed_out }));
  }).finally(() => clearTimeout(timer));
  const hasSaid = async (text: string): Promise<void> => {
    let running = true;
    void ended
      .catch(() => {})
      .then(() => {
        running = false;
      });
    while (running && !said.stdout.includes(text)) await Bun.sleep(50);
    if (!said.stdout.includes(text)) throw new Error(`ended without a word of '${text}': ${said.stderr}${said.stdout}`);
  };
  return { ended, hasSaid, said: () => ({ ...said }), signal: (name) => signalGroup(child, name) };
}

/** Runs a program to its end. */
export function runCommand(command: Command): Promise<Ended> {
  return startCommand(command).ended;
}

function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    // ESRCH: the whole group has ended already.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
