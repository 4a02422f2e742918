import { isObject } from "../../core/json.ts";
import type { UpstreamError } from "../../wire/client/upstream-error.ts";
import { credentialError } from "./credential-error.ts";

/** The fields of a Google service account's key that the exchange of tokens needs. */
export interface ServiceAccount {
  readonly client_email: string;
  /** PEM, PKCS #8. */
  readonly private_key: string;
  readonly private_key_id: string | null;
  readonly token_uri: string;
}

const USUAL_TOKEN_URI = "https://oauth2.googleapis.com/token";

/** Reads a service account from its key as JSON, or from the key file at this path. Rejects with an UpstreamError. */
export async function readServiceAccount(json_or_path: string): Promise<ServiceAccount> {
  const given = json_or_path.trim();
  const text = given.startsWith("{") ? given : await readFile(given);
  const key = parse(text);
  if (!isObject(key)) throw refused("is not JSON");
  const { type, client_email, private_key, private_key_id, token_uri = USUAL_TOKEN_URI } = key;
  if (type !== "service_account") throw refused(`is of type ${JSON.stringify(type)}; allowed: "service_account"`);
  if (typeof client_email !== "string" || typeof private_key !== "string" || typeof token_uri !== "string") {
    throw refused("lacks client_email, private_key or token_uri");
  }
  return {
    client_email,
    private_key,
    private_key_id: typeof private_key_id === "string" ? private_key_id : null,
    token_uri,
  };
}

async function readFile(path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch (thrown) {
    throw credentialError(`the Google service account's key cannot be read from ${path}`, thrown);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refused(what: string): UpstreamError {
  return credentialError(`the Google service account's key ${what}`);
}
