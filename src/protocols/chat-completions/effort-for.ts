import type { Capabilities } from "../../core/catalog.ts";
import { nearestEffort } from "../shared/effort.ts";

/**
 * The `reasoning_effort` to send to a model where a client asked for `effort`: the same, its nearest lower level, or
 * null for none at all because the model has nothing that it could set (docs/rulings.md 12).
 */
export function effortFor(effort: string, capabilities: Capabilities): string | null {
  const controls = capabilities.reasoning;
  if (!capabilities.thinking || controls === undefined) return null;
  if (effort === "none" && controls.toggle) return "none";
  if (controls.effort !== undefined && controls.effort.length > 0) return nearestEffort(effort, controls.effort);
  // With a budget instead of levels the vendor itself turns a level into a share of it.
  return controls.budget_tokens === undefined ? null : effort;
}
