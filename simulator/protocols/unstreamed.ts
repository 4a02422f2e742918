import { openAiError } from "./openai-error.ts";
import { dataFrame, type VendorProtocol } from "./protocol.ts";

/** What the protocols of OpenAI's that have no streams have in common. */
export const UNSTREAMED = {
  stream_content_type: "application/json",
  modelOf: (body) => (typeof body.model === "string" ? body.model : undefined),
  wantsStream: () => false,
  frames: () => [],
  errorBody: openAiError,
  errorFrame: (failure) => dataFrame("terminal", JSON.stringify(openAiError(failure))),
} as const satisfies Partial<VendorProtocol>;
