import type { Reporting } from "./history.ts";

/**
 * The models of the torture: how each one's vendor behaves. All have one price, so that a charge can be recomputed from
 * a usage alone.
 */
export interface TortureModel {
  readonly id: string;
  /** The vendor's name for it: the simulator's model with its parameters, or a behaviour of the rude vendor. */
  readonly upstream_model: string;
  readonly reporting: Reporting;
  /** How much of an answer the vendor sends when nothing else goes wrong. */
  readonly delivers: "none" | "part" | "whole";
  /** Whether an answer repeats the prompt, so that it tells whose it is. */
  readonly echoes: boolean;
  /** Whether the model makes decisions, on the endpoints for them and no others. */
  readonly decides: boolean;
  /** What the lie is called in the summary; null for an honest vendor. */
  readonly lie: string | null;
  readonly fallbacks: readonly string[];
  /** How often the load asks for it, beside the others. */
  readonly weight: number;
}

/** Micro units for a token of each class: the price of every model here. */
export const PRICE = { input: 1, output: 4, cache_read: 0.1, cache_write: 1.25 } as const;

type Traits = Partial<Omit<TortureModel, "id" | "upstream_model">>;

function model(id: string, upstream_model: string, traits: Traits = {}): TortureModel {
  return {
    id,
    upstream_model,
    reporting: "true",
    delivers: "whole",
    echoes: false,
    decides: false,
    lie: null,
    fallbacks: [],
    weight: 1,
    ...traits,
  };
}

function lying(id: string, upstream_model: string, lie: string, traits: Traits = {}): TortureModel {
  return model(id, upstream_model, { lie, reporting: "false", ...traits });
}

/** Some twenty seconds. Weight 0: only rounds with a long harm ask for it. */
const LASTING = "long@tokens=250&ms=80&piece=1";

export const MODELS: readonly TortureModel[] = [
  model("acme/quick", "echo", { echoes: true, weight: 6 }),
  model("acme/paced", "long@tokens=40&ms=8", { weight: 6 }),
  model("acme/slow", "long@tokens=100&ms=25", { weight: 3 }),
  model("acme/lasting", LASTING, { weight: 0 }),
  model("acme/late", "echo@first_ms=80", { echoes: true, weight: 3 }),
  model("acme/cached", "cached", { echoes: true, weight: 2 }),
  model("acme/thinks", "reason", { weight: 2 }),
  model("drains/paced", "long@tokens=60&ms=10", { weight: 3 }),
  model("acme/decider", "decider", { decides: true, weight: 3 }),
  model("acme/untold", "no-usage", { reporting: "none", lie: "no usage", echoes: true, weight: 2 }),
  model("acme/null", "echo@usage=null", { reporting: "none", lie: "usage of null", echoes: true }),
  lying("acme/zero", "echo@usage=zero", "usage of 0/0", { echoes: true }),
  lying("acme/negative", "usage-negative", "negative usage", { echoes: true }),
  lying("acme/huge", "usage-huge", "usage above 2^31", { echoes: true }),
  lying("acme/billions", "echo@usage=billions", "two billion output tokens", { echoes: true }),
  lying("acme/details", "reason@usage=reasoning-above-output", "more reasoning than output"),
  model("acme/cuts", "long@tokens=30&ms=4&fault=cut-mid", { delivers: "part", lie: "a cut answer" }),
  model("acme/errs", "long@tokens=30&ms=4&fault=error-mid", { delivers: "part", lie: "an error in an answer" }),
  model("acme/stalls", "long@tokens=30&ms=4&fault=stall-mid", { delivers: "part", lie: "a stall in an answer" }),
  model("acme/fails", "fail-500", { delivers: "none", lie: "status 500", fallbacks: ["acme/quick"] }),
  model("acme/busy", "fail-429", { delivers: "none", lie: "status 429" }),
  model("rude/early", "early", { echoes: false, lie: "an answer before the request ends" }),
  model("rude/no-content", "no-content", { delivers: "none", lie: "status 204 with a body" }),
  model("rude/gone", "gone", { delivers: "none", lie: "a connection that closes" }),
];

/** Its answers outlast a long harm. */
export const LASTING_MODEL = MODELS.find(({ upstream_model }) => upstream_model === LASTING) as TortureModel;

const BY_ID = new Map(MODELS.map((each) => [each.id, each]));
const BY_UPSTREAM = new Map(MODELS.map((each) => [each.upstream_model, each]));

export function modelOf(id: string): TortureModel | undefined {
  return BY_ID.get(id);
}

export function modelOfUpstream(name: string): TortureModel | undefined {
  return BY_UPSTREAM.get(name);
}
