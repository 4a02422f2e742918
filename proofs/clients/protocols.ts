/** The protocols that vendors speak, in the order of the report's columns. */
export const PROTOCOLS = ["chat-completions", "responses", "messages", "gemini", "bedrock-converse"] as const;
export type VendorProtocol = (typeof PROTOCOLS)[number];
