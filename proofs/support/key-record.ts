import type { KeyRecord } from "../../src/core/people/principal.ts";

/** The record of an active key without limits, aliases or a choice of models, unless `fields` say otherwise. */
export function keyRecord(fields: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id: "key_1",
    account_id: "acct_1",
    name: "",
    status: "active",
    account_status: "active",
    aliases: [],
    prefix_aliases: [],
    models: null,
    rpm: null,
    tpm: null,
    concurrent: null,
    budget: null,
    expires_ms: null,
    created_ms: 0,
    last_used_ms: null,
    hint: "abcd",
    version: 1,
    ...fields,
  };
}
