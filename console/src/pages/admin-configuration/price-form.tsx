import type { PriceClass } from "../../../../contract/configuration-values.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { optionsOf } from "../../kit/options.ts";
import { FieldsOf, useFields } from "./field-problems.tsx";
import { useRows } from "./use-rows.ts";
import { countOf, objectOf, orNothing, trimmed, type Value, withField } from "./value.ts";

interface PriceProps {
  readonly price: Value;
  readonly onChange: (next: Value) => void;
}

type LabelledClass = { readonly name: PriceClass; readonly label: string };

const MAIN: readonly LabelledClass[] = [
  { name: "input", label: "Input" },
  { name: "output", label: "Output" },
  { name: "cache_read", label: "Cache read" },
  { name: "cache_write", label: "Cache write" },
];

const PARTS: readonly LabelledClass[] = [
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
  const call = useFields({
    value: objectOf(price.calls),
    part: "calls",
    onChange: (next) => onChange(withField(price, "calls", orNothing(next))),
  });
  const field = useFields({ value: price, onChange });
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
          options={optionsOf({ "": "The input of the request, once", call: "The input of every call that decides" })}
          {...field("per")}
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
                <AmountInput key={name} label={label} {...call(name)} />
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

function Classes({ names, price, onChange }: PriceProps & { names: readonly LabelledClass[] }) {
  const field = useFields({ value: price, onChange });
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
      {names.map(({ name, label }) => (
        <AmountInput key={name} label={label} {...field(name)} />
      ))}
    </div>
  );
}

/** Prices of the whole request where its input is long. */
function Tiers({ price, decides, onChange }: PriceProps & { decides: boolean }) {
  const tiers = Array.isArray(price.tiers) ? price.tiers.map(objectOf) : [];
  const write = (next: readonly Value[]) => onChange(withField(price, "tiers", next));
  const rows = useRows(tiers, write);
  return (
    <div className="space-y-3">
      {rows.map(({ key, row: tier, index, onChange: onTier, onRemove }) => (
        <div key={key} className="space-y-3 rounded-lg bg-canvas p-3">
          <FieldsOf part={`tiers[${index}]`}>
            <div className="flex items-end gap-2">
              <TierStart tier={tier} onChange={onTier} />
              <IconButton icon="trash" label={`Remove tier ${index + 1}`} onClick={onRemove} />
            </div>
            <Classes
              names={decides ? MAIN.filter(({ name }) => name !== "output") : MAIN}
              price={tier}
              onChange={onTier}
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

function TierStart({ tier, onChange }: { tier: Value; onChange: (next: Value) => void }) {
  const field = useFields({ value: tier, onChange });
  const label = "Above this many input tokens";
  return <Input label={label} inputMode="numeric" className="flex-1" {...field("above_input_tokens", countOf)} />;
}

/** A markup on what the dearest of the model's vendors charges. */
export function MarkupForm({ price, onChange }: PriceProps) {
  const markup = objectOf(price.markup);
  const added = objectOf(markup.add);
  const both = typeof markup.add === "string" ? markup.add : "";
  const write = (next: Value) => onChange(withField(price, "markup", orNothing(next)));
  const field = useFields({ value: markup, part: "markup", onChange: write });
  const addition = useFields({
    value: { ...(both !== "" && { input: both, output: both }), ...added },
    part: "markup.add",
    onChange: (next) => write(withField(markup, "add", orNothing(next))),
  });
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Input
        label="Percent"
        inputMode="decimal"
        placeholder="0"
        help="Added to the most expensive vendor's prices."
        {...field("percent", trimmed)}
      />
      <AmountInput label="And on input" help="A fixed part, per million tokens." {...addition("input")} />
      <AmountInput label="And on output" help="A fixed part, per million tokens." {...addition("output")} />
    </div>
  );
}
