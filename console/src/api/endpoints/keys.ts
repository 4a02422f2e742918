import type {
  BudgetList,
  BudgetsQuery,
  ModelLimitUses,
  RaiseBudget,
  RaisedBudget,
} from "../../../../contract/budgets.ts";
import type { Deleted } from "../../../../contract/common.ts";
import type {
  CreatedKey,
  CreateKey,
  Key,
  KeyList,
  KeyListQuery,
  RolledKey,
  RollKey,
  UpdateKey,
} from "../../../../contract/keys.ts";
import type {
  CreateProject,
  Project,
  ProjectList,
  ProjectsQuery,
  UpdateProject,
} from "../../../../contract/projects.ts";
import type {
  AccountTagValuesQuery,
  SetAccountTagValue,
  SetTagValue,
  TagLimitsOfAccount,
  TagValue,
  TagValueList,
  TagValuesQuery,
} from "../../../../contract/tag-limits.ts";
import type { TagNames, TagNamesQuery } from "../../../../contract/tags.ts";

export interface KeyEndpoints {
  "GET /tags": { query: TagNamesQuery; answer: TagNames };
  "PUT /keys/{key}/raise": { body: RaiseBudget; answer: RaisedBudget };
  "PUT /projects/{project}/raise": { body: RaiseBudget; answer: RaisedBudget };
  "PUT /accounts/{account}/raise": { body: RaiseBudget; answer: RaisedBudget };
  "GET /projects": { query: ProjectsQuery; answer: ProjectList };
  "POST /projects": { body: CreateProject; answer: Project };
  "PATCH /projects/{project}": { body: UpdateProject; answer: Project };
  "DELETE /projects/{project}": { answer: Deleted };
  "GET /keys": { query: KeyListQuery; answer: KeyList };
  "POST /keys": { body: CreateKey; answer: CreatedKey };
  "GET /keys/{key}": { answer: Key };
  "PATCH /keys/{key}": { body: UpdateKey; answer: Key };
  "POST /keys/{key}/disable": { answer: Key };
  "POST /keys/{key}/enable": { answer: Key };
  "POST /keys/{key}/revoke": { answer: Key };
  "POST /keys/{key}/roll": { body: RollKey; answer: RolledKey };
  "GET /keys/{key}/model-limits": { answer: ModelLimitUses };
  "GET /projects/{project}/model-limits": { answer: ModelLimitUses };
  "GET /accounts/{account}/model-limits": { answer: ModelLimitUses };
  "GET /accounts/{account}/tag-limits": { answer: TagLimitsOfAccount };
  "GET /accounts/{account}/tags/{tag}/values": { query: AccountTagValuesQuery; answer: TagValueList };
  "PUT /accounts/{account}/tags/{tag}/values": { body: SetAccountTagValue; answer: TagValue };
  "GET /projects/{project}/tags/{tag}/values": { query: TagValuesQuery; answer: TagValueList };
  "PUT /projects/{project}/tags/{tag}/values": { body: SetTagValue; answer: TagValue };
  "GET /budgets": { query: BudgetsQuery; answer: BudgetList };
  "DELETE /keys/{key}": { answer: Deleted };
}
