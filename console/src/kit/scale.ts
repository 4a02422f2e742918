/** The steps of an axis from zero that covers `most`: three to six round numbers. */
export function axisSteps(most: number): number[] {
  if (most <= 0) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = factor * power;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** The steps of an axis that covers zero and both ends: round numbers, as many on each side of zero as it needs. */
export function axisBetween(least: number, most: number): number[] {
  if (least >= 0) return axisSteps(most);
  const step = axisSteps(Math.max(most, -least))[1] ?? 1;
  const count = (end: number): number => Math.ceil(Math.abs(end) / step - 1e-9);
  const [below, above] = [count(least), count(Math.max(0, most))];
  return Array.from({ length: below + above + 1 }, (_, index) => (index - below) * step);
}

/** Every UTC day from `since` to `until`, both inclusive: a chart shows the days without use too. */
export function daysBetween(since: string, until: string): string[] {
  const days: string[] = [];
  const last_ms = Date.parse(`${until}T00:00:00Z`);
  for (let day_ms = Date.parse(`${since}T00:00:00Z`); day_ms <= last_ms; day_ms += 86_400_000)
    days.push(new Date(day_ms).toISOString().slice(0, 10));
  return days;
}

/** The colour of the nth series, as a CSS value. From the ninth on, all series are grey: fold them into "others". */
export function seriesColour(index: number): string {
  return `var(--series-${Math.min(index, 7) + 1})`;
}
