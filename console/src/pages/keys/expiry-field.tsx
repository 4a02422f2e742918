import { useState } from "react";
import { formatExactTime } from "../../kit/format.ts";
import { Input, Select } from "../../kit/input.tsx";

const DAY_MS = 86_400_000;
const PRESETS = [
  { value: "never", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "day", label: "On a day…" },
] as const;

/** When a key ends: never, after a while, or at the beginning of a day. `value` is a day or a time. */
export function ExpiryField({
  value,
  onChange,
  error,
}: {
  value: string | null;
  onChange: (value: string | null) => void;
  error: string | null;
}) {
  const [preset, setPreset] = useState<string>(value === null ? "never" : "day");
  const choose = (chosen: string) => {
    setPreset(chosen);
    const days = chosen === "day" ? 30 : Number(chosen);
    if (chosen === "never") onChange(null);
    else if (chosen === "day") onChange(dayIn(days));
    else onChange(new Date(Date.now() + days * DAY_MS).toISOString());
  };
  const time_ms = value === null ? null : Date.parse(value.length === 10 ? `${value}T00:00:00Z` : value);
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <Select
        label="Expires"
        options={PRESETS}
        value={preset}
        error={preset === "day" ? null : error}
        help={time_ms === null || Number.isNaN(time_ms) ? undefined : `Ends ${formatExactTime(time_ms)}.`}
        onChange={choose}
      />
      {preset === "day" && (
        <Input
          type="date"
          label="Day"
          required
          // A minimum on the field of an expired key would block the form.
          min={time_ms !== null && time_ms > Date.now() ? dayIn(1) : undefined}
          value={value?.slice(0, 10) ?? ""}
          error={error}
          help="The key expires at the start of this day (UTC)."
          onChange={(typed) => onChange(typed === "" ? null : typed)}
        />
      )}
    </div>
  );
}

function dayIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}
