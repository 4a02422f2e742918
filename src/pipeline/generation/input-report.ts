import type { AnswerReport } from "../../core/exchange.ts";

/** The report of an answer of which nothing was delivered: its input alone. */
export function inputReport(report: Pick<AnswerReport, "usage" | "rejected_usage"> | null): AnswerReport {
  const usage = report?.usage ?? null;
  return {
    usage: usage === null ? null : { ...usage, output_tokens: 0, reasoning_tokens: 0 },
    rejected_usage: report?.rejected_usage ?? null,
    output_bytes: 0,
    output_sample: "",
  };
}
