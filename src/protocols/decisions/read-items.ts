import type { DecisionPart } from "../../core/answer/decision.ts";
import { isObject } from "../../core/json.ts";
import { checkOneOf, optionalString, refuseUnknown, requiredString } from "../shared/decision-request.ts";
import { type JsonPlace, memberOf, membersOf, type PlaceMembers, wrongValue } from "../shared/json-place.ts";
import { type PartRules, type PartType, readContent } from "./read-parts.ts";

/** An item of an input on the surface of vendors. */
export interface ReadItem {
  /** Who says it or what it is, in a line of text, for vendors and models that know no such items. */
  readonly label: string;
  readonly parts: readonly DecisionPart[];
  readonly is_user: boolean;
}

const USER: readonly PartType[] = ["input_text", "input_image", "input_json"];
const TEXT: readonly PartType[] = ["input_text"];
const SAID: readonly PartType[] = ["output_text", "refusal"];
const OUTPUT: readonly PartType[] = ["input_text", "input_image"];
const ROLES: Readonly<Record<string, readonly PartType[]>> = {
  user: USER,
  developer: TEXT,
  system: TEXT,
  assistant: SAID,
};
const PHASES: readonly unknown[] = ["commentary", "final_answer", null];
const STATUSES: readonly unknown[] = ["in_progress", "completed", "incomplete", null];

/**
 * Reads the items that the public API takes (docs/rulings.md 174): messages of four roles, calls of functions and custom
 * tools, and their outputs, each of which names a call that stands before it. Throws `invalid_input` and
 * `unknown_parameter`.
 */
export class DecisionItemReader {
  readonly #rules: Pick<PartRules, "surface" | "noteBreakpoint">;
  readonly #calls = new Map<string, string>();

  constructor(noteBreakpoint: () => void) {
    this.#rules = { surface: "vendor", noteBreakpoint };
  }

  read(place: JsonPlace): ReadItem {
    if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "an item, which is an object");
    const members = membersOf(place);
    switch (place.value.type) {
      case undefined:
      case "message":
        return this.#readMessage(place, members);
      case "function_call":
        return this.#readCall(place, members, { what: "function", of: "arguments" });
      case "custom_tool_call":
        return this.#readCall(place, members, { what: "tool", of: "input" });
      case "function_call_output":
        return this.#readOutput(place, members, "function");
      case "custom_tool_call_output":
        return this.#readOutput(place, members, "tool");
      default: {
        const allowed =
          '"message", "function_call", "function_call_output", "custom_tool_call" or "custom_tool_call_output"';
        throw wrongValue(memberOf(place, members, "type"), "invalid_input", allowed);
      }
    }
  }

  #readMessage(place: JsonPlace, members: PlaceMembers): ReadItem {
    const said_by = memberOf(place, members, "role");
    const role = typeof said_by.value === "string" ? said_by.value : "";
    const types = Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
    if (types === undefined) throw wrongValue(said_by, "invalid_input", '"user", "developer", "system" or "assistant"');
    const is_assistant = role === "assistant";
    refuseUnknown(
      members,
      ["type", "role", "content", ...(is_assistant ? ["phase"] : [])],
      `a message of role ${role}`,
    );
    const phase = memberOf(place, members, "phase");
    checkOneOf(phase, PHASES);
    const parts = readContent(memberOf(place, members, "content"), { ...this.#rules, types });
    const of_phase = phase.value === undefined || phase.value === null ? "" : ` (${String(phase.value)})`;
    return { label: `${role}${of_phase}:`, parts, is_user: role === "user" };
  }

  #readCall(
    place: JsonPlace,
    members: PlaceMembers,
    { what, of }: { readonly what: "function" | "tool"; readonly of: string },
  ): ReadItem {
    refuseUnknown(members, ["type", "id", "call_id", "name", "namespace", "status", of], `a call of a ${what}`);
    checkIds(place, members);
    const call_id = requiredString(memberOf(place, members, "call_id"));
    const name = requiredString(memberOf(place, members, "name"));
    const namespace = optionalString(memberOf(place, members, "namespace"));
    const text = requiredString(memberOf(place, members, of));
    this.#calls.set(call_id, what);
    const full_name = namespace === null ? name : `${namespace}.${name}`;
    return { label: `call ${call_id} of ${what} ${full_name}:`, parts: [{ type: "text", text }], is_user: false };
  }

  #readOutput(place: JsonPlace, members: PlaceMembers, what: "function" | "tool"): ReadItem {
    refuseUnknown(members, ["type", "id", "call_id", "output", "status"], `the output of a ${what}`);
    checkIds(place, members);
    const named = memberOf(place, members, "call_id");
    const call_id = requiredString(named);
    if (this.#calls.get(call_id) !== what)
      throw wrongValue(named, "invalid_input", `the call_id of a ${what}'s call that stands before it`);
    const parts = readContent(memberOf(place, members, "output"), { ...this.#rules, types: OUTPUT });
    return { label: `output of call ${call_id}:`, parts, is_user: false };
  }
}

function checkIds(place: JsonPlace, members: PlaceMembers): void {
  optionalString(memberOf(place, members, "id"));
  checkOneOf(memberOf(place, members, "status"), STATUSES);
}
