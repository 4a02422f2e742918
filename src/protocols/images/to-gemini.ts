import type { ClientRequest, Exchange, ProtocolAdapter, Target, VendorFailure } from "../../core/answer/exchange.ts";
import { makesImages } from "../../core/catalog/catalog.ts";
import { systemClock } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { sayingOf } from "../../core/money/price-variant.ts";
import { sourceOfUrl } from "../shared/data-url.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { mediaIn, whyNoMedia } from "../shared/gemini-media.ts";
import { readGeminiUsage } from "../shared/gemini-usage.ts";
import { untranslated } from "../shared/plain-relay.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { imagesIn as formImages } from "./edit-form.ts";
import { ImageStream } from "./image-stream.ts";
import { writeImageUsage } from "./image-usage.ts";
import { type Converted, readImages } from "./read-images.ts";
import { askedImages } from "./relay.ts";
import type { ImageEditRequest, ImageRequest } from "./wire-request.ts";

/** Images by Gemini's `generateContent`, of the Gemini API and of Vertex AI (docs/rulings.md 223). */
export const imagesToGemini: ProtocolAdapter = { prepare };

function prepare(request: ClientRequest, target: Target): Exchange {
  const { model, upstream_model } = target;
  const body = request.body as ImageRequest;
  if (!makesImages(model)) throw unable("model", body.model, `a model that makes images; ${model.id} makes none`);
  refuseUnable(body, model.id);
  const asked = { ...askedImages(request, target), convert: publicAnswer };
  const imageConfig = configOf(body, model.id);
  return {
    path: `/models/${upstream_model}:generateContent`,
    body: JSON.stringify({
      contents: [{ role: "user", parts: [{ text: body.prompt }, ...sentImages(request)] }],
      generationConfig: {
        responseModalities: ["TEXT", "IMAGE"],
        ...(Object.keys(imageConfig).length > 0 && { imageConfig }),
      },
    }),
    headers: {},
    ignored: untranslated(body, TRANSLATED).filter((name) => request.body[name] !== "auto"),
    readWhole: (answer) => readImages(answer, asked),
    openStream: () => new ImageStream(asked),
    readError: readVendorError,
  };
}

/** The images that are to be edited, by their bytes. */
function sentImages({ form, body }: ClientRequest): object[] {
  const { images = [], mask } = body as Partial<ImageEditRequest>;
  if ((mask ?? null) !== null || form?.some(({ name }) => name === "mask") === true)
    throw unable("mask", "a mask", "none; Gemini's models are told by the prompt what to change");
  if (form !== undefined)
    return formImages(form).map(({ content_type, data }) => ({
      inlineData: { mimeType: content_type ?? "image/png", data: data.toString("base64") },
    }));
  return images.map(({ image_url }, at) => {
    const source = sourceOfUrl(image_url ?? "");
    if (source.kind !== "base64")
      throw unable(
        `images[${at}]`,
        "no data URL",
        "an image_url with base64 data, as nothing is fetched for this model",
      );
    return { inlineData: { mimeType: source.media_type, data: source.data } };
  });
}

/** Throws the 400 for what would be another answer than the one asked for. */
function refuseUnable({ n, response_format, output_format, frame_count }: ImageRequest, id: string): void {
  if ((n ?? 1) > 1) throw unable("n", n, `1; the model ${id} makes one image at a time`);
  if ((frame_count ?? 1) > 1) throw unable("frame_count", frame_count, `1; the model ${id} makes still images`);
  if (response_format === "url") throw unable("response_format", "url", "b64_json, as no vendor keeps these images");
  if (output_format != null && output_format !== "png")
    throw unable("output_format", output_format, `png; the model ${id} has no other, and images are not converted`);
}

function unable(place: string, found: unknown, allowed: string): GatewayError {
  return new GatewayError("invalid_input", `'${place}' is ${JSON.stringify(found)}; allowed: ${allowed}.`, {
    param: place,
  });
}

/** The ratios of width to height that Gemini's models draw in. */
const RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;
/** How far a size may be from a ratio: 1792x1024 is meant as 16:9. */
const NEAR = 0.03;

function configOf({ size }: ImageRequest, id: string): { aspectRatio?: string; imageSize?: "2K" | "4K" } {
  const said = sayingOf(size);
  if (said === null) return {};
  const [, width = "", height = ""] = /^(\d{2,5})x(\d{2,5})$/.exec(said) ?? [];
  const aspect = Number(width) / Number(height);
  const ratio = RATIOS.find((each) => Math.abs(aspect / ratioOf(each) - 1) <= NEAR);
  if (ratio === undefined)
    throw unable(
      "size",
      said,
      `WIDTHxHEIGHT in one of the ratios ${RATIOS.join(", ")}, which the model ${id} draws in`,
    );
  const longest = Math.max(Number(width), Number(height));
  // Models that draw in one size refuse to be told of it.
  return { aspectRatio: ratio, ...(longest > 1920 && { imageSize: longest > 3072 ? "4K" : "2K" }) };
}

function ratioOf(ratio: string): number {
  const [width, height] = ratio.split(":");
  return Number(width) / Number(height);
}

const TRANSLATED: ReadonlySet<string> = new Set([
  ...["model", "prompt", "n", "size", "output_format", "frame_count", "response_format", "stream"],
  // These need no place: they name the end user, or are translated apart.
  ...["user", "safety_identifier", "images", "mask"],
]);

/** Gemini's answer in the public shape: its images without those that it drew while it thought. */
function publicAnswer(told: unknown): Converted | VendorFailure {
  const images = isObject(told) ? imagesIn(told) : [];
  if (images.length === 0) return invalidAnswer(whyNoMedia(told, "image"));
  const usage = isObject(told) ? readGeminiUsage(told.usageMetadata) : null;
  const { type = null, size = null } = images[0] ?? {};
  return {
    answer: {
      created: Math.floor(systemClock.now_ms() / 1000),
      data: images.map(({ data }) => ({ b64_json: data })),
      ...(type !== null && { output_format: type }),
      ...(size !== null && { size }),
      ...(usage !== null && { usage: writeImageUsage(usage) }),
    },
  };
}

interface InlineImage {
  readonly data: string;
  readonly type: string | null;
  readonly size: string | null;
}

function imagesIn(told: JsonRecord): InlineImage[] {
  return mediaIn(told).map(({ data, mime_type }) => {
    const [, type = null] = /^image\/([a-z]+)$/.exec(mime_type) ?? [];
    return { data, type, size: sizeOfPng(data) };
  });
}

/** Where width and height of a PNG stand, behind its signature and the head of its first chunk. */
const PNG_SIZE_AT = 16;

function sizeOfPng(base64: string): string | null {
  const head = Buffer.from(base64.slice(0, 32), "base64");
  if (head.length < PNG_SIZE_AT + 8 || head.toString("latin1", 1, 4) !== "PNG") return null;
  return `${head.readUInt32BE(PNG_SIZE_AT)}x${head.readUInt32BE(PNG_SIZE_AT + 4)}`;
}
