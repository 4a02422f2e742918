import type { Environment } from "../../core/environment.ts";
import { randomBase62 } from "../../core/ids.ts";
import { weaknessOf } from "../../core/strong-token.ts";
import type { DataDirectory } from "./data-directory.ts";
import { SettingsError } from "./settings.ts";

const FILE = "admin-token";
const GENERATED_LENGTH = 40;

/**
 * The admin token: the variable's, else the data directory's, which is generated at its first use. Throws a SettingsError
 * where it could be guessed: it is the key to everything.
 */
export async function adminToken(env: Environment, data: DataDirectory): Promise<string> {
  const given = env.CAMINO_ADMIN_TOKEN;
  if (given !== undefined) {
    requireStrong(given, "CAMINO_ADMIN_TOKEN", "or leave it unset to have one generated into the data directory");
    return given;
  }
  const kept = await data.generated(FILE, () => randomBase62(GENERATED_LENGTH));
  requireStrong(kept, `The token in ${data.file(FILE)}`, "or remove the file to have one generated");
  return kept;
}

function requireStrong(token: string, name: string, otherwise: string): void {
  const weakness = weaknessOf(token);
  if (weakness !== null) throw new SettingsError(`${name} ${weakness} (${otherwise}).`);
}
