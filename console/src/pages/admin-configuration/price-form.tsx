import type { PriceClass } from "../../../../contract/configuration-values.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { FieldsOf, useProblem } from "./field-problems.tsx";
import { useKeys } from "./use-keys.ts";
import { countOf, objectOf, textOf, type Value, withField } from "./value.ts";

interface PriceProps {
  readonly price: Value;
  readonly onChange: (next: Value) => void;
}

type Named = { readonly name: PriceClass; readonly label: string };

const MAIN: readonly Named[] = [
  { name: "input", label: "Input" },
  { name: "output", label: "Output" },
  { name: "cache_read", label: "Cache read" },
  { name: "cache_write", label: "Cache write" },
];

const PARTS: readonly Named[] = [
  { name: "cache_write_1h", label: "Cache write for an hour" },
  { name: "cache_write_12h", label: "Cache write for 12 hours" },
  { name: "input_characters", label: "Characters of speech" },
  { name: "input_minutes", label: "A minute of sound" },
  { name: "images", label: "An image" },
  { name: "searches", label: "A thousand searches" },
  { name: "input_audio", label: "Audio in" },
  { name: "input_image", label: "Images in" },
  { name: "input_video", label: "Video in" },
  { name: "cache_read_audio", label: "Cached audio" },
  { name: "cache_read_image", label: "Cached images" },
  { name: "cache_read_video", label: "Cached video" },
  { name: "output_audio", label: "Audio out" },
  { name: "output_image", label: "Images out" },
  { name: "output_video", label: "Video out" },
  { name: "output_reasoning", label: "Reasoning" },
];

const CALLS = [
  { name: "web_search", label: "Web searches" },
  { name: "file_search", label: "File searches" },
  { name: "collections_search", label: "Collection searches" },
  { name: "x_search", label: "X searches" },
  { name: "maps_search", label: "Map searches" },
  { name: "code_interpreter", label: "Code interpreter" },
  { name: "code_execution", label: "Code runs" },
] as const;

/** The figures of a price: every class, its tiers, and calls of the vendor's own tools. */
export function FiguresForm({ price, decides, onChange }: PriceProps & { decides: boolean }) {
  const calls = objectOf(price.calls);
  const problem = useProblem();
  const rare = Object.keys(price).filter((name) => ["service_tiers", "speeds", "residency"].includes(name));
  const has_table = typeof price.images === "object";
  if (has_table) rare.push("images");
  return (
    <div className="space-y-4">
      <Classes
        names={decides ? MAIN.filter(({ name }) => name !== "output") : MAIN}
        price={price}
        onChange={onChange}
      />
      {decides ? (
        <Select
          label="Charged"
          value={textOf(price, "per")}
          options={[
            { value: "", label: "The input of the request, once" },
            { value: "call", label: "The input of every call that decides" },
          ]}
          onChange={(event) => onChange(withField(price, "per", event.target.value))}
        />
      ) : (
        <details className="rounded-lg bg-canvas px-3 py-2">
          <summary className="cursor-pointer font-medium">More classes, and tools of the vendor</summary>
          <div className="mt-3 space-y-4">
            <Classes
              names={has_table ? PARTS.filter(({ name }) => name !== "images") : PARTS}
              price={price}
              onChange={onChange}
            />
            <p className="text-[0.88rem] text-ink-soft">Per thousand calls. Tools without a price are not relayed.</p>
            <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
              {CALLS.map(({ name, label }) => (
                <AmountInput
                  key={name}
                  label={label}
                  value={textOf(calls, name)}
                  error={problem(`calls.${name}`)}
                  onChange={(typed) => {
                    const next = withField(calls, name, typed);
                    onChange(withField(price, "calls", Object.keys(next).length === 0 ? undefined : next));
                  }}
                />
              ))}
            </div>
          </div>
        </details>
      )}
      <Tiers price={price} decides={decides} onChange={onChange} />
      {rare.length > 0 && (
        <p className="text-[0.88rem] text-ink-soft">It also has {rare.join(", ")}: edit them as text.</p>
      )}
    </div>
  );
}

function Classes({ names, price, onChange }: PriceProps & { names: readonly Named[] }) {
  const problem = useProblem();
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
      {names.map(({ name, label }) => (
        <AmountInput
          key={name}
          label={label}
          value={textOf(price, name)}
          error={problem(name)}
          onChange={(typed) => onChange(withField(price, name, typed))}
        />
      ))}
    </div>
  );
}

/** Prices of the whole request where its input is long. */
function Tiers({ price, decides, onChange }: PriceProps & { decides: boolean }) {
  const tiers = Array.isArray(price.tiers) ? price.tiers.map(objectOf) : [];
  const keys = useKeys(tiers.length);
  const write = (next: readonly Value[]) => onChange(withField(price, "tiers", next));
  const problem = useProblem();
  return (
    <div className="space-y-3">
      {tiers.map((tier, index) => (
        <div key={keys.at(index)} className="space-y-3 rounded-lg bg-canvas p-3">
          <div className="flex items-end gap-2">
            <Input
              label="Above this many input tokens"
              inputMode="numeric"
              className="flex-1"
              value={textOf(tier, "above_input_tokens")}
              error={problem(`tiers[${index}].above_input_tokens`)}
              onChange={(event) =>
                write(tiers.with(index, withField(tier, "above_input_tokens", countOf(event.target.value))))
              }
            />
            <IconButton
              icon="trash"
              label={`Remove tier ${index + 1}`}
              onClick={() => {
                keys.remove(index);
                write(tiers.toSpliced(index, 1));
              }}
            />
          </div>
          <FieldsOf part={`tiers[${index}]`}>
            <Classes
              names={decides ? MAIN.filter(({ name }) => name !== "output") : MAIN}
              price={tier}
              onChange={(next) => write(tiers.with(index, next))}
            />
          </FieldsOf>
        </div>
      ))}
      <Button size="small" kind="quiet" icon="plus" onClick={() => write([...tiers, {}])}>
        Add a price for long input
      </Button>
    </div>
  );
}

/** A markup on what the dearest of the model's vendors charges. */
export function MarkupForm({ price, onChange }: PriceProps) {
  const markup = objectOf(price.markup);
  const added = objectOf(markup.add);
  const problem = useProblem();
  const both = typeof markup.add === "string" ? markup.add : "";
  const write = (next: Value) =>
    onChange(withField(price, "markup", Object.keys(next).length === 0 ? undefined : next));
  const setAdd = (name: "input" | "output", typed: string) => {
    const next = withField({ ...(both !== "" && { input: both, output: both }), ...added }, name, typed);
    write(withField(markup, "add", Object.keys(next).length === 0 ? undefined : next));
  };
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Input
        label="Percent"
        inputMode="decimal"
        value={textOf(markup, "percent")}
        error={problem("markup.percent")}
        placeholder="0"
        help="Added to the most expensive vendor's prices."
        onChange={(event) => write(withField(markup, "percent", event.target.value.trim()))}
      />
      <AmountInput
        label="And on input"
        value={textOf(added, "input") || both}
        error={problem("markup.add.input")}
        help="A fixed part, per million tokens."
        onChange={(typed) => setAdd("input", typed)}
      />
      <AmountInput
        label="And on output"
        value={textOf(added, "output") || both}
        error={problem("markup.add.output")}
        help="A fixed part, per million tokens."
        onChange={(typed) => setAdd("output", typed)}
      />
    </div>
  );
}
