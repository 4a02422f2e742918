import type { ReactNode } from "react";
import { Badge } from "../../../kit/badge.tsx";
import { type BarItem, BarList } from "../../../kit/bar-list.tsx";
import { formatCount } from "../../../kit/format.ts";
import { LANGUAGE } from "../../../kit/language.ts";
import { Notice } from "../../../kit/states.tsx";
import type { Share, ShownAnswer } from "./read-answers.ts";

/** A decision's answers, each with bars for its probabilities. */
export function AnswersView({ answers }: { answers: readonly ShownAnswer[] }) {
  return (
    <ol className="divide-y divide-line">
      {answers.map((answer, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: answers have no other identity, and keep their order
        <li key={index} className="py-4 first:pt-0 last:pb-0">
          <AnswerView answer={answer} />
        </li>
      ))}
    </ol>
  );
}

function AnswerView({ answer }: { answer: ShownAnswer }) {
  switch (answer.type) {
    case "refusal":
      return (
        <Answered name={answer.name} result={<Badge tone="warn">refused</Badge>}>
          <Notice tone="warn">{answer.reason ?? "The model declined to answer this question."}</Notice>
        </Answered>
      );
    case "predicate": {
      const { probability } = answer;
      const shares = [
        { label: "Yes", probability },
        { label: "No", probability: 1 - probability },
      ];
      return (
        <Answered name={answer.name} result={<Result>{probability >= 0.5 ? "Yes" : "No"}</Result>}>
          <Bars name={answer.name} shares={shares} first={probability >= 0.5 ? 0 : 1} />
        </Answered>
      );
    }
    case "choice": {
      const { shares, chosen, confidence } = answer;
      return (
        <Answered name={answer.name} result={<Result>{chosen}</Result>} confidence={confidence}>
          <Bars name={answer.name} shares={shares} first={shares.findIndex(({ label }) => label === chosen)} />
        </Answered>
      );
    }
    case "score": {
      const { shares, score, confidence } = answer;
      const shown = `${formatCount(Math.round(score * 100) / 100)} of ${formatCount(shares.length - 1)}`;
      return (
        <Answered name={answer.name} result={<Result>{shown}</Result>} confidence={confidence}>
          <Bars name={answer.name} shares={shares} first={Math.round(score)} />
        </Answered>
      );
    }
  }
}

function Answered({
  name,
  result,
  confidence,
  children,
}: {
  name: string;
  result: ReactNode;
  confidence?: number;
  children: ReactNode;
}) {
  return (
    <div>
      <div className="mb-2.5 flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="min-w-0 font-mono text-[0.9rem] break-words text-ink-soft">{name}</h3>
        <span className="flex items-baseline gap-3">
          {confidence !== undefined && (
            <span className="text-[0.87rem] text-ink-soft" data-hint={`Confidence ${confidence}`}>
              confidence {percent(confidence)}
            </span>
          )}
          {result}
        </span>
      </div>
      {children}
    </div>
  );
}

function Result({ children }: { children: ReactNode }) {
  return <span className="text-[1.1rem] font-semibold">{children}</span>;
}

const OTHERS = 7;

/** A bar for each possible answer; the given answer is coloured. */
function Bars({ name, shares, first }: { name: string; shares: readonly Share[]; first: number }) {
  const items = shares.map(({ label, probability }, index): BarItem => {
    return {
      key: `${index} ${label}`,
      label,
      value: probability,
      shown: <span data-hint={String(probability)}>{percent(probability)}</span>,
      colour: index === first ? 0 : OTHERS,
    };
  });
  return <BarList label={`Probabilities of ${name}`} items={items} most={1} />;
}

function percent(share: number): string {
  return new Intl.NumberFormat(LANGUAGE, { style: "percent", maximumFractionDigits: 1 }).format(share);
}
