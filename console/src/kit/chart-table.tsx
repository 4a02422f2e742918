import { useRef } from "react";
import { QuietLink } from "./row-link.tsx";
import { SaveTable } from "./save-table.tsx";
import { Scrollable } from "./scrollable.tsx";
import type { TimeChartProps } from "./series.ts";
import { None } from "./values.tsx";

interface TabledChart extends Required<TimeChartProps> {
  /** How single values are written, alike. */
  readonly formatEach: (value: number) => string;
}

/** A chart's numbers as a table, which is a file too: with all digits, and times in UTC. */
export function ChartTable({ caption, labels, series, formatEach, formatLabel, currency, linkTo }: TabledChart) {
  const table = useRef<HTMLTableElement>(null);
  return (
    <>
      <Scrollable label={caption} className="max-h-72 overflow-auto rounded-lg border border-line">
        <table ref={table} className="w-full text-left text-[0.88rem] tabular-nums">
          <caption className="sr-only">{caption}</caption>
          <thead className="sticky top-0 bg-surface text-ink-soft">
            <tr>
              <th scope="col" className="px-3 py-1.5 font-medium">
                {TIME}
              </th>
              {series.map(({ name }) => (
                <th key={name} scope="col" className="px-3 py-1.5 text-right font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {labels.map((label, index) => (
              <tr key={label}>
                <th scope="row" className="px-3 py-1.5 font-normal whitespace-nowrap">
                  {linkTo === null ? (
                    <time dateTime={label}>{formatLabel(label)}</time>
                  ) : (
                    <QuietLink {...linkTo(index, null)}>
                      <time dateTime={label}>{formatLabel(label)}</time>
                    </QuietLink>
                  )}
                </th>
                {series.map(({ name, values }) => (
                  <td key={name} className="px-3 py-1.5 text-right">
                    <ChartValue value={values[index] ?? null} format={formatEach} is_money={currency !== null} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
      <SaveTable table={table} name={nameOf(caption)} columns={[TIME, ...series.map(({ name }) => name)]} />
    </>
  );
}

const TIME = "Time";

function ChartValue({
  value,
  format,
  is_money,
}: {
  value: number | null;
  format: TabledChart["formatEach"];
  is_money: boolean;
}) {
  if (value === null) return <None />;
  return (
    <data value={value} {...(is_money ? { "data-micro": "" } : {})}>
      {format(value)}
    </data>
  );
}

/** A file's name of a caption: "Spend by day and model" is "spend-by-day-and-model". */
function nameOf(caption: string): string {
  return caption
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
