import { useState } from "react";
import { Select, Textarea } from "../../../kit/input.tsx";
import { CallPlayground, type OnceProps } from "../once/call-playground.tsx";
import { Download } from "../once/download.tsx";
import type { Read } from "../once/use-call.ts";
import { type DrawnImage, readImages } from "./read-images.ts";

const EXAMPLE = "A lighthouse by the sea at dawn, as a woodcut";
const DEFAULT = { value: "", label: "Default" };
const choices = (...values: string[]) => [DEFAULT, ...values.map((value) => ({ value, label: value }))];
const SIZES = choices("1024x1024", "1536x1024", "1024x1536");
const QUALITIES = choices("low", "medium", "high");
const COUNTS = ["1", "2", "3", "4"].map((value) => ({ value, label: value }));
/** The images in the raw answer, which nobody reads: their beginnings are shown. */
const LONG_TEXTS = /"([^"\s]{200})[^"\s]{800,}"/g;

/** Draws images of a prompt. */
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
          <Select label="Size" options={SIZES} value={size} onChange={(event) => setSize(event.target.value)} />
          <Select
            label="Quality"
            options={QUALITIES}
            value={quality}
            onChange={(event) => setQuality(event.target.value)}
          />
          <Select label="Images" options={COUNTS} value={count} onChange={(event) => setCount(event.target.value)} />
        </div>
      }
      form={
        <Textarea
          label="What to draw"
          hide_label
          rows={3}
          placeholder="What to draw"
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
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
