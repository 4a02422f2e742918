import { useState } from "react";
import { BarList } from "../../../kit/bar-list.tsx";
import { Input } from "../../../kit/input.tsx";
import { LANGUAGE } from "../../../kit/language.ts";
import { CallPlayground, type OnceProps } from "../once/call-playground.tsx";
import { AddText, filledOf, listed, TextList } from "../once/text-list.tsx";
import type { Read } from "../once/use-call.ts";
import { asObject, parse } from "../wire/failure.ts";

const EXAMPLE_QUERY = "When do the trains to the coast leave?";
const EXAMPLES = [
  "A cat sleeps on the warm roof.",
  "The trains to the coast leave every hour.",
  "The coast is an hour away.",
  "Tickets are sold at the station.",
];
const MOST = 20;

/** Ranks documents by how well they answer a query. */
export function RerankPlayground(props: OnceProps) {
  const [query, setQuery] = useState(EXAMPLE_QUERY);
  const [documents, setDocuments] = useState(() => listed(EXAMPLES));
  const [first, setFirst] = useState("");
  const filled = filledOf(documents);
  const wrong = first !== "" && !/^[1-9]\d{0,3}$/.test(first);
  return (
    <CallPlayground
      {...props}
      style="rerank"
      title="Query and documents"
      verb="Rank"
      promise="the documents are sorted by their scores."
      body={{
        model: props.model.id,
        query,
        documents: filled,
        top_n: first === "" || wrong ? undefined : Number(first),
      }}
      blocked={filled.length === 0 || query.trim() === "" ? "" : wrong ? "Fix the number of results first." : null}
      read={(response) => read(response, filled)}
      show={(ranked) => <Ranking ranked={ranked} />}
      action={<AddText noun="Document" most={MOST} texts={documents} onChange={setDocuments} />}
      parameters={
        <Input
          label="Results"
          inputMode="numeric"
          placeholder="all"
          error={wrong ? "Write a whole number." : null}
          value={first}
          onChange={setFirst}
        />
      }
      form={
        <>
          <Input label="Query" value={query} onChange={setQuery} />
          <TextList noun="Document" least={1} texts={documents} onChange={setDocuments} />
        </>
      }
    />
  );
}

async function read(response: Response, documents: readonly string[]): Promise<Read<readonly RankedText[]>> {
  const raw = await response.text();
  return { raw, answer: readRanking(raw, documents) };
}

const SCORE = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 3, maximumFractionDigits: 3 });

function Ranking({ ranked }: { ranked: readonly RankedText[] }) {
  const items = ranked.map(({ index, text, score }) => ({
    key: String(index),
    label: text,
    value: Math.max(0, score),
    shown: <span data-hint={String(score)}>{SCORE.format(score)}</span>,
  }));
  return <BarList label="Documents by score" items={items} most={Math.max(1, ...items.map(({ value }) => value))} />;
}

interface RankedText {
  /** The document's place among those that were sent, from 0. */
  readonly index: number;
  readonly text: string;
  readonly score: number;
}

/** The results of an answer in the shape of `POST /v1/rerank`, best first; those of documents that were not sent are left out. */
function readRanking(text: string, documents: readonly string[]): RankedText[] {
  const { results } = asObject(parse(text));
  const found = Array.isArray(results) ? results.map(asObject) : [];
  return found
    .flatMap(({ index, relevance_score }) => {
      const document = documents[Number(index)];
      return document === undefined ? [] : [{ index: Number(index), text: document, score: Number(relevance_score) }];
    })
    .toSorted((one, other) => other.score - one.score);
}
