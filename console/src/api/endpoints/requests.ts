import type {
  Content,
  ContentList,
  ContentSwitches,
  ContentsQuery,
  DeleteContents,
  DeletedContents,
  OfAccount,
  SwitchContents,
} from "../../../../contract/contents.ts";
import type { RefusalList, RefusalsQuery } from "../../../../contract/refusals.ts";
import type { FoundRequest, ReceiptList, RequestsQuery } from "../../../../contract/requests.ts";

export interface RequestEndpoints {
  "GET /requests/refused": { query: RefusalsQuery; answer: RefusalList };
  "GET /requests": { query: RequestsQuery; answer: ReceiptList };
  "GET /requests/{request}": { answer: FoundRequest };
  "GET /contents/{request}": { query: OfAccount; answer: Content };
  "GET /contents": { query: ContentsQuery; answer: ContentList };
  "GET /contents/switches": { query: OfAccount; answer: ContentSwitches };
  "DELETE /contents/{request}": { query: OfAccount; answer: DeletedContents };
  "POST /contents/delete-user": { body: DeleteContents; answer: DeletedContents };
  "PUT /contents/switches": { body: SwitchContents; answer: ContentSwitches };
}
