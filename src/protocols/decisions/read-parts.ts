import type { DecisionImage, DecisionPart } from "../../core/answer/decision.ts";
import type { DecisionSurface } from "../../core/catalog/catalog.ts";
import { isObject } from "../../core/json.ts";
import { readImageUrl, refuseUnknown, requiredString } from "../shared/decision-request.ts";
import { itemsOf, type JsonPlace, memberOf, membersOf, type PlaceMembers, wrongValue } from "../shared/json-place.ts";

const PART_TYPES = ["input_text", "input_image", "input_json", "output_text", "refusal"] as const;
export type PartType = (typeof PART_TYPES)[number];

/** What a list of parts may hold. */
export interface PartRules {
  readonly surface: DecisionSurface;
  readonly types: readonly PartType[];
  /** Called for a part that ends a prefix of the prompt's cache; absent where no part may. */
  readonly noteBreakpoint?: () => void;
}

/** A text, or at least one part. */
export function readContent(content: JsonPlace, rules: PartRules): readonly DecisionPart[] {
  if (typeof content.value === "string") return [{ type: "text", text: content.value }];
  if (!Array.isArray(content.value) || content.value.length === 0) {
    throw wrongValue(content, "invalid_input", "a string or an array of at least one part");
  }
  return itemsOf(content).map((part) => readPart(part, rules));
}

function readPart(place: JsonPlace, rules: PartRules): DecisionPart {
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "a part, which is an object");
  const members = membersOf(place);
  const { type } = place.value;
  const known = rules.types.find((one) => one === type);
  switch (known) {
    case "input_text":
      refuseUnknown(members, ["type", "text", ...breakpointIn(place, members, rules)], "a text part");
      return { type: "text", text: requiredString(memberOf(place, members, "text")) };
    case "output_text":
      refuseUnknown(members, ["type", "text"], "a text part");
      return { type: "text", text: requiredString(memberOf(place, members, "text")) };
    case "refusal":
      refuseUnknown(members, ["type", "refusal"], "a refusal part");
      return { type: "text", text: requiredString(memberOf(place, members, "refusal")) };
    case "input_json":
      return readJson(place, members);
    case "input_image":
      return readImage(place, members, rules);
    case undefined: {
      const quoted = rules.types.map((one) => JSON.stringify(one));
      const allowed = [quoted.slice(0, -1).join(", "), quoted.at(-1)].filter(Boolean).join(" or ");
      throw wrongValue(memberOf(place, members, "type"), "invalid_input", allowed);
    }
  }
}

/** The name of the member that ends a prefix of the cache, where a part may have it. It is checked here. */
function breakpointIn(part: JsonPlace, members: PlaceMembers, { noteBreakpoint }: PartRules): readonly string[] {
  if (noteBreakpoint === undefined) return [];
  const name = "prompt_cache_breakpoint";
  const place = memberOf(part, members, name);
  if (place.value === undefined || place.value === null) return [name];
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", 'an object with the mode "explicit"');
  const inside = membersOf(place);
  refuseUnknown(inside, ["mode"], "a breakpoint of the prompt's cache");
  const mode = memberOf(place, inside, "mode");
  if (mode.value !== "explicit") throw wrongValue(mode, "invalid_input", '"explicit"');
  noteBreakpoint();
  return [name];
}

function readJson(part: JsonPlace, members: PlaceMembers): DecisionPart {
  refuseUnknown(members, ["type", "data"], "a JSON part");
  const data = memberOf(part, members, "data");
  if (typeof data.value === "object" && data.value !== null) return { type: "json", text: data.text };
  throw wrongValue(data, "invalid_input", "an object or an array");
}

const DETAILS: readonly unknown[] = ["low", "high", "auto", "original"];

function readImage(part: JsonPlace, members: PlaceMembers, rules: PartRules): DecisionImage {
  refuseUnknown(members, ["type", "image_url", "detail", ...breakpointIn(part, members, rules)], "an image part");
  const url = readImageUrl(memberOf(part, members, "image_url"), rules.surface);
  const detail = memberOf(part, members, "detail");
  if (detail.value === undefined || detail.value === null) return { type: "image", url };
  if (DETAILS.includes(detail.value)) return { type: "image", url, detail: detail.value as string };
  throw wrongValue(detail, "invalid_input", DETAILS.map((one) => JSON.stringify(one)).join(", "));
}
