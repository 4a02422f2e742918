import { strict as assert } from "node:assert";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Running } from "../../program.ts";
import { lastWords, type Session } from "../../session.ts";

/** The two ways to configure the gateway in `~/.codex/config.toml`. */
export type ProviderSetup = "provider" | "base-url";

const CONFIG: Readonly<Record<ProviderSetup, (url: string) => string>> = {
  provider: (url) => `model_provider = "camino"

[model_providers.camino]
name = "Camino"
base_url = "${url}/v1"
env_key = "CAMINO_API_KEY"
wire_api = "responses"
`,
  "base-url": (url) => `openai_base_url = "${url}/v1"
`,
};

/** Stands before every table of the file. */
const NO_UPDATES = "check_for_update_on_startup = false\n";

/** Settings that keep the program from contacting anything but the gateway. */
const QUIET = `[analytics]
enabled = false
[otel]
exporter = "none"
[features]
apps = false
plugins = false
`;

/** A line of `--json`, with the members that the scenarios read. */
export interface Event {
  readonly type: string;
  readonly thread_id?: string;
  readonly item?: { readonly type: string; readonly text?: string };
  readonly message?: string;
  readonly error?: { readonly message?: string };
}

export interface Asked {
  readonly prompt: string;
  readonly model: string;
  readonly way?: ProviderSetup;
  /** The arguments after `codex exec`: `["resume", "--last"]`. */
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly key?: string;
}

/** The result of a run. */
export interface CodexOutput {
  readonly events: readonly Event[];
  readonly status: number | null;
  readonly stderr: string;
  /** The last message of the assistant. */
  readonly text: string;
}

/** Starts `codex exec` with all permissions in the session's folder. */
export async function startCodex(session: Session, asked: Asked): Promise<Running> {
  const { prompt, model, way = "provider", command = [], args = [], key = session.key } = asked;
  await mkdir(join(session.home, ".codex"), { recursive: true });
  await Bun.write(join(session.home, ".codex/config.toml"), NO_UPDATES + CONFIG[way](session.url) + QUIET);
  const flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", model];
  if (way === "base-url") await logIn(session, key);
  // The prompt is passed as input, for which `-` stands: as an argument it could be taken for an option.
  return session.start("codex", ["exec", ...command, ...flags, ...args, "-"], {
    env: way === "provider" ? { CAMINO_API_KEY: key } : {},
    stdin: prompt,
  });
}

/** OpenAI's own provider reads its key only from the login, not from a variable. */
async function logIn(session: Session, key: string): Promise<void> {
  const ended = await session.run("codex", ["login", "--with-api-key"], { stdin: key });
  assert.equal(ended.status, 0, lastWords(ended));
}

export async function runCodex(session: Session, asked: Asked): Promise<CodexOutput> {
  const ended = await (await startCodex(session, asked)).ended;
  assert(!ended.timed_out, `took too long: ${lastWords(ended)}`);
  const lines = ended.stdout.split("\n").filter((line) => line.startsWith("{"));
  const events = lines.map((line) => JSON.parse(line) as Event);
  const text = events.findLast(({ item }) => item?.type === "agent_message")?.item?.text ?? "";
  return { events, text, status: ended.status, stderr: ended.stderr };
}

/** Runs it and requires success, without a single refused request. */
export async function mustRunCodex(session: Session, asked: Asked): Promise<CodexOutput> {
  const told = await runCodex(session, asked);
  const failed = told.events.find(({ type }) => type === "turn.failed");
  assert(failed === undefined && told.status === 0, `${failed?.error?.message ?? ""} ${told.stderr}`.trim());
  return told;
}
