import type { Capabilities, ReasoningControls, Sampling } from "../../core/catalog.ts";
import { type Place, report } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readBoolean, readCount, readOneOf, readTexts } from "./read-scalar.ts";

/** The capabilities that a document states for a model, with `mid_system` and `sampling`, which the API does not show. */
export type StatedCapabilities = Partial<Capabilities> & {
  /** Whether the model takes system messages in the middle of a conversation (docs/rulings.md 160). */
  readonly mid_system?: boolean;
  /** When the model takes temperature and the other sampling parameters (docs/rulings.md 166). */
  readonly sampling?: "always" | Sampling;
};

const KEYS = ["streaming", "tools", "json", "vision", "thinking", "reasoning", "mid_system", "sampling"] as const;
/** The values of `sampling`: when a model takes sampling parameters. */
const SAMPLING = ["always", "without_reasoning", "never"] as const;

/**
 * Reads a model's capabilities; a capability that the document does not mention stays undefined. `modalities` are the
 * model's stated inputs, with which `vision` must agree.
 */
export function readCapabilities(place: Place | null, modalities: readonly string[] | null): StatedCapabilities {
  const fields = place === null ? null : readFields(place, KEYS);
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

function readReasoning(place: Place | null): ReasoningControls | null {
  const fields = place === null ? null : readFields(place, ["toggle", "effort", "budget_tokens"]);
  if (fields === null) return null;
  return withoutNulls({
    // `toggle` is absent when reasoning is always on (docs/api.md 2.2).
    toggle: readBoolean(fields.get("toggle")) || null,
    effort: readTexts(fields.get("effort"), "a list of effort levels, lowest to highest, such as [low, medium, high]"),
    budget_tokens: readBudget(fields.get("budget_tokens")),
  });
}

function readBudget(place: Place | null): { min?: number; max?: number } | null {
  const fields = place === null ? null : readFields(place, ["min", "max"]);
  if (place === null || fields === null) return null;
  const min = readCount(fields.get("min"), 0);
  const max = readCount(fields.get("max"), 1);
  if (min !== null && max !== null && min > max) report(place, "a min that is not above max", `min ${min}, max ${max}`);
  return withoutNulls({ min, max });
}

type WithoutNulls<T> = { [Key in keyof T]?: Exclude<T[Key], null> };

function withoutNulls<T extends object>(fields: T): WithoutNulls<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as WithoutNulls<T>;
}
