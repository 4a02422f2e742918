import Type, { type Static } from "typebox";
import { closed, listOf, nullable, orNull, Timestamp } from "./common.ts";
import { ModelKind } from "./models.ts";

/**
 * Vendors as administrators see them: the enabled ones, and those that Camino knows and that lack only a credential. A
 * credential itself is never part of an answer.
 */

export const Protocol = Type.Enum([
  "responses",
  "chat-completions",
  "messages",
  "gemini",
  "bedrock-converse",
  "rerank",
  "decisions",
  "systemone",
]);

/** The origin of a vendor's setting. `console`: the database, set through this API. */
export const VendorOrigin = Type.Enum(["environment", "file", "console", "simulator"]);

const nullableString = orNull(Type.String());
const nullableNumber = orNull(Type.Number());

export const Circuit = Type.Object({
  /** `open`: the route gets no requests; `half-open`: the next request probes the route. */
  state: Type.Enum(["closed", "open", "half-open"]),
  /** When an open circuit lets a probe through; null in the other states. */
  half_opens_at: orNull(Timestamp),
  /**
   * Null where the state is everybody's. Where the route is closed to single accounts alone (what only their requests failed
   * with says nothing about others'), how many these are; the state is that of the one which waits longest.
   */
  accounts_alone: orNull(Type.Integer()),
});
export type Circuit = Static<typeof Circuit>;

/** Half of the calls were at most `p50` milliseconds, 95 of 100 at most `p95`; null while nothing was measured. */
export const Percentiles = Type.Object({ p50: nullableNumber, p95: nullableNumber });
export type Percentiles = Static<typeof Percentiles>;

const measured = {
  /** Calls that ended within the window. Calls whose client left before the vendor answered do not count. */
  calls: Type.Integer(),
  /** Calls that the vendor failed: errors that are not the request's fault, timeouts, breaks, rate limits. */
  errors: Type.Integer(),
  /** The calls of `errors` that met the vendor's rate limit. */
  rate_limited: Type.Integer(),
  /** `errors` divided by `calls`, 0 to 1; null without calls. */
  error_rate: nullableNumber,
  /** Time to the head of the vendor's answer, of answered calls. At most 8 % off. */
  first_byte_ms: Percentiles,
  /** Time to the last byte of the vendor's answer, of answered calls. At most 8 % off. */
  total_ms: Percentiles,
  /** Calls that are running now. */
  in_flight: Type.Integer(),
  /** The newest error within the window. */
  last_error: orNull(Type.Object({ at: Timestamp, code: Type.String(), status: orNull(Type.Integer()) })),
};

/** Recent measurements of one route, and its circuit. */
export const RouteHealth = Type.Object({ ...measured, circuit: Circuit });
export type RouteHealth = Static<typeof RouteHealth>;

/** Recent measurements of all of a vendor's routes together, and how many of their circuits are not closed. */
export const VendorHealth = Type.Object({ ...measured, circuits_open: Type.Integer() });
export type VendorHealth = Static<typeof VendorHealth>;

/** The kinds of credentials that may be set: see SetCredential. */
export const CredentialKind = Type.Enum(["api_key", "aws", "google_service_account"]);
export type CredentialKind = Static<typeof CredentialKind>;

/** How much of a limit of a vendor, or of one of its credentials, is used (docs/rulings.md 178). */
export const VendorLimit = Type.Object({
  limit: Type.Enum(["spend", "rpm", "tpm", "concurrent"]),
  /** Micro units a UTC day for `spend`. */
  allowed: Type.Integer(),
  /** What this process may use of it: a part of rates and of requests in flight where there are several. */
  share: Type.Integer(),
  /** Spending by all nodes, at most five seconds late; all else by this process. */
  used: Type.Integer(),
});
export type VendorLimit = Static<typeof VendorLimit>;

/** One of a vendor's several credentials, and whether this process uses it now (docs/rulings.md 180). */
export const CredentialKey = Type.Object({
  name: Type.String(),
  /** The last four characters of a key of twelve or more; of service accounts, of the key's id. */
  hint: nullableString,
  weight: Type.Number(),
  /** `resting`: requests use the others. */
  state: Type.Enum(["ready", "resting"]),
  /** The vendor answered with 429 (`limited`), 401 (`refused`) or 403 (`forbidden`); null where it is ready. */
  reason: orNull(Type.Enum(["limited", "refused", "forbidden"])),
  /** When a request may try it again; null where it is ready, or its rest is over and a next request tries it. */
  rests_until: orNull(Timestamp),
  /** How many accounts alone it is kept from, since the vendor answered only them with 403. */
  accounts_alone: Type.Integer(),
  /** Its own limits; empty where it has none. */
  limits: Type.Array(VendorLimit),
});
export type CredentialKey = Static<typeof CredentialKey>;

export const VendorCredential = Type.Object({
  /** The origin of the credential in use; null where no credential is in use. */
  source: orNull(Type.Enum(["environment", "file", "console"])),
  kind: orNull(CredentialKind),
  /** The variable that holds the credential in use, where the credential is the environment's. */
  variable: nullableString,
  /** The last four characters of a key of twelve or more; of AWS credentials and service accounts, of the key's id. */
  hint: nullableString,
  /** Several credentials, in their order; empty where the vendor has one or none. */
  keys: Type.Array(CredentialKey),
  /** `no`: requests carry no credential. `optional`: self-hosted servers, and addresses that the file gives. */
  needed: Type.Enum(["yes", "optional", "no"]),
  /** The kinds of credentials that may be set; empty where no credential can be set. */
  kinds: Type.Array(CredentialKind),
  /** The environment variables that may hold the credential instead. */
  variables: Type.Array(Type.String()),
  /** The stored credential, even if it cannot be used. It takes precedence over the file's and the environment's. */
  stored: orNull(
    Type.Object({
      set_at: Timestamp,
      /** The actor who set the credential: a user's id or `admin-token`. */
      set_by: Type.String(),
      /** Why the stored credential is not in use, as a sentence; null when it is in use. */
      problem: nullableString,
      /** The origin of the next credential if this one is deleted; null: the vendor would have no credential. */
      instead_of: orNull(Type.Enum(["environment", "file"])),
    }),
  ),
});
export type VendorCredential = Static<typeof VendorCredential>;

const summary = {
  id: Type.String(),
  name: Type.String(),
  /**
   * `enabled`: requests go to the vendor. `not_configured`: the vendor lacks a credential or a setting, see `missing`.
   * `not_offered`: the file says `catalog: none` (or another currency) and does not name the vendor, or the vendor was
   * removed from the file and its credential is still stored.
   */
  status: Type.Enum(["enabled", "not_configured", "not_offered"]),
  /** The setting that enables the vendor; null when the vendor is not enabled. */
  enabled_by: orNull(VendorOrigin),
  /** Whether Camino knows the vendor; other vendors come from the file. */
  known: Type.Boolean(),
  /** Whether the vendor is a self-hosted server, whose address the environment gives. */
  local: Type.Boolean(),
  protocols: Type.Array(Protocol),
  credential: VendorCredential,
  /** The vendor's limits; empty where it has none. */
  limits: Type.Array(VendorLimit),
  /** Missing settings beside the credential: names of `settings` in SetCredential, or variables to set. */
  missing: Type.Array(Type.String()),
  /** How many models have a route to the vendor; of a vendor that is not enabled, how many models it would add. */
  model_count: Type.Integer(),
  /** Null where the vendor is not enabled. */
  health: orNull(VendorHealth),
};

export const VendorSummary = Type.Object(summary);
export type VendorSummary = Static<typeof VendorSummary>;

/** The process that measured health, and the number of seconds covered. Other nodes have measurements of their own. */
const measuredBy = { node: Type.String(), window_s: Type.Integer() };

export const VendorList = Type.Object({ ...listOf(VendorSummary).properties, ...measuredBy });
export type VendorList = Static<typeof VendorList>;

export const VendorModel = Type.Object({
  model: Type.String(),
  display_name: Type.String(),
  kind: ModelKind,
  upstream_model: Type.String(),
  weight: Type.Number(),
  /** The protocols in which the vendor serves the model, in the order of preference. */
  protocols: Type.Array(Protocol),
  /** Null where the vendor is not enabled. */
  health: orNull(RouteHealth),
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
  /** The settings that the vendor's addresses contain, with their values where known. */
  settings: Type.Array(Type.Object({ name: Type.String(), value: nullableString })),
  /** Names of headers that are added to every request. */
  header_names: Type.Array(Type.String()),
  timeouts: Type.Object({
    connect_ms: Type.Integer(),
    first_byte_ms: Type.Integer(),
    idle_ms: Type.Integer(),
    total_ms: Type.Integer(),
  }),
  on_disconnect: Type.Enum(["auto", "abort", "drain"]),
  models: Type.Array(VendorModel),
});
export type Vendor = Static<typeof Vendor>;

/** A secret, whose content the handler checks, because errors of schemas repeat the value that they found. */
const secret = (what: string) => Type.String({ maxLength: 16_384, description: `${what}, at most 16384 characters` });

const credential = {
  api_key: Type.Optional(secret("the vendor's API key")),
  /** Several API keys, each of which may be used, or several service accounts' keys as JSON (docs/rulings.md 180). */
  api_keys: Type.Optional(
    Type.Array(
      closed({
        /** Default: `key-1` and so on, by the position. */
        name: Type.Optional(
          Type.String({
            pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$",
            description: "1 to 40 letters, digits, dots, hyphens and underscores",
          }),
        ),
        /** Left out: the key that the console has under this name stays. */
        key: Type.Optional(secret("an API key")),
        /** Its share of the vendor's requests beside the others'. Default: 1. */
        weight: Type.Optional(
          Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description: "a number above 0" }),
        ),
        /** Its own limits. Left out: none. */
        limits: Type.Optional(
          closed({
            spend: Type.Optional(
              Type.String({
                pattern: "^[0-9]{1,12}([.][0-9]{1,6})?/day$",
                description: "an amount a day, such as 100/day",
              }),
            ),
            rpm: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e12 })),
            tpm: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e12 })),
            concurrent: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e12 })),
          }),
        ),
      }),
      { minItems: 1, maxItems: 100, description: "1 to 100 keys" },
    ),
  ),
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

/** Exactly one of the kinds of credentials. The answer is the vendor, with at most a hint of the credential. */
export const SetCredential = closed(credential);
export type SetCredential = Static<typeof SetCredential>;

export const TestVendor = closed({
  /** A credential to try out: it is used for this call and not stored. Default: the credential in use. */
  credential: Type.Optional(closed(credential)),
  /** A model with a route to the vendor. Default: the vendor's cheapest model, a chat model if there is one. */
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: "the id of a model of this vendor" })),
  /** The name of one of the vendor's several credentials. Default: the first. */
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: "the name of one of its credentials" })),
});
export type TestVendor = Static<typeof TestVendor>;

/** The result of a test call. A vendor's refusal is a result with `ok: false`. No account is charged for the call. */
export const VendorTest = Type.Object({
  ok: Type.Boolean(),
  vendor: Type.String(),
  model: Type.String(),
  upstream_model: Type.String(),
  protocol: Protocol,
  /** The vendor's HTTP status; null where no answer came. */
  status: orNull(Type.Integer()),
  first_byte_ms: nullableNumber,
  duration_ms: Type.Number(),
  /** The first words of the answer, at most 200 characters; of a decision, a sentence. Null where no answer came. */
  text: nullableString,
  usage: orNull(Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() })),
  /** The failure, with the vendor's own sentence without credentials; null when `ok`. */
  error: orNull(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type VendorTest = Static<typeof VendorTest>;
