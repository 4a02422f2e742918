import { isObject } from "../../core/json.ts";
import { REQUEST_BOUNDS } from "../../core/request-bounds.ts";
import { refuseCount, refuseMore, refuseMoreBlocks } from "../shared/check-bounds.ts";

const CODE = "invalid_responses_input";
/** The members of an item whose arrays hold content blocks. */
const HOLDERS = ["content", "output", "summary"];
/** Texts shorter than this have too few tools to count: each takes two characters with its comma. */
const SHORTEST_WITH_MANY_TOOLS = 2 * REQUEST_BOUNDS.tools;

/** Throws where a body has more items, blocks, tools or stop sequences than a request may have (docs/api.md 8). */
export function checkBounds(text: string, body: Readonly<Record<string, unknown>>): void {
  refuseMore(body.input, { bound: "messages", place: "input", of: "items", code: CODE });
  refuseMoreBlocks(text, body.input, HOLDERS, { place: "input", code: CODE });
  refuseMore(body.stop, { bound: "stop_sequences", place: "stop", of: "stop sequences", code: CODE });
  if (text.length < SHORTEST_WITH_MANY_TOOLS) return;
  refuseCount(toolsIn(body), {
    bound: "tools",
    place: "tools",
    of: "tools, with those that its items bring",
    code: CODE,
  });
}

/** The tools of a request, those of its namespaces, and those that items of the conversation bring. */
function toolsIn({ tools, input }: Readonly<Record<string, unknown>>): number {
  let found = lengthOf(tools);
  for (const tool of Array.isArray(tools) ? tools : []) if (isObject(tool)) found += lengthOf(tool.tools);
  for (const item of Array.isArray(input) ? input : []) {
    if (!isObject(item) || !Array.isArray(item.tools)) continue;
    found += item.tools.length;
    for (const tool of item.tools) if (isObject(tool)) found += lengthOf(tool.tools);
  }
  return found;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
