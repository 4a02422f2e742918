import type { ElementOrigin, ElementSummary } from "../../../../contract/configuration.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { ORIGINS } from "./element-words.ts";

export function OriginBadge({ origin }: { origin: ElementOrigin }) {
  const { label, tone, hint } = ORIGINS[origin];
  return (
    <Badge tone={tone} hint={hint}>
      {label}
    </Badge>
  );
}

type Status = ElementSummary["status"];

const STATUSES: Readonly<Record<Status, { label: string; tone: Tone }>> = {
  in_force: { label: "in effect", tone: "good" },
  retired: { label: "retired", tone: "neutral" },
  left_out: { label: "left out", tone: "danger" },
  deleted: { label: "deleted", tone: "neutral" },
};

/** An element's status, with the reason where it is not in use. */
export function StatusOf({ element: { status, problem } }: { element: Pick<ElementSummary, "status" | "problem"> }) {
  const { label, tone } = STATUSES[status];
  return (
    <Badge tone={tone} {...(problem === null ? {} : { hint: problem })}>
      {label}
    </Badge>
  );
}
