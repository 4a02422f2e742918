import { InvalidArgumentError } from "commander";

/** Reads a percentage such as `1` or `0.5%` as a share. */
export function readShare(text: string): number {
  const percent = /^\d{1,3}(\.\d{1,4})?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent / 100;
  throw new InvalidArgumentError("A tolerance is a percentage from 0 to 100, such as 1 or 0.5.");
}

/** Reads what is to be rebuilt. */
export function readRebuild(text: string): "usage" {
  if (text === "usage") return text;
  throw new InvalidArgumentError("What can be rebuilt is 'usage': days' usage and keys' counters.");
}
