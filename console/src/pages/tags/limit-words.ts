import type { TagValue } from "../../../../contract/tag-limits.ts";
import { formatAllDigits, formatCount } from "../../kit/format.ts";
import { perWindow } from "../keys/key-state.ts";

/** Limits in words: "$5.00 a day, 60 requests per minute". Empty where there are none. */
export function limitWords(
  { rpm, tpm, concurrent, budget }: Pick<TagValue, "rpm" | "tpm" | "concurrent" | "budget">,
  currency: string,
): string {
  const counts = [
    [rpm, "request per minute", "requests per minute"],
    [tpm, "token per minute", "tokens per minute"],
    [concurrent, "concurrent request", "concurrent requests"],
  ] as const;
  return [
    ...(budget === null ? [] : [`${formatAllDigits(budget.amount_micro, currency)} ${perWindow(budget.window)}`]),
    ...counts.flatMap(([count, one, many]) =>
      count === null ? [] : [`${formatCount(count)} ${count === 1 ? one : many}`],
    ),
  ].join(", ");
}
