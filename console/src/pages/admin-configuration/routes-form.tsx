import { useApi } from "../../api/use-api.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { useProblem } from "./field-problems.tsx";
import { useKeys } from "./use-keys.ts";
import { objectOf, textOf, type Value, withField } from "./value.ts";

/** Routes with their weights, and the share of the requests that each gets. */
export function RoutesForm({ routes: given, onChange }: { routes: unknown; onChange: (next: unknown) => void }) {
  const routes = Array.isArray(given) ? given.map(objectOf) : [];
  const keys = useKeys(routes.length);
  const vendors = useApi("GET /vendors", {});
  const options = (vendors.data?.data ?? [])
    .filter(({ status }) => status === "enabled")
    .map(({ id, name }) => ({ value: id, label: id, note: name }));
  const replace = (index: number, next: Value) => onChange(routes.with(index, next));
  const problem = useProblem();
  const weights = routes.map((route) => Number(textOf(route, "weight") || "1"));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return (
    <div className="space-y-3">
      {routes.map((route, index) => {
        const wrong = (name: string) => problem(`routes[${index}].${name}`);
        const set = (name: string) => (text: string) => replace(index, withField(route, name, text));
        return (
          <div
            key={keys.at(index)}
            className="grid items-end gap-3 rounded-lg border border-line p-3 sm:grid-cols-[1fr_1fr_7rem_auto]"
          >
            <Combobox
              label="Vendor"
              free
              error={wrong("vendor")}
              options={options}
              value={textOf(route, "vendor")}
              onChange={set("vendor")}
            />
            <Input
              label="The vendor's model name"
              mono
              value={textOf(route, "upstream_model")}
              error={wrong("upstream_model")}
              onChange={(event) => set("upstream_model")(event.target.value.trim())}
            />
            <Input
              label={`Weight${all > 0 ? ` (${Math.round(((weights[index] ?? 0) / all) * 100)}%)` : ""}`}
              inputMode="decimal"
              value={textOf(route, "weight")}
              error={wrong("weight")}
              placeholder="1"
              onChange={(event) => set("weight")(event.target.value.trim())}
            />
            <IconButton
              icon="trash"
              label={`Remove route ${index + 1}`}
              onClick={() => {
                keys.remove(index);
                onChange(routes.toSpliced(index, 1));
              }}
            />
          </div>
        );
      })}
      <Button size="small" icon="plus" onClick={() => onChange([...routes, { vendor: options[0]?.value ?? "" }])}>
        Add a route
      </Button>
    </div>
  );
}

/** How one of several routes and keys is chosen. */
export function RoutingForm({ value, onChange }: { value: Value; onChange: (next: unknown) => void }) {
  const set = (name: string, text: string) => {
    const next = withField(value, name, text);
    onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Select
        label="Choice among several"
        options={[
          { value: "", label: "By weight" },
          { value: "latency", label: "The faster of two drawn" },
          { value: "cost", label: "The cheapest" },
        ]}
        value={textOf(value, "pick")}
        onChange={(event) => set("pick", event.target.value)}
      />
      <Select
        label="Conversations"
        help="A vendor’s prompt cache stays warm where a conversation stays."
        options={[
          { value: "", label: "Stay where they are" },
          { value: "off", label: "Each request for itself" },
        ]}
        value={textOf(value, "sticky")}
        onChange={(event) => set("sticky", event.target.value)}
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
  onChange: (next: string[]) => void;
}) {
  const keys = useKeys(fallbacks.length);
  const problem = useProblem();
  const models = useApi("GET /models", { query: { kind: "all" } });
  const options = (models.data?.data ?? []).map(({ id, display_name }) => ({
    value: id,
    label: id,
    note: display_name,
  }));
  return (
    <div className="space-y-2">
      {fallbacks.map((id, index) => (
        <div key={keys.at(index)} className="flex items-end gap-2">
          <Combobox
            label={`Fallback ${index + 1}`}
            free
            className="flex-1"
            options={options}
            value={id}
            error={problem(`fallbacks[${index}]`)}
            onChange={(next) => onChange(fallbacks.with(index, next))}
          />
          <IconButton
            icon="trash"
            label={`Remove fallback ${index + 1}`}
            onClick={() => {
              keys.remove(index);
              onChange(fallbacks.toSpliced(index, 1));
            }}
          />
        </div>
      ))}
      <Button size="small" icon="plus" onClick={() => onChange([...fallbacks, options[0]?.value ?? ""])}>
        Add a fallback
      </Button>
    </div>
  );
}

/** The chat model that decides, and how. */
export function DecideWithForm({ value, onChange }: { value: Value; onChange: (next: Value) => void }) {
  const models = useApi("GET /models", { query: { kind: "chat" } });
  const options = (models.data?.data ?? []).map(({ id, display_name }) => ({
    value: id,
    label: id,
    note: display_name,
  }));
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Combobox
        label="Chat model"
        free
        options={options}
        value={textOf(value, "model")}
        onChange={(model) => onChange(withField(value, "model", model))}
      />
      <Select
        label="Orders tried"
        value={textOf(value, "debias")}
        options={[
          { value: "", label: "Default" },
          { value: "none", label: "One" },
          { value: "two", label: "Two" },
          { value: "all", label: "All" },
        ]}
        onChange={(event) => onChange(withField(value, "debias", event.target.value))}
      />
      <Input
        label="Least mass of the labels"
        inputMode="decimal"
        value={textOf(value, "min_label_mass")}
        onChange={(event) => onChange(withField(value, "min_label_mass", event.target.value.trim()))}
      />
    </div>
  );
}
