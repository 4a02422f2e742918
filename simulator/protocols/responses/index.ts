import { openAiError } from "../openai-error.ts";
import type { VendorProtocol } from "../protocol.ts";
import { errorFrame } from "./error-frame.ts";
import { frames } from "./frames.ts";
import { readAsk } from "./read-ask.ts";
import { whole } from "./response-object.ts";
import { rulesOf } from "./rules.ts";

/** OpenAI's responses, with the life cycle of the Open Responses specification. */
export const responses: VendorProtocol = {
  protocol: "responses",
  stream_content_type: "text/event-stream; charset=utf-8",
  accepts: (path) => path.endsWith("/responses"),
  modelOf: (body) => (typeof body.model === "string" ? body.model : undefined),
  wantsStream: (body) => body.stream === true,
  rulesOf,
  readAsk,
  whole,
  frames,
  errorBody: openAiError,
  errorFrame,
};
