const REMOVED = "[removed]";

/**
 * The parts of a vendor's error message that must not reach a client: credentials, also in the shortened form that
 * vendors print (`sk-abc***xyz`), and the names of the operator's account, project, requests and people at the vendor.
 */
const SECRETS: readonly RegExp[] = [
  // Credentials in URLs, as user information and as parameters.
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/@"'<>]+@[^\s"'<>]*/gi,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*[?&](?:api[-_]?key|key|token|access_token|sig|signature|code|password|x-amz-[a-z-]+)=[^\s"'<>]*/gi,
  /\b(?:bearer|basic)\s+[\w.~+/*-]{8,}=*/gi,
  // JSON web tokens.
  /\beyJ[\w-]{8,}\.[\w.-]+/g,
  // Keys by their published prefixes, whole or with stars or dots in the middle.
  /\b(?:sk|pk|rk|gsk|xai|nvapi|pplx|hf|fw|csk|tgp|cm|sess)[-_](?=[\w*.…-]*(?:\d|\*|…|\.{2}))[\w*…-]{4,}(?:\.{2,}[\w*-]*|\*+[\w-]*)*/gi,
  /\bAIza[\w*-]{8,}/g,
  /\bya29\.[\w.-]+/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g,
  /\b[\w-]*\*{3,}[\w-]*/g,
  // The operator's account: organisations, projects, users, AWS and Google names and numbers.
  /\b(?:org|proj|project|user|usr|acct|account|team|workspace|wrkspc|ws|tenant)[-_](?=[\w-]*\d)[A-Za-z0-9_-]{6,}/gi,
  /\barn:aws[\w-]*:[^\s"',)]*/gi,
  /\bprojects\/[\w.:-]+/gi,
  /\b(?:subscriptions|resourceGroups)\/[\w.-]+/gi,
  /(?<=\b(?:organization|organisation|account|project|workspace|tenant|subscription)(?: id)?:? +[`'"]?)(?=[\w-]*\d)[\w-]{6,}/gi,
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  // Requests at the vendor.
  /\b(?:req|request|trace)[-_](?=[\w-]*\d)[A-Za-z0-9-]{8,}/gi,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\b[0-9a-f]{32,}\b/gi,
];

/** The text with secrets, vendor account details and vendor request ids replaced by `[removed]`. */
export function redactSecrets(text: string): string {
  let clean = text;
  for (const secret of SECRETS) clean = clean.replace(secret, REMOVED);
  return clean;
}
