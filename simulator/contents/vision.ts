import { perform, textBlock } from "../answer.ts";
import type { Ask, AskedImage } from "../ask.ts";
import type { Performance } from "../performance.ts";

/** Reports how many images there were, their media types and sizes, or their addresses. */
export function vision(ask: Ask): Performance {
  const count = ask.images.length === 1 ? "1 image" : `${ask.images.length} images`;
  const list = ask.images.map(describe).join(", ");
  return perform(ask, { blocks: [textBlock(`Simulated answer: ${count}${list === "" ? "" : `: ${list}`}`)] });
}

function describe(image: AskedImage): string {
  return image.url ?? `${image.media_type ?? "unknown type"} of ${image.bytes ?? 0} bytes`;
}
