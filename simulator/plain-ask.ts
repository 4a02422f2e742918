import type { Ask } from "./ask.ts";
import { nextSerial } from "./ids.ts";
import type { ModelName } from "./model-name.ts";
import type { Json } from "./protocols/read.ts";

/** A request that is no conversation, as an `Ask`. */
export function plainAsk(model: ModelName, body: Json, more: Partial<Ask>): Ask {
  return {
    serial: nextSerial(),
    model,
    stream: false,
    include_usage: false,
    prompt: [],
    last_user_text: "",
    images: [],
    tools: [],
    tool_choice: "none",
    parallel_tool_calls: null,
    tool_results: [],
    output_cap: null,
    stop: [],
    format: { type: "text" },
    reasoning: { wanted: false, effort: null, encrypted: false },
    choices: 1,
    body,
    ...more,
  };
}
