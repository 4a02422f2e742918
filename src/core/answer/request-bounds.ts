/**
 * The shape of a request (docs/rulings.md 140, docs/api.md 8): what is beyond is refused with a 400 that says what was
 * found, how much is allowed, and where. A request's time and memory grow with its size alone; these bounds keep small
 * texts from standing for large work.
 */
export const REQUEST_BOUNDS = {
  /** Objects and arrays inside each other, the body included. It holds for a vendor's answer too. */
  levels: 512,
  /** Members of one object, but for schemas and the arguments of tools, which are the client's own data. */
  members: 20_000,
  /** Messages of a conversation, or items of an input. */
  messages: 100_000,
  /** Content blocks and tool calls of all messages together. */
  blocks: 100_000,
  /** Tools of a request, with those that items of its conversation bring. */
  tools: 4096,
  stop_sequences: 64,
  questions: 400,
  embedding_inputs: 2048,
  completion_prompts: 128,
  rerank_documents: 10_000,
  moderation_inputs: 2048,
} as const;
