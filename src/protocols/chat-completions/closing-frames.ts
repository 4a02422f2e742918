import { systemClock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import type { JsonRecord } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { dataFrame, plainData } from "./data-frames.ts";
import { parseChunk } from "./inspect-chunk.ts";
import type { MissingEnd } from "./relayed-chunks.ts";
import { showUsage } from "./usage.ts";

/**
 * Chunks that the gateway itself adds to a vendor's stream, in the envelope of the stream's own chunks (docs/rulings.md
 * 60).
 */
export class ClosingFrames {
  readonly #envelope: JsonRecord;

  /** `last` is the stream's latest chunk as a plain frame, or null when the stream had none. */
  constructor(last: Buffer | null, model_id: string) {
    const chunk = last === null ? null : parseChunk(plainData(last));
    this.#envelope = {
      id: chunk?.id ?? newId("chatcmpl"),
      object: "chat.completion.chunk",
      created: chunk?.created ?? Math.floor(systemClock.now_ms() / 1000),
      model: model_id,
    };
  }

  /** A chunk that ends choices: there is no room for more output, or the vendor gave them no finish reason. */
  ends(choices: readonly MissingEnd[]): Buffer {
    const ended = choices.map(({ index, delta, finish_reason }) => ({ index, delta, logprobs: null, finish_reason }));
    return dataFrame({ ...this.#envelope, choices: ended });
  }

  /** The extra chunk for clients that asked for the usage (docs/api.md 6.1). */
  usage(usage: Usage, cost: string | undefined): Buffer {
    return dataFrame({ ...this.#envelope, choices: [], usage: { ...showUsage(usage), cost } });
  }
}
