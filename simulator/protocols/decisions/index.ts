import { openAiError } from "../openai-error.ts";
import { dataFrame, type VendorProtocol } from "../protocol.ts";
import { readAsk } from "./read-ask.ts";
import { whole } from "./whole.ts";

/** OpenAI's Decisions. It has no streams. */
export const decisions: VendorProtocol = {
  protocol: "decisions",
  stream_content_type: "application/json",
  accepts: (path) => path.endsWith("/decisions"),
  modelOf: (body) => (typeof body.model === "string" ? body.model : undefined),
  wantsStream: () => false,
  readAsk,
  whole,
  frames: () => [],
  errorBody: openAiError,
  errorFrame: (failure) => dataFrame("terminal", JSON.stringify(openAiError(failure))),
};
