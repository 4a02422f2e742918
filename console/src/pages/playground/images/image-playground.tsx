import { useState } from "react";
import { Select, Textarea } from "../../../kit/input.tsx";
import { CallPlayground, type OnceProps } from "../once/call-playground.tsx";
import { Download } from "../once/download.tsx";
import type { Read } from "../once/use-call.ts";
import { asObject, parse } from "../wire/failure.ts";

/** The beginnings of files in base64, by which an image is known where the answer does not say its format. */
const BEGINNINGS = [
  ["iVBORw", "png"],
  ["/9j/", "jpeg"],
  ["UklGR", "webp"],
] as const;

const EXAMPLE = "A lighthouse by the sea at dawn, as a woodcut";
const DEFAULT = { value: "", label: "Default" };
const choices = (...values: string[]) => [DEFAULT, ...values.map((value) => ({ value, label: value }))];
const SIZES = choices("1024x1024", "1536x1024", "1024x1536");
const QUALITIES = choices("low", "medium", "high");
const COUNTS = ["1", "2", "3", "4"].map((value) => ({ value, label: value }));
/** The images in the raw answer, which nobody reads: their beginnings are shown. */
const LONG_TEXTS = /"([^"\s]{200})[^"\s]{800,}"/g;

export function ImagePlayground(props: OnceProps) {
  const [prompt, setPrompt] = useState(EXAMPLE);
  const [size, setSize] = useState("");
  const [quality, setQuality] = useState("");
  const [count, setCount] = useState("1");
  return (
    <CallPlayground
      {...props}
      style="images"
      title="Prompt"
      verb="Draw"
      promise="the images appear here, to look at and to keep."
      body={{
        model: props.model.id,
        prompt,
        n: count === "1" ? undefined : Number(count),
        size: size || undefined,
        quality: quality || undefined,
      }}
      blocked={prompt.trim() === "" ? "" : null}
      read={read}
      show={(images) => <Images images={images} />}
      parameters={
        <div className="grid grid-cols-2 gap-3">
          <Select label="Size" options={SIZES} value={size} onChange={setSize} />
          <Select label="Quality" options={QUALITIES} value={quality} onChange={setQuality} />
          <Select label="Images" options={COUNTS} value={count} onChange={setCount} />
        </div>
      }
      form={
        <Textarea
          label="What to draw"
          hide_label
          rows={3}
          placeholder="What to draw"
          value={prompt}
          onChange={setPrompt}
        />
      }
    />
  );
}

async function read(response: Response): Promise<Read<readonly DrawnImage[]>> {
  const text = await response.text();
  return { raw: text.replace(LONG_TEXTS, '"$1…"'), answer: readImages(text) };
}

function Images({ images }: { images: readonly DrawnImage[] }) {
  return (
    <ul className="grid gap-4 sm:grid-cols-2">
      {images.map(({ url, name, revised }, at) => (
        <li key={name} className="min-w-0 space-y-2 only:sm:col-span-2">
          {url.startsWith("data:") ? (
            <>
              <img
                src={url}
                alt={revised ?? `Answer ${at + 1}`}
                className="max-h-[32rem] max-w-full rounded-lg border border-line bg-sunken"
              />
              <Download url={url} name={name} />
            </>
          ) : (
            <a href={url} target="_blank" rel="noreferrer" className="break-all text-accent-ink underline">
              {url}
            </a>
          )}
          {revised !== null && <p className="text-[0.88rem] text-ink-soft">Drawn from: {revised}</p>}
        </li>
      ))}
    </ul>
  );
}

interface DrawnImage {
  /** `data:image/png;base64,…`, or the address that the vendor gives. */
  readonly url: string;
  /** The name of its file: `image-1.png`. */
  readonly name: string;
  /** The prompt that the vendor made of the one that was sent. */
  readonly revised: string | null;
}

/** The images of an answer in the shape of `POST /v1/images/generations`; those without any image in them are left out. */
function readImages(text: string): DrawnImage[] {
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
