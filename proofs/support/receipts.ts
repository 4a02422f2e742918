import type { Gateway } from "./gateway.ts";

/** The members of a receipt (docs/api.md 2.11) that tests read. */
export interface Receipt {
  readonly id: string;
  readonly client_request_id: string | null;
  readonly status: string;
  readonly error: string | null;
  readonly usage: Readonly<Record<string, number>> | null;
  readonly estimated: boolean;
  readonly hold_micro: number;
  readonly charge_micro: number;
  readonly attempts: readonly { readonly vendor: string; readonly error: string | null }[];
}

/** The receipt of a request once its hold has ended: a client that leaves cannot observe the end. */
export async function endedReceipt(gateway: Gateway, key: string, request_id: string): Promise<Receipt> {
  for (;;) {
    const response = await fetch(`${gateway.url}/v1/requests/${request_id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const receipt = (await response.json()) as Receipt;
    if (!response.ok) throw new Error(`${request_id} has no receipt: ${JSON.stringify(receipt)}`);
    if (receipt.status !== "held") return receipt;
    await Bun.sleep(10);
  }
}
