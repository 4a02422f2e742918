import type { SetCredential } from "../../../contract/vendors.ts";
import type { GivenCredential, GivenKey, GivenLimits } from "../../catalog/configuration/given-credential.ts";
import type { CredentialKind, VendorStatus } from "../../catalog/configuration/vendor-status.ts";
import { usualKeyName } from "../../catalog/reading/read-keys.ts";
import { type GatewayError, invalidRequest } from "../../core/errors.ts";
import { isObject, jsonOrNull } from "../../core/json.ts";

const KINDS: readonly CredentialKind[] = ["api_key", "aws", "google_service_account"];

/**
 * Reads the credential that was sent for a vendor. Throws a 400 that names the field and never repeats its value.
 * Blanks around pasted keys are dropped. `kept`: the console's own keys, which a list may name without their text.
 */
export function readCredentialFields(
  body: SetCredential,
  vendor_status: VendorStatus,
  kept: readonly GivenKey[],
): GivenCredential {
  requireKind(body, vendor_status);
  requireSettings(body, vendor_status);
  requireUnmasked(body, vendor_status);
  const { aws, settings } = body;
  return {
    ...(body.api_key === undefined ? {} : { api_key: readSecret(body.api_key, "api_key") }),
    ...(body.api_keys === undefined ? {} : { api_keys: readKeyList(body.api_keys, vendor_status, kept) }),
    ...(aws === undefined ? {} : { aws: readAws(aws) }),
    ...(body.google_service_account === undefined ? {} : readServiceAccount(body.google_service_account)),
    ...(settings === undefined ? {} : { settings }),
  };
}

function requireKind(body: SetCredential, { id, credential: { kinds } }: VendorStatus): void {
  const sent: (CredentialKind | "api_keys")[] = KINDS.filter((kind) => body[kind] !== undefined);
  if (body.api_keys !== undefined) sent.push("api_keys");
  const [kind] = sent;
  if (kinds.length === 0) throw invalidRequest(`The vendor ${id} takes no credential.`, kind ?? null);
  const takes_keys = kind === "api_keys" && kinds.some((each) => each !== "aws");
  if (kind !== undefined && sent.length === 1 && (takes_keys || kinds.some((each) => each === kind))) return;
  const found = sent.length === 0 ? "no credential" : sent.join(" and ");
  throw invalidRequest(
    `The body has ${found}; the vendor ${id} takes one of: ${kinds.join(", ")}.`,
    sent.at(-1) ?? null,
  );
}

function requireSettings({ settings = {} }: SetCredential, { id, settings: known }: VendorStatus): void {
  const names = known.map(({ name }) => name);
  const unknown = Object.keys(settings).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const allowed = names.length === 0 ? "none" : names.join(", ");
  throw invalidRequest(`The vendor ${id} has no setting '${unknown}'; allowed: ${allowed}.`, `settings.${unknown}`);
}

function readAws({ access_key_id, secret_access_key, session_token, region }: NonNullable<SetCredential["aws"]>) {
  return {
    access_key_id: readSecret(access_key_id, "aws.access_key_id"),
    secret_access_key: readSecret(secret_access_key, "aws.secret_access_key"),
    ...(session_token ? { session_token: readSecret(session_token, "aws.session_token") } : {}),
    region,
  };
}

/** Stars with or without the last few characters, as credentials are shown: a client may send back what it has read. */
const MASK = /^(\*{3,}|\.{3,}|x{6,}$)/i;

function requireUnmasked(body: SetCredential, { credential: { hint } }: VendorStatus): void {
  const secrets = { api_key: body.api_key, "aws.secret_access_key": body.aws?.secret_access_key };
  for (const [param, text] of Object.entries(secrets)) {
    const secret = text?.trim();
    if (secret === undefined || (!MASK.test(secret) && secret !== hint)) continue;
    throw masked(param);
  }
}

function masked(param: string): GatewayError {
  return invalidRequest(`'${param}' is a credential as it is shown, and not the credential itself.`, param);
}

/** Several keys, each with its name. Throws a 400 for a name that stands twice, and for one without a key that the console has. */
function readKeyList(
  list: NonNullable<SetCredential["api_keys"]>,
  { credential: { kinds } }: VendorStatus,
  kept: readonly GivenKey[],
): GivenKey[] {
  const names = new Set<string>();
  return list.map(({ name = usualKeyName(names.size), key, weight = 1, limits }, index) => {
    const param = `api_keys[${index}]`;
    if (names.has(name))
      throw invalidRequest(`'${param}.name' is ${JSON.stringify(name)}, as another key's is.`, `${param}.name`);
    names.add(name);
    const known = kept.find((each) => each.name === name);
    if (key === undefined && known === undefined)
      throw invalidRequest(
        `'${param}.key' is missing: the console has no key in use named ${JSON.stringify(name)}.`,
        `${param}.key`,
      );
    const rest = { name, weight, ...(limits !== undefined && { limits: limitsOf(limits) }) };
    if (key === undefined) return { ...rest, api_key: known?.api_key ?? "" };
    if (MASK.test(key.trim())) throw masked(`${param}.key`);
    if (kinds.includes("google_service_account"))
      return { ...rest, api_key: readServiceAccount(key, `${param}.key`).google_service_account };
    return { ...rest, api_key: readSecret(key, `${param}.key`) };
  });
}

type SentLimits = NonNullable<NonNullable<SetCredential["api_keys"]>[number]["limits"]>;

function limitsOf({ spend, rpm, tpm, concurrent }: SentLimits): GivenLimits {
  return {
    ...(spend !== undefined && { spend }),
    ...(rpm !== undefined && { rpm }),
    ...(tpm !== undefined && { tpm }),
    ...(concurrent !== undefined && { concurrent }),
  };
}

function readSecret(text: string, param: string): string {
  const secret = text.trim();
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw invalidRequest(`'${param}' is empty or has blanks, line breaks or letters beyond ASCII inside.`, param);
}

/** Takes the key file's JSON, never a path: a path would let an administrator make the gateway read its own files. */
function readServiceAccount(text: string, param = "google_service_account"): { google_service_account: string } {
  const key = jsonOrNull(text);
  const is_account = isObject(key) && key.type === "service_account" && isText(key.client_email);
  if (is_account && isText(key.private_key) && isSecure(key.token_uri)) return { google_service_account: text.trim() };
  throw invalidRequest(
    `'${param}' is not the JSON of a service account's key: it has the type service_account, client_email, private_key, and token_uri with https if at all.`,
    param,
  );
}

function isSecure(token_uri: unknown): boolean {
  return token_uri === undefined || (typeof token_uri === "string" && token_uri.startsWith("https://"));
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
