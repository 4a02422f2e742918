import {
  type Capabilities,
  MODEL_KINDS,
  type ModelKind,
  type ReasoningControls,
  type RoutingSettings,
  type Sampling,
  sidesOf,
} from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { withoutNulls } from "../../core/given.ts";
import type { Price } from "../../core/money/price.ts";
import { type NamedAt, report, type YamlPlace } from "./place.ts";
import { type DecideWithDraft, readDecideWith } from "./read-decide-with.ts";
import { readFields, readList, type YamlFields } from "./read-fields.ts";
import type { FollowingDraft } from "./read-markup.ts";
import { type ReadPrices, readCost, readPrices } from "./read-price.ts";
import { readProtocols } from "./read-protocols.ts";
import { readBoolean, readCount, readDate, readOneOf, readText, readTexts, readWeight } from "./read-scalar.ts";

export interface RouteDraft {
  readonly vendor: NamedAt;
  readonly upstream_model: string | null;
  readonly weight: number;
  readonly protocols: readonly Protocol[] | null;
  /** The vendor's prices for this route. */
  readonly cost: readonly Price[] | null;
}

/** A model as far as one document describes it. A field is null when the document does not mention it. */
export interface ModelDraft {
  readonly place: YamlPlace;
  readonly kind: ModelKind;
  readonly upstream_model: string | null;
  readonly protocols: readonly Protocol[] | null;
  readonly display_name: string | null;
  readonly owned_by: string | null;
  readonly created: number | null;
  readonly context_length: number | null;
  readonly max_completion_tokens: number | null;
  readonly input_modalities: readonly string[] | null;
  readonly output_modalities: readonly string[] | null;
  /** Whether a chat model also continues a text (`/v1/completions`). */
  readonly completions: boolean | null;
  readonly capabilities: StatedCapabilities;
  readonly prices: readonly Price[] | null;
  /** Prices that follow the vendors' prices; `prices` has those with figures. */
  readonly follows: readonly FollowingDraft[];
  /** A vendor's prices for every route that states no cost of its own. */
  readonly cost: readonly Price[] | null;
  readonly routes: readonly RouteDraft[] | null;
  readonly routing: RoutingSettings | null;
  readonly fallbacks: readonly NamedAt[] | null;
  readonly decide_with: DecideWithDraft | null;
  /** Whether the model takes no new calls. */
  readonly retired: boolean;
}

const KEYS = [
  "upstream_model",
  "protocol",
  "display_name",
  "owned_by",
  "created",
  "kind",
  "context_length",
  "max_completion_tokens",
  "input_modalities",
  "output_modalities",
  "capabilities",
  "completions",
  "price",
  "cost",
  "routes",
  "routing",
  "fallbacks",
  "decide_with",
  "retired",
] as const;

const MODALITIES = "a list of modalities such as [text, image]";

/** Reads a model from a document. Fields that the bundled catalogue's draft (`known`) has may be left out. */
export function readModel(place: YamlPlace, known: ModelDraft | null): ModelDraft | null {
  const fields = readFields(place, KEYS);
  if (fields === null) return null;
  const decide_with = readDecideWith(fields.get("decide_with"));
  const kind = readOneOf(fields.get("kind"), MODEL_KINDS) ?? (decide_with ? "decision" : (known?.kind ?? "chat"));
  const created_ms = readDate(fields.get("created"));
  const price = readPrice(fields, kind, known);
  const input_modalities = readTexts(fields.get("input_modalities"), MODALITIES);
  return {
    place,
    kind,
    upstream_model: readText(fields.get("upstream_model")),
    protocols: readProtocols(fields.get("protocol")),
    display_name: readText(fields.get("display_name")),
    owned_by: readText(fields.get("owned_by")),
    created: created_ms === null ? null : Math.floor(created_ms / 1000),
    context_length: readCount(fields.get("context_length"), 1),
    max_completion_tokens: readCount(fields.get("max_completion_tokens"), 1),
    input_modalities,
    output_modalities: readTexts(fields.get("output_modalities"), MODALITIES),
    completions: readBoolean(fields.get("completions")) ?? null,
    capabilities: readCapabilities(fields.get("capabilities"), input_modalities),
    prices: price === null ? null : price.figures,
    follows: price?.follows ?? [],
    cost: readCost(fields.get("cost"), sidesOf(kind)),
    routes: readRoutes(fields.get("routes"), kind),
    routing: readRouting(fields.get("routing")),
    fallbacks: readNames(fields.get("fallbacks")),
    decide_with,
    retired: readBoolean(fields.get("retired")) ?? false,
  };
}

function readPrice(fields: YamlFields<"price">, kind: ModelKind, known: ModelDraft | null): ReadPrices | null {
  const place =
    known === null || known.prices === null
      ? fields.require(
          "price",
          "a price such as { input: 3.00, output: 15.00 }: a model without a price is not callable",
        )
      : fields.get("price");
  return place === null ? null : readPrices(place, sidesOf(kind));
}

function readRoutes(place: YamlPlace | null, kind: ModelKind): RouteDraft[] | null {
  const items = readList(place, "a list of routes such as [{ vendor: acme, weight: 3 }]");
  if (items === null) return null;
  const routes: RouteDraft[] = [];
  for (const item of items) {
    const fields = readFields(item, ["vendor", "upstream_model", "weight", "protocol", "cost"]);
    const named = fields?.require("vendor", "the id of a vendor") ?? null;
    const name = readText(named);
    const upstream_model = readText(fields?.get("upstream_model") ?? null);
    const weight = fields?.get("weight") ?? null;
    const share = weight === null ? 1 : readWeight(weight);
    const protocols = readProtocols(fields?.get("protocol") ?? null);
    const cost = readCost(fields?.get("cost") ?? null, sidesOf(kind));
    if (named !== null && name !== null && share !== null) {
      routes.push({ vendor: { name, place: named }, upstream_model, weight: share, protocols, cost });
    }
  }
  return routes;
}

function readRouting(place: YamlPlace | null): RoutingSettings | null {
  const fields = readFields(place, ["pick", "sticky"]);
  if (fields === null) return null;
  const pick = readOneOf(fields.get("pick"), ["weight", "latency", "cost"]) ?? "weight";
  const is_off = readOneOf(fields.get("sticky"), ["on", "off"]) === "off";
  return { ...(pick !== "weight" && { pick }), ...(is_off && { sticky: false as const }) };
}

function readNames(place: YamlPlace | null): NamedAt[] | null {
  const items = readList(place, "a list of model ids", "may-be-empty");
  if (items === null) return null;
  const names: NamedAt[] = [];
  for (const item of items) {
    const name = readText(item, "a model id");
    if (name !== null) names.push({ name, place: item });
  }
  return names;
}

/** The capabilities that a document states for a model, with `mid_system` and `sampling`, which the API does not show. */
type StatedCapabilities = Partial<Capabilities> & {
  /** Whether the model takes system messages in the middle of a conversation (docs/rulings.md 160). */
  readonly mid_system?: boolean;
  /** When the model takes temperature and the other sampling parameters (docs/rulings.md 166). */
  readonly sampling?: "always" | Sampling;
};

const CAPABILITIES = [
  "streaming",
  "tools",
  "json",
  "vision",
  "thinking",
  "reasoning",
  "mid_system",
  "sampling",
] as const;
/** The values of `sampling`: when a model takes sampling parameters. */
const SAMPLING = ["always", "without_reasoning", "never"] as const;

/**
 * Reads a model's capabilities; a capability that the document does not mention stays undefined. `modalities` are the
 * model's stated inputs, with which `vision` must agree.
 */
function readCapabilities(place: YamlPlace | null, modalities: readonly string[] | null): StatedCapabilities {
  const fields = readFields(place, CAPABILITIES);
  if (fields === null) return {};
  const reasoning = readReasoning(fields.get("reasoning"));
  const thinking = readBoolean(fields.get("thinking")) ?? (reasoning === null ? null : true);
  const vision = fields.get("vision");
  const sees = readBoolean(vision);
  if (reasoning !== null && thinking === false) report(fields.place, "reasoning only where thinking is true");
  if (vision !== null && sees !== null && modalities !== null && sees !== modalities.includes("image")) {
    report(vision, `${!sees}, as input_modalities is [${modalities.join(", ")}]`);
  }
  return withoutNulls({
    streaming: readBoolean(fields.get("streaming")),
    tools: readBoolean(fields.get("tools")),
    json: readBoolean(fields.get("json")),
    vision: sees,
    thinking,
    reasoning,
    mid_system: readBoolean(fields.get("mid_system")),
    sampling: readOneOf(fields.get("sampling"), SAMPLING),
  });
}

function readReasoning(place: YamlPlace | null): ReasoningControls | null {
  const fields = readFields(place, ["toggle", "effort", "budget_tokens"]);
  if (fields === null) return null;
  return withoutNulls({
    // `toggle` is absent when reasoning is always on (docs/api.md 2.2).
    toggle: readBoolean(fields.get("toggle")) || null,
    effort: readTexts(fields.get("effort"), "a list of effort levels, lowest to highest, such as [low, medium, high]"),
    budget_tokens: readBudget(fields.get("budget_tokens")),
  });
}

function readBudget(place: YamlPlace | null): { min?: number; max?: number } | null {
  const fields = readFields(place, ["min", "max"]);
  if (place === null || fields === null) return null;
  const min = readCount(fields.get("min"), 0);
  const max = readCount(fields.get("max"), 1);
  if (min !== null && max !== null && min > max) report(place, "a min that is not above max", `min ${min}, max ${max}`);
  return withoutNulls({ min, max });
}
