import type { ResponseCipher } from "../../access/response-cipher.ts";
import { byteLength } from "../../core/answer/sent-body.ts";
import { detachedText } from "../../core/texts.ts";
import type { KeptAnswer, KeptResponse } from "./kept-answer.ts";

/** A response that is being written: requests on this node can already refer to it. */
export class WaitingResponse {
  readonly account_id: string;
  readonly response_key: string;
  readonly parent_key: string | null;
  readonly vendor: string;
  readonly sent: KeptAnswer["sent"];
  readonly used_keys: readonly string[];
  readonly response: KeptResponse;
  /** The keys of the ids of the answer's items. */
  readonly item_keys: readonly string[];
  /** The approximate memory that the response takes. */
  readonly bytes: number;
  /** Monotonic time at which the response expires and need not be written any more. */
  readonly expires_ms: number;
  /** True when the response was deleted before it was written. */
  is_removed = false;

  constructor(cipher: ResponseCipher, answer: KeptAnswer, response: KeptResponse, expires_ms: number) {
    const { account_id, previous_response_id, vendor, sent, used_keys, body } = answer;
    this.account_id = account_id;
    this.response_key = cipher.keyOf(account_id, response.id);
    this.parent_key = previous_response_id === null ? null : cipher.keyOf(account_id, previous_response_id);
    this.vendor = vendor;
    // Its text is a part of the request's, which may be a thousand times as long as what is counted here. What another thread
    // has read is bytes of its own.
    this.sent = sent.bytes === undefined ? { items: sent.items, text: detachedText(sent.text) } : sent;
    this.used_keys = used_keys;
    this.response = response;
    this.item_keys = [...new Set(response.item_ids)].map((id) => cipher.keyOf(account_id, id));
    this.bytes = (sent.bytes?.byteLength ?? sent.text.length) + byteLength(body);
    this.expires_ms = expires_ms;
  }
}
