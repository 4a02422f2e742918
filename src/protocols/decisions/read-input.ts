import type { DecisionSurface } from "../../core/catalog.ts";
import type { DecisionPart, DecisionRequest } from "../../core/decision.ts";
import { isObject } from "../../core/json.ts";
import { refuseMore, refuseMoreBlocks } from "../shared/check-bounds.ts";
import { checkImageCount, imagesOf, refuseUnknown } from "../shared/decision-request.ts";
import { itemsOf, type JsonPlace, memberOf, membersOf, placePath, wrongValue } from "../shared/json-place.ts";
import { ItemReader } from "./read-items.ts";
import { type PartRules, readContent } from "./read-parts.ts";

export interface ReadInput {
  readonly messages: DecisionRequest["input"];
  /** `input` as it was written, where it says more than the messages; empty elsewhere. */
  readonly sent: readonly (readonly [name: string, text: string])[];
  /** What only vendors of this protocol honour of it, by name. */
  readonly wishes: readonly string[];
}

/**
 * The input of a decision: a string, or user messages of text, images and JSON (docs/api.md 4.6, docs/rulings.md 34); on
 * the surface of vendors all items of the public API (docs/rulings.md 174). Throws `invalid_input` and, for fields that
 * messages and parts do not have, `unknown_parameter`.
 */
export function readInput(place: JsonPlace, surface: DecisionSurface): ReadInput {
  if (typeof place.value === "string") return plain([[{ type: "text", text: place.value }]]);
  if (!Array.isArray(place.value) || place.value.length === 0) {
    throw wrongValue(place, "invalid_input", "a string or an array of at least one message");
  }
  refuseMore(place.value, { bound: "messages", place: placePath(place), of: "messages", code: "invalid_input" });
  refuseMoreBlocks(place.text, place.value, ["content", "output"], { place: placePath(place), code: "invalid_input" });
  const input = surface === "vendor" ? readItems(place) : plain(itemsOf(place).map(readMessage));
  checkImageCount(imagesOf(input.messages).length, place);
  return input;
}

function plain(messages: DecisionRequest["input"]): ReadInput {
  return { messages, sent: [], wishes: [] };
}

/** Items that are not all a user's messages say who or what they are, before their own parts. */
function readItems(place: JsonPlace): ReadInput {
  let has_breakpoint = false;
  const reader = new ItemReader(() => {
    has_breakpoint = true;
  });
  const items = itemsOf(place).map((item) => reader.read(item));
  const is_plain = items.every(({ is_user }) => is_user);
  const messages = items.map(({ label, parts }): readonly DecisionPart[] =>
    is_plain ? parts : [{ type: "text", text: label }, ...parts],
  );
  if (is_plain && !has_breakpoint) return plain(messages);
  return { messages, sent: [["input", place.text]], wishes: has_breakpoint ? ["prompt_cache_breakpoint"] : [] };
}

const USER_PARTS: PartRules = { surface: "specification", types: ["input_text", "input_image", "input_json"] };

function readMessage(place: JsonPlace): readonly DecisionPart[] {
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "a message, which is an object");
  const members = membersOf(place);
  readConst(place, members, "role", "user");
  if (members.has("type")) readConst(place, members, "type", "message");
  refuseUnknown(members, ["type", "role", "content"], "a message");
  return readContent(memberOf(place, members, "content"), USER_PARTS);
}

function readConst(owner: JsonPlace, members: ReadonlyMap<string, JsonPlace>, key: string, only: string): void {
  const place = memberOf(owner, members, key);
  if (place.value !== only) throw wrongValue(place, "invalid_input", JSON.stringify(only));
}
