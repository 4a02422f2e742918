import type { Debias } from "../core/catalog/decide-with.ts";

/**
 * The orders in which answers are listed, as permutations of 0 to count − 1.
 *
 * `all` lists them in every cyclic order, so that each answer stands once in each place: the bias of a place or its
 * label is then added to every answer alike, and cancels out exactly. With fewer orders than answers (`most`) the
 * shifts are evenly spaced. `two` lists them forwards and backwards (docs/rulings.md 99).
 */
export function ordersOf(count: number, debias: Debias, most = count): number[][] {
  const forwards = Array.from({ length: count }, (_, index) => index);
  if (debias === "two" && count > 1) return [forwards, forwards.toReversed()];
  const orders = orderCount(count, debias, most);
  return Array.from({ length: orders }, (_, index) => {
    const shift = Math.floor((index * count) / orders);
    return [...forwards.slice(shift), ...forwards.slice(0, shift)];
  });
}

/** How many orders `ordersOf` returns. */
export function orderCount(count: number, debias: Debias, most = count): number {
  if (debias === "none" || count < 2) return 1;
  return debias === "two" ? 2 : Math.min(count, Math.max(most, 2));
}
