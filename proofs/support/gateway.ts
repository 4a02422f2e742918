import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BEFORE_THE_START } from "../../src/main/one-binary.ts";
import { COMPILES_LESS, caminoCommand, programCommand } from "./camino-command.ts";

/** A gateway as its user runs it: the real command, in its own process, with its own data directory. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
  /** The printed link for the first administrator; null when an administrator can sign in otherwise. */
  readonly sign_in_link: string | null;
  /** Where health, readiness and metrics are answered, if not at `url`. */
  readonly operations_url: string | null;
  readonly pid: number;
  readonly data: string;
  /** Calls the console API with the admin token. Throws on a refusal. */
  admin<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** A new account with this much credit and one key. */
  newKey(options?: NewKeyOptions): Promise<TestKey>;
  /** Sends a signal and does not wait for its effect. */
  signal(signal: NodeJS.Signals): void;
  /** Settles with the exit code, or null where a signal ended the process. */
  readonly exited: Promise<number | null>;
  /** Ends the process with a signal and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Starts the gateway again on the same data. */
  restart(): Promise<Gateway>;
  /** The log so far. */
  log(): string;
}

export interface NewKeyOptions {
  readonly credit?: string;
  readonly [field: string]: unknown;
}

export interface TestKey {
  readonly id: string;
  readonly key: string;
  readonly account: string;
}

export interface GatewayOptions {
  /** The configuration file's text; without it the gateway runs unconfigured, with the built-in simulator. */
  readonly config?: string;
  /** Files beside the configuration file, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Record<string, string>;
  readonly database?: string;
  /** An existing data directory, to start again on it. */
  readonly data?: string;
  /** A TypeScript file to run in place of the command. */
  readonly program?: string;
}

let accounts_made = 0;

/**
 * The first port that a gateway of this process had. In a process whose files share a browser, each gateway that can has it: to the browser all
 * of them are one origin, whose files it has already (browser.ts).
 */
let shared_port: number | null = null;
const SHARES_BROWSER = Number(process.env.TEST_BROWSER_FILES ?? 1) > 1;

function choosePort(): number {
  if (!SHARES_BROWSER || shared_port === null) return 0;
  try {
    Bun.listen({ hostname: "127.0.0.1", port: shared_port, socket: { data: () => {} } }).stop(true);
    return shared_port;
  } catch {
    // Another gateway of this process runs there.
    return 0;
  }
}

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const data = options.data ?? (await mkdtemp(join(tmpdir(), "camino-test-")));
  const config_file = join(data, "camino.yaml");
  if (options.config !== undefined) await Bun.write(config_file, options.config);
  for (const [name, text] of Object.entries(options.files ?? {})) await Bun.write(join(data, name), text);
  const flags = options.config === undefined ? [] : ["--config", config_file];
  if (options.database !== undefined) flags.push("--database", options.database);
  const command = options.program === undefined ? [caminoCommand(), "serve"] : programCommand(options.program);
  const child = Bun.spawn([...command, "--json", "--port", String(choosePort()), "--data", data, ...flags], {
    cwd: data,
    env: { PATH: process.env.PATH ?? "", CAMINO_LOG: "info", ...BEFORE_THE_START, ...COMPILES_LESS, ...options.env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const log = gather(child.stderr);
  const ready = await firstJson(child.stdout, child.exited, log);
  shared_port ??= Number(new URL(ready.url).port);
  const token_file = options.env?.CAMINO_ADMIN_TOKEN_FILE ?? join(data, "admin-token");
  const token = options.env?.CAMINO_ADMIN_TOKEN ?? (await readFile(token_file, "utf8")).trim();

  const admin = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await fetch(`${ready.url}/console/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  };

  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await child.exited;
    return child.exitCode;
  };

  return {
    url: ready.url,
    // The link is printed with the name of this machine; tests visit the gateway by its number.
    sign_in_link: ready.sign_in_link?.replace("//localhost:", "//127.0.0.1:") ?? null,
    operations_url: ready.operations_url,
    pid: child.pid,
    data,
    admin,
    log: () => log.text,
    signal: (signal) => child.kill(signal),
    exited: child.exited.then(() => child.exitCode),
    stop,
    newKey: async ({ credit = "10", ...fields } = {}) => {
      accounts_made += 1;
      const email = `user-${accounts_made}-${process.pid}@example.com`;
      const account = await admin<{ id: string }>("POST", "/accounts", { email, credit });
      const made = await admin<{ id: string; key: string }>("POST", "/keys", { account: email, ...fields });
      return { id: made.id, key: made.key, account: account.id };
    },
    restart: () => startGateway({ ...options, data }),
    [Symbol.asyncDispose]: async () => {
      await stop("SIGKILL");
      if (options.data === undefined) await rm(data, { recursive: true, force: true });
    },
  };
}

interface Ready {
  readonly url: string;
  readonly sign_in_link: string | null;
  readonly operations_url: string | null;
}

/** The one JSON document that `serve --json` prints when it is ready. */
async function firstJson(
  stdout: ReadableStream<Uint8Array>,
  exited: Promise<number>,
  log: { text: string },
): Promise<Ready> {
  const reader = stdout.getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the gateway ended with ${await exited} before it was ready:\n${log.text}`);
    text += Buffer.from(value).toString();
    if (text.endsWith("\n")) break;
  }
  reader.releaseLock();
  const document = JSON.parse(text) as Ready;
  if (document.url === undefined) throw new Error(`the gateway did not start: ${text}`);
  return document;
}

function gather(stream: ReadableStream<Uint8Array>): { text: string } {
  const gathered = { text: "" };
  void (async () => {
    for await (const chunk of stream) gathered.text += Buffer.from(chunk).toString();
  })();
  return gathered;
}
