import type { ClientRequest, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { pathOf } from "./explain.ts";
import { historyItems } from "./history-items.ts";

/** An adapter on which no request reaches another account's files or conversations at the vendor (docs/rulings.md 149). */
export function keepAccountsApart(adapter: ProtocolAdapter): ProtocolAdapter {
  return {
    prepare(request, target, headers) {
      refuseVendorState(request, target);
      return adapter.prepare(request, target, headers);
    },
  };
}

/**
 * Throws 400, with the member's name, for a request that names what its vendor keeps, unless the vendor's row says
 * `shared_state: allow`. Items that the gateway itself recalled for the account pass to the vendor that made them.
 */
export function refuseVendorState({ protocol, body, memory }: ClientRequest, { vendor }: Target): void {
  if (vendor.shared_state === "allow") return;
  const recalled = memory?.recalled;
  // The ids in them are never sent: where they may not be relayed, they are carried as text.
  const history = protocol === "responses" || protocol === "responses-in-chat" ? historyItems(body.input) : NOTHING;
  const isOwn =
    recalled === undefined || recalled.size === 0
      ? (item: object) => history.has(item)
      : (item: object) => history.has(item) || recalled.get(item)?.vendor === vendor.id;
  const found = findVendorReference(body, isOwn);
  if (found !== null) throw refusal(protocol, vendor.id, found);
}

const NOTHING: ReadonlySet<object> = new Set();

/** Whether an item of an input names what its vendor keeps. */
export function namesVendorState(item: object): boolean {
  return findVendorReference({ input: [item] }, never) !== null;
}

function never(): false {
  return false;
}

function refusal(protocol: Protocol, vendor: string, { steps, what }: VendorReference): GatewayError {
  const place = pathOf(steps);
  const message = `'${place}' names ${what} that the vendor ${vendor} keeps, where all accounts of this gateway are one customer: it is not relayed. Send the content itself; the operator can allow it with 'shared_state: allow' in the vendor's settings.`;
  return new GatewayError(codeOf(protocol, what), message, { param: place });
}

function codeOf(protocol: Protocol, what: string): ErrorCode {
  if (protocol === "messages" || protocol === "gemini") return "invalid_request";
  if (protocol !== "responses" && protocol !== "responses-in-chat") return "unsupported_parameter";
  if (what === "a stored response") return "previous_response_not_found";
  return what === "a stored item" ? "item_not_found" : "unsupported_responses_feature";
}

/**
 * An object of the vendor's own memory that a request names: a file, store, container, conversation, cache or prompt. All
 * accounts of the gateway are one customer there, so a vendor gives each of them what belongs to any (docs/rulings.md
 * 149). Members are judged by their names wherever they stand, since vendors add places faster than tables follow.
 */
interface VendorReference {
  /** The place in the body: names of members and places in arrays. */
  readonly steps: readonly (string | number)[];
  /** The named object, for a sentence: `a file`. */
  readonly what: string;
}

/** How a member is judged by its name. */
type StateRule =
  /** Names state by a text, a list of texts, or an object with an `id`; `top`: only as a member of the body itself. */
  | { readonly kind: "names"; readonly what: string; readonly top?: true }
  /** An object names state by its `id`; a text is something else. */
  | { readonly kind: "holds-id"; readonly what: string; readonly top?: true }
  /** A URL, whose scheme or host may be a vendor's storage. */
  | { readonly kind: "url" }
  /** An address: anything but one of the open web names a file. */
  | { readonly kind: "address" }
  /** A text, by which some vendors take a file. */
  | { readonly kind: "text" }
  /** The client's own data, in which any name may stand. */
  | { readonly kind: "opaque" };

function names(what: string, members: readonly string[]): [string, StateRule][] {
  return members.map((name) => [name, { kind: "names", what }]);
}

const RULES: ReadonlyMap<string, StateRule> = new Map<string, StateRule>([
  ...names("a file", ["file_id", "file_ids", "fileId"]),
  ...names("a vector store", ["vector_store_id", "vector_store_ids", "collection_id", "collection_ids"]),
  ...names("a library", ["library_id", "library_ids", "knowledge_base_id", "knowledge_base_ids"]),
  ...names("a container", ["container", "container_id"]),
  ...names("a cache", ["cached_content", "cachedContent"]),
  ...names("a stored response", ["previous_response_id", "response_id", "comparison_response_id"]),
  ...names("a tunnel", ["tunnel_id"]),
  ...names("a conversation", ["conversation_id", "thread_id"]),
  ...names("a stored prompt", ["prompt_id"]),
  ...names("an assistant", ["assistant_id", "agent_id"]),
  ...names("a skill", ["skill_id"]),
  ...names("a voice", ["voice_id"]),
  ["conversation", { kind: "names", what: "a conversation", top: true }],
  ["thread", { kind: "names", what: "a conversation", top: true }],
  ["prompt", { kind: "holds-id", what: "a stored prompt", top: true }],
  ["audio", { kind: "holds-id", what: "an earlier answer's audio" }],
  ["voice", { kind: "holds-id", what: "a voice" }],
  ...["url", "uri", "image_url", "video_url", "audio_url", "file_url", "document_url", "file_data"].map(
    (name): [string, StateRule] => [name, { kind: "url" }],
  ),
  ["file_uri", { kind: "address" }],
  ["fileUri", { kind: "address" }],
  ["content", { kind: "text" }],
  ["text", { kind: "text" }],
  ...[
    ...["parameters", "input_schema", "output_schema", "schema", "json_schema", "properties", "definitions", "$defs"],
    ...["arguments", "input_examples", "metadata", "client_metadata", "logit_bias"],
    ...["args", "response", "parametersJsonSchema", "responseSchema", "responseJsonSchema", "labels"],
    // The sources of an answer's text: vendors do not look these up.
    ...["annotations", "citations"],
  ].map((name): [string, StateRule] => [name, { kind: "opaque" }]),
]);

/** Files that the code of a turn has made, as its answer told of them. */
const TOLD: ReadonlySet<unknown> = new Set(["code_execution_output", "bash_code_execution_output"]);
/** The depth to which a request may be nested. */
const MAX_DEPTH = 512;

/**
 * The first member of a body that names state of its vendor; null where none does. `isOwn` says which objects the
 * gateway has put in from its own memory, for this account and from this vendor. Takes time in proportion to the number
 * of members; texts are not looked through. Throws 400 for a body that is nested too deep.
 */
export function findVendorReference(body: JsonRecord, isOwn: (item: object) => boolean): VendorReference | null {
  return storedItem(body.input, isOwn) ?? inObject(body, isOwn, 0);
}

/** An item of the input that stands for an item which the vendor keeps. */
function storedItem(input: unknown, isOwn: (item: object) => boolean): VendorReference | null {
  if (!Array.isArray(input)) return null;
  for (let index = 0; index < input.length; index++) {
    const item: unknown = input[index];
    if (!isObject(item) || typeof item.id !== "string" || isOwn(item)) continue;
    const { type = null, role } = item;
    const is_reference = type === "item_reference" || (type === null && role === undefined);
    if (is_reference || (type === "image_generation_call" && typeof item.result !== "string"))
      return { steps: ["input", index], what: "a stored item" };
  }
  return null;
}

function inObject(object: JsonRecord, isOwn: (item: object) => boolean, depth: number): VendorReference | null {
  if (depth > MAX_DEPTH) throw tooDeep();
  for (const name in object) {
    const value = object[name];
    if (value === null || (typeof value !== "object" && typeof value !== "string")) continue;
    const rule = RULES.get(name);
    if (rule !== undefined) {
      // The client's own data may have members of any name.
      if (rule.kind === "opaque") continue;
      const what = named(rule, value, object, depth);
      if (what !== null) return { steps: [name], what };
    }
    if (typeof value === "string") continue;
    // The input of a tool call is the client's own; the input of a request is a list.
    if (name === "input" && !Array.isArray(value)) continue;
    const found = within(value, isOwn, depth + 1);
    if (found !== null) return { ...found, steps: [name, ...found.steps] };
  }
  return null;
}

function within(value: object, isOwn: (item: object) => boolean, depth: number): VendorReference | null {
  if (!Array.isArray(value)) return isOwn(value) ? null : inObject(value as JsonRecord, isOwn, depth);
  if (depth > MAX_DEPTH) throw tooDeep();
  for (let index = 0; index < value.length; index++) {
    const each: unknown = value[index];
    if (typeof each !== "object" || each === null) continue;
    const found = within(each, isOwn, depth + 1);
    if (found !== null) return { ...found, steps: [index, ...found.steps] };
  }
  return null;
}

/** The object that a member names, in words; null where it names no object of the vendor. */
function named(rule: StateRule, value: string | object, { type }: JsonRecord, depth: number): string | null {
  switch (rule.kind) {
    case "opaque":
      return null;
    case "url":
      return typeof value === "string" && isStorage(value) ? "a file" : null;
    case "address":
      return typeof value === "string" && !isOfOpenWeb(value) ? "a file" : null;
    case "text":
      return typeof value === "string" && value.startsWith("fileid://") ? "a file" : null;
    case "holds-id":
      return (rule.top !== true || depth === 0) && hasId(value) ? rule.what : null;
    case "names":
      if (rule.top === true && depth > 0) return null;
      // Skills of the vendor's own are everybody's.
      if (rule.what === "a skill" && type === "anthropic") return null;
      if (rule.what === "a file" && TOLD.has(type)) return null;
      return namesSomething(value) ? rule.what : null;
  }
}

function namesSomething(value: string | object): boolean {
  if (typeof value === "string") return value !== "";
  return Array.isArray(value) ? value.some((each) => typeof each === "string") : hasId(value);
}

function hasId(value: string | object): boolean {
  return isObject(value) && typeof value.id === "string";
}

/** Google's file service, whose URLs only the account's own credential opens. */
const FILE_SERVICE = "generativelanguage.googleapis.com";

/** Whether a URL is of a vendor's or a cloud's storage (`gs:`, `s3:`, `ms:`), and not of the open web. */
function isStorage(url: string): boolean {
  if (url.startsWith("data:")) return false;
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url.slice(0, 64))?.[1]?.toLowerCase();
  if (scheme === undefined || scheme === "data") return false;
  if (scheme !== "https" && scheme !== "http") return true;
  const host = URL.parse(url)?.hostname ?? "";
  return host === FILE_SERVICE || host.endsWith(`-${FILE_SERVICE}`);
}

function isOfOpenWeb(address: string): boolean {
  return /^\s*https?:/i.test(address) && !isStorage(address);
}

function tooDeep(): GatewayError {
  return new GatewayError("invalid_json", `The body is nested deeper than ${MAX_DEPTH} levels, which is the most.`);
}
