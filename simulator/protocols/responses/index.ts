import { countInput } from "../../answer.ts";
import { onlyFields } from "../../decisions/read-strict.ts";
import { STREAMED } from "../openai-shape.ts";
import type { VendorProtocol } from "../protocol.ts";
import { errorFrame, frames } from "./frames.ts";
import { readAsk } from "./read-ask.ts";
import { whole } from "./response-object.ts";
import { rulesOf } from "./rules.ts";

/** OpenAI's responses, with the life cycle of the Open Responses specification. */
export const responses: VendorProtocol = {
  ...STREAMED,
  protocol: "responses",
  accepts: (path) => path.endsWith("/responses") || isCount(path),
  rulesOf,
  readAsk: (model, body, _headers, path) => {
    if (isCount(path)) onlyFields(body, COUNTED, "");
    return readAsk(model, body);
  },
  counting: {
    accepts: isCount,
    answer: (ask) => ({ object: "response.input_tokens", input_tokens: countInput(ask) }),
  },
  whole,
  frames,
  errorFrame,
};

/** What counting takes of a request. */
const COUNTED = [
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "reasoning", "text"],
  ...["truncation", "personality", "previous_response_id", "conversation"],
];

function isCount(path: string): boolean {
  return path.endsWith("/responses/input_tokens");
}
