import type { ReactNode } from "react";
import { LongName } from "./long-name.tsx";
import { seriesColour } from "./scale.ts";

export interface BarItem {
  readonly key: string;
  readonly label: ReactNode;
  /** The bar's length. */
  readonly value: number;
  /** The value as people read it. */
  readonly shown: ReactNode;
  /** The index of one of the series' colours. Default: the first. */
  readonly colour?: number;
}

/**
 * Horizontal bars with their labels and values: shares of a sum, probabilities. `most` is the value of a full bar; by
 * default the largest value. Screen readers get a list of the values, without the bars.
 */
export function BarList({ items, most, label }: { items: readonly BarItem[]; most?: number; label: string }) {
  const full = most ?? Math.max(...items.map(({ value }) => value), 0);
  return (
    <ul aria-label={label} className="space-y-2.5">
      {items.map(({ key, label: name, value, shown, colour = 0 }) => (
        <li key={key}>
          <div className="flex items-baseline justify-between gap-4 text-[0.92rem]">
            <span className="min-w-0 break-words">{typeof name === "string" ? <LongName>{name}</LongName> : name}</span>
            <span className="shrink-0 text-ink-soft tabular-nums">{shown}</span>
          </div>
          <div aria-hidden="true" className="mt-1 h-1.5 overflow-hidden rounded-full bg-sunken">
            <div
              className="h-full rounded-full transition-[width]"
              style={{ width: `${full > 0 ? (100 * value) / full : 0}%`, background: seriesColour(colour) }}
            />
          </div>
        </li>
      ))}
    </ul>
  );
}
