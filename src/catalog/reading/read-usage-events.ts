import { isAbsolute } from "node:path";
import type { UsageAddress, UsageEventSettings } from "../../core/catalog/usage-event-settings.ts";
import { report, type YamlPlace } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readTexts } from "./read-scalar.ts";

const TARGET =
  'targets such as "webhook:https://billing.example.com/usage", "s3:https://KEY:SECRET@storage.example.com/bucket/prefix" or "file:/var/lib/camino/usage"';

/** Reads where usage events go; null where nothing says so. Targets are not shown: their addresses may be secrets. */
export function readUsageEvents(place: YamlPlace | null): UsageEventSettings | null {
  const fields = readFields(place, ["to"]);
  const to_place = fields?.get("to") ?? null;
  if (to_place === null) return null;
  const read = (readTexts(to_place, TARGET) ?? []).map(targetOf);
  if (read.includes(null)) report(to_place, TARGET, "a target that is none of these, and is not shown");
  const to = read.filter((each) => each !== null);
  if (new Set(to.map(placeOf)).size < to.length)
    report(to_place, "each target once", "a target twice, which is not shown");
  return to.length === 0 ? null : { to };
}

/** Where a target is: another key of a storage leads to the same place. */
function placeOf({ channel, address }: UsageAddress): string {
  if (channel !== "s3") return `${channel}:${address}`;
  const { origin, pathname } = new URL(address);
  return `${channel}:${origin}${pathname}`;
}

/** Null for a text that is no target. */
function targetOf(text: string): UsageAddress | null {
  const [, channel = "", given = ""] = /^(webhook|s3|file):(.*)$/s.exec(text.trim()) ?? [];
  if (channel === "file") return isAbsolute(given) && !given.includes("\0") ? { channel, address: given } : null;
  const address = channel === "s3" ? withKey(given) : given;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (channel === "webhook") return url.username === "" && url.password === "" ? { channel, address } : null;
  return channel === "s3" && url.pathname !== "/" ? { channel, address } : null;
}

/** A secret may have slashes and more that an address writes otherwise. Empty where there is no key and secret. */
function withKey(address: string): string {
  const [, scheme, key, secret, place] = /^(https?:\/\/)([^:@/]+):(.+)@([^@]+)$/s.exec(address) ?? [];
  if (scheme === undefined || key === undefined || secret === undefined) return "";
  const [name, word] = [key, secret].map((part) => encodeURIComponent(decoded(part)));
  return `${scheme}${name}:${word}@${place}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
