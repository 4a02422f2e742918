import { chatCompletions } from "./chat-completions.ts";
import type { VendorProtocol } from "./protocol.ts";

/** Every protocol that the simulator speaks. */
export const PROTOCOLS: readonly VendorProtocol[] = [chatCompletions];

/** The protocol whose requests go to this path. */
export function protocolFor(path: string): VendorProtocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.accepts(path));
}
