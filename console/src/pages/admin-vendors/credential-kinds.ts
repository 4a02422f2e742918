import type { CredentialKind, SetCredential } from "../../../../contract/vendors.ts";

export const KIND_NAMES: Readonly<Record<CredentialKind, string>> = {
  api_key: "API key",
  aws: "AWS access key",
  google_service_account: "Google service account",
};

/** The form's values: every field is a text; an empty text means that the field is not set. */
export interface Typed {
  readonly api_key: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
  readonly region: string;
  readonly google_service_account: string;
  readonly settings: Readonly<Record<string, string>>;
}

export const NOTHING_TYPED: Typed = {
  api_key: "",
  access_key_id: "",
  secret_access_key: "",
  session_token: "",
  region: "",
  google_service_account: "",
  settings: {},
};

/** The settings that the form asks for besides the credential: an AWS key has its region already. */
export function askedSettings(kind: CredentialKind, missing: readonly string[]): string[] {
  return missing.filter((name) => !(kind === "aws" && name === "AWS_REGION"));
}

/** The body that sets a credential; null while a required field is empty. `settings`: names of required settings. */
export function credentialBody(kind: CredentialKind, typed: Typed, settings: readonly string[]): SetCredential | null {
  const given = Object.fromEntries(settings.map((name) => [name, (typed.settings[name] ?? "").trim()]));
  if (Object.values(given).includes("")) return null;
  const credential = ofKind(kind, typed);
  if (credential === null) return null;
  return settings.length === 0 ? credential : { ...credential, settings: given };
}

function ofKind(kind: CredentialKind, typed: Typed): SetCredential | null {
  if (kind === "api_key") return typed.api_key.trim() === "" ? null : { api_key: typed.api_key };
  if (kind === "google_service_account")
    return typed.google_service_account.trim() === "" ? null : { google_service_account: typed.google_service_account };
  const [access_key_id, secret_access_key, region] = [typed.access_key_id, typed.secret_access_key, typed.region].map(
    (text) => text.trim(),
  );
  if (!access_key_id || !secret_access_key || !region) return null;
  const session_token = typed.session_token.trim();
  return { aws: { access_key_id, secret_access_key, region, ...(session_token === "" ? {} : { session_token }) } };
}
