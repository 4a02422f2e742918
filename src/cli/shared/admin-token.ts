import { join } from "node:path";
import type { Environment } from "../../core/environment.ts";
import { CliFailure } from "./failure.ts";
import { isThisMachine } from "./gateway-fetch.ts";

/** The file in the data directory that holds a generated admin token. */
const ADMIN_TOKEN_FILE = "admin-token";
export const DEFAULT_DATA = "./data";

interface TokenSources {
  /** The option `--token`. */
  readonly token: string | undefined;
  /** The option `--data`. */
  readonly data: string | undefined;
  readonly env: Environment;
  /** The gateway to which the token would be sent. */
  readonly url: URL;
}

interface FoundToken {
  readonly token: string;
  /** The place where the token was found, for an error message. */
  readonly source: string;
}

/**
 * The admin token: the option's, else the variable's, else the data directory's. The data directory's token is not sent
 * to another machine unless `--data` names the directory: a stranger who runs that machine must not get the token.
 */
export async function findAdminToken({ token, data, env, url }: TokenSources): Promise<FoundToken> {
  if (token) return { token, source: "--token" };
  if (env.CAMINO_ADMIN_TOKEN) return { token: env.CAMINO_ADMIN_TOKEN, source: "CAMINO_ADMIN_TOKEN" };
  const named = data ?? env.CAMINO_DATA;
  if (named === undefined && !isThisMachine(url)) {
    throw new CliFailure(`Give the admin token of ${url.origin} with --token or CAMINO_ADMIN_TOKEN.`, {
      code: "missing_admin_token",
    });
  }
  const path = join(named ?? DEFAULT_DATA, ADMIN_TOKEN_FILE);
  const found = await readToken(path);
  if (found) return { token: found, source: path };
  throw new CliFailure(
    `There is no admin token in ${path}. Run this where the gateway was started, name its data directory with --data, or give the token with --token or CAMINO_ADMIN_TOKEN.`,
    { code: "missing_admin_token" },
  );
}

async function readToken(path: string): Promise<string | null> {
  const file = Bun.file(path);
  if (!(await file.exists())) return null;
  try {
    return (await file.text()).trim() || null;
  } catch (cause) {
    const message = `The admin token in ${path} cannot be read by this user. Run this as the gateway's user, or give the token with --token or CAMINO_ADMIN_TOKEN.`;
    throw new CliFailure(message, { code: "missing_admin_token", cause });
  }
}
