import type { ComponentProps } from "react";
import { readAmount } from "../../../contract/amounts.ts";
import { formatAllDigits } from "./format.ts";
import { Input } from "./input.tsx";
import { useCurrency } from "./use-currency.ts";

type AmountInputProps = Omit<ComponentProps<typeof Input>, "value" | "onChange" | "inputMode" | "mono" | "type"> & {
  /** Default: the gateway's currency. */
  readonly currency?: string | undefined;
  readonly value: string;
  readonly onChange: (typed: string) => void;
};

/**
 * A line for an amount of money. It says how the typed text was understood, which is how the amount is booked, or why it was not
 * (contract/amounts.ts). `error` is for what only the form or the gateway knows.
 */
export function AmountInput({ currency: given, value, onChange, help, error, ...rest }: AmountInputProps) {
  const of_gateway = useCurrency();
  const currency = given ?? of_gateway;
  const read = value.trim() === "" ? null : readAmount(value);
  const problem = read !== null && "problem" in read ? read.problem : null;
  return (
    <Input
      {...rest}
      mono
      inputMode="decimal"
      value={value}
      error={problem ?? error}
      help={
        read === null || "problem" in read ? (
          help
        ) : (
          <>
            <span className="block font-medium text-ink">
              {currency === undefined ? read.text : formatAllDigits(read.micro, currency)}
            </span>
            {help}
          </>
        )
      }
      onChange={onChange}
    />
  );
}
