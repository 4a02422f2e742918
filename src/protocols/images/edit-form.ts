import type { FormPart } from "../../core/answer/form-part.ts";
import { GatewayError } from "../../core/errors.ts";
import { MOST_INPUT_IMAGES } from "./wire-request.ts";

export const MOST_IMAGE_BYTES = 20 * 2 ** 20;

const FILES: ReadonlySet<string> = new Set(["image", "image[]", "mask"]);
const NUMBERS: ReadonlySet<string> = new Set(["n", "output_compression", "frame_count", "partial_images"]);

/** The images of a form, which several parts of one name may be. */
export function imagesIn(parts: readonly FormPart[]): readonly FormPart[] {
  return parts.filter(({ name }) => name === "image" || name === "image[]");
}

/** The fields of a form as JSON has them, and how many images it has. Throws `invalid_input`, and `request_too_large` for an image. */
export function readEditForm(parts: readonly FormPart[]) {
  const found = imagesIn(parts);
  if (found.length === 0 || found.length > MOST_INPUT_IMAGES)
    throw wrong("image", `there ${found.length} times`, `1 to ${MOST_INPUT_IMAGES} images`);
  const body: Record<string, unknown> = {};
  for (const { name, data } of parts) {
    if (FILES.has(name)) {
      if (data.byteLength === 0) throw wrong(name, "empty", "an image");
      refuseLarge(name, data.byteLength);
      continue;
    }
    if (Object.hasOwn(body, name)) throw wrong(name, "there twice", "one");
    body[name] = fieldValue(name, data.toString());
  }
  return { body, images: found.length };
}

function fieldValue(name: string, text: string): unknown {
  if (NUMBERS.has(name) && /^\d{1,9}$/.test(text)) return Number(text);
  return name === "stream" && (text === "true" || text === "false") ? text === "true" : text;
}

/** Throws the 413 for an image of more bytes than are allowed. */
export function refuseLarge(place: string, bytes: number): void {
  if (bytes <= MOST_IMAGE_BYTES) return;
  const message = `'${place}' has ${bytes} bytes; allowed: at most ${MOST_IMAGE_BYTES}.`;
  throw new GatewayError("request_too_large", message, { param: place });
}

/** The bytes of an image in a data URL, about; 0 for an address. */
export function sizeOfUrl(url: string): number {
  return url.startsWith("data:") ? Math.floor((url.length - url.indexOf(",") - 1) * 0.75) : 0;
}

function wrong(place: string, found: string, allowed: string): GatewayError {
  return new GatewayError("invalid_input", `'${place}' is ${found}; allowed: ${allowed}.`, { param: place });
}
