import type { KeyTags } from "../../src/core/people/keys.ts";
import type { Draw } from "./draw.ts";

/** Tags of a filled database: few names with few values, as people choose them. */

const TEAMS: readonly string[] = Array.from({ length: 12 }, (_, at) => `team-${at + 1}`);
const FEATURES: readonly string[] = Array.from({ length: 40 }, (_, at) => `feature-${at + 1}`);
/** One key in three has no team. */
const KEYS_WITH_TEAM = 2 / 3;
const REQUESTS_WITH_TAGS = 0.2;
/** Of those, so many carry a team of their own, which comes before their key's. */
const WITH_OWN_TEAM = 0.5;

/** The tags of a key: for two in three the team that holds it, and for each its environment. */
export function drawKeyTags(draw: Draw): KeyTags {
  const env = draw.of(["prod", "test"]);
  return draw.chance(KEYS_WITH_TEAM) ? { env, team: draw.of(TEAMS) } : { env };
}

/** The tags that a request carries itself, as one JSON object; null for the four in five that carry none. */
export function drawRequestTags(draw: Draw): string | null {
  if (!draw.chance(REQUESTS_WITH_TAGS)) return null;
  const feature = draw.of(FEATURES);
  return JSON.stringify(draw.chance(WITH_OWN_TEAM) ? { feature, team: draw.of(TEAMS) } : { feature });
}
