import pino from "pino";
import { AccessLog } from "./access-log.ts";
import { LineSink, PIPE_BYTES } from "./line-sink.ts";

/**
 * Structured log lines. Secrets are never passed in: callers log ids, codes and counts, from an allow-list of fields.
 */
export type Log = pino.Logger;

const LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LEVELS)[number];

export function isLogLevel(text: string): text is LogLevel {
  return (LEVELS as readonly string[]).includes(text);
}

export interface Logs {
  readonly log: Log;
  readonly access_log: AccessLog;
  /** Gives every line from now on to `take` as well. Called once. */
  tap(take: (line: string) => void): void;
  /** Writes the lines collected so far. */
  flush(): void;
}

const AT_INFO: ReadonlySet<LogLevel> = new Set(["info", "debug", "trace"]);

/** Writes JSON lines to stdout or stderr, or readable lines for a terminal. */
export function createLogs(
  level: LogLevel,
  target: "stdout" | "stderr" | "terminal",
  /** The worker that writes this log, where several processes write to the same place. */
  worker: number | null = null,
): Logs {
  const sink = new LineSink(target === "stderr" ? "stderr" : "stdout", worker === null ? undefined : PIPE_BYTES);
  let taken: ((line: string) => void) | null = null;
  const write = (line: string): void => {
    sink.write(target === "terminal" ? readableLine(line) : line);
    taken?.(line);
  };
  const log = pino(
    {
      level,
      base: worker === null ? null : { worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: ["authorization", "*.authorization", "*.api_key", "key", "*.key"], censor: "[redacted]" },
    },
    { write },
  );
  const tap = (take: (line: string) => void): void => {
    taken = take;
  };
  return { log, access_log: new AccessLog(AT_INFO.has(level) ? write : null), tap, flush: () => sink.flush() };
}

/** A readable line: `12:30:01 info  request finished  method=POST status=200`. */
function readableLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${inline(value)}`);
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${[msg ?? "", ...rest].join("  ")}\n`;
}

function inline(value: unknown): string {
  return typeof value === "string" && !/\s/.test(value) ? value : JSON.stringify(value);
}
