import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RequestRecord } from "../simulator/request-log.ts";
import type { VendorProtocol } from "./protocols.ts";
import type { Deployment } from "./deployment.ts";
import type { Installed } from "./install.ts";
import type { Outside } from "./outside.ts";
import { type Ended, type Running, startCommand } from "./program.ts";

/** What a program is started with; nothing but what stands here reaches it. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Default: the session's folder. */
  readonly cwd?: string;
}

/** One check among many of a scenario. */
export interface Check {
  readonly name: string;
  readonly passed: boolean;
  /** What was found in place of what was expected; empty where it passed. */
  readonly detail: string;
}

/** Where a scenario runs: a gateway, a key, a vendor to look at, an empty folder, and the means to run the client in it. */
export class Session {
  readonly protocol: VendorProtocol;
  readonly installed: Installed;
  /** The gateway's address without a path: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Of an account with plenty of credit. */
  readonly key: string;
  /** An empty folder: the project that the client works in. */
  readonly folder: string;
  /** An empty folder: the client's HOME. */
  readonly home: string;
  readonly checks: Check[] = [];
  readonly #deployment: Deployment;
  readonly #outside: Outside;
  readonly #first_request: number;
  readonly #running = new Set<Running>();
  readonly #deadline: number;

  private constructor(options: SessionOptions, key: string) {
    this.protocol = options.protocol;
    this.installed = options.installed;
    this.url = options.deployment.url;
    this.key = key;
    this.folder = join(options.folder, "project");
    this.home = join(options.folder, "home");
    this.#deployment = options.deployment;
    this.#outside = options.outside;
    this.#first_request = options.deployment.simulator.log.requests.length;
    this.#deadline = performance.now() + options.timeout_ms;
  }

  static async open(options: SessionOptions): Promise<Session> {
    const session = new Session(options, await options.deployment.newKey("1000"));
    await mkdir(session.folder, { recursive: true });
    await mkdir(session.home, { recursive: true });
    return session;
  }

  /** The id of a model of this vendor: `gemini/agent`. */
  model(kind: string): string {
    return `${this.protocol}/${kind}`;
  }

  /** A key of another account, with this much credit. */
  newKey(credit: string): Promise<string> {
    return this.#deployment.newKey(credit);
  }

  /** What the vendor has seen in this scenario, oldest first. */
  get vendorSaw(): readonly RequestRecord[] {
    return this.#deployment.simulator.log.requests.slice(this.#first_request);
  }

  /** The hosts other than this machine that were asked for in this scenario. */
  get hostsAsked(): readonly string[] {
    return [...this.#outside.hosts];
  }

  /** Runs one of the client's programs, or any other by its path, to its end. Throws where it takes too long. */
  async run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const ended = await this.start(program, args, options).ended;
    if (ended.timed_out) throw new Error(`took too long. It said: ${lastWords(ended)}`);
    return ended;
  }

  /** Starts a program; what still runs when the scenario ends is ended. */
  start(program: string, args: readonly string[], options: RunOptions = {}): Running {
    const running = startCommand({
      argv: [program.includes("/") ? program : this.installed.bin(program), ...args],
      cwd: options.cwd ?? this.folder,
      env: { ...this.#environment(), ...options.env },
      timeout_ms: Math.max(1, this.#deadline - performance.now()),
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    });
    this.#running.add(running);
    return running;
  }

  /**
   * Runs a script that makes checks of its own and prints a line of JSON for each: `{"check": "streams", "ok": true}`,
   * with `detail` where it is not. It gets CAMINO_URL, CAMINO_API_KEY, CAMINO_VENDOR (the part of models' ids before the
   * slash) and whatever else is given. Throws where the script itself fails or checks nothing.
   */
  async runChecks(program: string, args: readonly string[], options: RunOptions = {}): Promise<void> {
    const env = { CAMINO_URL: this.url, CAMINO_API_KEY: this.key, CAMINO_VENDOR: this.protocol, ...options.env };
    const ended = await this.run(program, args, { ...options, env });
    const checks = ended.stdout.split("\n").flatMap(readCheck);
    this.checks.push(...checks);
    if (ended.status !== 0) throw new Error(`ended with ${ended.status}: ${lastWords(ended)}`);
    if (checks.length === 0) throw new Error(`checked nothing: ${lastWords(ended)}`);
  }

  /** Tells one check of a scenario that makes many. A check that fails does not end the scenario. */
  check(name: string, passed: boolean, detail = ""): void {
    this.checks.push({ name, passed, detail: passed ? "" : detail });
  }

  /** Ends what still runs. */
  async close(): Promise<void> {
    for (const running of this.#running) running.signal("SIGKILL");
    await Promise.allSettled([...this.#running].map(({ ended }) => ended));
  }

  #environment(): Record<string, string> {
    const proxy = this.#outside.url;
    return {
      // The client's own programs first; then those of the machine, which agents call.
      PATH: `${this.installed.bin("")}:${process.env.PATH ?? ""}`,
      HOME: this.home,
      TMPDIR: this.home,
      LANG: "C.UTF-8",
      TERM: "dumb",
      // Whoever is asked for beside the gateway is told, and is not reached.
      ...Object.fromEntries(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, proxy])),
      NO_PROXY: "127.0.0.1,localhost",
      no_proxy: "127.0.0.1,localhost",
    };
  }
}

export interface SessionOptions {
  readonly protocol: VendorProtocol;
  readonly installed: Installed;
  readonly deployment: Deployment;
  readonly outside: Outside;
  /** An empty folder for this scenario. */
  readonly folder: string;
  readonly timeout_ms: number;
}

const MOST_WORDS = 1500;

/** The end of what a program said, for a person who wants to know why it failed. */
export function lastWords({ stdout, stderr }: Pick<Ended, "stdout" | "stderr">): string {
  return `${stderr.slice(-MOST_WORDS)}${stdout.slice(-MOST_WORDS)}`.trim() || "(nothing)";
}

function readCheck(line: string): Check[] {
  if (!line.startsWith("{")) return [];
  try {
    const { check, ok, detail } = JSON.parse(line) as Record<string, unknown>;
    if (typeof check !== "string" || typeof ok !== "boolean") return [];
    return [{ name: check, passed: ok, detail: ok ? "" : String(detail ?? "") }];
  } catch {
    // Whatever else the script prints.
    return [];
  }
}
