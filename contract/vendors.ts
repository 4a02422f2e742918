import Type, { type Static } from "typebox";
import { closed, listOf, nullable, Timestamp } from "./common.ts";

/**
 * Vendors as administrators see them: those that requests go to, and those that Camino knows and that only lack a
 * credential. A credential itself is never part of an answer.
 */

export const Protocol = Type.Enum([
  "responses",
  "chat-completions",
  "messages",
  "gemini",
  "bedrock-converse",
  "decisions",
  "systemone",
]);

/** Where something comes from. `console`: the database, set here. */
export const VendorOrigin = Type.Enum(["environment", "file", "console", "simulator"]);

const nullableString = Type.Union([Type.String(), Type.Null()]);
const nullableNumber = Type.Union([Type.Number(), Type.Null()]);

export const Circuit = Type.Object({
  /** `open`: the route is left alone; `half-open`: the next request probes it. */
  state: Type.Enum(["closed", "open", "half-open"]),
  /** When an open circuit lets a probe through; null in the other states. */
  half_opens_at: Type.Union([Timestamp, Type.Null()]),
});
export type Circuit = Static<typeof Circuit>;

/** Half of the calls were at most `p50` milliseconds, 95 of 100 at most `p95`; null while nothing was measured. */
export const Percentiles = Type.Object({ p50: nullableNumber, p95: nullableNumber });
export type Percentiles = Static<typeof Percentiles>;

const measured = {
  /** Calls that ended within the window. Calls whose client left before the vendor answered do not count. */
  calls: Type.Integer(),
  /** Those that the vendor failed: errors that are not the request's fault, timeouts, breaks, rate limits. */
  errors: Type.Integer(),
  /** The part of `errors` that was the vendor's rate limit. */
  rate_limited: Type.Integer(),
  /** `errors` of `calls`, 0 to 1; null without calls. */
  error_rate: nullableNumber,
  /** To the head of the vendor's answer, in milliseconds, at most 8 of 100 off. Of calls that were answered. */
  first_byte_ms: Percentiles,
  /** To the answer's last byte, likewise. */
  total_ms: Percentiles,
  /** Calls that are running now. */
  in_flight: Type.Integer(),
  /** The newest error within the window. */
  last_error: Type.Union([
    Type.Object({ at: Timestamp, code: Type.String(), status: Type.Union([Type.Integer(), Type.Null()]) }),
    Type.Null(),
  ]),
};

/** What one way to a vendor's model was like lately. */
export const RouteHealth = Type.Object({ ...measured, circuit: Circuit });
export type RouteHealth = Static<typeof RouteHealth>;

/** The same for all of a vendor's routes together, and how many of their circuits are not closed. */
export const VendorHealth = Type.Object({ ...measured, circuits_open: Type.Integer() });
export type VendorHealth = Static<typeof VendorHealth>;

/** How a credential may be given: see SetCredential. */
export const CredentialKind = Type.Enum(["api_key", "aws", "google_service_account"]);
export type CredentialKind = Static<typeof CredentialKind>;

export const VendorCredential = Type.Object({
  /** Where the one in use comes from; null when there is none. */
  source: Type.Union([Type.Enum(["environment", "file", "console"]), Type.Null()]),
  kind: Type.Union([CredentialKind, Type.Null()]),
  /** The variable that holds the one in use, where it is the environment's. */
  variable: nullableString,
  /** Its last four characters if it has at least twelve; of AWS credentials and service accounts, of the key's id. */
  hint: nullableString,
  /** `no`: requests carry none. `optional`: servers that people run themselves, and addresses that the file gives. */
  needed: Type.Enum(["yes", "optional", "no"]),
  /** The kinds that may be set. Empty where none can be. */
  kinds: Type.Array(CredentialKind),
  /** The variables of the environment that may hold it instead. */
  variables: Type.Array(Type.String()),
  /** Set while one is stored, also one that cannot be used. It comes before the file's and the environment's. */
  stored: Type.Union([
    Type.Object({
      set_at: Timestamp,
      /** Who set it: a user's id or `admin-token`. */
      set_by: Type.String(),
      /** Why it is not in use, for people; null when it is. */
      problem: nullableString,
      /** Where the credential comes from that is used when this one is deleted; null: from nowhere. */
      instead_of: Type.Union([Type.Enum(["environment", "file"]), Type.Null()]),
    }),
    Type.Null(),
  ]),
});
export type VendorCredential = Static<typeof VendorCredential>;

const summary = {
  id: Type.String(),
  name: Type.String(),
  /**
   * `enabled`: requests go to it. `not_configured`: it lacks a credential or a setting, see `missing`. `not_offered`: the
   * file says `catalog: none` (or another currency) and does not name it, or it is gone from the file and has left a
   * credential here.
   */
  status: Type.Enum(["enabled", "not_configured", "not_offered"]),
  /** What enables it; null when it is not enabled. */
  enabled_by: Type.Union([VendorOrigin, Type.Null()]),
  /** Whether Camino knows it; the others are the file's own. */
  known: Type.Boolean(),
  /** A server that people run themselves: the environment tells where it is. */
  local: Type.Boolean(),
  protocols: Type.Array(Protocol),
  credential: VendorCredential,
  /** Settings that it lacks beside a credential: names of `settings` in SetCredential, or variables to set. */
  missing: Type.Array(Type.String()),
  /** Models that have a route to it; where it is not enabled, models that it would bring. */
  model_count: Type.Integer(),
  /** Null where it is not enabled. */
  health: Type.Union([VendorHealth, Type.Null()]),
};

export const VendorSummary = Type.Object(summary);
export type VendorSummary = Static<typeof VendorSummary>;

/** What health is measured by: one process, over the last so many seconds. Other nodes measure their own. */
const measuredBy = { node: Type.String(), window_s: Type.Integer() };

export const VendorList = Type.Object({ ...listOf(VendorSummary).properties, ...measuredBy });
export type VendorList = Static<typeof VendorList>;

export const VendorModel = Type.Object({
  model: Type.String(),
  display_name: Type.String(),
  kind: Type.Enum(["chat", "decision"]),
  upstream_model: Type.String(),
  weight: Type.Number(),
  /** What the vendor serves it in, in the order of preference. */
  protocols: Type.Array(Protocol),
  /** Null where the vendor is not enabled. */
  health: Type.Union([RouteHealth, Type.Null()]),
});
export type VendorModel = Static<typeof VendorModel>;

export const Vendor = Type.Object({
  ...summary,
  ...measuredBy,
  /** A base URL may hold `${NAME}` of a setting that is missing. */
  endpoints: Type.Array(
    Type.Object({
      protocol: Protocol,
      base_url: Type.String(),
      /** How the credential travels: `bearer`, the name of a header, `sigv4`, `google-service-account` or `none`. */
      credential: Type.String(),
    }),
  ),
  /** Settings that its addresses are made of, with their value where it is known. */
  settings: Type.Array(Type.Object({ name: Type.String(), value: nullableString })),
  /** Names of headers that are added to every request. */
  header_names: Type.Array(Type.String()),
  timeouts: Type.Object({
    connect_ms: Type.Integer(),
    first_byte_ms: Type.Integer(),
    idle_ms: Type.Integer(),
    total_ms: Type.Integer(),
  }),
  on_disconnect: Type.Enum(["abort", "drain"]),
  models: Type.Array(VendorModel),
});
export type Vendor = Static<typeof Vendor>;

/** What is inside is checked by the handler, since errors of schemas repeat what they found. */
const secret = (what: string) => Type.String({ maxLength: 16_384, description: `${what}, at most 16384 characters` });

const credential = {
  api_key: Type.Optional(secret("the vendor's API key")),
  aws: Type.Optional(
    closed({
      access_key_id: secret("an access key's id"),
      secret_access_key: secret("its secret"),
      session_token: Type.Optional(nullable(secret("the token of temporary credentials"))),
      region: Type.String({ pattern: "^[a-z0-9-]{1,40}$", description: "a region, such as us-east-1" }),
    }),
  ),
  /** The JSON of the account's key file. */
  google_service_account: Type.Optional(
    Type.String({ maxLength: 32_768, description: "the JSON text of a service account's key file" }),
  ),
  /** Values of `missing` settings, by name. */
  settings: Type.Optional(
    Type.Record(
      Type.String({ pattern: "^[A-Z][A-Z0-9_]{0,63}$" }),
      Type.String({
        pattern: "^[A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?$",
        description: "1 to 100 letters, digits and hyphens",
      }),
      { description: "an object of settings by name" },
    ),
  ),
};

/** Write-only. Exactly one of the three credentials; the answer is the vendor, with a hint of it at most. */
export const SetCredential = closed(credential);
export type SetCredential = Static<typeof SetCredential>;

export const TestVendor = closed({
  /** Tries this one out: it is used for the one call and not stored. Without it, the one in use. */
  credential: Type.Optional(closed(credential)),
  /** A model with a route to the vendor; without it, its cheapest: a chat model if there is one. */
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: "the id of a model of this vendor" })),
});
export type TestVendor = Static<typeof TestVendor>;

/** What a test call came to; a refusal by the vendor is an answer with `ok: false`. Nobody is charged for it. */
export const VendorTest = Type.Object({
  ok: Type.Boolean(),
  vendor: Type.String(),
  model: Type.String(),
  upstream_model: Type.String(),
  protocol: Protocol,
  /** The vendor's HTTP status; null when there was none. */
  status: Type.Union([Type.Integer(), Type.Null()]),
  first_byte_ms: nullableNumber,
  duration_ms: Type.Number(),
  /** The first words of the answer, at most 200 characters; of a decision, a sentence. Null when there was none. */
  text: nullableString,
  usage: Type.Union([Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }), Type.Null()]),
  /** What went wrong, with the vendor's own sentence, credentials taken out; null when `ok`. */
  error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
});
export type VendorTest = Static<typeof VendorTest>;
