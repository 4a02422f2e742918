import type { Answer, Usage } from "./answer.ts";
import type { ExpectedReceipt } from "./feature.ts";
import { countAt, demandValue, type Fields, fieldsAt } from "./read-fields.ts";
import { demand } from "./violation.ts";

const CLASSES = ["input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"] as const;

/**
 * The usage that a client sees is the usage that is billed (docs/rulings.md 58): the receipt's counts equal the
 * answer's.
 */
export function checkReceipt(receipt: Fields, answer: Answer, expected: ExpectedReceipt): void {
  demandValue(receipt, "object", "request");
  demandValue(receipt, "status", expected.status ?? "settled");
  demandValue(receipt, "model", answer.model);
  if (expected.estimated !== null) demandValue(receipt, "estimated", expected.estimated ?? false);
  if (answer.usage !== null) checkCounts(fieldsAt(receipt, "usage"), answer.usage);
}

/** A request that failed before any content is not charged (docs/rulings.md 24). */
export function checkVoided(receipt: Fields): void {
  demandValue(receipt, "status", "voided");
  demandValue(receipt, "charge_micro", 0);
}

/** The counts of a style that has no word for what was written to a cache. */
function withoutWrites(billed: Fields): Fields {
  return { ...billed, input_tokens: countAt(billed, "input_tokens") + countAt(billed, "cache_write_tokens") };
}

function checkCounts(billed: Fields, shown: Usage): void {
  const counts = shown.cache_write_tokens === null ? withoutWrites(billed) : billed;
  for (const name of CLASSES) {
    if (shown[name] === null) continue;
    const count = countAt(counts, name);
    demand(count === shown[name], `the receipt counts ${count} ${name}, the answer ${shown[name]}`);
  }
  const reasoning = countAt(billed, "reasoning_tokens");
  const told = shown.reasoning_tokens ?? reasoning;
  demand(told === reasoning, `the receipt counts ${reasoning} reasoning_tokens, the answer ${told}`);
}
