import type { AuditPage, AuditQuery } from "../../../../contract/audit.ts";
import type { Deleted } from "../../../../contract/common.ts";
import type {
  CircuitHistory,
  CircuitHistoryQuery,
  SystemHealth,
  VendorHistory,
  VendorHistoryQuery,
} from "../../../../contract/health.ts";
import type { Limits } from "../../../../contract/limits.ts";
import type {
  CreatedManagementKey,
  CreateManagementKey,
  ManagementKey,
  ManagementKeyPage,
  ManagementKeysQuery,
} from "../../../../contract/management-keys.ts";
import type { PriceList } from "../../../../contract/prices.ts";
import type { RouteList } from "../../../../contract/routes.ts";
import type {
  CreatedInvitation,
  CreateInvitation,
  InvitationList,
  InvitationsQuery,
  SignInLink,
  UpdateUser,
  User,
  UserList,
  UsersQuery,
} from "../../../../contract/users.ts";
import type { SetCredential, TestVendor, Vendor, VendorList, VendorTest } from "../../../../contract/vendors.ts";

/** The endpoints that only administrators may call. */
export interface AdministrationEndpoints {
  "GET /users": { query: UsersQuery; answer: UserList };
  "PATCH /users/{user}": { body: UpdateUser; answer: User };
  "POST /users/{user}/password-reset": { answer: SignInLink };
  "GET /invitations": { query: InvitationsQuery; answer: InvitationList };
  "POST /invitations": { body: CreateInvitation; answer: CreatedInvitation };
  "DELETE /invitations/{invitation}": { answer: Deleted };
  "GET /management-keys": { query: ManagementKeysQuery; answer: ManagementKeyPage };
  "POST /management-keys": { body: CreateManagementKey; answer: CreatedManagementKey };
  "POST /management-keys/{management_key}/revoke": { answer: ManagementKey };
  "GET /audit-log": { query: AuditQuery; answer: AuditPage };
  "GET /vendors": { answer: VendorList };
  "GET /vendors/{vendor}": { answer: Vendor };
  "PUT /vendors/{vendor}/credential": { body: SetCredential; answer: Vendor };
  "DELETE /vendors/{vendor}/credential": { answer: Vendor };
  "POST /vendors/{vendor}/test": { body: TestVendor; answer: VendorTest };
  "GET /prices": { answer: PriceList };
  "GET /routes": { answer: RouteList };
  "GET /limits": { answer: Limits };
  "GET /health": { answer: SystemHealth };
  "GET /health/circuits": { query: CircuitHistoryQuery; answer: CircuitHistory };
  "GET /health/vendors": { query: VendorHistoryQuery; answer: VendorHistory };
}
