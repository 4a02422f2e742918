import type { AuditNote } from "./audit.ts";

/** A prompt of the playground that somebody saved: for themselves, or for everybody of its account. */
export interface PromptRecord {
  readonly id: string;
  readonly account_id: string;
  readonly user_id: string;
  /** The e-mail of its author. */
  readonly email: string;
  readonly name: string;
  /** Whether everybody of the account who may use the playground sees it. */
  readonly shared: boolean;
  /** JSON, as contract/prompts.ts describes it. */
  readonly content: string;
  readonly created_ms: number;
  readonly updated_ms: number;
}

export interface NewPrompt {
  readonly id: string;
  readonly account_id: string;
  readonly user_id: string;
  readonly name: string;
  readonly shared: boolean;
  readonly content: string;
  /** How many prompts a user may have in an account. */
  readonly at_most: number;
}

/** A change of a prompt: fields that are left out stay. */
export interface PromptPatch {
  readonly name?: string;
  readonly shared?: boolean;
  readonly content?: string;
}

export interface PromptStore {
  /** A user's own prompts and the shared ones of an account, the latest change first. */
  listPrompts(account_id: string, user_id: string): Promise<PromptRecord[]>;
  findPrompt(id: string): Promise<PromptRecord | null>;
  /** Rejects with a StoreConflict where the user has as many as they may, or the id is taken. */
  createPrompt(prompt: NewPrompt, note: AuditNote): Promise<PromptRecord>;
  /** Null where there is no such prompt. */
  updatePrompt(id: string, patch: PromptPatch, note: AuditNote): Promise<PromptRecord | null>;
  /** False where there is no such prompt. */
  deletePrompt(id: string, note: AuditNote): Promise<boolean>;
}
