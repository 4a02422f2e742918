import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RequestRecord } from "../../simulator/request-log.ts";
import type { Deployment } from "./deployment.ts";
import type { Installed } from "./install.ts";
import type { Outside } from "./outside.ts";
import { type Ended, type Running, startCommand } from "./program.ts";
import type { VendorProtocol } from "./protocols.ts";

/** The environment, input and folder of a program; it inherits nothing else. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Default: the session's folder. */
  readonly cwd?: string;
}

/** The credit of a session's account, in units. */
const CREDIT = 1000;

/** One of the many checks of a scenario. */
export interface Check {
  readonly name: string;
  readonly passed: boolean;
  /** What was found in place of the expected result; empty where the check passed. */
  readonly detail: string;
}

/**
 * The surroundings of a scenario: a gateway, a key, a vendor whose requests can be read, an empty folder, and the means
 * to run the client in it.
 */
export class Session {
  readonly protocol: VendorProtocol;
  readonly installed: Installed;
  /** The gateway's address without a path: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** A key of an account with plenty of credit. */
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
    const session = new Session(options, await options.deployment.newKey(String(CREDIT)));
    await mkdir(session.folder, { recursive: true });
    await mkdir(session.home, { recursive: true });
    return session;
  }

  /** The id of a model of this vendor: `gemini/agent`. */
  model(kind: string): string {
    return `${this.protocol}/${kind}`;
  }

  /** Creates another account with this much credit, and returns a key of it. */
  newKey(credit: string): Promise<string> {
    return this.#deployment.newKey(credit);
  }

  /** What the account of `key` has been charged, in micro units, once none of its requests runs. */
  async spentMicro(): Promise<number> {
    const headers = { authorization: `Bearer ${this.key}` };
    for (;;) {
      const response = await fetch(`${this.url}/v1/credits`, { headers });
      const { balance_micro, uncollected_micro } = (await response.json()) as Record<string, number>;
      if (uncollected_micro === 0) return CREDIT * 1_000_000 - Number(balance_micro);
      if (performance.now() > this.#deadline) throw new Error(`${uncollected_micro} micro units are still held`);
      await Bun.sleep(50);
    }
  }

  /** The requests that the vendor received in this scenario, oldest first. */
  get vendorSaw(): readonly RequestRecord[] {
    return this.#deployment.simulator.log.requests.slice(this.#first_request);
  }

  /** The hosts other than this machine that the scenario's programs asked for. */
  get hostsAsked(): readonly string[] {
    return [...this.#outside.hosts];
  }

  /** Runs one of the client's programs, or any other program by its path, to its end. Throws when it takes too long. */
  async run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const ended = await this.start(program, args, options).ended;
    if (ended.timed_out) throw new Error(`took too long. It said: ${lastWords(ended)}`);
    return ended;
  }

  /** Starts a program, which is ended with the scenario if it still runs then. */
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
   * Runs a script with checks of its own, which prints a line of JSON for each: `{"check": "streams", "ok": true}`,
   * with `detail` for a failed one. The script gets CAMINO_URL, CAMINO_API_KEY, CAMINO_VENDOR (the part of models' ids
   * before the slash) and the given environment. Throws when the script itself fails or reports no check.
   */
  async runChecks(program: string, args: readonly string[], options: RunOptions = {}): Promise<void> {
    const env = { CAMINO_URL: this.url, CAMINO_API_KEY: this.key, CAMINO_VENDOR: this.protocol, ...options.env };
    const ended = await this.run(program, args, { ...options, env });
    const checks = ended.stdout.split("\n").flatMap(readCheck);
    this.checks.push(...checks);
    if (ended.status !== 0) throw new Error(`ended with ${ended.status}: ${lastWords(ended)}`);
    if (checks.length === 0) throw new Error(`checked nothing: ${lastWords(ended)}`);
  }

  /** Reports one check of a scenario with many checks. A failed check does not end the scenario. */
  check(name: string, passed: boolean, detail = ""): void {
    this.checks.push({ name, passed, detail: passed ? "" : detail });
  }

  /** Ends the programs that still run. */
  async close(): Promise<void> {
    for (const running of this.#running) running.signal("SIGKILL");
    await Promise.allSettled([...this.#running].map(({ ended }) => ended));
  }

  #environment(): Record<string, string> {
    const proxy = this.#outside.url;
    return {
      // The client's own programs come first, then the machine's programs, which agents call.
      PATH: `${this.installed.bin("")}:${process.env.PATH ?? ""}`,
      HOME: this.home,
      TMPDIR: this.home,
      LANG: "C.UTF-8",
      TERM: "dumb",
      // Requests to any other host than the gateway go to a proxy, which records and blocks them.
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

/** The end of a program's output, for a person who looks for the cause of a failure. */
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
    // Other output of the script is ignored.
    return [];
  }
}
