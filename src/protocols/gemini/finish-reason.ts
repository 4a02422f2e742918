/** Why a prompt was blocked before it reached the model; null when it was not blocked. */
export function blockReason(feedback: unknown): string | null {
  if (typeof feedback !== "object" || feedback === null || !("blockReason" in feedback)) return null;
  const { blockReason: word } = feedback;
  return typeof word === "string" && word !== "BLOCK_REASON_UNSPECIFIED" ? word : null;
}
