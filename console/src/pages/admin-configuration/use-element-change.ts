import { useState } from "react";
import type { ElementAction, ElementChange } from "../../../../contract/configuration.ts";
import type { ElementKind, ElementValue } from "../../../../contract/configuration-values.ts";
import { useChange } from "../../api/use-api.ts";
import { toast } from "../../kit/toast.tsx";
import { ACTIONS } from "./element-words.ts";

interface Wanted {
  readonly action: ElementAction | "put";
  readonly value?: ElementValue;
  /** The file has it: the change takes it over. */
  readonly take_over?: boolean;
  readonly to?: number;
}

/** Everything that a change of the configuration may make stale. */
const STALE = [
  "GET /configuration/elements",
  "GET /configuration/elements/{kind}/{id}",
  "GET /configuration/elements/{kind}/{id}/history",
  "GET /configuration/export",
  "GET /vendors",
  "GET /vendors/{vendor}",
  "GET /models",
  "GET /routes",
  "GET /prices",
  "GET /limits",
  "GET /audit-log",
] as const;

/** Looks at a change of an element before it is made, and makes it. */
export function useElementChange(kind: ElementKind, id: string, onDone: (action: Wanted["action"]) => void) {
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const preview = useChange("POST /configuration/preview");
  const put = useChange("PUT /configuration/elements/{kind}/{id}", STALE);
  const acts = {
    retire: useChange("POST /configuration/elements/{kind}/{id}/retire", STALE),
    reinstate: useChange("POST /configuration/elements/{kind}/{id}/reinstate", STALE),
    delete: useChange("POST /configuration/elements/{kind}/{id}/delete", STALE),
    "take-over": useChange("POST /configuration/elements/{kind}/{id}/take-over", STALE),
    "give-back": useChange("POST /configuration/elements/{kind}/{id}/give-back", STALE),
    "take-back": useChange("POST /configuration/elements/{kind}/{id}/take-back", STALE),
  };
  const path = { kind, id };

  /** Asks for the preview of a change; the answer is in `previewed`. */
  const look = (next: Wanted) => {
    setWanted(next);
    put.reset();
    preview.mutate({ body: { kind, id, ...next } });
  };

  const apply = async (previewed: ElementChange) => {
    if (wanted === null) return;
    const { version } = previewed;
    const { action, value, take_over = false, to } = wanted;
    if (action === "put") await put.mutateAsync({ path, body: { value: value ?? {}, version, take_over } });
    else await acts[action].mutateAsync({ path, body: { version, ...(to !== undefined && { to }) } });
    toast(ACTIONS[action].done);
    setWanted(null);
    preview.reset();
    onDone(action);
  };

  return {
    wanted,
    look,
    apply,
    previewed: wanted === null ? undefined : preview.data,
    looking: preview.isPending,
    refused: preview.error,
    forget: () => {
      setWanted(null);
      preview.reset();
    },
  };
}

export type ElementChanging = ReturnType<typeof useElementChange>;
