import { isScalar } from "yaml";
import type { Environment } from "../../core/environment.ts";
import { onlyVariable } from "../reading/expand-environment.ts";
import { isEmpty, type YamlPlace } from "../reading/place.ts";
import { isMapping, readEntries } from "../reading/read-fields.ts";
import type { VendorRow } from "../vendors/vendor-row.ts";

/**
 * The origin of a vendor's credential when the console gives none. `variable` is the environment variable's name.
 */
export interface CredentialOrigin {
  readonly source: "file" | "environment" | null;
  readonly variable: string | null;
}

/** The origin of a credential that is set nowhere. */
export const NOWHERE: CredentialOrigin = { source: null, variable: null };

/**
 * The origin for a vendor that the file names: the file, which may name a variable, else the vendor's usual variables.
 */
export function originInFile(place: YamlPlace, row: VendorRow | null, env: Environment): CredentialOrigin {
  const entries = new Map(isMapping(place) ? (readEntries(place, "a map") ?? []) : []);
  for (const key of ["api_key", "api_keys", "aws", "google_service_account"]) {
    const written = entries.get(key);
    if (written === undefined || isEmpty(written.node)) continue;
    return { source: "file", variable: onlyVariable(isScalar(written.node) ? String(written.node.value) : "") };
  }
  return row === null ? NOWHERE : originInEnvironment(row, env);
}

/** The origin for a known vendor that the file does not name. */
export function originInEnvironment(row: VendorRow, env: Environment): CredentialOrigin {
  const variable = row.api_key_env.find((name) => env[name]);
  if (variable !== undefined) return { source: "environment", variable };
  const signed = row.signs === "aws" && env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY;
  return signed ? { source: "environment", variable: "AWS_ACCESS_KEY_ID" } : NOWHERE;
}
