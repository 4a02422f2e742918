import type { VendorFailure } from "../../core/answer/exchange.ts";
import type { Usage } from "../../core/money/usage.ts";

/** What streams of images and sound have alike: they are no text, whose tokens would be estimated by its length, and are never cut. */
export abstract class MediaStream {
  rejected_usage: unknown = null;
  has_content = false;
  failure: VendorFailure | null = null;
  complete = false;
  terminated = false;
  readonly output_bytes = 0;
  readonly output_sample = "";

  abstract finish(billed?: Usage, cost?: string): Uint8Array;

  /** Never asked for: the hold covers all that can be made. */
  cut(usage: Usage, cost?: string): Uint8Array {
    return this.finish(usage, cost);
  }
}
