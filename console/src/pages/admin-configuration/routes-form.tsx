import { useApi } from "../../api/use-api.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { Input, Select } from "../../kit/input.tsx";
import type { ComboboxOption } from "../../kit/matching.ts";
import { optionsOf } from "../../kit/options.ts";
import { useModels } from "../keys/use-models.ts";
import { useFields, useProblem } from "./field-problems.tsx";
import { useRows } from "./use-rows.ts";
import { objectOf, orNothing, textOf, trimmed, type Value } from "./value.ts";

/** Routes with their weights, and the share of the requests that each gets. */
export function RoutesForm({ routes: given, onChange }: { routes: unknown; onChange: (next: unknown) => void }) {
  const routes = Array.isArray(given) ? given.map(objectOf) : [];
  const rows = useRows(routes, onChange);
  const vendors = useApi("GET /vendors", {});
  const options = (vendors.data?.data ?? [])
    .filter(({ status }) => status === "enabled")
    .map(({ id, name }) => ({ value: id, label: id, note: name }));
  const weights = routes.map((route) => Number(textOf(route, "weight") || "1"));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return (
    <div className="space-y-3">
      {rows.map(({ key, row, index, onChange: onRoute, onRemove }) => (
        <div
          key={key}
          className="grid items-end gap-3 rounded-lg border border-line p-3 sm:grid-cols-[1fr_1fr_7rem_auto]"
        >
          <RouteFields
            part={`routes[${index}]`}
            route={row}
            vendors={options}
            share={all > 0 ? ` (${Math.round(((weights[index] ?? 0) / all) * 100)}%)` : ""}
            onChange={onRoute}
          />
          <IconButton icon="trash" label={`Remove route ${index + 1}`} onClick={onRemove} />
        </div>
      ))}
      <Button size="small" icon="plus" onClick={() => onChange([...routes, { vendor: options[0]?.value ?? "" }])}>
        Add a route
      </Button>
    </div>
  );
}

interface RouteProps {
  readonly part: string;
  readonly route: Value;
  readonly vendors: readonly ComboboxOption[];
  /** The route's share of the requests, behind the word "Weight". */
  readonly share: string;
  readonly onChange: (next: Value) => void;
}

function RouteFields({ part, route, vendors, share, onChange }: RouteProps) {
  const field = useFields({ value: route, part, onChange });
  return (
    <>
      <Combobox label="Vendor" free options={vendors} {...field("vendor")} />
      <Input label="The vendor's model name" mono {...field("upstream_model", trimmed)} />
      <Input label={`Weight${share}`} inputMode="decimal" placeholder="1" {...field("weight", trimmed)} />
    </>
  );
}

/** How one of several routes and keys is chosen. */
export function RoutingForm({ value, onChange }: { value: Value; onChange: (next: unknown) => void }) {
  const field = useFields({ value, part: "routing", onChange: (next) => onChange(orNothing(next)) });
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Select
        label="Choice among several"
        options={optionsOf({ "": "By weight", latency: "The faster of two drawn", cost: "The cheapest" })}
        {...field("pick")}
      />
      <Select
        label="Conversations"
        help="A vendor’s prompt cache stays warm where a conversation stays."
        options={optionsOf({ "": "Stay where they are", off: "Each request for itself" })}
        {...field("sticky")}
      />
    </div>
  );
}

/** The models that are tried when no route answers, in their order. */
export function FallbacksForm({
  fallbacks,
  onChange,
}: {
  fallbacks: readonly string[];
  onChange: (next: readonly string[]) => void;
}) {
  const rows = useRows(fallbacks, onChange);
  const problem = useProblem();
  const { options } = useModels("all");
  return (
    <div className="space-y-2">
      {rows.map(({ key, row: id, index, onChange: onFallback, onRemove }) => (
        <div key={key} className="flex items-end gap-2">
          <Combobox
            label={`Fallback ${index + 1}`}
            free
            className="flex-1"
            options={options}
            value={id}
            error={problem(`fallbacks[${index}]`)}
            onChange={onFallback}
          />
          <IconButton icon="trash" label={`Remove fallback ${index + 1}`} onClick={onRemove} />
        </div>
      ))}
      <Button size="small" icon="plus" onClick={() => onChange([...fallbacks, options[0]?.value ?? ""])}>
        Add a fallback
      </Button>
    </div>
  );
}

export function DecideWithForm({ value, onChange }: { value: Value; onChange: (next: Value) => void }) {
  const { options } = useModels("chat");
  const field = useFields({ value, part: "decide_with", onChange });
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Combobox label="Chat model" free options={options} {...field("model")} />
      <Select
        label="Orders tried"
        options={optionsOf({ "": "Default", none: "One", two: "Two", all: "All" })}
        {...field("debias")}
      />
      <Input label="Least mass of the labels" inputMode="decimal" {...field("min_label_mass", trimmed)} />
    </div>
  );
}
