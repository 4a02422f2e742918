import { STREAMED } from "../openai-shape.ts";
import type { VendorProtocol } from "../protocol.ts";
import { frames, whole } from "./answer.ts";
import { rulesOf } from "./dialect-rules.ts";
import { readAsk } from "./read-ask.ts";

/** OpenAI's chat completions, with the reasoning dialect of DeepSeek and vLLM (`reasoning_content`). */
export const chatCompletions: VendorProtocol = {
  ...STREAMED,
  protocol: "chat-completions",
  accepts: (path) => path.endsWith("/chat/completions"),
  rulesOf,
  readAsk,
  whole,
  frames,
};
