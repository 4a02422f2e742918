import type { NewKey } from "../../core/store/ports.ts";

/** The settings of a new key without any given settings. */
export const BLANK_KEY: Omit<NewKey, "id" | "account_id" | "hash" | "hint" | "tags" | "cache_ms"> = {
  name: "",
  aliases: [],
  prefix_aliases: [],
  models: null,
  rpm: null,
  tpm: null,
  concurrent: null,
  budget: null,
  expires_ms: null,
};
