import Type, { type Static } from "typebox";
import { AccountName, closed, listOf, oneOf, Timestamp } from "./common.ts";

/** Prompts that are saved in the playground: for oneself, or shared with everybody of the account who may use it. */

/** How many prompts a user may save in an account. */
export const MOST_PROMPTS = 100;
const MOST_CHARACTERS = 20_000;

const text = (most: number) => Type.String({ maxLength: most, description: `a text of at most ${most} characters` });
const Long = Type.Optional(text(MOST_CHARACTERS));
const Short = Type.Optional(text(200));

/** The content of the playground's form: every field is the text of the form, and an absent field is empty. */
export const PromptContent = closed({
  model: Type.Optional(text(300)),
  style: Type.Optional(oneOf(["chat", "responses", "messages"])),
  message: Long,
  system: Long,
  tools: Long,
  schema: Long,
  stop: Type.Optional(text(1000)),
  temperature: Short,
  top_p: Short,
  top_k: Short,
  frequency_penalty: Short,
  presence_penalty: Short,
  seed: Short,
  max_tokens: Short,
  effort: Short,
  budget: Short,
});
export type PromptContent = Static<typeof PromptContent>;

const PromptName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "\\S",
  description: "a name of 1 to 100 characters",
});

export const Prompt = Type.Object({
  id: Type.String(),
  account: Type.String(),
  name: Type.String(),
  shared: Type.Boolean(),
  /** Whether the caller saved it, and may change it. */
  own: Type.Boolean(),
  /** The e-mail of its author. */
  by: Type.String(),
  content: PromptContent,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Prompt = Static<typeof Prompt>;

/** One's own prompts, and the shared ones of the account, the latest change first. */
export const PromptList = listOf(Prompt);
export type PromptList = Static<typeof PromptList>;

export const CreatePrompt = closed({
  account: Type.Optional(AccountName),
  name: PromptName,
  shared: Type.Optional(Type.Boolean()),
  content: PromptContent,
});
export type CreatePrompt = Static<typeof CreatePrompt>;

export const UpdatePrompt = closed({
  name: Type.Optional(PromptName),
  shared: Type.Optional(Type.Boolean()),
  content: Type.Optional(PromptContent),
});
export type UpdatePrompt = Static<typeof UpdatePrompt>;
