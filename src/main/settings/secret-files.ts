import { closeSync, openSync, readSync } from "node:fs";
import type { Environment } from "../../core/environment.ts";
import { SettingsError } from "./settings.ts";

const BEHIND = "_FILE";
/** The variables that name files with the gateway's own secrets. */
const OWN_FILES = [
  "CAMINO_SECRET_FILE",
  "CAMINO_ADMIN_TOKEN_FILE",
  "CAMINO_OPERATIONS_TOKEN_FILE",
  "CAMINO_DATABASE_URL_FILE",
  "CAMINO_CELLS_FILE",
  "CAMINO_SMTP_URL_FILE",
  "CAMINO_API_KEY_FILE",
];
/** The gateway's own variables that hold a secret. */
export const OWN_SECRETS: readonly string[] = OWN_FILES.map((name) => name.slice(0, -BEHIND.length));
/** Far more than any credential; a device that never ends is not read to its end. */
const MOST_BYTES = 65_536;

/**
 * The environment with the gateway's own secrets, of which each may lie in a file that the variable's name with `_FILE`
 * behind it gives the path of. Throws a SettingsError that names variable and path (docs/configuration.md, "Secrets from files").
 */
export function withOwnSecrets(env: Environment): Environment {
  return withFiles(env, OWN_SECRETS);
}

/**
 * The environment with the values of those of these variables whose files it names. Throws a SettingsError where a variable and its
 * file are both given, and where a file cannot be read or holds nothing.
 */
export function withFiles(env: Environment, names: readonly string[]): Environment {
  const found = names.flatMap((name): [string, string][] => {
    const path = env[name + BEHIND];
    // An empty variable is no variable, as templates of compose files leave them.
    if (path === undefined || path === "") return [];
    if (env[name]) throw new SettingsError(`${name} and ${name + BEHIND} are both set; allowed: one of them.`);
    return [[name, readSecret(name + BEHIND, path)]];
  });
  return found.length === 0 ? env : { ...env, ...Object.fromEntries(found) };
}

/** A file's text without the line breaks at its end, which editors and `echo` leave there. */
function readSecret(variable: string, path: string): string {
  const bytes = readStart(variable, path);
  const file = `${variable}: the file ${path}`;
  if (bytes.length > MOST_BYTES)
    throw new SettingsError(`${file} has more than ${MOST_BYTES} bytes: that is no secret.`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/[\r\n]+$/, "");
  } catch (cause) {
    throw new SettingsError(`${file} is no text in UTF-8.`, { cause });
  }
  if (text.trim() === "") throw new SettingsError(`${file} is empty; allowed: the secret's text.`);
  return text;
}

/** At most one byte more than is allowed, so that a pipe can be read as well as a file. */
function readStart(variable: string, path: string): Uint8Array {
  const buffer = new Uint8Array(MOST_BYTES + 1);
  let length = 0;
  try {
    const file = openSync(path, "r");
    try {
      for (let read = -1; read !== 0 && length < buffer.length; length += read) {
        read = readSync(file, buffer, length, buffer.length - length, null);
      }
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
    throw new SettingsError(`${variable}: the file ${path} cannot be read (${reason}).`, { cause });
  }
  return buffer.subarray(0, length);
}
