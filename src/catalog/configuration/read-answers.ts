import type { AnswersSettings } from "../../core/answers-settings.ts";
import { type Place, report } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readText } from "./read-scalar.ts";

const ALLOWED = "show or hide";

/** Reads whether answers show their cost (docs/rulings.md 169); null where the file does not say. */
export function readAnswers(place: Place | null): AnswersSettings | null {
  const fields = place === null ? null : readFields(place, ["cost"]);
  const cost = fields?.get("cost") ?? null;
  const text = readText(cost, ALLOWED);
  if (cost === null || text === null) return null;
  return text === "show" || text === "hide" ? { cost: text } : report(cost, ALLOWED);
}
