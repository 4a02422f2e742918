import type { Configuration, Model, ModelKind } from "../../core/catalog/catalog.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { priceAt } from "../prices/price-at.ts";
import { aliasEntries } from "./aliases.ts";
import { usableModel, viewOf } from "./key-view.ts";
import { type ModelPricing, modelPricing } from "./model-pricing.ts";
import { resolveModel } from "./resolve-model.ts";

/**
 * A model as the API shows it (docs/api.md 2.1): style A's fields and style B's side by side, so that both styles'
 * clients read it. `max_input_tokens` and `max_tokens` are style B's names for the limits, null when unknown. The clients of style B
 * see their own `thinking`, for which both styles have the same name, and the members that only they know.
 */
export interface ModelObject extends Partial<StyleBMembers> {
  readonly id: string;
  readonly object: "model";
  readonly type: "model";
  readonly display_name: string;
  /** OpenRouter's name of it. */
  readonly name: string;
  readonly pricing: ModelPricing;
  readonly created: number;
  readonly created_at: string;
  readonly owned_by: string;
  readonly context_length?: number;
  readonly max_completion_tokens?: number;
  readonly max_input_tokens: number | null;
  readonly max_tokens: number | null;
  readonly architecture: {
    readonly input_modalities: readonly string[];
    readonly output_modalities: readonly string[];
  };
  readonly capabilities: Omit<Model["capabilities"], "thinking"> &
    ReturnType<typeof styleBCapabilities> & { readonly thinking: boolean | ReturnType<typeof styleBThinking> };
  readonly root?: string;
  readonly kind?: ModelKind;
}

/**
 * Which models a list shows: those of a kind, all, or, when the client did not say (null), chat models without `kind`.
 */
export type ListedKind = ModelKind | "all" | null;

/** What the request's headers say of who reads the models, and when it is. */
export interface ModelReader {
  readonly now_ms: number;
  /** Style B's own clients, which send `anthropic-version` (docs/api.md 2.2). */
  readonly is_style_b: boolean;
  /** TypeSafe's client, which reads decision models in a list of their own. */
  readonly wants_decision_models: boolean;
}

/** A reader of whom the headers say nothing. */
export function plainReader(now_ms: number): ModelReader {
  return { now_ms, is_style_b: false, wants_decision_models: false };
}

/** One model by id or alias, with its kind; null when the key may use no model of that name (docs/api.md 4.5). */
export function modelObject(
  configuration: Configuration,
  key: KeyRecord,
  name: string,
  { is_style_b, now_ms }: ModelReader,
): ModelObject | null {
  const resolved = resolveModel(configuration, key, name);
  return resolved === null ? null : toObject(resolved.model, resolved.alias, { with_kind: true, is_style_b, now_ms });
}

/**
 * The list of models as JSON text (docs/api.md 2.3, 4.4): the key's aliases first, then the whole catalogue, both
 * without models that the key may not use. The catalogue's part is written once for each configuration and kind, until a price changes.
 */
export function listModels(
  configuration: Configuration,
  key: KeyRecord,
  kind: ListedKind,
  reader: ModelReader,
): string {
  const { models, ids, texts, all } = catalogueOf(configuration, kind, reader);
  const aliases = aliasObjects(configuration, key, kind, reader);
  const view = viewOf(key);
  const shown = view.allows_all ? null : models.flatMap((model, index) => (view.allows(model) ? [index] : []));
  const catalogue = shown === null ? all : shown.map((index) => texts[index]).join(",");
  const last_index = shown === null ? ids.length - 1 : (shown.at(-1) ?? -1);
  const first_index = shown === null ? 0 : (shown[0] ?? -1);
  const first_id = aliases[0]?.id ?? ids[first_index] ?? null;
  const last_id = ids[last_index] ?? aliases.at(-1)?.id ?? null;
  const data = [...aliases.map((alias) => JSON.stringify(alias)), ...(catalogue === "" ? [] : [catalogue])].join(",");
  const ends = `"first_id":${JSON.stringify(first_id)},"last_id":${JSON.stringify(last_id)}`;
  const decisions = reader.wants_decision_models ? decisionModels(configuration, key, reader.now_ms) : null;
  const more = decisions === null ? "" : `,"models":${JSON.stringify(decisions)}`;
  return `{"object":"list","data":[${data}],"has_more":false,${ends}${more}}`;
}

/** A model in System One's own list format: TypeSafe's client reads only these fields (docs/rulings.md 164). */
interface DecisionModelObject {
  readonly name: string;
  readonly description: string;
  readonly release_date: string;
}

/** The decision models that the key may use, its aliases first. */
function decisionModels(configuration: Configuration, key: KeyRecord, now_ms: number): DecisionModelObject[] {
  const view = viewOf(key);
  const reader = plainReader(now_ms);
  const models = catalogueOf(configuration, "decision", reader).models.filter((model) => view.allows(model));
  const objects = [
    ...aliasObjects(configuration, key, "decision", reader).filter(({ id }) => !id.endsWith("*")),
    ...models.map((model) => toObject(model, null, { with_kind: false, ...reader })),
  ];
  return objects.map(({ id, display_name, created_at }) => ({
    name: id,
    description: display_name,
    release_date: created_at.slice(0, 10),
  }));
}

/**
 * The aliases that lead to a usable model, the key's in its order and then the gateway's, without aliases that a real id or an alias
 * of the key hides: they are never used.
 */
function aliasObjects(
  configuration: Configuration,
  key: KeyRecord,
  kind: ListedKind,
  { is_style_b, now_ms }: ModelReader,
): ModelObject[] {
  const form = { with_kind: kind !== null, is_style_b, now_ms };
  const view = viewOf(key);
  const own = [
    ...key.aliases.map(({ name, model }) => ({ id: name, model })),
    ...key.prefix_aliases.map(({ prefix, model }) => ({ id: `${prefix}*`, model })),
  ];
  const hidden = new Set(own.map(({ id }) => id));
  const gateways = aliasEntries(configuration.aliases).map(([id, model]) => ({ id, model }));
  const named = [...own, ...gateways.filter(({ id }) => !hidden.has(id))];
  return named.flatMap(({ id, model: target }) => {
    const model = configuration.models.has(id) ? null : usableModel(configuration, view, target);
    return model !== null && isListed(model, kind) ? [toObject(model, id, form)] : [];
  });
}

interface CataloguePart {
  readonly models: readonly Model[];
  readonly ids: readonly string[];
  readonly texts: readonly string[];
  readonly all: string;
  /** When the next price of one of these models takes effect. */
  readonly until_ms: number;
}

const parts = new WeakMap<Configuration, Map<string, CataloguePart>>();

function catalogueOf(
  configuration: Configuration,
  kind: ListedKind,
  { is_style_b, now_ms }: ModelReader,
): CataloguePart {
  let by_form = parts.get(configuration);
  if (by_form === undefined) {
    by_form = new Map();
    parts.set(configuration, by_form);
  }
  const name = `${kind} ${is_style_b}`;
  let part = by_form.get(name);
  if (part === undefined || now_ms >= part.until_ms) {
    const models = [...configuration.models.values()].filter(
      (model) => model.unlisted === undefined && isListed(model, kind),
    );
    const form = { with_kind: kind !== null, is_style_b, now_ms };
    const texts = models.map((model) => JSON.stringify(toObject(model, null, form)));
    const later = models.flatMap(({ prices }) => prices.map(({ from_ms }) => from_ms).filter((from) => from > now_ms));
    const until_ms = later.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
    part = { models, ids: models.map(({ id }) => id), texts, all: texts.join(","), until_ms };
    by_form.set(name, part);
  }
  return part;
}

function isListed(model: Model, kind: ListedKind): boolean {
  return kind === "all" || model.kind === (kind ?? "chat");
}

interface ObjectForm {
  readonly with_kind: boolean;
  readonly is_style_b: boolean;
  readonly now_ms: number;
}

function toObject(model: Model, alias: string | null, { with_kind, is_style_b, now_ms }: ObjectForm): ModelObject {
  return {
    id: alias ?? model.id,
    object: "model",
    type: "model",
    display_name: model.display_name,
    name: model.display_name,
    pricing: modelPricing(priceAt(model, now_ms)),
    created: model.created,
    created_at: new Date(model.created * 1000).toISOString().replace(".000Z", "Z"),
    owned_by: model.owned_by,
    ...(model.context_length === null ? {} : { context_length: model.context_length }),
    ...(model.max_completion_tokens === null ? {} : { max_completion_tokens: model.max_completion_tokens }),
    max_input_tokens: model.context_length,
    max_tokens: model.max_completion_tokens,
    architecture: { input_modalities: model.input_modalities, output_modalities: model.output_modalities },
    capabilities: {
      ...model.capabilities,
      ...styleBCapabilities(model),
      ...(is_style_b && { thinking: styleBThinking(model) }),
    },
    ...(is_style_b && STYLE_B_MEMBERS),
    ...(alias === null ? {} : { root: model.id }),
    ...(with_kind ? { kind: model.kind } : {}),
  };
}

interface Support {
  readonly supported: boolean;
}

const yes: Support = { supported: true };
const no: Support = { supported: false };

/**
 * Style B's own members of a model's capabilities, which its clients read without asking (docs/api.md 2.2), but for `thinking`:
 * under that name others read a boolean.
 */
export function styleBCapabilities({ capabilities, input_modalities, prices }: Model) {
  const efforts = capabilities.reasoning?.effort ?? [];
  const effort = (level: string) => (efforts.includes(level) ? yes : no);
  const hasCalls = (of: "web_search" | "code_execution") =>
    prices.some(({ calls_micro_per_kcall }) => calls_micro_per_kcall?.[of] !== undefined) ? yes : no;
  const [web_search, code_execution] = [hasCalls("web_search"), hasCalls("code_execution")];
  return {
    batch: no,
    citations: no,
    code_execution: no,
    context_management: { ...no, clear_thinking_20251015: no, clear_tool_uses_20250919: no, compact_20260112: no },
    effort: {
      supported: efforts.length > 0,
      low: effort("low"),
      medium: effort("medium"),
      high: effort("high"),
      xhigh: effort("xhigh"),
      max: effort("max"),
    },
    image_input: capabilities.vision ? yes : no,
    pdf_input: input_modalities.includes("pdf") ? yes : no,
    server_tools: { supported: web_search.supported || code_execution.supported, web_search, code_execution },
    structured_outputs: capabilities.json ? yes : no,
  };
}

/**
 * Style B's `thinking` of a model. All ways to ask a model that reasons for it are taken: a way that the model does not know goes to
 * it as the one that it does.
 */
function styleBThinking({ capabilities: { thinking, reasoning } }: Model) {
  const asked = thinking ? yes : no;
  const disabled = !thinking || reasoning?.toggle === true ? yes : no;
  return { supported: thinking, types: { adaptive: asked, enabled: asked, disabled, between_tools: no } };
}

/** The members of a model that only style B has. A catalogue has no model that its vendor has retired. */
const STYLE_B_MEMBERS = { lifecycle: "active", line: null, deprecated_at: null, retires_at: null } as const;

type StyleBMembers = typeof STYLE_B_MEMBERS;
