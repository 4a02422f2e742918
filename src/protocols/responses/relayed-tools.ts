import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import type { ToolChoice } from "../../core/answer/generation.ts";
import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import type { BodyChanges } from "../shared/body-changes.ts";
import { findMembers, mapItems, memberText, replaceMembers } from "../shared/json-members.ts";
import { choosable, demandError, judgeChoice } from "../shared/tool-choice.ts";
import { type ShortenedTools, withoutPlaces } from "../shared/tool-lists.ts";
import { isOfTool } from "./decode-request.ts";
import { decodeChoice, decodeTools } from "./decode-tools.ts";

/**
 * Leaves tools out of a relayed request, with all that speaks of them: the lists of its items, the tool choice, the tools
 * that it allows, and `include` (docs/rulings.md 190). `places` are the tools' paths. Throws 400 where the choice demands one
 * of them.
 */
export function leaveToolsOut(
  changes: BodyChanges,
  { body }: ClientRequest,
  places: ReadonlySet<string>,
  { model }: Target,
): void {
  const textOf = (name: string) => changes.value(name) ?? "[]";
  const listed = withoutPlaces(textOf("tools"), body.tools, "tools", places);
  const brought = withoutBrought(textOf("input"), body.input, places);
  const lists = [...(listed === null ? [] : [listed]), ...brought.lists];
  const left_out = lists.flatMap((list) => list.left_out);
  const kept = [...(listed?.kept ?? toolsOf(body)), ...brought.kept];
  const choice = relayedChoice(body.tool_choice, () => textOf("tool_choice"), { kept, left_out, model: model.id });
  if (listed !== null) changes.put("tools", listed.kept.length === 0 ? null : listed.text);
  if (brought.text !== null) changes.set("input", brought.text);
  if (choice !== undefined) changes.put("tool_choice", choice);
  for (const { names } of lists) for (const name of names) changes.note(name);
  leaveIncludedOut(changes, body.include, { kept, left_out });
}

/** Leaves out and names what `include` asks of tools that are left out. */
function leaveIncludedOut(
  changes: BodyChanges,
  include: unknown,
  { kept, left_out }: Pick<Remaining, "kept" | "left_out">,
): void {
  if (!Array.isArray(include)) return;
  const still = new Set(kept.map(({ type }) => type));
  const types = [...new Set(left_out.map(({ type }) => plainText(type)))].filter((type) => !still.has(type));
  const included = (include as readonly unknown[]).filter((entry) => !isOfTool(entry, types));
  if (included.length === include.length) return;
  changes.put("include", included.length === 0 ? null : JSON.stringify(included));
  for (const entry of include) if (isOfTool(entry, types)) changes.note(`include.${plainText(entry)}`);
}

function toolsOf({ tools }: JsonRecord): readonly JsonRecord[] {
  return Array.isArray(tools) ? tools.filter(isObject) : [];
}

/** The input without tools that its items bring; its text is null where it stays as it was sent. */
interface BroughtTools {
  readonly text: string | null;
  readonly lists: readonly ShortenedTools[];
  /** The tools that items bring and that stay. */
  readonly kept: readonly JsonRecord[];
}

function withoutBrought(text: string, input: unknown, places: ReadonlySet<string>): BroughtTools {
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  const kept: JsonRecord[] = [];
  const lists: ShortenedTools[] = [];
  const touched = [...places].some((place) => place.startsWith("input["));
  if (!touched) {
    for (const item of items) if (isObject(item)) for (const tool of toolsOf(item)) kept.push(tool);
    return { text: null, lists, kept };
  }
  const shortened = mapItems(text, (sent, index) => {
    const item = items[index];
    if (!isObject(item)) return sent;
    const found = Array.isArray(item.tools) ? memberText(sent, findMembers(sent), "tools") : null;
    const list = found === null ? null : withoutPlaces(found, item.tools, `input[${index}].tools`, places);
    for (const tool of list?.kept ?? toolsOf(item)) kept.push(tool);
    if (list === null) return sent;
    lists.push(list);
    return replaceMembers(sent, [["tools", list.text]]);
  });
  return { text: shortened, lists, kept };
}

interface Remaining {
  readonly kept: readonly JsonRecord[];
  readonly left_out: readonly JsonRecord[];
  readonly model: string;
}

/** The tool choice's new JSON text; null where it goes, undefined where it stays as it was sent. */
function relayedChoice(choice: unknown, textOf: () => string, { kept, left_out, model }: Remaining) {
  const lost = decodeTools(left_out).map(choosable);
  const rest = decodeTools(kept).map(choosable);
  if (isObject(choice) && choice.type === "allowed_tools" && Array.isArray(choice.tools)) {
    const allowed = choice.tools.map(
      (tool) => isObject(tool) && judgeChoice(decodeChoice(tool), rest, lost) === "demands",
    );
    if (!allowed.includes(true)) return undefined;
    if (allowed.includes(false)) return withoutAllowed(textOf(), allowed);
    if (choice.mode === "required") throw demandError(model, lost, CODE);
    return rest.length === 0 ? null : '"none"';
  }
  const neutral = isObject(choice) ? decodeChoice(choice) : choiceOf(choice);
  switch (judgeChoice(neutral, rest, lost)) {
    case "demands":
      throw demandError(model, lost, CODE);
    case "goes":
      return neutral === undefined ? undefined : null;
    case "stays":
    case "unknown":
      return undefined;
  }
}

const CODE = "unsupported_responses_feature";

function choiceOf(choice: unknown): ToolChoice | undefined {
  return choice === "auto" || choice === "none" || choice === "required" ? { mode: choice } : undefined;
}

function withoutAllowed(choice: string, is_gone: readonly boolean[]): string {
  const list = memberText(choice, findMembers(choice), "tools") ?? "[]";
  return replaceMembers(choice, [["tools", mapItems(list, (tool, index) => (is_gone[index] ? null : tool))]]);
}
