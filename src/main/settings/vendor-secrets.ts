import { VARIABLE } from "../../catalog/reading/expand-environment.ts";
import { VENDOR_ROWS } from "../../catalog/vendors/vendors.ts";
import type { Environment } from "../../core/environment.ts";
import { OWN_SECRETS, withFiles } from "./secret-files.ts";

/** The variables of the secrets that sign requests to Amazon Bedrock. `GOOGLE_APPLICATION_CREDENTIALS` is a path already. */
const AWS_SECRETS = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/**
 * The environment with vendors' credentials, and with whatever the configuration's text names as `${NAME}`, also where a
 * file has them (docs/configuration.md, "Secrets from files"). The gateway's own secrets are in it already.
 */
export function withVendorSecrets(env: Environment, configuration_text: string | null): Environment {
  const named = Array.from((configuration_text ?? "").matchAll(VARIABLE), ([, name = ""]) => name);
  const names = new Set([...VENDOR_ROWS.flatMap(({ api_key_env }) => api_key_env), ...AWS_SECRETS, ...named]);
  for (const own of OWN_SECRETS) names.delete(own);
  return withFiles(env, [...names]);
}
