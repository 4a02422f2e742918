import type { Model } from "../../../../contract/models.ts";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/cx.ts";
import { CAPABILITIES } from "./filter-models.ts";
import { KIND_BADGES } from "./kinds.ts";

/** A model's capabilities in words. */
export function CapabilityBadges({
  model,
  all = false,
  wraps = false,
}: {
  model: Model;
  all?: boolean;
  wraps?: boolean;
}) {
  const badge = KIND_BADGES[model.kind];
  const shown = CAPABILITIES.filter(({ id }) => model.capabilities[id] && (all || id !== "streaming"));
  if (shown.length === 0 && model.kind === "chat") return <span className="text-ink-soft">text only</span>;
  return (
    <span className={cx("flex gap-1", wraps ? "flex-wrap" : "max-sm:flex-wrap max-sm:justify-end")}>
      {badge !== null && <Badge tone="accent">{badge.charAt(0).toUpperCase() + badge.slice(1)}</Badge>}
      {shown.map(({ id, label }) => (
        <Badge key={id}>{label}</Badge>
      ))}
    </span>
  );
}
