/** What a process that ran tests cost. */
export interface RunCost {
  readonly paths: readonly string[];
  readonly duration_ms: number;
  /**
   * User and system time of the process and of all programs that ended before it (browsers, gateways). A PostgreSQL ends after the
   * process that started it, and is not in it.
   */
  readonly cpu_ms: number;
}

/**
 * One line per process, the largest processor time first, and the sum. On a machine with other work, the processor time says
 * what a suite costs, and the time by the clock does not.
 */
export function formatCosts(costs: readonly RunCost[]): string {
  const sum_ms = costs.reduce((sum, { cpu_ms }) => sum + cpu_ms, 0);
  const rows = costs.toSorted((a, b) => b.cpu_ms - a.cpu_ms);
  return [
    "processor time, of as much by the clock:",
    ...rows.map(({ paths, duration_ms, cpu_ms }) => `${seconds(cpu_ms)} of ${seconds(duration_ms)}  ${named(paths)}`),
    `${seconds(sum_ms)} in ${costs.length} processes`,
  ].join("\n");
}

function named([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function seconds(time_ms: number): string {
  return `${(time_ms / 1000).toFixed(1).padStart(6)} s`;
}
