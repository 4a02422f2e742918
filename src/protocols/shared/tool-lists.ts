import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import type { ChargedMember } from "../../core/money/charges.ts";
import { mapItems, replaceMembers } from "./json-members.ts";

/** A list of tools in a relayed body that some tools were left out of. */
export interface ShortenedTools {
  /** The list's JSON text. Every byte of the tools that stay is as it was sent. */
  readonly text: string;
  readonly kept: readonly JsonRecord[];
  readonly left_out: readonly JsonRecord[];
  /** What was left out, as `x-camino-ignored` has it. */
  readonly names: readonly string[];
}

/**
 * The list without the tools whose places are among `places`; null where none of them is. `text` is the list's JSON,
 * `place` its path in the body.
 */
export function withoutPlaces(
  text: string,
  tools: unknown,
  place: string,
  places: ReadonlySet<string>,
): ShortenedTools | null {
  if (!Array.isArray(tools)) return null;
  const isLeftOut = (_: unknown, index: number) => places.has(`${place}[${index}]`);
  const fields = tools.map((tool: unknown) => (isObject(tool) ? tool : {}));
  const left_out = fields.filter(isLeftOut);
  if (left_out.length === 0) return null;
  const callers = new Set(left_out.map(({ type }) => type));
  // The vendor's tool that runs programs is one of those that may call other tools; its caller's name is shorter.
  if (callers.has("programmatic_tool_calling")) callers.add("programmatic");
  const names = namesOf(left_out);
  const shortened = mapItems(text, (sent, index) => {
    if (isLeftOut(sent, index)) return null;
    const freed = withoutCallers(fields[index] ?? {}, sent, callers);
    if (freed !== sent) names.add("tools.allowed_callers");
    return freed;
  });
  const kept = fields.filter((each, index) => !isLeftOut(each, index));
  return { text: shortened, kept, left_out, names: [...names] };
}

/** A tool that only tools which were left out may call is the model's to call: vendors refuse callers that are not there. */
function withoutCallers({ allowed_callers: allowed }: JsonRecord, text: string, gone: ReadonlySet<unknown>): string {
  if (!Array.isArray(allowed) || !allowed.some((caller) => gone.has(caller))) return text;
  const kept: readonly unknown[] = allowed.filter((caller) => !gone.has(caller));
  return replaceMembers(text, [["allowed_callers", kept.length === 0 ? null : JSON.stringify(kept)]]);
}

/**
 * The names of a tool's members that are not among `read`, but for those whose value is the default: they have no meaning
 * for a vendor of another protocol (`defer_loading`, `allowed_callers`, `async`).
 */
export function membersBeyond(tool: JsonRecord, read: ReadonlySet<string>): string[] {
  const names: string[] = [];
  for (const name in tool) if (!read.has(name) && saysSomething(tool[name])) names.push(name);
  return names;
}

/** That the model itself may call it is every tool's default. */
function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length !== 1 || value[0] !== "direct";
  return value !== undefined && value !== null && value !== false;
}

function namesOf(left_out: readonly JsonRecord[]): Set<string> {
  return new Set(left_out.map(({ type }) => `tools.${plainText(type)}`));
}

/** The paths of the members that were left out, apart for tools and for all others. */
export function placesOf(left_out: readonly ChargedMember[]): {
  readonly tools: ReadonlySet<string>;
  readonly members: readonly string[];
} {
  const tools = left_out.filter(({ place }) => isToolPlace(place)).map(({ place }) => place);
  return { tools: new Set(tools), members: left_out.flatMap(({ place }) => (isToolPlace(place) ? [] : [place])) };
}

/** The fields that a vendor refuses: without tools, vendors refuse the settings that are about tools. */
export function withChoiceOfTools(unsupported: readonly string[] = []): readonly string[] {
  return unsupported.includes("tools") ? [...new Set([...unsupported, ...OF_TOOLS])] : unsupported;
}

const OF_TOOLS = ["tool_choice", "parallel_tool_calls"];

/** Whether a path is that of a tool: of the request itself, or of an item of its conversation. */
export function isToolPlace(place: string): boolean {
  return place.startsWith("tools[") || (place.startsWith("input[") && place.includes("].tools["));
}
