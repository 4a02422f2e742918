import type { ClientRequest, Target } from "../../core/exchange.ts";
import { isObject, type JsonMembers } from "../../core/json.ts";
import { memberText } from "../shared/json-members.ts";
import { choosable, demandError, judgeChoice } from "../shared/tool-choice.ts";
import { withoutPlaces } from "../shared/tool-lists.ts";
import { decodeChoice, decodeTool } from "./decode-tools.ts";
import type { WireTool, WireToolChoice } from "./wire-blocks.ts";

/** New JSON texts of the members that speak of tools; null removes one. */
interface RelayedTools {
  readonly changes: ReadonlyMap<string, string | null>;
  readonly ignored: readonly string[];
}

/**
 * The changes that leave tools out of a relayed request; with the last of them the choice goes (docs/rulings.md 190).
 * `places` are the tools' paths. Throws 400 where the choice demands one of them.
 */
export function relayedTools(
  { body, text }: ClientRequest,
  members: JsonMembers,
  places: ReadonlySet<string>,
  { model }: Target,
): RelayedTools {
  const changes = new Map<string, string | null>();
  const list = withoutPlaces(memberText(text, members, "tools") ?? "[]", body.tools, "tools", places);
  if (list === null) return { changes, ignored: [] };
  const lost = list.left_out.map((tool) => choosable(decodeTool(tool as WireTool)));
  const kept = list.kept.map((tool) => choosable(decodeTool(tool as WireTool)));
  changes.set("tools", kept.length === 0 ? null : list.text);
  const { tool_choice } = decodeChoice(isObject(body.tool_choice) ? (body.tool_choice as WireToolChoice) : undefined);
  const verdict = judgeChoice(tool_choice, kept, lost);
  if (verdict === "demands") throw demandError(model.id, lost, "invalid_request");
  if (verdict === "goes" && tool_choice !== undefined) changes.set("tool_choice", null);
  return { changes, ignored: list.names };
}
