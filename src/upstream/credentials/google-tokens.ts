import { type Clock, systemClock } from "../../core/clock.ts";
import { isObject, jsonOrNull } from "../../core/json.ts";
import { UpstreamError } from "../../wire/client/upstream-error.ts";
import { credentialError } from "./credential-error.ts";

/** The fields of a Google service account's key that the exchange of tokens needs. */
interface ServiceAccount {
  readonly client_email: string;
  /** PEM, PKCS #8. */
  readonly private_key: string;
  readonly private_key_id: string | null;
  readonly token_uri: string;
}

const USUAL_TOKEN_URI = "https://oauth2.googleapis.com/token";

/** Reads a service account from its key as JSON, or from the key file at this path. Rejects with an UpstreamError. */
async function readServiceAccount(json_or_path: string): Promise<ServiceAccount> {
  const given = json_or_path.trim();
  const text = given.startsWith("{") ? given : await readFile(given);
  const key = jsonOrNull(text);
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

function refused(what: string): UpstreamError {
  return credentialError(`the Google service account's key ${what}`);
}

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ASSERTION_S = 3600;
/** How long before it expires a token is no longer used: a request may take a while to arrive. */
const MARGIN_MS = 5 * 60 * 1000;
const EXCHANGE_TIMEOUT_MS = 10_000;

interface Token {
  readonly access_token: string;
  readonly usable_until_ms: number;
}

/** Access tokens of a service account: each token is fetched once and used until shortly before it expires. */
export class GoogleTokens {
  readonly #json_or_path: string;
  readonly #clock: Clock;
  #token: Token | null = null;
  /** The running exchange, which all calls without a token wait for. */
  #exchange: Promise<Token> | null = null;

  constructor(json_or_path: string, clock: Clock = systemClock) {
    this.#json_or_path = json_or_path;
    this.#clock = clock;
  }

  /**
   * A token that is valid for some minutes. Rejects with an UpstreamError (`credential`); the next call tries again.
   */
  async current(): Promise<string> {
    if (this.#token !== null && this.#clock.now_ms() < this.#token.usable_until_ms) return this.#token.access_token;
    this.#exchange ??= this.#renew().finally(() => {
      this.#exchange = null;
    });
    return (await this.#exchange).access_token;
  }

  async #renew(): Promise<Token> {
    const account = await readServiceAccount(this.#json_or_path);
    const assertion = await assertionOf(account, Math.floor(this.#clock.now_ms() / 1000));
    const asked_ms = this.#clock.now_ms();
    const { access_token, expires_in_s } = await exchange(account.token_uri, assertion);
    this.#token = { access_token, usable_until_ms: asked_ms + expires_in_s * 1000 - MARGIN_MS };
    return this.#token;
  }
}

/** Loaded with the first service account that signs. */
const jose = () => import("jose");

async function assertionOf(account: ServiceAccount, now_s: number): Promise<string> {
  const key_id = account.private_key_id === null ? {} : { kid: account.private_key_id };
  try {
    const { importPKCS8, SignJWT } = await jose();
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...key_id })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt(now_s)
      .setExpirationTime(now_s + ASSERTION_S)
      .sign(await importPKCS8(account.private_key, "RS256"));
  } catch (thrown) {
    throw credentialError("the Google service account's private key cannot sign", thrown);
  }
}

async function exchange(token_uri: string, assertion: string) {
  try {
    const response = await fetch(token_uri, {
      method: "POST",
      body: new URLSearchParams({ grant_type: GRANT, assertion }),
      redirect: "error",
      signal: AbortSignal.timeout(EXCHANGE_TIMEOUT_MS),
    });
    const answer: unknown = await response.json();
    if (response.ok && isObject(answer) && typeof answer.access_token === "string") {
      const { access_token, expires_in } = answer;
      return { access_token, expires_in_s: typeof expires_in === "number" ? expires_in : ASSERTION_S };
    }
    throw credentialError(`Google gave no token (status ${response.status}${reasonIn(answer)})`);
  } catch (thrown) {
    if (thrown instanceof UpstreamError) throw thrown;
    throw credentialError(`no token could be had from ${token_uri}`, thrown);
  }
}

/** The reason in an OAuth error: `invalid_grant: Invalid JWT Signature.` */
function reasonIn(answer: unknown): string {
  if (!isObject(answer)) return "";
  const said = [answer.error, answer.error_description].filter((part) => typeof part === "string");
  return said.length === 0 ? "" : `, ${said.join(": ")}`;
}
