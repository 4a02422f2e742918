import { perform } from "../answer.ts";
import type { Ask } from "../ask.ts";
import { type Performance, words } from "../performance.ts";

/** Declines the request with a refusal. */
export function refuse(ask: Ask): Performance {
  return perform(ask, {
    blocks: [{ type: "refusal", pieces: words("Simulated refusal: I cannot help with that.") }],
    finish: "refusal",
  });
}
