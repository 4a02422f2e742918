import { AwsV4Signer } from "aws4fetch";

/** The credentials with which requests must be signed (Signature Version 4). */
export interface AwsCredentials {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string;
  readonly region: string;
  /** Default `bedrock`. */
  readonly service?: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
/** The largest allowed difference between the signer's clock and the simulator's. */
const MOST_SKEW_MS = 5 * 60 * 1000;

/** Whether a request was signed with these credentials, over its path, its body and the headers that it names. */
export async function isSigned(request: Request, body: string, expected: AwsCredentials): Promise<boolean> {
  const [, key_id, day, region, service, names, signature] =
    AUTHORIZATION.exec(request.headers.get("authorization") ?? "") ?? [];
  const datetime = request.headers.get("x-amz-date") ?? "";
  if (names === undefined || key_id !== expected.access_key_id || !datetime.startsWith(day ?? "-")) return false;
  if (region !== expected.region || service !== (expected.service ?? "bedrock") || !isRecent(datetime)) return false;
  if (request.headers.get("x-amz-security-token") !== (expected.session_token ?? null)) return false;
  const signed = names.split(";").filter((name) => name !== "host");
  const signer = new AwsV4Signer({
    method: request.method,
    url: request.url,
    headers: Object.fromEntries(signed.map((name) => [name, request.headers.get(name) ?? ""])),
    body,
    accessKeyId: expected.access_key_id,
    secretAccessKey: expected.secret_access_key,
    service,
    region,
    datetime,
    allHeaders: true,
  });
  return (await signer.signature()) === signature;
}

/** Whether a time such as `20260101T000000Z` is within the allowed difference from now. */
function isRecent(datetime: string): boolean {
  const iso = datetime.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  return Math.abs(Date.parse(iso) - Date.now()) < MOST_SKEW_MS;
}
