import type { ElementKind, ElementValue } from "../../../../contract/configuration-values.ts";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { formatDuration } from "../../kit/format.ts";
import { Notice } from "../../kit/states.tsx";

/** One small call to a vendor with a model or a vendor that is not stored yet. It changes nothing and is billed to nobody. */
export function TryElement({ kind, id, value }: { kind: ElementKind; id: string; value: ElementValue }) {
  const attempt = useChange("POST /configuration/try");
  if (kind !== "model" && kind !== "vendor") return null;
  const { data } = attempt;
  return (
    <div className="space-y-3">
      <Button
        size="small"
        icon="play"
        busy={attempt.isPending}
        onClick={() => attempt.mutate({ body: { kind, id, value } })}
      >
        Try it out
      </Button>
      <div aria-live="polite">
        {attempt.error && <Notice tone="danger">{messageOf(attempt.error)}</Notice>}
        {data && !attempt.isPending && (
          <Notice tone={data.ok ? "good" : "danger"}>
            {data.ok
              ? `It works: ${data.vendor} answered after ${formatDuration(data.duration_ms)}.`
              : (data.error?.message ?? "It did not work.")}
          </Notice>
        )}
      </div>
    </div>
  );
}
