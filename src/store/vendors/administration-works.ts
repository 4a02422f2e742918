import { secretFingerprint } from "../sql/marks.ts";
import type { WorksOf } from "../sql/port.ts";
import type { AdministrationMethods } from "./administration-calls.ts";
import { changeElement, elementHistory, elementsRevision, listElements } from "./configuration-versions.ts";
import { state } from "./state.ts";
import { list, put, remove, revision } from "./vendor-credentials.ts";

export const ADMINISTRATION_WORKS: WorksOf<AdministrationMethods> = {
  ...{ list, revision, put, remove, state, secretFingerprint },
  ...{ listElements, elementsRevision, elementHistory, changeElement },
};
