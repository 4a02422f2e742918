import type { ReceiptDetail, ReceiptList, RequestsQuery } from "../../../../contract/requests.ts";

export interface RequestEndpoints {
  "GET /requests": { query: RequestsQuery; answer: ReceiptList };
  "GET /requests/{request}": { answer: ReceiptDetail };
}
