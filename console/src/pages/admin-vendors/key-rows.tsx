import { Button, IconButton } from "../../kit/button.tsx";
import { Input } from "../../kit/input.tsx";
import { nextRow, type TypedKey } from "./credential-kinds.ts";

const LIMITS = [
  { field: "spend", label: "Spend a day" },
  { field: "rpm", label: "Requests per minute" },
  { field: "tpm", label: "Tokens per minute" },
  { field: "concurrent", label: "Concurrent requests" },
] as const;

/** The rows of several credentials. What the gateway has already is never shown: a row without a text keeps its key. */
export function KeyRows({
  rows,
  label,
  onChange,
}: {
  rows: readonly TypedKey[];
  label: string;
  onChange: (rows: readonly TypedKey[]) => void;
}) {
  const put = (at: number, change: Partial<TypedKey>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  return (
    <fieldset className="space-y-3">
      <legend className="text-[0.9rem] text-ink-soft">
        Requests are shared out by weight. Limits are optional; spending is by the vendor’s prices.
      </legend>
      {rows.map((row, at) => (
        <div key={row.id} className="grid grid-cols-2 items-end gap-x-3 gap-y-2 border-b border-line pb-4">
          <Input label="Name" mono required value={row.name} onChange={(typed) => put(at, { name: typed })} />
          <Input
            label={label}
            type="password"
            mono
            required={!row.is_kept}
            autoComplete="new-password"
            spellCheck={false}
            placeholder={row.is_kept ? "as it is" : ""}
            value={row.key}
            onChange={(typed) => put(at, { key: typed })}
          />
          <Input
            label="Weight"
            mono
            inputMode="decimal"
            value={row.weight}
            onChange={(typed) => put(at, { weight: typed })}
          />
          <IconButton
            icon="trash"
            label={`Remove ${row.name}`}
            className="justify-self-end"
            disabled={rows.length === 1}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          />
          {LIMITS.map(({ field, label: name }) => (
            <Input
              key={field}
              label={name}
              inputMode="decimal"
              value={row[field]}
              onChange={(typed) => put(at, { [field]: typed })}
            />
          ))}
        </div>
      ))}
      <Button size="small" icon="plus" onClick={() => onChange([...rows, nextRow(rows)])}>
        Add a key
      </Button>
    </fieldset>
  );
}
