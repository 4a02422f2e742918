import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import type { GuardedPost } from "./guarded-client.ts";

/** The region that most storages with S3's API take where they have none. */
const USUAL_REGION = "us-east-1";
/** `s3.eu-central-1.amazonaws.com`, `bucket.s3.eu-central-1.amazonaws.com`, and `s3-…` of early regions. */
const AMAZON = /(?:^|\.)s3[.-]([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;

/** A place in a storage that speaks S3. */
export interface Storage {
  /** The folder's address, with a slash at its end: bucket and prefix, or a prefix alone where the host names the bucket. */
  readonly url: string;
  readonly key: string;
  readonly secret: string;
  readonly region: string;
}

/** Reads `https://KEY:SECRET@HOST/BUCKET/PREFIX`, with `?region=` where the host does not say it, as the configuration has it. */
export function readStorage(address: string): Storage {
  const url = new URL(address);
  const region = url.searchParams.get("region") ?? AMAZON.exec(url.hostname)?.[1] ?? USUAL_REGION;
  const [key, secret] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  return { url: `${url.origin}${url.pathname.replace(/\/*$/, "/")}`, key, secret, region };
}

/** The request that puts an object, signed with Signature Version 4, its bytes with it. `name` is a path inside the folder. */
export async function putRequest(
  { url: folder, key, secret, region }: Storage,
  { name, body, content_type, now_ms }: { name: string; body: string; content_type: string; now_ms: number },
): Promise<GuardedPost> {
  const url = folder + name;
  const signer = new AwsV4Signer({
    ...{ method: "PUT", url, body, accessKeyId: key, secretAccessKey: secret, service: "s3", region },
    headers: { "x-amz-content-sha256": createHash("sha256").update(body).digest("hex") },
    datetime: new Date(now_ms).toISOString().replace(/[:-]|\.\d{3}/g, ""),
  });
  const signed = await signer.sign();
  const headers = { "content-type": content_type, "user-agent": "camino", ...Object.fromEntries(signed.headers) };
  return { method: "PUT", url: signed.url.href, headers, body, may_be_private: true };
}
