import { Button } from "../../kit/button.tsx";
import { Select } from "../../kit/input.tsx";
import { optionsOf } from "../../kit/options.ts";
import { Notice } from "../../kit/states.tsx";
import { DayField } from "./day-field.tsx";
import { FieldsOf, useFields, useProblem } from "./field-problems.tsx";
import { FiguresForm, MarkupForm } from "./price-form.tsx";
import { useRows } from "./use-rows.ts";
import { laterPrice, pricesOf, type Value, writtenPrices } from "./value.ts";

/** A model's prices with their dates: figures, or a markup on what the vendors charge. */
export function PricesForm({
  value,
  decides,
  onChange,
}: {
  value: unknown;
  decides: boolean;
  onChange: (next: unknown) => void;
}) {
  const prices = pricesOf(value);
  const write = (next: readonly Value[]) => onChange(writtenPrices(next));
  const rows = useRows(prices, write);
  const problem = useProblem();
  const missing = prices.length === 0 ? problem("price") : undefined;
  return (
    <div className="space-y-3">
      {rows.map(({ key, row, index, onChange: onRow, onRemove }) => (
        <FieldsOf key={key} part={prices.length > 1 ? `price[${index}]` : "price"}>
          <PriceCard
            price={row}
            number={prices.length > 1 ? index + 1 : null}
            decides={decides}
            onChange={onRow}
            onRemove={onRemove}
          />
        </FieldsOf>
      ))}
      {prices.length === 0 && missing !== undefined && <Notice tone="danger">{missing}</Notice>}
      {prices.length === 0 && (
        <p className="text-ink-soft">
          Default: the price in the bundled catalog. A model that is not in the catalog needs a price.
        </p>
      )}
      <Button
        size="small"
        icon="plus"
        onClick={() => write([...prices, prices.length === 0 ? {} : laterPrice(prices, Date.now())])}
      >
        {prices.length === 0 ? "Set a price" : "Add a price from a later day"}
      </Button>
    </div>
  );
}

function PriceCard({
  price,
  number,
  decides,
  onChange,
  onRemove,
}: {
  price: Value;
  number: number | null;
  decides: boolean;
  onChange: (next: Value) => void;
  onRemove: () => void;
}) {
  const follows = "follows" in price;
  const { from } = price;
  const field = useFields({ value: price, onChange });
  const dated = from === undefined ? {} : { from };
  return (
    <fieldset className="space-y-4 rounded-lg border border-line p-3">
      <legend className="px-1 text-[0.9rem] font-medium">{number === null ? "Price" : `Price ${number}`}</legend>
      <div className="grid items-start gap-3 sm:grid-cols-[1fr_1fr_auto]">
        <Select
          label="Given as"
          value={follows ? "follows" : "figures"}
          options={optionsOf({ figures: "Figures", follows: "What the vendors charge, with a markup" })}
          onChange={(typed) => onChange(typed === "follows" ? { follows: "upstream", ...dated } : dated)}
        />
        <DayField
          label="From"
          help={typeof from === "string" ? "That day begins at midnight UTC." : "Empty: always."}
          {...field("from")}
        />
        <Button kind="quiet" icon="trash" onClick={onRemove} className="sm:mt-6.5">
          Remove
        </Button>
      </div>
      {follows ? (
        <MarkupForm price={price} onChange={onChange} />
      ) : (
        <FiguresForm price={price} decides={decides} onChange={onChange} />
      )}
    </fieldset>
  );
}
