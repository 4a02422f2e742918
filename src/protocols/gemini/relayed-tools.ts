import type { Target } from "../../core/answer/exchange.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { demandError } from "../shared/tool-choice.ts";

/** Throws where a request demands a call, and all that could be called was left out for lack of a price (docs/rulings.md 190). */
export function demandedTools({ toolConfig }: JsonRecord, { model }: Target, places: ReadonlySet<string>): void {
  const calling = isObject(toolConfig) ? toolConfig.functionCallingConfig : null;
  if (!isObject(calling) || calling.mode !== "ANY") return;
  const names = [...places].map((place) => ({ name: place.slice(place.indexOf(".") + 1), is_hosted: true }));
  throw demandError(model.id, names, "invalid_request");
}
