import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { caminoCommand } from "../../../support/camino-command.ts";
import { freePort } from "../../../support/free-port.ts";
import { ROOT } from "./blocks.ts";

/** The folder of a reader who follows a document: its commands are run in it by a shell, as they are written. */
export interface Stage extends AsyncDisposable {
  readonly folder: string;
  /** Where a gateway of this folder serves. */
  readonly url: string;
  /** Runs a script. `camino`, `npx camino`, `npm start` and `curl` are there; a command that serves stays in the background. */
  run(script: string, env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Starts the gateway of this folder, and resolves when it serves. */
  serve(): Promise<void>;
  /** Ends the gateway in good order. */
  stopServing(): Promise<void>;
  /** Calls the console API with the admin token. Throws on a refusal. */
  admin<Body>(method: string, path: string, body?: unknown): Promise<Body>;
}

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StageOptions {
  /** Files of the folder, by name; `camino.yaml` is the gateway's configuration. */
  readonly files?: Readonly<Record<string, string>>;
  /** Variables for the gateway and every command. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A command that serves is left running; its number is written down so that it can be ended. */
const CAMINO = `#!/bin/sh
[ "$1" = serve ] || exec "$CAMINO_COMMAND" "$@"
"$CAMINO_COMMAND" "$@" > "$STAGE/served" 2> "$STAGE/log" < /dev/null &
echo $! > "$STAGE/pid"
exec "$BUN" "$UNTIL_SERVED" $!
`;
const NPX =
  '#!/bin/sh\n[ "$1" = camino ] || { echo "npx $1: only camino is here" >&2; exit 1; }\nshift\nexec camino "$@"\n';
const NPM =
  '#!/bin/sh\n[ "$*" = start ] || { echo "npm $*: only npm start is here" >&2; exit 1; }\nexec camino serve\n';
const CURL = `#!/bin/sh\nexec "$BUN" "${join(import.meta.dir, "curl.ts")}" "$@"\n`;

export async function openStage({ files = {}, env = {} }: StageOptions): Promise<Stage> {
  const base = await mkdtemp(join(tmpdir(), "camino-snippets-"));
  const [folder, programs] = [join(base, "home"), join(base, "bin")];
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries({ camino: CAMINO, npx: NPX, npm: NPM, curl: CURL })) {
    await Bun.write(join(programs, name), text);
    await chmod(join(programs, name), 0o755);
  }
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const variables = {
    ...{ PATH: `${programs}:/usr/local/bin:/usr/bin:/bin`, HOME: folder, STAGE: base, BUN: process.execPath },
    ...{ CAMINO_COMMAND: caminoCommand(), UNTIL_SERVED: join(import.meta.dir, "until-served.ts") },
    ...{ CAMINO_PORT: String(port), CAMINO_URL: url, CAMINO_LOG: "info" },
    ...env,
  };
  const run = async (script: string, more: Readonly<Record<string, string>> = {}): Promise<Ran> => {
    const child = Bun.spawn(["sh", "-euc", script], {
      cwd: folder,
      env: { ...variables, ...more },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { status, stdout, stderr };
  };
  const stopServing = async (): Promise<void> => {
    const pid = Number(await readFile(join(base, "pid"), "utf8").catch(() => "0"));
    if (pid === 0) return;
    await rm(join(base, "pid"));
    const ended = await run(`kill -TERM ${pid} && while kill -0 ${pid} 2> /dev/null; do sleep 0.05; done`);
    if (ended.status !== 0) throw new Error(`the gateway had ended: ${await readFile(join(base, "log"), "utf8")}`);
  };
  return {
    folder,
    url,
    run,
    stopServing,
    serve: async () => {
      const { status, stdout, stderr } = await run("camino serve");
      if (status !== 0) throw new Error(`camino serve: ${stdout}${stderr}`);
    },
    admin: async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
      const token = (await readFile(join(folder, "data/admin-token"), "utf8")).trim();
      const headers = { authorization: `Bearer ${token}` };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${url}/console/api${path}`, { method, headers, ...sent });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Body;
    },
    [Symbol.asyncDispose]: async () => {
      await stopServing();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Files of the project, as a reader has them. */
export function projectFile(path: string): Promise<string> {
  return Bun.file(join(ROOT, path)).text();
}
