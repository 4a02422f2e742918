import type { Target } from "../../core/answer/exchange.ts";

/** The maker of a model. Converse has one shape for all models; the fields beside that shape are the maker's own. */
export type ModelFamily = "anthropic" | "amazon" | "openai" | "other";

export interface FamilyTraits {
  /** Accepts `status` on tool results. */
  readonly result_status: boolean;
  readonly cache_points: boolean;
  /** Caches tools too, and for an hour where the request asks for that. */
  readonly long_cache: boolean;
  readonly stop_sequences: boolean;
  readonly top_k: boolean;
  /** Can be told to call no tool, or one tool at a time. */
  readonly call_control: boolean;
}

const PLAIN: FamilyTraits = {
  result_status: false,
  cache_points: false,
  long_cache: false,
  stop_sequences: true,
  top_k: false,
  call_control: false,
};

export const FAMILY_TRAITS: Readonly<Record<ModelFamily, FamilyTraits>> = {
  anthropic: {
    result_status: true,
    cache_points: true,
    long_cache: true,
    stop_sequences: true,
    top_k: true,
    call_control: true,
  },
  amazon: { ...PLAIN, result_status: true, cache_points: true, top_k: true },
  openai: { ...PLAIN, stop_sequences: false },
  other: PLAIN,
};

/** The maker's name in a model id (`anthropic.claude-…`, `us.anthropic.claude-…`) or in an ARN that holds one. */
const MAKER = /(?:^|[./])(anthropic|amazon|openai)\./;

/**
 * The family by the model's id; for an id without a maker's name, such as a profile's, by the catalogue's `owned_by`.
 */
export function familyOf({ model, upstream_model }: Target): ModelFamily {
  const named = MAKER.exec(upstream_model)?.[1] ?? model.owned_by.toLowerCase();
  return named === "anthropic" || named === "amazon" || named === "openai" ? named : "other";
}
