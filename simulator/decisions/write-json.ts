/** JSON as careless servers write it: NaN bare, infinity as a number too large. */
export function writeJson(body: unknown): string {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? `${MARK}${value}` : value,
  );
  return text.replaceAll(`"${MARK}NaN"`, "NaN").replaceAll(`"${MARK}Infinity"`, "1e999");
}

const MARK = "#simulated-number:";
