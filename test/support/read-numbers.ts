import type { Locator } from "playwright-core";

/** What an attribute of every element says, as numbers: the exact values behind what is shown rounded. */
export async function numbersIn(elements: Locator, attribute = "value"): Promise<number[]> {
  const texts = await Promise.all((await elements.all()).map((element) => element.getAttribute(attribute)));
  return texts.map(Number);
}
