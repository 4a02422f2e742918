import type { FormPart } from "../../core/answer/form-part.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, plainText } from "../../core/json.ts";
import { findMembers, memberText, replaceMembers } from "../shared/json-members.ts";
import { parseBody } from "../shared/parse-json.ts";

/** The part that holds the request; the others are images. */
const REQUEST = "request";

/**
 * Converts a request that came as a form to one JSON text: each asset that names a part gets the part's bytes
 * (docs/rulings.md 164). Throws `invalid_input` where assets and parts do not match, `invalid_json` where the request
 * is no JSON.
 */
export function inlineParts(parts: readonly FormPart[]): string {
  const named = new Map(parts.map((part) => [part.name, part]));
  if (named.size < parts.length) throw invalid("The form has two parts of one name; each asset has one of its own.");
  const request = named.get(REQUEST);
  if (request === undefined) throw invalid(`The form has no part '${REQUEST}', which holds the request as JSON.`);
  named.delete(REQUEST);
  const text = request.data.toString();
  const { assets } = parseBody(text);
  const places = isObject(assets) ? Object.entries(assets) : [];
  const inlined = new Map(places.map(([name, asset]) => [name, withData(name, asset, named)]));
  const [unclaimed] = named.keys();
  if (unclaimed !== undefined) throw invalid(`No asset names the part ${quote(unclaimed)}; each part belongs to one.`);
  const members = findMembers(text);
  const sent = memberText(text, members, "assets");
  if (sent === null || inlined.size === 0) return text;
  return replaceMembers(text, new Map([["assets", replaceMembers(sent, inlined)]]), members);
}

/** An asset as JSON, with the data of the part that it names; the part is removed from `parts`. */
function withData(name: string, asset: unknown, parts: Map<string, FormPart>): string {
  if (!isObject(asset) || asset.part === undefined || asset.part === null) return JSON.stringify(asset);
  const place = `assets[${quote(name)}].part`;
  const part = typeof asset.part === "string" ? parts.get(asset.part) : undefined;
  if (part === undefined)
    throw invalid(`'${place}' is ${quote(plainText(asset.part))}, which no part that is still free has.`, place);
  parts.delete(part.name);
  const { part: _part, ...rest } = asset;
  return JSON.stringify({ ...rest, data_base64: part.data.toString("base64") });
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 100));

function invalid(message: string, param: string | null = null): GatewayError {
  return new GatewayError("invalid_input", message, { param });
}
