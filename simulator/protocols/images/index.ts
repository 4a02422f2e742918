import { type Ask, BadRequest } from "../../ask.ts";
import { onlyFields, shown } from "../../decisions/read-strict.ts";
import { type AskedPictures, EDITED_TOKENS, pictureOf, QUALITIES, type Quality } from "../../images/picture.ts";
import type { ModelName } from "../../model-name.ts";
import { findSimulatedModel } from "../../models.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { plainAsk } from "../../plain-ask.ts";
import { STREAMED_MEDIA } from "../openai-shape.ts";
import { type Frame, namedFrame, type VendorProtocol } from "../protocol.ts";
import { type Json, objectsOf, textOf } from "../read.ts";

/** OpenAI's images, as strict as its API is about GPT Image, or, with `@plain=1`, about DALL·E 3. */
export const images: VendorProtocol = {
  ...STREAMED_MEDIA,
  protocol: "images",
  accepts: (path) => path.endsWith("/images/generations") || path.endsWith("/images/edits"),
  readAsk,
  whole,
  frames,
};

/** What models of a line take. */
interface Line {
  readonly fields: readonly string[];
  readonly sizes: readonly string[];
  readonly qualities: readonly string[];
  readonly most: number;
}

const COMMON = ["model", "prompt", "n", "size", "quality", "user"];
const GPT: Line = {
  fields: [
    ...COMMON,
    ...["background", "output_format", "output_compression", "moderation", "stream", "partial_images"],
    "safety_identifier",
  ],
  sizes: ["1024x1024", "1024x1536", "1536x1024", "auto"],
  qualities: [...QUALITIES, "auto"],
  most: 10,
};
const DALLE: Line = {
  fields: [...COMMON, "style", "response_format"],
  sizes: ["1024x1024", "1024x1792", "1792x1024"],
  qualities: ["standard", "hd"],
  most: 1,
};
const MOST_CHARACTERS = 32_000;

function readAsk(model: ModelName, sent: Json, _headers: Headers, path: string): Ask {
  const edits = path.endsWith("/edits") ? readEdits(sent) : undefined;
  const body = edits === undefined ? sent : withoutFiles(sent);
  if (findSimulatedModel(model.name)?.kind !== "image")
    throw new BadRequest(`Model ${model.full} is not supported for images`, "model", { status: 404 });
  const line = isPlain(model) ? DALLE : GPT;
  onlyFields(body, line.fields, "");
  const { prompt, n = 1, stream = false, partial_images = 0 } = body;
  if (typeof prompt !== "string" || prompt === "")
    throw new BadRequest("Missing required parameter: 'prompt'.", "prompt");
  if (prompt.length > MOST_CHARACTERS)
    throw new BadRequest(
      `Invalid 'prompt': string too long. Expected a string with maximum length ${MOST_CHARACTERS}, but got a string with length ${prompt.length} instead.`,
      "prompt",
    );
  if (typeof n !== "number" || n < 1 || n > line.most)
    throw new BadRequest(`Invalid 'n': integer above maximum value. Expected a value <= ${line.most}.`, "n");
  if (partial_images !== 0 && stream !== true)
    throw new BadRequest("'partial_images' is only supported when 'stream' is true.", "partial_images");
  const size = oneOf(line.sizes, body.size ?? "1024x1024", "size");
  const quality = oneOf(line.qualities, body.quality ?? line.qualities[0], "quality");
  const [width = 1024, height = 1024] = size === "auto" ? [] : size.split("x").map(Number);
  const pictures: AskedPictures = {
    ...{ text: prompt, width, height, count: n, partial_images: Number(partial_images) },
    quality: QUALITIES.find((each) => each === quality) ?? "low",
    ...(edits !== undefined && { edits }),
  };
  return plainAsk(model, body, { stream: stream === true, prompt: [prompt], pictures, path });
}

/** The images to edit: parts of a form, or in JSON by their data URLs. */
function readEdits({ image, "image[]": list, images }: Json): number[] {
  const files = [image, ...(Array.isArray(list) ? list : [])].flatMap((file) =>
    file instanceof Uint8Array ? [file] : [],
  );
  const inlined = objectsOf(images).map(({ image_url }) =>
    Buffer.from(textOf(image_url).split(",")[1] ?? "", "base64"),
  );
  const sizes = [...files, ...inlined].map(({ byteLength }) => byteLength);
  if (sizes.length === 0) throw new BadRequest("Missing required parameter: 'image'.", "image");
  return sizes;
}

const FORM_NUMBERS = ["n", "output_compression", "partial_images"];

/** The fields of an edit as those of a generation are: a form has texts alone. */
function withoutFiles({ image: _image, "image[]": _list, images: _images, mask: _mask, ...fields }: Json): Json {
  const { input_fidelity: _fidelity, ...rest } = fields;
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => {
      if (FORM_NUMBERS.includes(name) && typeof value === "string") return [name, Number(value)];
      return [name, name === "stream" && typeof value === "string" ? value === "true" : value];
    }),
  );
}

function isPlain({ params }: ModelName): boolean {
  return params.text("plain", "") === "1";
}

function oneOf(allowed: readonly string[], found: unknown, place: string): string {
  const known = allowed.find((each) => each === found);
  if (known !== undefined) return known;
  throw new BadRequest(`Invalid value: ${shown(found)}. Supported values are: ${allowed.join(", ")}.`, place);
}

/** When every simulated image was made. */
const CREATED = 1_795_824_000;

function whole({ pictures, model, body }: Ask, { usage, usage_reporting }: Performance): object {
  const none = pictures === undefined || model.params.text("none", "") === "1";
  const drawn = none ? [] : Array.from({ length: pictures.count }, (_, nth) => encoded(pictures, model, nth));
  if (pictures === undefined || isPlain(model))
    return { created: CREATED, data: drawn.map((each) => plainly(each, body)) };
  const counts = reportUsage(countsOf(usage, pictures), usage_reporting);
  return {
    ...{ created: CREATED, ...made(pictures, body), data: drawn.map((b64_json) => ({ b64_json })) },
    ...(!usage_reporting.omitted && { usage: counts }),
  };
}

function plainly(b64_json: string, { response_format, prompt }: Json): object {
  const image = response_format === "url" ? { url: "https://images.example.com/1.png" } : { b64_json };
  return { revised_prompt: String(prompt), ...image };
}

function encoded(pictures: AskedPictures, { params }: ModelName, nth: number, share = 1): string {
  return pictureOf(pictures, nth, share, params.count("bytes", 0)).toString("base64");
}

/** What the answer says of its images. */
function made({ width, height, quality }: AskedPictures, { background, output_format }: Json) {
  return {
    background: background === "transparent" ? "transparent" : "opaque",
    output_format: output_format ?? "png",
    quality: quality satisfies Quality,
    size: `${width}x${height}`,
  };
}

function countsOf(usage: Performance["usage"], pictures: AskedPictures) {
  const image_tokens = Math.min(usage.input, EDITED_TOKENS * (pictures.edits?.length ?? 0));
  return {
    input_tokens: usage.input,
    input_tokens_details: { image_tokens, text_tokens: usage.input - image_tokens },
    output_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  };
}

function* frames({ pictures, model, body }: Ask, { usage, usage_reporting }: Performance): Iterable<Frame> {
  if (pictures === undefined || model.params.text("none", "") === "1") return;
  const about = { created_at: CREATED, ...made(pictures, body) };
  const kind = pictures.edits === undefined ? "image_generation" : "image_edit";
  for (let nth = 0; nth < pictures.count; nth += 1) {
    for (let partial = 0; partial < pictures.partial_images; partial += 1) {
      const share = (partial + 1) / (pictures.partial_images + 1);
      const data = { partial_image_index: partial, b64_json: encoded(pictures, model, nth, share), ...about };
      yield named("content", `${kind}.partial_image`, data);
    }
    const is_last = nth === pictures.count - 1;
    // All images are counted with the last one.
    const counts = countsOf(is_last ? usage : { ...usage, input: 0, output: 0 }, pictures);
    const told = usage_reporting.omitted ? {} : { usage: reportUsage(counts, usage_reporting) };
    yield named(is_last ? "terminal" : "content", `${kind}.completed`, {
      b64_json: encoded(pictures, model, nth),
      ...about,
      ...told,
    });
  }
}

function named(part: Frame["part"], event: string, data: object): Frame {
  return namedFrame(part, event, { type: event, ...data });
}
