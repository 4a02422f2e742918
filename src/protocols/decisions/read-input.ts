import type { DecisionImage, DecisionPart, DecisionRequest } from "../../core/decision.ts";
import { isObject } from "../../core/json.ts";
import { refuseMore, refuseMoreBlocks } from "../shared/check-bounds.ts";
import { checkImageCount, readImageUrl, refuseUnknown, requiredString } from "../shared/decision-request.ts";
import { itemsOf, type JsonPlace, memberOf, membersOf, placePath, wrongValue } from "../shared/json-place.ts";

/**
 * The input of a decision: a string, or user messages of text, images and JSON (docs/api.md 4.6, docs/rulings.md 34).
 * Throws `invalid_input` and, for fields that messages and parts do not have, `unknown_parameter`.
 */
export function readInput(place: JsonPlace): DecisionRequest["input"] {
  if (typeof place.value === "string") return [[{ type: "text", text: place.value }]];
  if (!Array.isArray(place.value) || place.value.length === 0) {
    throw wrongValue(place, "invalid_input", "a string or an array of at least one message");
  }
  refuseMore(place.value, { bound: "messages", place: placePath(place), of: "messages", code: "invalid_input" });
  refuseMoreBlocks(place.text, place.value, ["content"], { place: placePath(place), code: "invalid_input" });
  const input = itemsOf(place).map(readMessage);
  checkImageCount(input, place);
  return input;
}

function readMessage(place: JsonPlace): readonly DecisionPart[] {
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "a message, which is an object");
  const members = membersOf(place);
  readConst(place, members, "role", "user");
  if (members.has("type")) readConst(place, members, "type", "message");
  refuseUnknown(members, ["type", "role", "content"], "a message");
  const content = memberOf(place, members, "content");
  if (typeof content.value === "string") return [{ type: "text", text: content.value }];
  if (!Array.isArray(content.value) || content.value.length === 0) {
    throw wrongValue(content, "invalid_input", "a string or an array of at least one part");
  }
  return itemsOf(content).map(readPart);
}

function readConst(owner: JsonPlace, members: ReadonlyMap<string, JsonPlace>, key: string, only: string): void {
  const place = memberOf(owner, members, key);
  if (place.value !== only) throw wrongValue(place, "invalid_input", JSON.stringify(only));
}

function readPart(place: JsonPlace): DecisionPart {
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "a part, which is an object");
  const members = membersOf(place);
  switch (place.value.type) {
    case "input_text":
      refuseUnknown(members, ["type", "text"], "a text part");
      return { type: "text", text: requiredString(memberOf(place, members, "text")) };
    case "input_json":
      return readJson(place, members);
    case "input_image":
      return readImage(place, members);
    default: {
      const allowed = '"input_text", "input_image" or "input_json"';
      throw wrongValue(memberOf(place, members, "type"), "invalid_input", allowed);
    }
  }
}

function readJson(part: JsonPlace, members: ReadonlyMap<string, JsonPlace>): DecisionPart {
  refuseUnknown(members, ["type", "data"], "a JSON part");
  const data = memberOf(part, members, "data");
  if (typeof data.value === "object" && data.value !== null) return { type: "json", text: data.text };
  throw wrongValue(data, "invalid_input", "an object or an array");
}

const DETAILS: readonly unknown[] = ["low", "high", "auto", "original"];

function readImage(part: JsonPlace, members: ReadonlyMap<string, JsonPlace>): DecisionImage {
  refuseUnknown(members, ["type", "image_url", "detail"], "an image part");
  const url = readImageUrl(memberOf(part, members, "image_url"));
  const detail = memberOf(part, members, "detail");
  if (detail.value === undefined || detail.value === null) return { type: "image", url };
  if (DETAILS.includes(detail.value)) return { type: "image", url, detail: detail.value as string };
  throw wrongValue(detail, "invalid_input", DETAILS.map((one) => JSON.stringify(one)).join(", "));
}
