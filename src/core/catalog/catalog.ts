import type { Protocol } from "../endpoints.ts";
import type { Markup } from "../money/markup.ts";
import type { Price } from "../money/price.ts";
import type { UnitPrice } from "../money/price-classes.ts";
import type { UpkeepSettings } from "../operations/upkeep.ts";
import type { AlertSettings } from "./alert-settings.ts";
import type { CellSettings } from "./cell-settings.ts";
import type { ConsoleSettings } from "./console-settings.ts";
import type { ContentSettings } from "./content-settings.ts";
import type { DecideWith } from "./decide-with.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import type { HooksSettings } from "./hook-settings.ts";
import type { MailSettings } from "./mail-settings.ts";
import type { OperationsSettings } from "./operations-settings.ts";
import type { TelemetrySettings } from "./telemetry-settings.ts";
import type { UsageEventSettings } from "./usage-event-settings.ts";

/** Reasoning controls of a model (docs/api.md 2.2). An empty object: it reasons, without controls. */
export interface ReasoningControls {
  readonly toggle?: boolean;
  /** Accepted effort levels, lowest to highest. */
  readonly effort?: readonly string[];
  readonly budget_tokens?: { readonly min?: number; readonly max?: number };
}

export interface Capabilities {
  readonly streaming: boolean;
  readonly tools: boolean;
  readonly json: boolean;
  readonly vision: boolean;
  readonly thinking: boolean;
  /** Present exactly when `thinking` is true. */
  readonly reasoning?: ReasoningControls;
}

/** One way to a model: a vendor, the vendor's own name for it, and its share of the traffic. */
export interface Route {
  readonly vendor: string;
  readonly upstream_model: string;
  /** Relative share among the model's routes, above 0. */
  readonly weight: number;
  /**
   * The only protocols in which the vendor serves this model; absent where it serves the model in all that it speaks.
   */
  readonly protocols?: readonly Protocol[];
  /** The vendor's prices to the operator, as the configuration states them; absent: those of the bundled catalogue. */
  readonly cost?: readonly Price[];
}

/** When a model takes temperature and its kin, where it does not always. */
export type Sampling = "never" | "without_reasoning";

export const MODEL_KINDS = [
  "chat",
  "decision",
  "embedding",
  "rerank",
  "moderation",
  "speech",
  "image",
  "transcription",
] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** The kinds whose models have no output that is priced. */
export const INPUT_ONLY_KINDS: ReadonlySet<ModelKind> = new Set(["decision", "embedding", "moderation", "rerank"]);

/** The units by which models of a kind may be charged in place of tokens. */
const KIND_UNITS: Readonly<Partial<Record<ModelKind, UnitPrice>>> = {
  speech: "input_characters",
  image: "images",
  rerank: "searches",
  transcription: "input_minutes",
};

/**
 * What models of a kind are charged for: a decision costs its input only (docs/api.md 8), and sound, images and rankings may be charged by a
 * unit in place of tokens, which is then named.
 */
export type ChargedSides = "input-and-output" | "input-only" | UnitPrice;

export function sidesOf(kind: ModelKind): ChargedSides {
  return KIND_UNITS[kind] ?? (INPUT_ONLY_KINDS.has(kind) ? "input-only" : "input-and-output");
}

/** Whether tokens of output have a price where tokens are charged. */
export function chargesOutput(sides: ChargedSides): boolean {
  return sides !== "input-only" && sides !== "searches";
}

/** Whether a model draws: one of the kind, or a chat model that makes images, which is then reached at the endpoints of images, too. */
export function makesImages({ kind, output_modalities }: Pick<Model, "kind" | "output_modalities">): boolean {
  return kind === "image" || (kind === "chat" && output_modalities.includes("image"));
}

/** How a model's candidates are chosen from, where that is not by weight and with conversations kept together (docs/rulings.md 181, 182). */
export interface RoutingSettings {
  /** The first of them: the faster of two drawn, or the cheapest. Absent: by weight. */
  readonly pick?: "latency" | "cost";
  /** Set where each request is for itself. */
  readonly sticky?: false;
}

export interface Model {
  /** `<vendor>/<short_name>`. */
  readonly id: string;
  readonly display_name: string;
  readonly owned_by: string;
  /** Release time, Unix seconds. */
  readonly created: number;
  readonly kind: ModelKind;
  readonly context_length: number | null;
  readonly max_completion_tokens: number | null;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  readonly capabilities: Capabilities;
  /**
   * Set where no source says whether the chat model reasons: it may then reason without showing it (docs/rulings.md 170). Not among the
   * capabilities, because the API shows such a model as one that does not reason.
   */
  readonly thinking_unsaid?: true;
  /**
   * Whether the model takes system messages amid a conversation (docs/rulings.md 160). Absent: not in the messages
   * protocol, and in other protocols as the vendor's quirks say. The setting is not among the capabilities, which the
   * API shows.
   */
  readonly mid_system?: boolean;
  /** Set where the chat model goes on from a text as well, without messages (docs/rulings.md 215). */
  readonly completions?: true;
  /**
   * Whether the model takes temperature and its kin (docs/rulings.md 166): never, or only where a request leaves reasoning
   * off. Absent: it does, as far as the protocol and its vendor do. It is not among the capabilities, which the API shows.
   */
  readonly sampling?: Sampling;
  /** Ascending by `from_ms`; never empty: a model without a price is not callable and not in the catalogue. */
  readonly prices: readonly Price[];
  /** How the prices were made that follow the vendors' prices; absent where none does. Ascending by `from_ms`. */
  readonly markups?: readonly Markup[];
  readonly routes: readonly Route[];
  /** Absent: by weight, and conversations stay together. */
  readonly routing?: RoutingSettings;
  /** Models tried in order when every route of this one is unavailable. */
  readonly fallbacks: readonly string[];
  /**
   * Why the model is left out of all lists although it answers: it is a "fixture" of the simulator, for tests, or the simulator's model
   * after the first run ("demo"), which answers the demo key and any key that names it (docs/design/people.md). Absent: it is listed.
   */
  readonly unlisted?: "fixture" | "demo";
  /** Set when the model's decisions are made by our engine from a chat model's token probabilities. */
  readonly decide_with?: DecideWith;
}

export interface VendorTimeouts {
  readonly connect_ms: number;
  readonly first_byte_ms: number;
  readonly idle_ms: number;
  readonly total_ms: number;
}

/**
 * How the credential travels: style A vendors take a bearer, Anthropic `x-api-key`, Azure `api-key`, Google's Gemini API
 * `x-goog-api-key`. With `sigv4` each request is signed with the vendor's `aws` credentials; with `google-service-account`
 * it carries a token that the account in `api_key` was exchanged for.
 */
export type CredentialHeader =
  | "bearer"
  | "x-api-key"
  | "api-key"
  | "x-goog-api-key"
  | "sigv4"
  | "google-service-account"
  | "none";

/** AWS credentials, with which requests are signed. */
export interface AwsCredentials {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  /** Set for temporary credentials. */
  readonly session_token: string | null;
  readonly region: string;
}

/**
 * The request field in which a chat vendor takes the only texts that may be generated: `structured_outputs.choice`,
 * `guided_choice`, a GBNF `grammar` or a `regex`.
 */
export type ChoiceConstraint = "structured_outputs" | "guided_choice" | "grammar" | "regex";

/**
 * How a vendor takes reasoning back in replayed answers. Absent where the vendor wants none.
 *
 * - `reasoning_content`: as text, which must be there beside tool calls. In messages, reasoning is a block under the
 *   same rule.
 * - `reasoning_details`: in the format that OpenRouter publishes.
 * - `extra_content`: as the signature of each tool call, required on the first of several calls in a row (Google).
 */
export type ReasoningReplay = "reasoning_content" | "reasoning_details" | "extra_content";

/** Differences of a vendor's dialect from the protocol's public shape, named so that code never tests vendor names. */
export interface VendorQuirks {
  /** The vendor refuses `stream_options`; it sends usage without being asked. */
  readonly no_stream_options?: boolean;
  /** The vendor knows only `max_tokens`, not `max_completion_tokens`. */
  readonly max_tokens_only?: boolean;
  /** The vendor of chat takes OpenRouter's objects `reasoning` and `usage` (docs/rulings.md 78). */
  readonly takes_reasoning_object?: boolean;
  /** The vendor knows no `developer` role. */
  readonly no_developer_role?: boolean;
  /** The templates of the vendor's models refuse system messages amid a conversation (docs/rulings.md 160). */
  readonly system_first?: boolean;
  /** A messages vendor that refuses a conversation which begins with the assistant (docs/rulings.md 168). */
  readonly user_first?: boolean;
  /** The vendor refuses ids on tool calls and their results: it matches results to calls by their order (Vertex AI). */
  readonly no_call_ids?: boolean;
  /**
   * The vendor takes ids of calls of nine letters and digits only, wants an answer between a tool's result and what the
   * user says next, and wants an answer that is to be gone on with marked as such.
   */
  readonly strict_turns?: boolean;
  readonly reasoning_replay?: ReasoningReplay;
  /**
   * Fields of replayed answers, and of their tool calls, that the vendor refuses: fields in which other vendors send
   * reasoning. Clients send back every field that they received, and these mean nothing to this vendor.
   */
  readonly unsupported_answer_fields?: readonly string[];
  /** Top-level request fields that the vendor refuses: left out and named in `x-camino-ignored`. */
  readonly unsupported_fields?: readonly string[];
  /** How the vendor constrains output to given texts; absent where it cannot. */
  readonly constrained_choice?: ChoiceConstraint;
  /** How many alternatives a token's log-probabilities show, where it is not 20. */
  readonly top_logprobs?: number;
  /** The decision vendor takes images by the names that the texts use for them (`assets` of System One). */
  readonly image_assets?: boolean;
}

/** How vendors of rankings differ (docs/rulings.md 212). */
export const RANKING_DIALECTS = ["cohere", "jina", "voyage", "tei"] as const;
export type RankingDialect = (typeof RANKING_DIALECTS)[number];

/** One base URL and credential header per protocol that the vendor speaks. */
export interface VendorEndpoint {
  readonly protocol: Protocol;
  /** Ends in the version segment, without a trailing slash: `…/v1/messages` is base_url + `/messages`. */
  readonly base_url: string;
  readonly credential: CredentialHeader;
  /**
   * `vertex`: messages as Vertex AI serves them, with the model in the path; of rankings whose names the vendor has for a request's members.
   * Absent for the protocol's public shape, which for rankings is Cohere's.
   */
  readonly dialect?: "vertex" | RankingDialect;
  /** Set where messages have the versions after 2023-06-01, which other vendors do not imitate (docs/rulings.md 2). */
  readonly later_versions?: true;
}

/**
 * The end of an answer whose client leaves (docs/rulings.md 143): the vendor's call is closed, or read to its end;
 * `auto` closes it where everything that is made can be seen while it streams.
 */
export type OnDisconnect = "auto" | "abort" | "drain";

/** What a vendor, or one of its credentials, may be used for (docs/rulings.md 178). Never empty. */
export interface VendorLimits {
  /** By the vendor's own prices, in a UTC day, by all nodes together. */
  readonly spend_micro?: bigint;
  /** Requests and tokens in a minute. */
  readonly rpm?: number;
  readonly tpm?: number;
  /** Requests in flight. */
  readonly concurrent?: number;
}

/** One of several credentials of a vendor (docs/rulings.md 180). */
export interface VendorKey {
  /** What people call it: it is on receipts and in Health. No two of a vendor's have the same. */
  readonly name: string;
  readonly api_key: string;
  /** Relative share among the vendor's credentials, above 0. */
  readonly weight: number;
  /** Its own limits, beside the vendor's. */
  readonly limits?: VendorLimits;
}

export interface Vendor {
  /** The part of a model id before the slash. */
  readonly id: string;
  readonly name: string;
  /** In order of preference; never empty. */
  readonly endpoints: readonly VendorEndpoint[];
  /**
   * Null for vendors that need none (local servers). For a service account: its key as JSON, or the path of the key
   * file.
   */
  readonly api_key: string | null;
  /** Set where the vendor has several credentials: `api_key` is the first of them. */
  readonly api_keys?: readonly VendorKey[];
  /** Set where requests are signed. */
  readonly aws?: AwsCredentials;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: VendorTimeouts;
  readonly limits?: VendorLimits;
  readonly on_disconnect: OnDisconnect;
  readonly forwards_safety_identifier: boolean;
  /** Whether requests may refer to objects that the vendor stores, whoever created them; absent: they may not (docs/rulings.md 149). */
  readonly shared_state?: "allow";
  readonly quirks: VendorQuirks;
  /** Who issues its signatures and encrypted reasoning; absent: the vendor itself (docs/rulings.md 192). */
  readonly issuer?: string;
}

/**
 * The requests that the decision endpoints accept: those of the specification, or those of the vendors' public APIs (docs/rulings.md 174).
 */
export type DecisionSurface = "specification" | "vendor";

/** The aliases of the whole gateway, which come after those of a key (docs/rulings.md 20). */
export interface GatewayAliases {
  /** The model's id by the alias. */
  readonly names: ReadonlyMap<string, string>;
  /** Longest prefix first. */
  readonly prefixes: readonly { readonly prefix: string; readonly model: string }[];
}

/** The configuration: every vendor and model, and the limits that keys inherit. Immutable; a reload makes a new object. */
export interface Configuration {
  /** ISO 4217; every amount in the API is in this currency. */
  readonly currency: string;
  readonly vendors: ReadonlyMap<string, Vendor>;
  readonly models: ReadonlyMap<string, Model>;
  /** Models that take no new calls, kept for the records of earlier calls; absent where there are none. */
  readonly retired?: ReadonlyMap<string, Model>;
  /** Aliases for every key; absent where there are none. */
  readonly aliases?: GatewayAliases;
  readonly limits: GatewayLimits;
  /** How long a response may be referred to after its last use; 0: the gateway stores no responses. */
  readonly responses: { readonly keep_ms: number };
  /** The cache of answers; absent where the file has no such section (docs/rulings.md 183). */
  readonly cache?: CacheSettings;
  /** Absent where the file has no such section: answers then show their cost. */
  readonly answers?: AnswersSettings;
  /** The requests that the decision endpoints accept; absent: those of the specification (docs/rulings.md 174). */
  readonly decisions?: { readonly surface: DecisionSurface };
  /** The origins whose pages may call the public API, `*` among them for all; absent: none (docs/rulings.md 195). */
  readonly cors?: { readonly origins: readonly string[] };
  /** How long clients' connections stay open without a request; absent: 75 s (docs/rulings.md 208). */
  readonly clients?: { readonly keep_alive_ms: number };
  /** Set where user messages in the messages protocol may contain documents (docs/rulings.md 189). */
  readonly messages?: { readonly documents: "allow" };
  /** Absent: the defaults (core/operations/upkeep.ts). */
  readonly upkeep?: UpkeepSettings;
  /** Absent where the file says nothing about the console. */
  readonly console?: ConsoleSettings;
  /** Absent where the file says nothing about the operations endpoints. */
  readonly operations?: OperationsSettings;
  /** How contents are kept where somebody switched that on; absent: as `DEFAULT_CONTENT` says (docs/rulings.md 184). */
  readonly content_log?: ContentSettings;
  /** Absent: the gateway sends no mail. */
  readonly mail?: MailSettings;
  /** Absent: nobody is asked about requests or told of answers. */
  readonly hooks?: HooksSettings;
  /** Absent: nothing is sent to a collector of OpenTelemetry. */
  readonly telemetry?: TelemetrySettings;
  /** Absent: the gateway tells nobody of anything, unless accounts have targets of their own. */
  readonly alerts?: AlertSettings;
  /** Absent: there are no usage events. */
  readonly usage_events?: UsageEventSettings;
  /** Absent: the gateway has one database, or the environment names cells (docs/adr/0085). */
  readonly cells?: CellSettings;
}

/** How answers are given again (docs/rulings.md 183). */
export interface CacheSettings {
  /** What such an answer costs, in percent of what it cost first: 0 to 100. */
  readonly charge_percent: number;
  /** The most bytes of all stored answers; 0: none are stored. */
  readonly keep_bytes: number;
  /** The longest time for which an answer is stored. */
  readonly longest_ms: number;
}

export const DEFAULT_CACHE: CacheSettings = {
  charge_percent: 0,
  keep_bytes: 256 * 2 ** 20,
  longest_ms: 7 * 86_400_000,
};

/** Contents of answers beside the generated output. */
export interface AnswersSettings {
  /** Whether the usage of billed answers has their cost (docs/rulings.md 169). */
  readonly cost: "show" | "hide";
}
