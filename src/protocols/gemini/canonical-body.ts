import { isObject, type JsonRecord } from "../../core/json.ts";
import { isExactNumber, parseExact } from "../shared/exact-json.ts";
import { parseBody } from "../shared/parse-json.ts";

/**
 * The body as the rest of this protocol reads it. Google's servers take a member's name in both spellings (`system_instruction`
 * and `systemInstruction`), and a single object where a list belongs; their own documents show both. Such a body is written
 * anew, with every digit of its numbers, and all others stay as they were sent (docs/rulings.md 217).
 */
export interface CanonicalBody {
  readonly text: string;
  readonly body: JsonRecord;
}

/** The client's own data, in which names mean what the client says. */
const OWN: ReadonlySet<string> = new Set([
  ...["args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema", "labels"],
]);
const LISTS: ReadonlySet<string> = new Set([
  ...["contents", "parts", "tools", "functionDeclarations", "safetySettings", "stopSequences"],
  ...["allowedFunctionNames", "responseModalities"],
]);

export function canonicalBody(text: string, body: JsonRecord): CanonicalBody {
  if (isCanonical(body)) return { text, body };
  const canonical = canonicalObject(parseExact(text));
  const written = JSON.stringify(canonical);
  return { text: written, body: parseBody(written) };
}

function isCanonical(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isCanonical);
  if (!isObject(value)) return true;
  for (const name in value) {
    const member = value[name];
    if (name.includes("_") || (LISTS.has(name) && !isList(member))) return false;
    if (typeof member === "object" && member !== null && !OWN.has(name) && !isCanonical(member)) return false;
  }
  return true;
}

/** What is neither a list nor an object is left to the check, which says what is wrong with it. */
function isList(member: unknown): boolean {
  return Array.isArray(member) || !isObject(member);
}

function canonicalObject(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalObject);
  if (!isObject(value) || isExactNumber(value)) return value;
  const members: [string, unknown][] = [];
  for (const [sent, member] of Object.entries(value)) {
    const name = camelCase(sent);
    const own = OWN.has(name) ? member : canonicalObject(member);
    members.push([name, LISTS.has(name) && !isList(own) ? [own] : own]);
  }
  return Object.fromEntries(members);
}

function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
