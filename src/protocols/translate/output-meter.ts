import type { StreamEvent } from "../../core/answer/stream-event.ts";

/** The most generated text that an estimate starts from. */
const MAX_SAMPLE_LENGTH = 256 * 1024;

/** Measures the generated text of an answer, for estimates, and to know whether there was any content. */
export class OutputMeter {
  /** UTF-8 bytes of generated text, reasoning and arguments. */
  bytes = 0;
  sample = "";
  has_content = false;

  take(event: StreamEvent): void {
    if (event.type === "block-delta") {
      if (event.text === "") return;
      this.has_content = true;
      this.bytes += Buffer.byteLength(event.text);
      if (this.sample.length < MAX_SAMPLE_LENGTH) this.sample += event.text;
    } else if (event.type === "block-start") {
      if (event.block.kind === "tool-call") this.has_content = true;
    } else if (event.type === "block-end" && event.opaque !== undefined) this.has_content = true;
  }
}
