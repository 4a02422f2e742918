import type { Locator } from "playwright-core";

/** An attribute of every element, as numbers: the exact values behind rounded texts. */
export async function numbersIn(elements: Locator, attribute = "value"): Promise<number[]> {
  const texts = await Promise.all((await elements.all()).map((element) => element.getAttribute(attribute)));
  return texts.map(Number);
}
