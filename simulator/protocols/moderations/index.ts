import { type Ask, type AskedImage, BadRequest } from "../../ask.ts";
import { onlyFields } from "../../decisions/read-strict.ts";
import type { ModelName } from "../../model-name.ts";
import { findSimulatedModel } from "../../models.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { plainAsk } from "../../plain-ask.ts";
import { UNSTREAMED } from "../openai-shape.ts";
import type { VendorProtocol } from "../protocol.ts";
import { imageFromUrl, isObject, type Json } from "../read.ts";

/** OpenAI's moderations, as strict as its API; it counts nothing, as `@counts=0` does, while Mistral's counts its input. */
export const moderations: VendorProtocol = {
  ...UNSTREAMED,
  protocol: "moderations",
  accepts: (path) => path.endsWith("/moderations"),
  readAsk,
  whole,
};

function readAsk(model: ModelName, body: Json): Ask {
  if (findSimulatedModel(model.name)?.kind !== "moderation")
    throw new BadRequest(
      `Invalid value for 'model' = ${model.full}. Please check the OpenAI documentation and try again.`,
      "model",
    );
  onlyFields(body, ["model", "input"], "");
  const images: AskedImage[] = [];
  const texts = readInput(body.input, images);
  if (images.length > 1)
    throw new BadRequest(`Number of images (${images.length}) exceeds maximum of 1`, "input", {
      code: "too_many_images",
    });
  return plainAsk(model, body, {
    prompt: texts,
    last_user_text: texts.at(-1) ?? "",
    images,
    moderation: { inputs: Array.isArray(body.input) && typeof body.input[0] === "string" ? texts : [texts.join("\n")] },
  });
}

function readInput(input: unknown, images: AskedImage[]): string[] {
  if (typeof input === "string") return [input];
  if (!Array.isArray(input) || input.length === 0) throw invalidInput();
  if (input.every((each) => typeof each === "string")) return input;
  return input.map((part: unknown) => {
    if (!isObject(part)) throw invalidInput();
    if (part.type === "text" && typeof part.text === "string") return part.text;
    if (part.type !== "image_url" || !isObject(part.image_url)) throw invalidInput();
    images.push(imageFromUrl(part.image_url.url, "input"));
    return "";
  });
}

function invalidInput(): BadRequest {
  return new BadRequest(
    "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
    "input",
  );
}

/** The words by which an input is judged, so that a test can tell the answer beforehand. */
const WORDS = { harassment: "insult", violence: "kill", "self-harm": "hurt myself", sexual: "nude" } as const;

function whole({ serial, model, moderation }: Ask, { usage, usage_reporting }: Performance): object {
  const results = (moderation?.inputs ?? []).map(judge);
  if (model.params.text("short", "") === "1") results.pop();
  const counts = reportUsage({ prompt_tokens: usage.input, total_tokens: usage.input }, usage_reporting);
  return {
    id: `modr-${serial}`,
    model: model.full,
    results,
    ...(model.params.text("counts", "1") === "1" && { usage: counts }),
  };
}

function judge(text: string): object {
  const found = Object.entries(WORDS).map(([name, word]) => [name, text.includes(word)] as const);
  return {
    flagged: found.some(([, is_found]) => is_found),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, is_found]) => [name, is_found ? 0.98 : 0.0001])),
    category_applied_input_types: Object.fromEntries(found.map(([name]) => [name, ["text"]])),
  };
}
