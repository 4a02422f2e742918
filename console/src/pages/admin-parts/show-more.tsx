import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { formatCount } from "../../kit/format.ts";

const STEP = 60;

/** The beginning of a list that is loaded in full but too long to draw at once, and a footer that shows more rows. `showAll` shows all of them. */
export function useShowMore<Row>(
  rows: readonly Row[],
  noun: string,
): { shown: readonly Row[]; footer: React.ReactNode; showAll: () => void } {
  const [count, setCount] = useState(STEP);
  const footer = (
    <div className="flex items-center justify-between gap-4 border-t border-line px-5 py-3 text-[0.88rem] text-ink-soft">
      <span role="status">
        {rows.length > count
          ? `${formatCount(count)} of ${formatCount(rows.length)} ${noun}`
          : countOf(rows.length, noun)}
      </span>
      {rows.length > count && (
        <Button size="small" onClick={() => setCount(count + 4 * STEP)}>
          Show more
        </Button>
      )}
    </div>
  );
  return { shown: rows.slice(0, count), footer, showAll: () => setCount(rows.length) };
}

/** "1 model", "2 models". `noun` is the plural. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun.replace(/s$/, "") : noun}`;
}
