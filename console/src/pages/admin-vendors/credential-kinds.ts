import type { CredentialKind, SetCredential, VendorCredential } from "../../../../contract/vendors.ts";

export const KIND_NAMES: Readonly<Record<CredentialKind, string>> = {
  api_key: "API key",
  aws: "AWS access key",
  google_service_account: "Google service account",
};

/** What the form sets: a credential of one kind, or several keys. */
export type FormKind = CredentialKind | "api_keys";

/** A row of several keys. */
export interface TypedKey {
  /** For the page alone. */
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly weight: string;
  /** An amount a day, without its ending. */
  readonly spend: string;
  readonly rpm: string;
  readonly tpm: string;
  readonly concurrent: string;
  /** Whether the gateway has this key, which stays where none is typed. */
  readonly is_kept: boolean;
}

/** The choices of the form: several keys beside one. */
export function formKinds(
  kinds: readonly CredentialKind[],
): readonly { readonly value: FormKind; readonly label: string }[] {
  const single = kinds.map((value) => ({ value, label: KIND_NAMES[value] }));
  const several = kinds.some((kind) => kind !== "aws");
  return several ? [...single, { value: "api_keys", label: "Several keys" }] : single;
}

/** The rows to begin with: the keys that the console has and that are in use; else one that is empty. */
export function keyRows({ keys, source, stored, kind }: VendorCredential): readonly TypedKey[] {
  const is_own = source === "console" && stored?.problem === null;
  const kept = keys.map(({ name, weight, limits }) => ({ name, weight: String(weight), ...typedLimits(limits) }));
  const only = kind === null || kind === "aws" ? [] : [{ name: "key-1", weight: "1", ...NO_LIMITS }];
  const rows = is_own ? (kept.length > 0 ? kept : only) : [];
  const begun = rows.map((row, id) => ({ ...row, id, key: "", is_kept: true }));
  return begun.length > 0 ? begun : [nextRow([])];
}

const NO_LIMITS = { spend: "", rpm: "", tpm: "", concurrent: "" };

function typedLimits(limits: VendorCredential["keys"][number]["limits"]): typeof NO_LIMITS {
  const typed = limits.map(({ limit, allowed }) => [
    limit,
    limit === "spend" ? String(allowed / 1e6) : String(allowed),
  ]);
  return { ...NO_LIMITS, ...Object.fromEntries(typed) };
}

export function nextRow(rows: readonly TypedKey[]): TypedKey {
  const names = new Set(rows.map(({ name }) => name));
  let number = rows.length + 1;
  while (names.has(`key-${number}`)) number += 1;
  const id = Math.max(-1, ...rows.map((row) => row.id)) + 1;
  return { id, name: `key-${number}`, key: "", weight: "1", ...NO_LIMITS, is_kept: false };
}

/** The form's values: every field is a text; an empty text means that the field is not set. */
export interface TypedCredential {
  readonly api_key: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
  readonly region: string;
  readonly google_service_account: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly api_keys: readonly TypedKey[];
}

export const NOTHING_TYPED: TypedCredential = {
  api_key: "",
  access_key_id: "",
  secret_access_key: "",
  session_token: "",
  region: "",
  google_service_account: "",
  settings: {},
  api_keys: [],
};

/** The settings that the form asks for besides the credential: an AWS key has its region already. */
export function askedSettings(kind: FormKind, missing: readonly string[]): string[] {
  return missing.filter((name) => !(kind === "aws" && name === "AWS_REGION"));
}

/** The body that sets a credential; null while a required field is empty. `settings`: names of required settings. */
export function credentialBody(
  kind: FormKind,
  typed: TypedCredential,
  settings: readonly string[],
): SetCredential | null {
  const given = Object.fromEntries(settings.map((name) => [name, (typed.settings[name] ?? "").trim()]));
  if (Object.values(given).includes("")) return null;
  const credential = ofKind(kind, typed);
  if (credential === null) return null;
  return settings.length === 0 ? credential : { ...credential, settings: given };
}

function ofKeys(rows: readonly TypedKey[]): SetCredential | null {
  const keys = rows.map(({ name, key, weight, ...limits }) => ({
    name: name.trim(),
    ...(key.trim() !== "" && { key }),
    weight: Number(weight.trim() === "" ? "1" : weight.trim().replace(",", ".")),
    ...limitsOf(limits),
  }));
  const lacks = rows.some(({ key, is_kept }) => key.trim() === "" && !is_kept);
  return lacks || keys.some(({ name, weight }) => name === "" || !(weight > 0)) ? null : { api_keys: keys };
}

type KeyLimits = NonNullable<NonNullable<SetCredential["api_keys"]>[number]["limits"]>;

function limitsOf({ spend, rpm, tpm, concurrent }: Pick<TypedKey, "spend" | "rpm" | "tpm" | "concurrent">): {
  limits?: KeyLimits;
} {
  const limits: KeyLimits = {
    ...(spend.trim() !== "" && { spend: `${spend.trim().replace(",", ".")}/day` }),
    ...(rpm.trim() !== "" && { rpm: Number(rpm) }),
    ...(tpm.trim() !== "" && { tpm: Number(tpm) }),
    ...(concurrent.trim() !== "" && { concurrent: Number(concurrent) }),
  };
  return Object.keys(limits).length === 0 ? {} : { limits };
}

function ofKind(kind: FormKind, typed: TypedCredential): SetCredential | null {
  if (kind === "api_keys") return ofKeys(typed.api_keys);
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
