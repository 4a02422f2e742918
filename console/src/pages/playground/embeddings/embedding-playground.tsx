import { useRef, useState } from "react";
import { formatCount } from "../../../kit/format.ts";
import { Input } from "../../../kit/input.tsx";
import { LANGUAGE } from "../../../kit/language.ts";
import { SaveTable } from "../../../kit/save-table.tsx";
import { Scrollable } from "../../../kit/scrollable.tsx";
import { CallPlayground, type OnceProps } from "../once/call-playground.tsx";
import { AddText, filledOf, listed, TextList } from "../once/text-list.tsx";
import type { Read } from "../once/use-call.ts";
import { readVectors, similarity } from "./similarity.ts";

const EXAMPLES = [
  "When do the trains to the coast leave?",
  "The trains to the coast leave every hour.",
  "A cat sleeps on the warm roof.",
];
const [LEAST, MOST] = [2, 8];

interface Compared {
  readonly texts: readonly string[];
  readonly vectors: readonly (readonly number[])[];
}

/** Embeds a few texts, and shows how alike each two of them are. */
export function EmbeddingPlayground(props: OnceProps) {
  const [texts, setTexts] = useState(() => listed(EXAMPLES));
  const [dimensions, setDimensions] = useState("");
  const filled = filledOf(texts);
  const wrong = dimensions !== "" && !/^[1-9]\d{0,4}$/.test(dimensions);
  return (
    <CallPlayground
      {...props}
      style="embeddings"
      title="Texts"
      verb="Compare"
      promise="a table shows how alike each two of the texts are."
      body={{
        model: props.model.id,
        input: filled,
        dimensions: dimensions === "" || wrong ? undefined : Number(dimensions),
      }}
      blocked={filled.length < LEAST ? "Two texts at least." : wrong ? "Fix the dimensions first." : null}
      read={(response) => read(response, filled)}
      show={(compared) => <Similarities {...compared} />}
      action={<AddText noun="Text" most={MOST} texts={texts} onChange={setTexts} />}
      parameters={
        <Input
          label="Dimensions"
          inputMode="numeric"
          placeholder="default"
          error={wrong ? "Write a whole number." : null}
          value={dimensions}
          onChange={setDimensions}
        />
      }
      form={<TextList noun="Text" least={LEAST} texts={texts} onChange={setTexts} />}
    />
  );
}

async function read(response: Response, texts: readonly string[]): Promise<Read<Compared>> {
  const text = await response.text();
  return { raw: shortened(text), answer: { texts, vectors: readVectors(text) } };
}

/** The answer with the beginning of each vector. */
function shortened(text: string): string {
  return text.replace(/\[((?:-?[\d.e-]+,\s*){8})[^\]]*\]/g, "[$1 …]");
}

function Similarities({ texts, vectors }: Compared) {
  const table = useRef<HTMLTableElement>(null);
  const names = texts.slice(0, vectors.length).map((_, at) => String(at + 1));
  const pairs = vectors.map((one) => vectors.map((other) => similarity(one, other)));
  return (
    <>
      <Scrollable label="Similarities" className="overflow-x-auto rounded-lg">
        <table ref={table} className="w-full border-collapse text-right tabular-nums">
          <caption className="sr-only">The similarity of each two texts, by the cosine of their vectors</caption>
          <thead>
            <tr className="text-[0.88rem] text-ink-soft">
              <th scope="col" className="p-2 text-left font-medium">
                Text
              </th>
              {names.map((name) => (
                <th key={name} scope="col" className="p-2 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line border-t border-line">
            {pairs.map((row, at) => (
              <tr key={names[at]}>
                <th scope="row" className="max-w-80 p-2 text-left font-normal">
                  <span className="line-clamp-2 max-sm:sr-only" data-hint={texts[at]}>
                    {names[at]} {texts[at]}
                  </span>
                  <span aria-hidden="true" className="sm:hidden">
                    {names[at]}
                  </span>
                </th>
                {row.map((value, other) => (
                  <Similarity key={names[other]} value={value} itself={other === at} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <p className="text-[0.85rem] text-ink-soft">
          1 is alike, 0 unlike. {formatCount(vectors[0]?.length ?? 0)} dimensions.
        </p>
        <SaveTable table={table} name="similarities" columns={["Text", ...names]} />
      </div>
    </>
  );
}

const TWO_DECIMALS = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A cell, the darker the more alike. A text beside itself is no finding. */
function Similarity({ value, itself }: { value: number; itself: boolean }) {
  const share = Math.round(Math.max(0, value) * 30);
  return (
    <td
      className={itself ? "p-2 text-ink-soft" : "p-2"}
      style={itself ? undefined : { background: `color-mix(in oklab, var(--color-accent) ${share}%, transparent)` }}
    >
      <data value={value} data-hint={String(value)}>
        {TWO_DECIMALS.format(value)}
      </data>
    </td>
  );
}
