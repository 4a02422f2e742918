import type { AnswersSettings, Configuration } from "../../core/catalog/catalog.ts";
import { DEFAULT_OPERATIONS, type OperationsSettings } from "../../core/catalog/operations-settings.ts";
import { DEFAULT_UPKEEP, type UpkeepSettings } from "../../core/operations/upkeep.ts";
import { MIN_TOKEN_LENGTH, weaknessOf } from "../../core/strong-token.ts";
import { report, type YamlPlace } from "../reading/place.ts";
import { readFields, readList } from "../reading/read-fields.ts";
import { readDuration, readOneOf, readParsed, readSize, readText } from "../reading/read-scalar.ts";

const PORT = "a port from 0 (any free one) to 65535";
const TOKEN = `a token of at least ${MIN_TOKEN_LENGTH} printable characters, such as \${METRICS_TOKEN}`;

/** Reads where `/metrics`, `/readyz` and `/healthz` are answered, and for whom; null where the file does not say. */
export function readOperations(place: YamlPlace | null): OperationsSettings | null {
  const fields = readFields(place, ["host", "port", "token"]);
  if (fields === null) return null;
  return {
    host: readText(fields.get("host"), "an address to listen on, such as 127.0.0.1") ?? DEFAULT_OPERATIONS.host,
    port: readParsed(fields.get("port"), PORT, portIn) ?? DEFAULT_OPERATIONS.port,
    token: readToken(fields.get("token")),
  };
}

function portIn(text: string): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : null;
}

function readToken(place: YamlPlace | null): string | null {
  const text = readText(place, TOKEN);
  if (place === null || text === null) return DEFAULT_OPERATIONS.token;
  // The value is not shown: it may be most of a token.
  return weaknessOf(text) === null ? text : report(place, TOKEN, "a value that is not shown");
}

const COSTS = ["show", "hide"] as const;
const COST = COSTS.join(" or ");

/** Reads whether answers show their cost (docs/rulings.md 169); null where the file does not say. */
export function readAnswers(place: YamlPlace | null): AnswersSettings | null {
  const fields = readFields(place, ["cost"]);
  const cost = readParsed(fields?.get("cost") ?? null, COST, (text) => COSTS.find((word) => word === text));
  return cost === null ? null : { cost };
}

/** Reads what the decision endpoints take; null where the file does not say (docs/rulings.md 174). */
export function readDecisions(place: YamlPlace | null): NonNullable<Configuration["decisions"]> | null {
  const fields = readFields(place, ["surface"]);
  const surface = fields === null ? null : readOneOf(fields.get("surface"), ["specification", "vendor"]);
  return surface === null ? null : { surface };
}

const DOCUMENTS = "allow, or refuse, which is the default";

/** Reads what requests of messages may have beyond the specification (docs/rulings.md 189); null for nothing. */
export function readMessages(place: YamlPlace | null): NonNullable<Configuration["messages"]> | null {
  const fields = readFields(place, ["documents"]);
  const documents = fields?.get("documents") ?? null;
  const word = readParsed(documents, DOCUMENTS, (text) => (["allow", "refuse"] as const).find((each) => each === text));
  return word === "allow" ? { documents: word } : null;
}

const HOURS = "an hour of the day in UTC, 0 to 23, or off";
const KEPT = "days or months such as 90d or 13mo, at least 2d and at most 120mo, or forever";
const DAYS_PER_MONTH = 30.4375;
const MOST_DAYS = 3660;

/** Reads when the books are audited and how long requests and answers are kept (docs/design/audit.md). */
export function readUpkeep(audit: YamlPlace | null, retention: YamlPlace | null): UpkeepSettings {
  const audit_fields = readFields(audit, ["hour"]);
  const kept = readFields(retention, ["requests", "answers"]);
  return {
    audit_hour: readHour(audit_fields?.get("hour") ?? null),
    request_days: readDays(kept?.get("requests") ?? null),
    answer_bytes: readSize(kept?.get("answers") ?? null) ?? DEFAULT_UPKEEP.answer_bytes,
  };
}

function readHour(place: YamlPlace | null): number | null {
  const text = readText(place, HOURS);
  if (place === null || text === null) return DEFAULT_UPKEEP.audit_hour;
  if (text === "off") return null;
  return /^(\d|1\d|2[0-3])$/.test(text) ? Number(text) : report(place, HOURS);
}

/** Months are rounded up to whole days. */
function readDays(place: YamlPlace | null): number | null {
  const text = readText(place, KEPT);
  if (place === null || text === null) return DEFAULT_UPKEEP.request_days;
  if (text === "forever") return null;
  const [, count = "", unit] = /^(\d{1,5}) ?(d|mo)$/.exec(text) ?? [];
  const days = unit === "mo" ? Math.ceil(Number(count) * DAYS_PER_MONTH) : Number(count || Number.NaN);
  return days >= 2 && days <= MOST_DAYS ? days : report(place, KEPT);
}

const ORIGIN = 'an origin such as https://app.example.com, without a path, or "*" for all';

/** Reads which web pages may call the public API from a browser; null where none may (docs/rulings.md 195). */
export function readCors(place: YamlPlace | null): NonNullable<Configuration["cors"]> | null {
  const fields = readFields(place, ["origins"]);
  const listed = fields?.get("origins") ?? null;
  const items = readList(listed, "a list of origins", "may-be-empty");
  if (items === null) return null;
  const origins = items.flatMap((item) => readOrigin(item) ?? []);
  return origins.length === 0 ? null : { origins };
}

const KEEP_ALIVE = "a duration from 5s to 1h";
const LEAST_KEEP_ALIVE_MS = 5_000;
const MOST_KEEP_ALIVE_MS = 3_600_000;

/** Reads how long clients' connections stay open without a request; null where the file does not say (docs/rulings.md 208). */
export function readClients(place: YamlPlace | null): NonNullable<Configuration["clients"]> | null {
  const fields = readFields(place, ["keep_alive"]);
  const given = fields?.get("keep_alive") ?? null;
  const keep_alive_ms = readDuration(given);
  if (given === null || keep_alive_ms === null) return null;
  if (keep_alive_ms >= LEAST_KEEP_ALIVE_MS && keep_alive_ms <= MOST_KEEP_ALIVE_MS) return { keep_alive_ms };
  return report(given, KEEP_ALIVE);
}

/** An origin as browsers send it: scheme, host and port, in small letters, the scheme's own port left out. */
function readOrigin(place: YamlPlace): string | null {
  return readParsed(place, ORIGIN, (text) => {
    if (text === "*") return text;
    const url = URL.parse(text);
    const is_origin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
    return is_origin && !text.includes("*") ? url.origin : null;
  });
}
