import type { Configuration } from "../../core/catalog.ts";
import { type Place, report } from "./place.ts";
import { readFields, readList } from "./read-fields.ts";
import { readText } from "./read-scalar.ts";

const ORIGIN = 'an origin such as https://app.example.com, without a path, or "*" for all';

/** Reads which web pages may call the public API from a browser; null where none may (docs/rulings.md 195). */
export function readCors(place: Place | null): NonNullable<Configuration["cors"]> | null {
  const fields = place === null ? null : readFields(place, ["origins"]);
  const listed = fields?.get("origins") ?? null;
  const items = listed === null ? null : readList(listed, "a list of origins", "may-be-empty");
  if (items === null) return null;
  const origins = items.flatMap((item) => readOrigin(item) ?? []);
  return origins.length === 0 ? null : { origins };
}

/** An origin as browsers send it: scheme, host and port, in small letters, the scheme's own port left out. */
function readOrigin(place: Place): string | null {
  const text = readText(place, ORIGIN);
  if (text === null || text === "*") return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  const is_origin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (!is_origin || text.includes("*")) return report(place, ORIGIN);
  return url.origin;
}
