import pino from "pino";

/** Structured log lines. Secrets never get here: callers log ids, codes and counts, from an allow-list of fields. */
export type Log = pino.Logger;

const LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LEVELS)[number];

export function isLogLevel(text: string): text is LogLevel {
  return (LEVELS as readonly string[]).includes(text);
}

export interface Logs {
  readonly log: Log;
  /**
   * For the line of each finished request. Its fields are ours alone (ids, codes, counts), so it goes without the search
   * for secrets that guards the other log: that costs as much as the line itself.
   */
  readonly access_log: Log;
}

/** JSON lines on stdout or stderr, or readable lines for a terminal. */
export function createLogs(level: LogLevel, target: "stdout" | "stderr" | "terminal"): Logs {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  const stream = target === "terminal" ? { write: writeReadable } : gathering(target === "stderr" ? 2 : 1);
  return { log: pino({ ...options, redact: SECRETS }, stream), access_log: pino(options, stream) };
}

const SECRETS = {
  paths: ["authorization", "*.authorization", "*.api_key", "key", "*.key"],
  censor: "[redacted]",
};

/** Lines are gathered and written together; what is gathered is flushed every second and at exit. */
function gathering(dest: number): pino.DestinationStream {
  return pino.destination({ dest, sync: false, minLength: 4096, periodicFlush: 1000 });
}

function writeReadable(line: string): void {
  process.stdout.write(readableLine(line));
}

/** `12:30:01 info  request finished  method=POST status=200`. */
function readableLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${inline(value)}`);
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${[msg ?? "", ...rest].join("  ")}\n`;
}

function inline(value: unknown): string {
  return typeof value === "string" && !/\s/.test(value) ? value : JSON.stringify(value);
}
