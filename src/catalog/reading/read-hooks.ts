import type { BeforeHookSettings, HookSettings, HooksSettings } from "../../core/catalog/hook-settings.ts";
import { report, type YamlPlace } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readHeaders } from "./read-headers.ts";
import { readDuration, readOneOf, readText } from "./read-scalar.ts";

const URL_ALLOWED = "an address such as http://127.0.0.1:9000/check";
const DEADLINE = "a duration of at most 30s, such as 300ms";
const MOST_DEADLINE_MS = 30_000;
const BEFORE_DEADLINE_MS = 300;
const AFTER_DEADLINE_MS = 5_000;

/** Reads who is asked about requests and told of answers; null where the file names nobody (docs/rulings.md 232). */
export function readHooks(place: YamlPlace | null): HooksSettings | null {
  const fields = readFields(place, ["before", "after"]);
  if (fields === null) return null;
  const before = readBefore(fields.get("before"));
  const after = readAfter(fields.get("after"));
  if (before === null && after === null) return null;
  return { ...(before !== null && { before }), ...(after !== null && { after }) };
}

function readBefore(place: YamlPlace | null): BeforeHookSettings | null {
  const fields = readFields(place, ["url", "headers", "deadline", "on_failure"]);
  if (fields === null) return null;
  const hook = hookOf(fields.require("url", URL_ALLOWED), fields.get("headers"), fields.get("deadline"));
  const on_failure = readOneOf(fields.get("on_failure"), ["refuse", "allow"]) ?? "refuse";
  return hook === null ? null : { ...hook, deadline_ms: hook.deadline_ms ?? BEFORE_DEADLINE_MS, on_failure };
}

function readAfter(place: YamlPlace | null): HookSettings | null {
  const fields = readFields(place, ["url", "headers", "deadline"]);
  if (fields === null) return null;
  const hook = hookOf(fields.require("url", URL_ALLOWED), fields.get("headers"), fields.get("deadline"));
  return hook === null ? null : { ...hook, deadline_ms: hook.deadline_ms ?? AFTER_DEADLINE_MS };
}

function hookOf(place: YamlPlace | null, headers: YamlPlace | null, deadline: YamlPlace | null) {
  const url = readText(place, URL_ALLOWED);
  if (place === null || url === null) return null;
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== "")
    return report(place, URL_ALLOWED);
  const deadline_ms = readDuration(deadline);
  if (deadline !== null && deadline_ms !== null && deadline_ms > MOST_DEADLINE_MS) report(deadline, DEADLINE);
  return { url: parsed.href, headers: readHeaders(headers), deadline_ms };
}
