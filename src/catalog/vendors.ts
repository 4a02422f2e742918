import type { VendorRow } from "./vendor-row.ts";

export const VENDOR_ROWS: readonly VendorRow[] = [
  {
    id: "openai",
    name: "OpenAI",
    endpoints: [
      { protocol: "responses", base_url: "https://api.openai.com/v1", credential: "bearer" },
      { protocol: "chat-completions", base_url: "https://api.openai.com/v1", credential: "bearer" },
    ],
    api_key_env: ["OPENAI_API_KEY"],
    forwards_safety_identifier: true,
    on_disconnect: "abort",
    quirks: {},
  },
];

const BY_ID: ReadonlyMap<string, VendorRow> = new Map(VENDOR_ROWS.map((row) => [row.id, row]));

/** What is known of a vendor of that id; null when it is not in the table. */
export function findVendorRow(id: string): VendorRow | null {
  return BY_ID.get(id) ?? null;
}
