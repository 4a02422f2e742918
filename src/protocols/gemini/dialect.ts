/** The properties of a target that decide how messages are written. */
export interface ContentDialect {
  /** False on Vertex AI, which refuses ids of calls and matches results by their order. */
  readonly call_ids: boolean;
  /** Whether the model requires signatures, and accepts media inside tool results. */
  readonly is_gemini_3: boolean;
}
