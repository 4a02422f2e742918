import type { AwsCredentials, CredentialHeader, VendorEndpoint, VendorKey } from "../../core/catalog/catalog.ts";
import type { Environment } from "../../core/environment.ts";
import type { VendorRow } from "../vendors/vendor-row.ts";
import { isSendable, UNSENDABLE } from "./header-value.ts";
import { report, type YamlPlace } from "./place.ts";
import { readFields, type YamlFields } from "./read-fields.ts";
import { readKeys } from "./read-keys.ts";
import { readText } from "./read-scalar.ts";
import { findCredential } from "./vendor-defaults.ts";

/** The credentials that authenticate requests to a vendor. */
export interface Credentials {
  readonly api_key: string | null;
  /** Set where the vendor has several; `api_key` is then the first. */
  readonly api_keys?: readonly VendorKey[];
  readonly aws?: AwsCredentials;
  /** How the credential travels, when that differs from the usual way of the endpoint's protocol or row. */
  readonly travels?: CredentialHeader;
}

type CredentialFields = YamlFields<"api_key" | "api_keys" | "aws" | "google_service_account" | "base_url" | "headers">;

const NONE: Credentials = { api_key: null };
const CREDENTIAL_KEYS = ["api_key", "api_keys", "aws", "google_service_account"] as const;

/**
 * The credential that the file names, else the credential in the vendor's usual variables. A known vendor needs a
 * credential at its own address; at another address, such as a proxy that adds the credential, it may have none
 * (docs/rulings.md 67).
 */
export function readCredentials(fields: CredentialFields, row: VendorRow | null): Credentials {
  const [first, second] = CREDENTIAL_KEYS.flatMap((key) => {
    const place = fields.get(key);
    return place === null ? [] : [{ key, place }];
  });
  if (first === undefined) return usualCredentials(fields, row);
  if (second !== undefined) report(second.place, "one credential", `${second.key} beside ${first.key}`);
  const { key, place } = first;
  if (key === "aws") {
    const aws = readAws(place);
    return aws === null ? NONE : { api_key: null, aws, travels: "sigv4" };
  }
  if (key === "api_keys") return credentialsOfKeys(readKeys(place) ?? []);
  const allowed = "a credential, such as ${ACME_API_KEY}";
  const api_key = readText(place, allowed);
  const is_account = key === "google_service_account" || row?.endpoints[0]?.credential === "google-service-account";
  if (is_account && api_key !== null && !mayBeAccount(api_key))
    report(place, "the key file of a service account: its path, or its JSON", "a credential of another kind");
  // A service account's key is JSON, which no header carries.
  if (!is_account && api_key !== null && !isSendable(api_key)) report(place, allowed, UNSENDABLE);
  return key === "api_key" ? { api_key } : { api_key, travels: "google-service-account" };
}

/** Several credentials: what asks for one alone, such as a test call, uses the first. */
export function credentialsOfKeys(api_keys: readonly VendorKey[]): Credentials {
  const [first] = api_keys;
  return first === undefined ? NONE : { api_key: first.api_key, api_keys };
}

/** Whether a text may lead to a service account's key: it is JSON, or a file's path. */
function mayBeAccount(text: string): boolean {
  return text.trimStart().startsWith("{") || /[/\\]|\.json$/.test(text);
}

/** An element of the database has no credential: the console sets it apart, and the database keeps it sealed. */
export function readNoCredentials(fields: CredentialFields): Credentials {
  for (const key of CREDENTIAL_KEYS) {
    const place = fields.get(key);
    if (place !== null) {
      report(place, "nothing: the credential is set separately, and stored encrypted", "a credential");
    }
  }
  return NONE;
}

function usualCredentials(fields: CredentialFields, row: VendorRow | null): Credentials {
  if (row === null) return NONE;
  const usual = credentialsOfEnvironment(row, fields.place.source.env);
  const optional = row.server_env !== undefined || row.api_key_env.length === 0;
  if (usual !== null) return usual;
  if (!optional && fields.get("base_url") === null && fields.get("headers") === null) {
    fields.reportMissing("api_key", `a credential, or ${variablesOf(row)} set in the environment`);
  }
  return NONE;
}

/** The credentials in a vendor's usual variables; null when the variables are not set. */
export function credentialsOfEnvironment(row: VendorRow, env: Environment): Credentials | null {
  const api_key = findCredential(row, env);
  if (api_key !== null) return { api_key };
  const aws = row.signs === "aws" ? awsOfEnvironment(env) : null;
  return aws === null ? null : { api_key: null, aws };
}

/** Names the variables of a vendor's credential, in words for people. */
export function variablesOf({ api_key_env, signs }: VendorRow): string {
  const signed = signs === "aws" ? ["AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY and AWS_REGION"] : [];
  return [...api_key_env, ...signed].join(" or ");
}

/** The endpoints, each with how its credential travels; requests are signed with AWS credentials only without a key. */
export function withCredentials(endpoints: readonly VendorEndpoint[], credentials: Credentials): VendorEndpoint[] {
  return endpoints.map((endpoint) => {
    const usual = endpoint.credential === "sigv4" && credentials.aws === undefined ? "bearer" : endpoint.credential;
    return { ...endpoint, credential: credentials.travels ?? usual };
  });
}

function awsOfEnvironment(env: Environment): AwsCredentials | null {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION } = env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY || !AWS_REGION) return null;
  return {
    access_key_id: AWS_ACCESS_KEY_ID,
    secret_access_key: AWS_SECRET_ACCESS_KEY,
    session_token: AWS_SESSION_TOKEN || null,
    region: AWS_REGION,
  };
}

function readAws(place: YamlPlace): AwsCredentials | null {
  const fields = readFields(place, ["access_key_id", "secret_access_key", "session_token", "region"]);
  if (fields === null) return null;
  const access_key_id = needed(fields, "access_key_id", "an access key's id, such as ${AWS_ACCESS_KEY_ID}");
  const secret_access_key = needed(fields, "secret_access_key", "its secret, such as ${AWS_SECRET_ACCESS_KEY}");
  const token = fields.get("session_token");
  const region = needed(fields, "region", "a region, such as us-east-1");
  if (access_key_id === null || secret_access_key === null || region === null) return null;
  const session_token = token === null ? null : readText(token, "the token of temporary credentials");
  return { access_key_id, secret_access_key, session_token, region };
}

function needed<Key extends string>(fields: YamlFields<Key>, key: Key, allowed: string): string | null {
  const place = fields.require(key, allowed);
  return place === null ? null : readText(place, allowed);
}
