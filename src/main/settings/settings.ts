import { existsSync } from "node:fs";
import type { Transactions } from "../../core/ledger/ledger.ts";
import { isLogLevel, type LogLevel } from "../../observe/log.ts";

/** The options of `camino serve`: flags override the environment, which overrides the defaults. */
export interface ServeOptions {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly database?: string | undefined;
  readonly data?: string | undefined;
  readonly workers?: string | undefined;
  readonly json?: boolean | undefined;
}

export interface Settings {
  /** The configuration file; null when there is none. */
  readonly config_file: string | null;
  readonly host: string;
  readonly port: number;
  readonly database_url: string | null;
  readonly transactions: Transactions;
  readonly data_path: string;
  readonly log_level: LogLevel;
}

/** A setting that cannot be used; the message says what is allowed. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function readSettings(options: ServeOptions, env: Environment): Settings {
  return {
    config_file: options.config ?? env.CAMINO_CONFIG ?? (existsSync("camino.yaml") ? "camino.yaml" : null),
    host: options.host ?? env.CAMINO_HOST ?? "127.0.0.1",
    port: readPort(options.port ?? env.CAMINO_PORT ?? "8787"),
    database_url: options.database ?? env.CAMINO_DATABASE_URL ?? null,
    transactions: readTransactions(env),
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

/** So many accounts are committed side by side unless it is said. */
const SIDE_BY_SIDE = 8;
const MOST_SIDE_BY_SIDE = 64;

function readTransactions(env: Environment): Transactions {
  const of = env.CAMINO_DATABASE_TRANSACTIONS ?? "batch";
  const text = env.CAMINO_DATABASE_SIDE_BY_SIDE ?? String(SIDE_BY_SIDE);
  const side_by_side = Number(text);
  if (!/^\d{1,2}$/.test(text) || side_by_side < 1 || side_by_side > MOST_SIDE_BY_SIDE) {
    throw new SettingsError(
      `CAMINO_DATABASE_SIDE_BY_SIDE is ${JSON.stringify(text)}; allowed: a whole number from 1 to ${MOST_SIDE_BY_SIDE}.`,
    );
  }
  if (of === "batch") return { of };
  if (of === "account") return { of, side_by_side };
  throw new SettingsError(`CAMINO_DATABASE_TRANSACTIONS is ${JSON.stringify(of)}; allowed: batch, account.`);
}

function readLogLevel(text: string): LogLevel {
  if (isLogLevel(text)) return text;
  throw new SettingsError(
    `CAMINO_LOG is ${JSON.stringify(text)}; allowed: fatal, error, warn, info, debug, trace, silent.`,
  );
}
