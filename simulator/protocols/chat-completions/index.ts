import { openAiError } from "../openai-error.ts";
import { dataFrame, type VendorProtocol } from "../protocol.ts";
import { rulesOf } from "./dialect-rules.ts";
import { frames } from "./frames.ts";
import { readAsk } from "./read-ask.ts";
import { whole } from "./whole.ts";

/** OpenAI's chat completions, with the reasoning dialect of DeepSeek and vLLM (`reasoning_content`). */
export const chatCompletions: VendorProtocol = {
  protocol: "chat-completions",
  stream_content_type: "text/event-stream; charset=utf-8",
  accepts: (path) => path.endsWith("/chat/completions"),
  modelOf: (body) => (typeof body.model === "string" ? body.model : undefined),
  wantsStream: (body) => body.stream === true,
  rulesOf,
  readAsk,
  whole,
  frames,
  errorBody: openAiError,
  errorFrame: (failure) => dataFrame("terminal", JSON.stringify(openAiError(failure))),
};
