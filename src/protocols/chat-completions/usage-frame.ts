import { rewriteUsage, rewriteUsageAnew, type UsageChange } from "../shared/vendor-costs.ts";
import { dataFrame, dataTextFrame, plainData } from "./data-frames.ts";
import { parseChunk } from "./inspect-chunk.ts";

/** A plain frame without its vendor's costs, with another usage, and with the value of the usage's `cost` (docs/rulings.md 169). */
export function withUsage(
  plain: Buffer,
  { usage, cost }: { readonly usage?: UsageChange; readonly cost?: string | undefined },
): Buffer {
  const text = plainData(plain);
  const chunk = parseChunk(text);
  if (chunk === null) return plain;
  try {
    return dataTextFrame(rewriteUsage(text, chunk, usage, { cost }));
  } catch {
    // A chunk that names a member twice is written anew, as it was read.
    return dataFrame(rewriteUsageAnew(chunk, usage, cost));
  }
}
