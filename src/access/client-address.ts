import type { HeaderReader } from "./read-credential.ts";

/**
 * The address of the client: the connection's, or where a proxy is configured the last one of `x-forwarded-for`, which the
 * proxy itself saw. The addresses before it came with the request and may be false.
 */
export function clientAddress(headers: HeaderReader, peer: string | null, behind_proxy: boolean): string | null {
  const forwarded = behind_proxy ? headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return forwarded || peer;
}
