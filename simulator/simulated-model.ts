import type { Capabilities, ModelKind } from "../src/core/catalog/catalog.ts";
import type { ContentName } from "./contents/index.ts";
import type { DeliveryFault } from "./delivery.ts";
import type { RefusalFault } from "./refusals.ts";
import type { UsageVariant } from "./usage-variants.ts";

/** A model of the simulator: its content, its way to report usage, and its fault. */
export interface SimulatedModel {
  readonly id: string;
  readonly display_name: string;
  /** A sentence for people about the model's behaviour. */
  readonly behaviour: string;
  /** Whether a gateway's first run lists it, among the few that show what a gateway does. */
  readonly telling?: boolean;
  readonly group:
    | "answers"
    | "usage"
    | "failures"
    | "framing"
    | "bench"
    | "judges"
    | "embeddings"
    | "sound"
    | "images"
    | "moderations"
    | "rankings"
    | "decisions";
  /** What the model does: it generates (chat), embeds, judges, speaks, draws, listens or decides. */
  readonly kind: ModelKind;
  readonly content: ContentName;
  /** Parameters that the model has by default: `judge-bias-2` is `judge@bias=2`. */
  readonly presets: Readonly<Record<string, string>>;
  readonly usage: UsageVariant | null;
  readonly fault: DeliveryFault | RefusalFault | null;
  /** Milliseconds between pieces of content, unless `@ms` sets them. */
  readonly pace_ms: number;
  /** Milliseconds before the answer begins, unless `@first_ms` sets them. */
  readonly first_ms: number;
  readonly capabilities: Capabilities;
  /**
   * The catalogue's `mid_system`: whether the model takes system messages in mid-conversation; absent when not stated.
   */
  readonly mid_system?: boolean;
  /** The catalogue's `completions`: whether a gateway asks the model at `/completions` as well. */
  readonly completions?: true;
  readonly context_length: number;
  readonly max_completion_tokens: number;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  /** Currency units per million tokens, decimal. Each class has another price, so that a mix-up shows in the charge. */
  readonly price: {
    readonly input: string;
    readonly output: string;
    readonly cache_read: string;
    readonly cache_write: string;
    /** The price of a million characters, in place of tokens. */
    readonly input_characters?: string;
    /** The price of an image, in place of tokens. */
    readonly images?: string;
    /** The price of a thousand searches, in place of tokens. */
    readonly searches?: string;
    /** The price of a minute of sound, in place of tokens. */
    readonly input_minutes?: string;
  };
}

export const PLAIN: Capabilities = { streaming: true, tools: false, json: false, vision: false, thinking: false };
export const PRICE = { input: "1.00", output: "4.00", cache_read: "0.10", cache_write: "1.25" };

export type Traits = Partial<Omit<SimulatedModel, "id" | "behaviour" | "group">>;

/** The models that a newcomer tries: an answer, a stream, reasoning, tools, images, JSON, an embedding, a judgment, a spoken sentence, an image, a transcription, a decision, and a failure. */
const TELLING: ReadonlySet<string> = new Set([
  ...[
    "echo",
    "slow",
    "reason",
    "tools",
    "vision",
    "json",
    "embed",
    "moderator",
    "rank",
    "speak",
    "draw",
    "listen",
    "decider",
    "fail-503",
  ],
]);

export function model(
  group: SimulatedModel["group"],
  id: string,
  behaviour: string,
  traits: Traits = {},
): SimulatedModel {
  return {
    id,
    display_name: `Simulated ${id}`,
    behaviour,
    ...(TELLING.has(id) && { telling: true }),
    group,
    kind: "chat",
    content: "echo",
    presets: {},
    usage: null,
    fault: null,
    pace_ms: 0,
    first_ms: 0,
    capabilities: PLAIN,
    context_length: 1_000_000,
    max_completion_tokens: 64_000,
    input_modalities: ["text"],
    output_modalities: ["text"],
    price: PRICE,
    ...traits,
  };
}

type MakeModel = (id: string, behaviour: string, traits?: Traits) => SimulatedModel;

/** Makes the models of a group, which have these traits in common. */
export function makerOf(group: SimulatedModel["group"], common: Traits): MakeModel {
  return (id, behaviour, traits) => model(group, id, behaviour, { ...common, ...traits });
}

/** A model for each status, which answers with it. */
export function failures(
  make: MakeModel,
  prefix: string,
  statuses: readonly number[] = [400, 401, 429, 500, 503],
): SimulatedModel[] {
  return statuses.map((status) =>
    make(`${prefix}-${status}`, `Answers with status ${status}.`, { fault: `fail-${status}` }),
  );
}
