import type { VendorProtocol } from "../protocol.ts";
import { UNSTREAMED } from "../unstreamed.ts";
import { readAsk } from "./read-ask.ts";
import { whole } from "./whole.ts";

/** OpenAI's Decisions. It has no streams. */
export const decisions: VendorProtocol = {
  ...UNSTREAMED,
  protocol: "decisions",
  accepts: (path) => path.endsWith("/decisions"),
  readAsk,
  whole,
};
