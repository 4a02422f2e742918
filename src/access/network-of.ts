/** The network in which a client can choose its address: an IPv4 address, or the first half of an IPv6 address. */
export function networkOf(address: string | null): string {
  const text = address ?? "unknown";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
  if (mapped !== undefined || !text.includes(":")) return mapped ?? text;
  const [head = "", tail] = text.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  const whole = [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...(tail ? tail.split(":") : [])];
  return whole.slice(0, 4).join(":");
}
