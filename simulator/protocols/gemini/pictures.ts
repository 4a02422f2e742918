import { type Ask, BadRequest } from "../../ask.ts";
import { pictureOf } from "../../images/picture.ts";
import type { ModelName } from "../../model-name.ts";
import { findSimulatedModel } from "../../models.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { plainAsk } from "../../plain-ask.ts";
import { isObject, type Json, objectsOf, textOf } from "../read.ts";
import { checkKnown, KNOWN } from "./known-fields.ts";

/** Models that draw: `generateContent` with the modality IMAGE, answered with a PNG file, behind one that was drawn while thinking. */

export function isDrawer(model: ModelName): boolean {
  return findSimulatedModel(model.name)?.kind === "image";
}

const SIZES: Readonly<Record<string, readonly [number, number]>> = {
  "1:1": [1024, 1024],
  "2:3": [832, 1248],
  "3:2": [1248, 832],
  "3:4": [864, 1184],
  "4:3": [1184, 864],
  "4:5": [896, 1152],
  "5:4": [1152, 896],
  "9:16": [768, 1344],
  "16:9": [1344, 768],
  "21:9": [1536, 672],
};
const SCALES: Readonly<Record<string, number>> = { "1K": 1, "2K": 2, "4K": 4 };

export function readPictures(model: ModelName, body: Json): Ask {
  checkKnown(body, KNOWN.request, "");
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  checkKnown(config, KNOWN.config, "generation_config");
  if (!Array.isArray(config.responseModalities) || !config.responseModalities.includes("IMAGE"))
    throw new BadRequest("The requested combination of response modalities (TEXT) is not supported by the model.");
  const image = isObject(config.imageConfig) ? config.imageConfig : {};
  checkKnown(image, ["aspectRatio", "imageSize"], "generation_config.image_config");
  const size = SIZES[textOf(image.aspectRatio) || "1:1"];
  const scale = SCALES[textOf(image.imageSize) || "1K"];
  if (size === undefined)
    throw new BadRequest(
      `* GenerateContentRequest.generation_config.image_config.aspect_ratio: aspect_ratio must be one of ${Object.keys(SIZES).join(", ")}.\n`,
    );
  if (scale === undefined)
    throw new BadRequest("* GenerateContentRequest.generation_config.image_config.image_size: invalid image_size\n");
  const text = objectsOf(body.contents)
    .flatMap(({ parts }) => objectsOf(parts).map((part) => textOf(part.text)))
    .filter((each) => each !== "")
    .join("\n");
  if (text === "") throw new BadRequest("* GenerateContentRequest.contents: contents is not specified\n");
  const [width, height] = [size[0] * scale, size[1] * scale];
  const edits = objectsOf(body.contents).flatMap(({ parts }) =>
    objectsOf(parts).flatMap(({ inlineData }) =>
      isObject(inlineData) ? [Buffer.from(textOf(inlineData.data), "base64").byteLength] : [],
    ),
  );
  const pictures = { text, width, height, quality: "medium", count: 1, partial_images: 0, edits } as const;
  return plainAsk(model, body, { prompt: [text], pictures });
}

export function drawnWhole({ pictures, model, serial }: Ask, { usage, usage_reporting }: Performance): object {
  const none = pictures === undefined || model.params.text("none", "") === "1";
  const counts = {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: usage.input }],
    candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: usage.output }],
  };
  return {
    candidates: [
      none ? { finishReason: "NO_IMAGE", index: 0 } : { content: contentOf(pictures), finishReason: "STOP", index: 0 },
    ],
    ...(!usage_reporting.omitted && { usageMetadata: reportUsage(counts, usage_reporting) }),
    modelVersion: model.full,
    responseId: serial,
  };
}

function contentOf(pictures: NonNullable<Ask["pictures"]>): object {
  const inline = (share: number) => ({
    mimeType: "image/png",
    data: pictureOf(pictures, 0, share).toString("base64"),
  });
  return {
    role: "model",
    parts: [{ inlineData: inline(0.5), thought: true }, { text: "Here it is." }, { inlineData: inline(1) }],
  };
}
