import { LANGUAGE } from "../../kit/language.ts";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
const STEP = 1024;

/** "32 MB", "1.5 GB", in the reader's locale. A kilobyte is 1024 bytes, as operating systems count. */
export function formatBytes(bytes: number, locale?: string): string {
  const power = bytes < STEP ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(STEP)));
  const value = bytes / STEP ** power;
  const options = { style: "unit", unit: UNITS[power] ?? "byte", unitDisplay: "short" } as const;
  return new Intl.NumberFormat(locale ?? LANGUAGE, { ...options, maximumFractionDigits: value < 100 ? 1 : 0 }).format(
    value,
  );
}
