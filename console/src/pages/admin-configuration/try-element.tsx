import { useState } from "react";
import type { ElementKind, ElementValue } from "../../../../contract/configuration-values.ts";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { formatDuration } from "../../kit/format.ts";
import { Input } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";

/** One small call to a vendor with a model or a vendor that is not stored yet. It changes nothing and is billed to nobody. */
export function TryElement({ kind, id, value }: { kind: ElementKind; id: string; value: ElementValue }) {
  const attempt = useChange("POST /configuration/try");
  const [upstream_model, setUpstreamModel] = useState("");
  if (kind !== "model" && kind !== "vendor") return null;
  const { data } = attempt;
  const name = upstream_model.trim();
  const named = name === "" ? {} : { upstream_model: name };
  return (
    <div className="space-y-3">
      {kind === "vendor" && (
        <Input
          label="Model to try it out with"
          help="The vendor's name for it. Default: the cheapest on offer."
          optional
          mono
          value={upstream_model}
          onChange={setUpstreamModel}
        />
      )}
      <Button
        size="small"
        icon="play"
        busy={attempt.isPending}
        onClick={() => attempt.mutate({ body: { kind, id, value, ...named } })}
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
