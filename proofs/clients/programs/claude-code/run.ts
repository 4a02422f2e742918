import { strict as assert } from "node:assert";
import type { Running } from "../../program.ts";
import { lastWords, type Session } from "../../session.ts";

/** The settings that a user makes, and settings that keep the program from contacting anything but the gateway. */
function settings(session: Session, model: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: session.url,
    ANTHROPIC_AUTH_TOKEN: session.key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
  };
}

/** A line of `--output-format stream-json`, with the members that the scenarios read. */
export interface Event {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly is_error?: boolean;
  readonly result?: string;
  readonly message?: { readonly content?: readonly { readonly type: string; readonly text?: string }[] | string };
}

export interface Asked {
  readonly prompt: string;
  readonly model: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The last event of a run, and all events. */
export interface ClaudeOutput {
  readonly result: Event;
  readonly events: readonly Event[];
  readonly status: number | null;
  readonly stderr: string;
}

const TOOLS = ["Agent", "Bash", "Edit", "Read", "Write"];

/** Starts `claude -p`, with the tools allowed that change files and run commands. */
export function startClaude(session: Session, { prompt, model, args = [], env = {} }: Asked): Running {
  const flags = ["--output-format", "stream-json", "--verbose", "--allowedTools", TOOLS.join(",")];
  return session.start("claude", ["-p", prompt, ...flags, ...args], { env: { ...settings(session, model), ...env } });
}

/** Runs `claude -p` to its end. Throws when it prints no result. */
export async function runClaude(session: Session, asked: Asked): Promise<ClaudeOutput> {
  const ended = await startClaude(session, asked).ended;
  assert(!ended.timed_out, `took too long: ${lastWords(ended)}`);
  const events = readEvents(ended.stdout);
  const result = events.findLast(({ type }) => type === "result");
  assert(result !== undefined, `ended with ${ended.status} and told no result: ${lastWords(ended)}`);
  return { result, events, status: ended.status, stderr: ended.stderr };
}

/** Runs it and requires success. Returns the text of the result too. */
export async function mustRunClaude(session: Session, asked: Asked): Promise<ClaudeOutput & { readonly text: string }> {
  const told = await runClaude(session, asked);
  const text = told.result.result ?? "";
  assert(told.result.is_error === false, `an error was told: ${text}`);
  return { ...told, text };
}

/** The events that it has printed so far. */
export function readEvents(stdout: string): Event[] {
  const lines = stdout.slice(0, stdout.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Event);
}
