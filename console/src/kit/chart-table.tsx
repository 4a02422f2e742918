import { Scrollable } from "./scrollable.tsx";
import type { TimeChartProps } from "./series.ts";

/** A chart's numbers as a table. */
export function ChartTable({ caption, labels, series, format, formatLabel }: Required<TimeChartProps>) {
  return (
    <Scrollable label={caption} className="max-h-72 overflow-auto rounded-lg border border-line">
      <table className="w-full text-left text-[0.88rem] tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 bg-surface text-ink-soft">
          <tr>
            <th scope="col" className="px-3 py-1.5 font-medium">
              Day
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
                {formatLabel(label)}
              </th>
              {series.map(({ name, values }) => (
                <td key={name} className="px-3 py-1.5 text-right">
                  {format(values[index] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}
