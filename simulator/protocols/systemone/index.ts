import { openAiError } from "../openai-error.ts";
import { dataFrame, type VendorProtocol } from "../protocol.ts";
import { readAsk } from "./read-ask.ts";
import { whole } from "./whole.ts";

/** System One, with SGLang's additions (`images`, `x_label_mass`). It has no streams. */
export const systemone: VendorProtocol = {
  protocol: "systemone",
  stream_content_type: "application/json",
  accepts: (path) => path.endsWith("/systemone"),
  modelOf: (body) => (typeof body.model === "string" ? body.model : undefined),
  wantsStream: () => false,
  readAsk,
  whole,
  frames: () => [],
  errorBody: openAiError,
  errorFrame: (failure) => dataFrame("terminal", JSON.stringify(openAiError(failure))),
};
