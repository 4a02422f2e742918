import type { SentBody, VendorFailure, WholeAnswer, WholeBody } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { bodyWriter, type SentAnswer, type WriteBody } from "../shared/rewrite-answer.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { type AskedSizes, countImages, readImageUsage, writeImageUsage } from "./image-usage.ts";

export interface AskedImages extends AskedSizes {
  readonly model_id: string;
  /** How many images may come. */
  readonly count: number;
  /** What the events of a stream are called: `image_generation.completed`. */
  readonly events: "image_generation" | "image_edit";
  /** How a vendor's answer becomes one in the public shape; absent where it is that already. */
  readonly convert?: (answer: unknown) => Converted | VendorFailure;
}

export interface Converted {
  readonly answer: JsonRecord;
}

/** A whole answer in the public shape, with its images, or the failure that it is. Never throws. */
export function parseImages(text: string, { convert }: Pick<AskedImages, "convert">): PublicAnswer | VendorFailure {
  const parsed = parseOrNull(text);
  if (isObject(parsed) && isObject(parsed.error)) return readErrorObject(parsed);
  const converted = convert === undefined ? { answer: parsed } : convert(parsed);
  if (!("answer" in converted)) return converted;
  const { answer } = converted;
  const data = isObject(answer) && Array.isArray(answer.data) ? answer.data.filter(isImage) : [];
  if (!isObject(answer) || data.length === 0) return invalidAnswer("The model service sent no image.");
  return { answer, data };
}

export interface PublicAnswer {
  readonly answer: JsonRecord;
  readonly data: readonly JsonRecord[];
}

function isImage(entry: unknown): entry is JsonRecord {
  return isObject(entry) && [entry.b64_json, entry.url].some((image) => typeof image === "string" && image !== "");
}

/** Reads a whole answer, and writes it with a usage. Never throws. */
export function readImages(sent: WholeBody, asked: AskedImages): WholeAnswer {
  const text = textOf(sent);
  const read = parseImages(text, asked);
  if (!("answer" in read)) return failedAnswer(read);
  const { answer, data } = read;
  const written = asked.convert === undefined ? { sent, text, answer } : rewritten(answer);
  const write = bodyWriter(written, asked.model_id);
  if (write === null) return failedAnswer(invalidAnswer("The model service's answer names the same member twice."));
  const told = isObject(answer.usage) ? readImageUsage(answer.usage) : null;
  const counted = countImages({ images: data.length, size: answer.size, quality: answer.quality, told }, asked);
  const shown = { answer, usage: counted.usage ?? NO_USAGE };
  return {
    ...counted,
    rejected_usage: told === null && isObject(answer.usage) ? answer.usage : null,
    ...{ output_bytes: 0, output_sample: "", has_content: true, failure: null },
    body: write(),
    bodyWith: (billed: Usage | null, cost?: string) => writeWith(write, shown, billed, cost),
  };
}

function rewritten(answer: JsonRecord): SentAnswer {
  const text = JSON.stringify(answer);
  return { sent: text, text, answer };
}

/** A usage stands in every answer, for its cost (docs/rulings.md 169). A vendor's own stays, where it is what is billed. */
function writeWith(
  write: WriteBody,
  { answer, usage }: { readonly answer: JsonRecord; readonly usage: Usage },
  billed: Usage | null,
  cost: string | undefined,
): SentBody {
  const counted = billed ?? (isObject(answer.usage) ? null : usage);
  return counted === null ? write(undefined, cost) : write(writeImageUsage(counted), cost);
}
