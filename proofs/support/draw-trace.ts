import type { ReceivedSpan } from "./otlp-receiver.ts";

/** The attributes of a span that a drawing shows: what happened, without ids. */
const SHOWN = /^(camino\.(charge_micro|hold_micro|outcome|upstream_model)|error\.type|gen_ai\.provider\.name)$/;
const OF_VENDOR = /^http\.response\.status_code$/;
const NS_PER_MS = 1_000_000;

/** A call and the spans inside it as lines: when each began, its name, how long it took, and what happened. */
export function drawTrace([call, ...inside]: readonly ReceivedSpan[]): string {
  if (call === undefined) return "";
  const lines = [call, ...inside].map((span, index) => {
    const branch = index === 0 ? "" : index === inside.length ? "└ " : "├ ";
    const began = figure(span.start - call.start).padStart(4);
    const lasted = figure(span.end - span.start).padStart(6);
    const is_vendor = span.name.startsWith("vendor ");
    const facts = Object.entries(span.attributes)
      .filter(([name]) => SHOWN.test(name) || (is_vendor && OF_VENDOR.test(name)))
      .map(([name, value]) => `${name}=${value}`)
      .toSorted();
    return [
      `${began}  ${(branch + span.name).padEnd(22)} ${lasted} ms`,
      ...(facts.length > 0 ? [facts.join(" ")] : []),
    ].join("  ");
  });
  return `${lines.join("\n")}\n`;
}

function figure(ns: bigint): string {
  return (Number(ns) / NS_PER_MS).toFixed(1);
}
