import type { DecisionPart } from "../../core/answer/decision.ts";
import { isObject } from "../../core/json.ts";
import { DECISION_BOUNDS, refuseUnknown } from "../shared/decision-request.ts";
import { type JsonPlace, memberOf, membersOf, wrongValue } from "../shared/json-place.ts";

/** Images by the names that texts of the request use for them; an image is removed once it is put into the input. */
export type NamedImages = Map<string, DecisionPart>;

/**
 * The reference that TypeSafe's clients write for an image in a text. Other names may refer to images too, but cannot
 * be distinguished from words.
 */
const REFERENCE = /<image:[0-9a-f]{32}>/g;
const MAX_NAME_CHARACTERS = 200;
/** The first bytes of images, in base64. Where they identify the format, the format that the asset names is ignored. */
const SIGNATURES = [
  ["iVBORw0KGg", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
] as const;
const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
]);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether a request has assets. */
export function hasAssets({ value }: JsonPlace): boolean {
  return value !== undefined && value !== null;
}

/** The assets of a request (docs/api.md 4.7, docs/rulings.md 164). Throws `invalid_input` and `unknown_parameter`. */
export function readAssets(place: JsonPlace): NamedImages {
  if (!hasAssets(place)) return new Map();
  const { images } = DECISION_BOUNDS;
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "an object with an image for each name");
  const members = membersOf(place);
  if (members.size === 0 || members.size > images)
    throw wrongValue({ ...place, value: members.size }, "invalid_input", `1 to ${images} assets`);
  return new Map([...members].map(([name, asset]) => [name, readAsset(name, asset)]));
}

function readAsset(name: string, place: JsonPlace): DecisionPart {
  if (name === "" || name.length > MAX_NAME_CHARACTERS)
    throw wrongValue({ ...place, value: name }, "invalid_input", `names of 1 to ${MAX_NAME_CHARACTERS} characters`);
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "an object with an image");
  const members = membersOf(place);
  refuseUnknown(members, ["type", "format", "data_base64", "part"], "an asset");
  const { type, format, part } = place.value;
  if (type !== undefined && type !== null && type !== "image")
    throw wrongValue(memberOf(place, members, "type"), "invalid_input", '"image"');
  if (part !== undefined && part !== null)
    throw wrongValue(
      memberOf(place, members, "part"),
      "invalid_input",
      "the name of a part in multipart/form-data only",
    );
  const data = memberOf(place, members, "data_base64");
  if (typeof data.value !== "string" || !BASE64.test(data.value))
    throw wrongValue(data, "invalid_input", "an image in base64");
  const media_type = mediaTypeOf(data.value) ?? FORMATS.get(format);
  if (media_type === undefined) throw wrongValue(memberOf(place, members, "format"), "invalid_input", "png or jpeg");
  return { type: "image", url: `data:${media_type};base64,${data.value}` };
}

function mediaTypeOf(base64: string): string | null {
  return SIGNATURES.find(([signature]) => base64.startsWith(signature))?.[1] ?? null;
}

/**
 * The parts, with each image that a text names placed after its name; this holds for a text that is only a name too.
 */
export function placeAssets(parts: readonly DecisionPart[], images: NamedImages): readonly DecisionPart[] {
  if (images.size === 0) return parts;
  return parts.flatMap((part) => (part.type === "text" ? placeInText(part.text, images) : [part]));
}

function placeInText(text: string, images: NamedImages): readonly DecisionPart[] {
  const whole = take(text, images);
  if (whole !== null) return [{ type: "text", text }, whole];
  const parts: DecisionPart[] = [];
  let from = 0;
  for (const { 0: name, index } of text.matchAll(REFERENCE)) {
    const image = take(name, images);
    if (image === null) continue;
    const end = index + name.length;
    parts.push({ type: "text", text: text.slice(from, end) }, image);
    from = end;
  }
  if (from < text.length || parts.length === 0) parts.push({ type: "text", text: text.slice(from) });
  return parts;
}

/** The images that no text of the state names, each after its name: data and questions refer to them. */
export function unplaced(images: NamedImages): readonly DecisionPart[] {
  return [...images].flatMap(([name, image]) => [{ type: "text" as const, text: `${name}:` }, image]);
}

function take(name: string, images: NamedImages): DecisionPart | null {
  const image = images.get(name) ?? null;
  images.delete(name);
  return image;
}
