import type { ComponentProps } from "react";
import { Input } from "../../kit/input.tsx";

/** A field for a UTC day, chosen from the browser's calendar. A time of day, which the configuration may have as well, is text. */
export function DayField({
  value,
  onChange,
  ...field
}: Omit<ComponentProps<typeof Input>, "value" | "onChange" | "type"> & {
  readonly value: string;
  readonly onChange: (day: string) => void;
}) {
  const is_day = value === "" || /^\d{4}-\d{2}-\d{2}$/.test(value);
  return (
    <Input {...field} type={is_day ? "date" : "text"} value={value} onChange={(typed) => onChange(typed.trim())} />
  );
}
