import { fingerprintOf } from "../../access/sub-keys.ts";
import type { Environment } from "../../core/environment.ts";
import { randomBase62 } from "../../core/ids.ts";
import type { Store } from "../../core/store/ports.ts";
import type { DataDirectory } from "./data-directory.ts";
import { SettingsError } from "./settings.ts";

/** The file of the data directory that has the secret where no variable has it. */
export const SECRET_FILE = "secret";

export interface OwnSecret {
  readonly secret: string;
  /** Where it is taken from, for people. */
  readonly secret_place: string;
}

/** The gateway's secret, which is generated at its first use. */
export async function ownSecret(env: Environment, data: DataDirectory): Promise<OwnSecret> {
  const secret = env.CAMINO_SECRET ?? (await data.generated(SECRET_FILE, () => randomBase62(48)));
  return { secret, secret_place: secretPlace(env, data.file(SECRET_FILE)) };
}

/** Where the secret is taken from, for people. */
export function secretPlace(env: Environment, file: string): string {
  if (env.CAMINO_SECRET === undefined) return file;
  return env.CAMINO_SECRET_FILE ? `the file ${env.CAMINO_SECRET_FILE}` : "the variable CAMINO_SECRET";
}

/**
 * Resolves where the database's keys were made with this secret, which a database that knows none takes. Throws otherwise: a start would
 * refuse every key without a word (docs/rulings.md 203).
 */
export async function requireSecret(
  store: Pick<Store, "secretFingerprint" | "description">,
  { secret, secret_place }: OwnSecret,
): Promise<void> {
  const fingerprint = fingerprintOf(secret);
  if ((await store.secretFingerprint(fingerprint)) === fingerprint) return;
  throw new SettingsError(`${anotherSecret(store.description, secret_place)} ${WHAT_TO_DO}`);
}

export function anotherSecret(description: string, place: string): string {
  return `The keys in ${description} were made with another secret than the one in ${place}.`;
}

export const WHAT_TO_DO =
  "Put back the secret that was used before (the file `secret` of its data directory, or CAMINO_SECRET as it was set). " +
  "If it is lost, `camino accept-secret` goes on with this one: API keys, sessions, stored responses and vendor credentials made with the other stay dead.";
