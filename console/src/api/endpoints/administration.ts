import type { AdministrationCalls } from "../../../../contract/administration.ts";
import type {
  CircuitHistory,
  CircuitHistoryQuery,
  SystemHealth,
  VendorHistory,
  VendorHistoryQuery,
} from "../../../../contract/health.ts";
import type { LimitedAccountList, LimitedKeyList, LimitedQuery, Limits } from "../../../../contract/limits.ts";
import type { PriceList } from "../../../../contract/prices.ts";
import type { RouteList } from "../../../../contract/routes.ts";
import type { SetCredential, TestVendor, Vendor, VendorList, VendorTest } from "../../../../contract/vendors.ts";

/** Calls of the documented API for programs, which the console makes as well. */
type Documented = Pick<
  AdministrationCalls,
  | "GET /users"
  | "PATCH /users/{user}"
  | "POST /users/{user}/password-reset"
  | "GET /invitations"
  | "POST /invitations"
  | "DELETE /invitations/{invitation}"
  | "GET /management-keys"
  | "POST /management-keys"
  | "POST /management-keys/{management_key}/revoke"
  | "GET /audit-log"
>;

/** The endpoints that only administrators may call. */
export interface AdministrationEndpoints extends Documented {
  "GET /vendors": { answer: VendorList };
  "GET /vendors/{vendor}": { answer: Vendor };
  "PUT /vendors/{vendor}/credential": { body: SetCredential; answer: Vendor };
  "DELETE /vendors/{vendor}/credential": { answer: Vendor };
  "POST /vendors/{vendor}/test": { body: TestVendor; answer: VendorTest };
  "GET /prices": { answer: PriceList };
  "GET /routes": { answer: RouteList };
  "GET /limits": { answer: Limits };
  "GET /limits/keys": { query: LimitedQuery; answer: LimitedKeyList };
  "GET /limits/accounts": { query: LimitedQuery; answer: LimitedAccountList };
  "GET /health": { answer: SystemHealth };
  "GET /health/circuits": { query: CircuitHistoryQuery; answer: CircuitHistory };
  "GET /health/vendors": { query: VendorHistoryQuery; answer: VendorHistory };
}
