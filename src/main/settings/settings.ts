import { existsSync } from "node:fs";
import type { ServeOptions } from "../../cli/shared/deps.ts";
import type { Environment } from "../../core/environment.ts";
import { isLogLevel, type LogLevel } from "../../observe/log.ts";

export interface Settings {
  /** The configuration file; null when there is none. */
  readonly config_file: string | null;
  readonly host: string;
  readonly port: number;
  readonly database_url: string | null;
  readonly data_path: string;
  readonly log_level: LogLevel;
}

/** A setting that cannot be used; the message says what is allowed. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** The settings of `camino serve`: options override the environment, which overrides the defaults. */
export function readSettings(options: ServeOptions, env: Environment): Settings {
  return {
    config_file: options.config ?? env.CAMINO_CONFIG ?? (existsSync("camino.yaml") ? "camino.yaml" : null),
    host: options.host ?? env.CAMINO_HOST ?? "127.0.0.1",
    port: readPort(options.port ?? env.CAMINO_PORT ?? "8787"),
    database_url: options.database ?? env.CAMINO_DATABASE_URL ?? null,
    data_path: options.data ?? env.CAMINO_DATA ?? "./data",
    log_level: readLogLevel(env.CAMINO_LOG ?? "info"),
  };
}

export function readPort(text: string, name = "The port"): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port;
  throw new SettingsError(
    `${name} is ${JSON.stringify(text)}; allowed: a whole number from 0 (any free port) to 65535.`,
  );
}

function readLogLevel(text: string): LogLevel {
  if (isLogLevel(text)) return text;
  throw new SettingsError(
    `CAMINO_LOG is ${JSON.stringify(text)}; allowed: fatal, error, warn, info, debug, trace, silent.`,
  );
}

/** The stream that the log goes to. With `--json`, stdout has one JSON document only, so the log goes to stderr. */
export function logTarget(options: Pick<ServeOptions, "json">): "stdout" | "stderr" | "terminal" {
  if (options.json) return "stderr";
  return process.stdout.isTTY ? "terminal" : "stdout";
}
