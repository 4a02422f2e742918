import type { ReactNode } from "react";
import { cx } from "./cx.ts";

export type Tone = "neutral" | "good" | "warn" | "danger" | "info" | "accent";

const TONES: Readonly<Record<Tone, string>> = {
  neutral: "bg-sunken text-ink-soft",
  good: "bg-good-soft text-good-ink",
  warn: "bg-warn-soft text-warn-ink",
  danger: "bg-danger-soft text-danger-ink",
  info: "bg-info-soft text-info-ink",
  accent: "bg-accent-soft text-accent-ink",
};

/** A label of a word or two that classifies an object. */
export function Badge({
  tone = "neutral",
  hint,
  children,
  className,
}: {
  tone?: Tone;
  hint?: string;
  children: ReactNode;
  className?: string;
}) {
  return (
    <span
      data-hint={hint}
      className={cx(
        "inline-flex items-center gap-1.5 rounded-md align-middle px-1.5 py-px text-[0.8rem] font-medium whitespace-nowrap",
        TONES[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

/** The tone of every state that the console shows. */
const STATUS_TONES: Readonly<Record<string, Tone>> = {
  active: "good",
  answered: "good",
  closed: "good",
  enabled: "good",
  ok: "good",
  ready: "good",
  running: "info",
  pending: "info",
  half_open: "warn",
  disabled: "warn",
  expired: "warn",
  degraded: "warn",
  left: "neutral",
  refused: "warn",
  revoked: "danger",
  open: "danger",
  failed: "danger",
  down: "danger",
};

/** A state's name with a coloured dot: the colour never says more than the name. `label`: another text for the name. */
export function StatusBadge({ status, label, hint }: { status: string; label?: string; hint?: string }) {
  const tone = STATUS_TONES[status] ?? "neutral";
  const moving = status === "running";
  return (
    <Badge tone={tone} hint={hint}>
      <span aria-hidden="true" className={cx("size-1.5 rounded-full bg-current", moving && "animate-pulse")} />
      {label ?? status.replaceAll("_", " ")}
    </Badge>
  );
}
