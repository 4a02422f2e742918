import { asObject, parse } from "../wire/failure.ts";

export interface DrawnImage {
  /** `data:image/png;base64,…`, or the address that the vendor gives. */
  readonly url: string;
  /** The name of its file: `image-1.png`. */
  readonly name: string;
  /** The prompt that the vendor made of the one that was sent. */
  readonly revised: string | null;
}

/** The beginnings of files in base64, by which an image is known where the answer does not say its format. */
const BEGINNINGS = [
  ["iVBORw", "png"],
  ["/9j/", "jpeg"],
  ["UklGR", "webp"],
] as const;

/** The images of an answer in the shape of `POST /v1/images/generations`; those without any image in them are left out. */
export function readImages(text: string): DrawnImage[] {
  const { data } = asObject(parse(text));
  const found = Array.isArray(data) ? data.map(asObject) : [];
  return found.flatMap(({ b64_json, url, revised_prompt }, at) => {
    const revised = typeof revised_prompt === "string" ? revised_prompt : null;
    if (typeof b64_json !== "string") {
      return typeof url === "string" ? [{ url, name: `image-${at + 1}`, revised }] : [];
    }
    const format = BEGINNINGS.find(([beginning]) => b64_json.startsWith(beginning))?.[1] ?? "png";
    return [{ url: `data:image/${format};base64,${b64_json}`, name: `image-${at + 1}.${format}`, revised }];
  });
}
