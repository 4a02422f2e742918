const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** An uptime in its two largest units: "3 d 4 h", "12 min 5 s". */
export function formatUptime(uptime_s: number): string {
  const first = UNITS.findIndex(([, seconds]) => uptime_s >= seconds);
  if (first === -1) return "0 s";
  let left = uptime_s;
  const parts = UNITS.slice(first, first + 2).map(([unit, seconds]) => {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    return count === 0 ? "" : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== "").join(" ");
}
